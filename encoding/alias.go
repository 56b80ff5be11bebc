package encoding

// AppendAliasKey appends the key of the record that stands at the place of a
// renamed key's data and says what the key is called now, so that a walk in key
// order finds the data's owner.
func AppendAliasKey(dst []byte, ns uint32, home []byte, version uint64) []byte {
	return AppendDataPrefix(dst, FamilyAlias, ns, home, version)
}

// ParseAliasKey reads an alias key. The home key aliases k unless it holds a
// NUL.
func ParseAliasKey(k []byte) (ns uint32, home []byte, version uint64, err error) {
	c := cursor{rest: k}
	c.family(FamilyAlias)
	ns, home, version = c.data()
	return ns, home, version, c.end("alias key")
}

// AppendAlias appends the value of an alias record: the present key.
func AppendAlias(dst, key []byte) []byte {
	return append(append(dst, 0), key...)
}

// ParseAlias reads the value of an alias record. The key aliases src and is
// never nil.
func ParseAlias(src []byte) (key []byte, err error) {
	c := cursor{rest: src}
	c.flags(0)
	key = c.tail()
	return key, c.end("alias value")
}
