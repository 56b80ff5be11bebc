package store

import "keypact/encoding"

// Essential says which records may be written when the disk is nearly full: an
// engine lets a transaction pass that sets no others. They are those that
// deleting needs: the store's own small records, the indexes, and the meta
// records of collections. A collection grows only with a record of an element,
// which is not among them, so what passes takes elements out, changes a time to
// live or renames. The meta record of a string holds its value and is not among
// them either. A nil value is a deletion, which is essential.
func Essential(key, value []byte) bool {
	if len(key) == 0 {
		return false
	}
	switch encoding.Family(key[0]) {
	case encoding.FamilySequence, encoding.FamilyNamespace, encoding.FamilyCounter, encoding.FamilyContract,
		encoding.FamilyTree, encoding.FamilyAlias,
		encoding.FamilyExpiry, encoding.FamilyFieldExpiry, encoding.FamilyReclaim, encoding.FamilyStage:
		return true
	case encoding.FamilyMeta:
		var meta encoding.Meta
		return value == nil || encoding.ParseMeta(value, &meta) == nil && collection(meta.Type)
	}
	return value == nil
}
