package encoding

import "encoding/binary"

const (
	reclaimNamespace = 1 << 0 // all of a namespace, not one version of one key
	reclaimCursor    = 1 << 1 // a cursor closes the record

	reclaimKnown = reclaimNamespace | reclaimCursor
)

// Reclaim names data that nothing refers to any more: all elements of one
// version of one key, or everything in a namespace. The background worker
// deletes them in steps and notes where it stopped.
type Reclaim struct {
	NS             uint32
	WholeNamespace bool // the three fields below are not written
	Home           []byte
	Version        uint64
	Type           Type
	Cursor         []byte // the key to go on from; nil is the beginning
}

// AppendReclaimKey appends the key of a reclaim record; the oldest comes first.
func AppendReclaimKey(dst []byte, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, byte(FamilyReclaim)), seq)
}

// ParseReclaimKey reads a reclaim key.
func ParseReclaimKey(k []byte) (seq uint64, err error) {
	c := cursor{rest: k}
	c.family(FamilyReclaim)
	seq = c.u64BE("sequence")
	return seq, c.end("reclaim key")
}

// AppendReclaim appends r.
func AppendReclaim(dst []byte, r *Reclaim) []byte {
	var flags byte
	if r.WholeNamespace {
		flags |= reclaimNamespace
	}
	if len(r.Cursor) > 0 {
		flags |= reclaimCursor
	}
	dst = append(dst, flags)
	dst = binary.LittleEndian.AppendUint32(dst, r.NS)
	if !r.WholeNamespace {
		dst = append(dst, byte(r.Type))
		dst = binary.LittleEndian.AppendUint64(dst, r.Version)
		dst = appendBlock(dst, r.Home)
	}
	return append(dst, r.Cursor...)
}

// ParseReclaim reads src into r. Home and Cursor alias src. After an error r
// holds nothing of use.
func ParseReclaim(src []byte, r *Reclaim) error {
	c := cursor{rest: src}
	flags := c.flags(reclaimKnown)
	*r = Reclaim{NS: c.u32("namespace"), WholeNamespace: flags&reclaimNamespace != 0}
	if !r.WholeNamespace {
		r.Type = c.typ()
		r.Version = c.u64("version")
		r.Home = c.block("home key")
	}
	if flags&reclaimCursor != 0 {
		if r.Cursor = c.tail(); len(r.Cursor) == 0 {
			c.fail("cursor")
		}
	}
	return c.end("reclaim value")
}
