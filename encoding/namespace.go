package encoding

import "encoding/binary"

// AppendNamespaceKey appends the key of the record that gives a namespace its
// id. name is what users say: the number of SELECT in decimal.
func AppendNamespaceKey(dst []byte, name string) []byte {
	return append(append(dst, byte(FamilyNamespace)), name...)
}

// ParseNamespaceKey reads a namespace key.
func ParseNamespaceKey(k []byte) (name string, err error) {
	c := cursor{rest: k}
	c.family(FamilyNamespace)
	name = string(c.tail())
	return name, c.end("namespace key")
}

// AppendNamespace appends the value of a namespace record. An emptied namespace
// gets a new id; no id is used twice.
func AppendNamespace(dst []byte, id uint32) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, 0), id)
}

// ParseNamespace reads the value of a namespace record.
func ParseNamespace(src []byte) (id uint32, err error) {
	c := cursor{rest: src}
	c.flags(0)
	id = c.u32("id")
	return id, c.end("namespace value")
}
