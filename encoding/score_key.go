package encoding

// AppendScoreKey appends the key of a zset's second record, which keeps its
// members in the order of score, then member. Its value is AppendIndexValue.
func AppendScoreKey(dst []byte, ns uint32, home []byte, version uint64, score float64, member []byte) []byte {
	dst = AppendDataPrefix(dst, FamilyScore, ns, home, version)
	dst = AppendFloat(dst, score)
	return append(dst, member...)
}

// ParseScoreKey reads a score key. The member aliases k, and so does the home
// key unless it holds a NUL.
func ParseScoreKey(k []byte) (ns uint32, home []byte, version uint64, score float64, member []byte, err error) {
	c := cursor{rest: k}
	c.family(FamilyScore)
	ns, home, version = c.data()
	score = c.float("score")
	member = c.tail()
	return ns, home, version, score, member, c.end("score key")
}
