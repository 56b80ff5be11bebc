package encoding

import "encoding/binary"

// Flags of a meta value. Each optional field has one, and fields follow the
// core in this order. New fields take the next bits, so that old records keep
// their bytes.
const (
	metaExpires = 1 << iota
	metaBytes
	metaMediaType
	metaContract
	metaConformant
	metaFieldExpires
	metaHome
	metaTreeRoot
	metaLowWater
	metaUneven
	metaStride
	metaHighWater

	metaKnown = 1<<iota - 1
)

// Meta is the value of the one record that every key has.
type Meta struct {
	Type    Type
	Count   uint64 // elements
	Version uint64 // names this key's data; never used twice in one store
	Changes uint64 // effective operations on this version; with it, the ETag
	Created int64  // ms since the epoch
	Expires int64  // ms since the epoch; 0 is never

	// Optional fields. Left out of the record while they are zero.
	Bytes            uint64 // size of the key's data
	MediaType        string // of a string's value
	ContractID       uint32 // the contract last judged by; 0 is none
	ContractRevision uint64 // written only beside an id
	Conformant       bool   // the whole value passed that revision
	FieldExpires     int64  // least field expiry, ms since the epoch
	HasHome          bool   // the data lives under Home, not under the own key
	Home             []byte // nil is the own key; set HasHome for an empty home key
	TreeRoot         uint64 // root node of the counted tree beside a zset, set or list; 0 is no tree
	LowWater         []byte // no element lies before this one, in the order the tree counts
	Uneven           uint64 // list only: not 0 once elements went in or out between the ends, so that positions no longer follow from indexes
	Stride           uint64 // list only: how far apart the indexes of pushed elements lie; 0 is written for 1
	HighWater        []byte // no element lies behind this one, in the order the tree counts

	// List only: the index of the first element, and where the next element
	// pushed to the right goes.
	Left, Right uint64

	// String only.
	Value []byte
}

// AppendMeta appends m: the core, optional fields by flag, a list's bounds, a
// string's value. Bounds and value of other types are not written. Times
// outside 0..MaxTime take the nearest the record can hold.
func AppendMeta(dst []byte, m *Meta) []byte {
	flags := m.flags()
	dst = append(dst, byte(m.Type))
	dst = binary.AppendUvarint(dst, flags)
	dst = binary.AppendUvarint(dst, m.Count)
	dst = binary.LittleEndian.AppendUint64(dst, m.Version)
	dst = binary.AppendUvarint(dst, m.Changes)
	dst = appendTime(dst, m.Created)
	if flags != 0 {
		dst = m.appendOptional(dst, flags)
	}
	switch m.Type {
	case TypeList:
		return appendListBounds(dst, m)
	case TypeString:
		return appendStringValue(dst, m)
	}
	return dst
}

// ParseMeta reads src into m. Home, LowWater, HighWater and Value alias src; a string's
// Value is never nil. An unknown type or flag, and bytes missing or left over,
// are ErrCorrupt, after which m holds nothing of use.
func ParseMeta(src []byte, m *Meta) error {
	c := cursor{rest: src}
	*m = Meta{Type: c.typ()}
	flags := c.uvarint("flags")
	if flags&^metaKnown != 0 {
		c.fail("unknown flag")
	}
	m.Count = c.uvarint("count")
	m.Version = c.u64("version")
	m.Changes = c.uvarint("changes")
	m.Created = c.time("creation time")
	if flags != 0 {
		m.parseOptional(&c, flags)
	}
	switch m.Type {
	case TypeList:
		parseListBounds(&c, m)
	case TypeString:
		parseStringValue(&c, m)
	}
	return c.end("meta value")
}
