package encoding

import "encoding/binary"

// ListMiddle is the index of a new list's first element, so that both ends have
// as much room as they could ever use.
const ListMiddle uint64 = 1 << 63

// AppendListKey appends the key of a list element. The index is the one the
// element got when it was pushed, not its distance from the head.
func AppendListKey(dst []byte, ns uint32, home []byte, version uint64, index uint64) []byte {
	dst = AppendDataPrefix(dst, FamilyList, ns, home, version)
	return binary.BigEndian.AppendUint64(dst, index)
}

// ParseListKey reads a list key. The home key aliases k unless it holds a NUL.
func ParseListKey(k []byte) (ns uint32, home []byte, version uint64, index uint64, err error) {
	c := cursor{rest: k}
	c.family(FamilyList)
	ns, home, version = c.data()
	index = c.u64BE("index")
	return ns, home, version, index, c.end("list key")
}
