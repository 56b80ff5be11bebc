package encoding

// AppendMemberKey appends the key of a hash field, a set member or a zset
// member's score.
func AppendMemberKey(dst []byte, ns uint32, home []byte, version uint64, member []byte) []byte {
	dst = AppendDataPrefix(dst, FamilyMember, ns, home, version)
	return append(dst, member...)
}

// ParseMemberKey reads a member key. The member aliases k, and so does the home
// key unless it holds a NUL.
func ParseMemberKey(k []byte) (ns uint32, home []byte, version uint64, member []byte, err error) {
	c := cursor{rest: k}
	c.family(FamilyMember)
	ns, home, version = c.data()
	member = c.tail()
	return ns, home, version, member, c.end("member key")
}
