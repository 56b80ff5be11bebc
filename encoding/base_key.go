package encoding

import "encoding/binary"

// AppendPrefix appends what every key of a namespace starts with: the reserved
// prefix of the source layout, put to use as family and namespace id.
func AppendPrefix(dst []byte, f Family, ns uint32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(f)), ns)
}

// AppendMetaKey appends the key of the one record that every user key has.
func AppendMetaKey(dst []byte, ns uint32, key []byte) []byte {
	return AppendEscaped(AppendPrefix(dst, FamilyMeta, ns), key)
}

// ParseMetaKey reads a meta key. The user key aliases k unless it holds a NUL.
func ParseMetaKey(k []byte) (ns uint32, key []byte, err error) {
	c := cursor{rest: k}
	c.family(FamilyMeta)
	ns = c.u32BE("namespace")
	key = c.escaped("user key")
	return ns, key, c.end("meta key")
}

// AppendDataPrefix appends what all elements of one version of one key start
// with: member, list, score, tree and alias keys differ only in family and in
// what follows. home is the user key under which the data was first written.
func AppendDataPrefix(dst []byte, f Family, ns uint32, home []byte, version uint64) []byte {
	dst = AppendEscaped(AppendPrefix(dst, f, ns), home)
	return binary.LittleEndian.AppendUint64(dst, version)
}

// ParseDataPrefix reads what AppendDataPrefix wrote, of whatever family, and
// returns what follows it. It is for walks over several families; the home key
// aliases k unless it holds a NUL.
func ParseDataPrefix(k []byte) (f Family, ns uint32, home []byte, version uint64, rest []byte, err error) {
	c := cursor{rest: k}
	f = Family(c.u8("family"))
	switch f {
	case FamilyMember, FamilyList, FamilyScore, FamilyTree, FamilyAlias, FamilyStage:
	default:
		c.fail("family")
	}
	ns, home, version = c.data()
	return f, ns, home, version, c.rest, c.err("data key")
}

// data reads a data key from behind its family to the end of its version.
func (c *cursor) data() (ns uint32, home []byte, version uint64) {
	ns = c.u32BE("namespace")
	home = c.escaped("home key")
	version = c.u64("version")
	return ns, home, version
}
