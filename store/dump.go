package store

import (
	"bytes"
	"errors"

	"keypact/encoding"
	"keypact/store/kv"
)

var (
	// ErrNoDump says that bytes are no dump of this program, or are damaged.
	ErrNoDump = errors.New("the dump has another version or a wrong checksum")
	// ErrDumpFormat says that a dump with a right checksum holds no value.
	ErrDumpFormat = errors.New("the dump holds no value")
)

// Sample visits the first n elements in the order of the store, all of them if n
// is 0. name is a field or a member, nil for a string and in a list; value is
// nil in a set and the score in its ordered form in a sorted set. Both are valid
// only during the visit. An error from visit ends the walk. An absent key has no
// elements.
func (k *Key) Sample(n int, visit func(name, value []byte) error) error {
	r := k.r
	switch {
	case !r.exists:
		return nil
	case r.meta.Type == TypeString:
		return visit(nil, r.meta.Value)
	case r.meta.Type == TypeList:
		return r.scan(encoding.FamilyList, kv.Range{Limit: n}, func(_, value []byte) error { return visit(nil, value) })
	}
	return r.scan(encoding.FamilyMember, kv.Range{Limit: n}, visit)
}

// Dump writes the value of the key, without its time to live, in the form that
// encoding.Dump describes. One of more than Limits.ValueBytes is ErrTooBig, an
// absent key ErrNotFound.
func (k *Key) Dump() ([]byte, error) {
	if !k.r.exists {
		return nil, ErrNotFound
	}
	limit, size := k.r.tx.s.limits.ValueBytes, 0
	d := encoding.Dump{Type: k.r.meta.Type, MediaType: k.r.meta.MediaType}
	if d.Type == TypeString {
		d.Value = k.r.meta.Value
		return encoding.AppendDump(nil, &d), nil
	}
	err := k.Sample(0, func(name, value []byte) error {
		if size += len(name) + len(value); size > limit {
			return tooLong("dump", size, limit)
		}
		d.Elements = append(d.Elements, encoding.DumpElement{Name: bytes.Clone(name), Value: bytes.Clone(value)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return encoding.AppendDump(nil, &d), nil
}

// Restore makes the key the value of a dump, whatever it held. It expires at the
// given ms since the epoch, never if that is 0. What is no dump is ErrNoDump or
// ErrDumpFormat. Every element is judged by the key's contract.
func (k *Key) Restore(dump []byte, expires int64) error {
	var d encoding.Dump
	switch err := encoding.ParseDump(dump, &d); {
	case errors.Is(err, encoding.ErrNoDump):
		return ErrNoDump
	case err != nil:
		return ErrDumpFormat
	}
	r := k.r
	if err := r.tx.bulky(uint64(len(d.Elements))); err != nil {
		return err
	}
	if err := r.replace(d.Type); err != nil {
		return err
	}
	if d.Type == TypeString {
		r.meta.MediaType = d.MediaType
		if err := r.setValue(append([]byte{}, d.Value...)); err != nil {
			return err
		}
	}
	for _, e := range d.Elements {
		if err := r.restoreElement(e.Name, e.Value); err != nil {
			return err
		}
	}
	if expires == 0 {
		return nil
	}
	return r.setExpiry(expires)
}

// restoreElement writes one element of a dump.
func (r *record) restoreElement(name, value []byte) error {
	if r.meta.Type != TypeZSet {
		return r.copyElement(name, value)
	}
	score, _, err := encoding.CutFloat(value)
	if err != nil {
		return ErrDumpFormat
	}
	return r.putScore(name, score, nil)
}
