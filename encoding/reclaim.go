package encoding

import "encoding/binary"

const (
	reclaimNamespace = 1 << 0 // all of a namespace, not one version of one key
	reclaimCursor    = 1 << 1 // a cursor closes the record

	reclaimQueued = 1 << 2 // when it was queued
	reclaimPart   = 1 << 3 // a part of a list that lives on

	reclaimKnown = reclaimNamespace | reclaimCursor | reclaimQueued | reclaimPart
)

// Reclaim names data that nothing refers to any more: all elements of one
// version of one key, a part of one list, or everything in a namespace. The
// background worker deletes them in steps and notes where it stopped.
type Reclaim struct {
	NS             uint32
	WholeNamespace bool // the three fields below are not written
	Home           []byte
	Version        uint64
	Type           Type
	Queued         int64 // ms since the epoch; 0 is not known

	// A part of a list: the elements of the indexes [From, To) that lie outside
	// the bounds of the list, should it live. Both are 0 for all of a version.
	From, To uint64

	Cursor []byte // the key to go on from; nil is the beginning
}

// Part reports whether r names a part of a list.
func (r *Reclaim) Part() bool { return r.To != 0 && !r.WholeNamespace }

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
	if r.Queued != 0 {
		flags |= reclaimQueued
	}
	if r.Part() {
		flags |= reclaimPart
	}
	dst = append(dst, flags)
	dst = binary.LittleEndian.AppendUint32(dst, r.NS)
	if !r.WholeNamespace {
		dst = append(dst, byte(r.Type))
		dst = binary.LittleEndian.AppendUint64(dst, r.Version)
		dst = appendBlock(dst, r.Home)
	}
	if r.Queued != 0 {
		dst = appendTime(dst, clampExpiry(r.Queued))
	}
	if r.Part() {
		dst = binary.LittleEndian.AppendUint64(dst, r.From)
		dst = binary.LittleEndian.AppendUint64(dst, r.To)
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
	if flags&reclaimQueued != 0 {
		r.Queued = c.expiry("queue time")
	}
	if flags&reclaimPart != 0 {
		r.From, r.To = c.u64("from"), c.u64("to")
		if r.WholeNamespace || r.From >= r.To {
			c.fail("part")
		}
	}
	if flags&reclaimCursor != 0 {
		if r.Cursor = c.tail(); len(r.Cursor) == 0 {
			c.fail("cursor")
		}
	}
	return c.end("reclaim value")
}
