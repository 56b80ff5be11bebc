package encoding

import "fmt"

// Format is the number of the layout this package writes. A store notes it when
// it is made and refuses to open under another one.
const Format = 1

// Family is the first byte of every key: it says what kind of record follows.
// The numbers are frozen.
type Family byte

// The families, in the order of the keyspace.
const (
	FamilyFormat    Family = 0x00 // format number of the store
	FamilySequence  Family = 0x01 // sequences, epoch and clock high-water mark
	FamilyNamespace Family = 0x02 // namespace name -> id
	FamilyCounter   Family = 0x03 // key counters of a namespace
	FamilyContract  Family = 0x04 // contract name -> id and revision

	FamilyMeta   Family = 0x10 // one record per key
	FamilyMember Family = 0x11 // hash fields, set members, zset member -> score
	FamilyList   Family = 0x12 // list elements by index
	FamilyScore  Family = 0x13 // zset score -> member
	FamilyTree   Family = 0x14 // nodes of a zset's counted tree
	FamilyAlias  Family = 0x15 // home key -> present key, after a rename

	FamilyExpiry      Family = 0x20 // keys by the time they expire
	FamilyFieldExpiry Family = 0x21 // fields by the time they expire
	FamilyReclaim     Family = 0x22 // dead data waiting to be deleted
	FamilyStage       Family = 0x23 // data being filled that nobody can see yet
	FamilyIdempotency Family = 0x24 // answers kept for repeated requests
	FamilyChange      Family = 0x25 // change log
	FamilyToken       Family = 0x26 // access tokens
)

var familyNames = map[Family]string{
	FamilyFormat: "format", FamilySequence: "sequence", FamilyNamespace: "namespace",
	FamilyCounter: "counter", FamilyContract: "contract",
	FamilyMeta: "meta", FamilyMember: "member", FamilyList: "list", FamilyScore: "score",
	FamilyTree: "tree", FamilyAlias: "alias",
	FamilyExpiry: "expiry", FamilyFieldExpiry: "field expiry", FamilyReclaim: "reclaim",
	FamilyStage: "stage", FamilyIdempotency: "idempotency", FamilyChange: "change",
	FamilyToken: "token",
}

// String is the family's name, or its number if the number names no family.
func (f Family) String() string {
	if name, ok := familyNames[f]; ok {
		return name
	}
	return fmt.Sprintf("family %#02x", byte(f))
}
