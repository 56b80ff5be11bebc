package encoding

import "encoding/binary"

const changeGone = 1 << 0 // the key does not exist any more

// Change is one entry of a namespace's change log.
type Change struct {
	Type    Type
	Gone    bool   // the key is gone after this change
	Time    int64  // ms since the epoch
	Version uint64 // of the key after the change, or of the one that went
	Changes uint64
	Verb    string // what was done, as a Redis command in capitals
	Key     []byte
}

// AppendChangeKey appends the key of a log entry; the oldest comes first.
func AppendChangeKey(dst []byte, ns uint32, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(AppendPrefix(dst, FamilyChange, ns), seq)
}

// ParseChangeKey reads the key of a log entry.
func ParseChangeKey(k []byte) (ns uint32, seq uint64, err error) {
	c := cursor{rest: k}
	c.family(FamilyChange)
	ns = c.u32BE("namespace")
	seq = c.u64BE("sequence")
	return ns, seq, c.end("change key")
}

// AppendChange appends r.
func AppendChange(dst []byte, r *Change) []byte {
	var flags byte
	if r.Gone {
		flags |= changeGone
	}
	dst = append(dst, flags, byte(r.Type))
	dst = appendTime(dst, r.Time)
	dst = binary.LittleEndian.AppendUint64(dst, r.Version)
	dst = binary.AppendUvarint(dst, r.Changes)
	dst = binary.AppendUvarint(dst, uint64(len(r.Verb)))
	dst = append(dst, r.Verb...)
	return append(dst, r.Key...)
}

// ParseChange reads src into r. Key aliases src. After an error r holds nothing
// of use.
func ParseChange(src []byte, r *Change) error {
	c := cursor{rest: src}
	flags := c.flags(changeGone)
	*r = Change{Gone: flags&changeGone != 0, Type: c.typ()}
	r.Time = c.time("time")
	r.Version = c.u64("version")
	r.Changes = c.uvarint("changes")
	r.Verb = string(c.block("verb"))
	r.Key = c.tail()
	return c.end("change value")
}
