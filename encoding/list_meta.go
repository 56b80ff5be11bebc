package encoding

import "encoding/binary"

// appendListBounds appends what a list's meta value ends with. An index at
// either end is known from it without a look at the elements, so a push or a
// pop costs the same however long the list is.
func appendListBounds(dst []byte, m *Meta) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, m.Left)
	return binary.LittleEndian.AppendUint64(dst, m.Right)
}

func parseListBounds(c *cursor, m *Meta) {
	m.Left = c.u64("left bound")
	m.Right = c.u64("right bound")
}
