package store

import (
	"bytes"
	"fmt"
	"slices"

	"keypact/contracts"
	"keypact/encoding"
)

// String is a string as the running operation sees it. An absent key has no
// bytes.
type String struct{ handle }

// String opens a key as a string. A key of another type is ErrWrongType.
func (tx *Tx) String(key []byte) (*String, error) {
	r, err := tx.open(key, encoding.TypeString)
	if err != nil {
		return nil, err
	}
	return &String{handle{r}}, nil
}

// Value is the whole value; nil for an absent key. It must not be changed.
func (s *String) Value() []byte {
	if !s.r.exists {
		return nil
	}
	return s.r.meta.Value
}

// MediaType is what the value was stored as; empty if that was not said.
func (s *String) MediaType() string {
	if !s.r.exists {
		return ""
	}
	return s.r.meta.MediaType
}

// Range is the part from start to stop, both included. Negative positions
// count from the end. A range that holds nothing is empty, also one that ends
// left of the value, where some versions of GETRANGE return the first byte.
func (s *String) Range(start, stop int64) []byte {
	value := s.Value()
	n := int64(len(value))
	if start < 0 {
		start = max(start+n, 0)
	}
	if stop < 0 {
		stop += n
	}
	stop = min(stop, n-1)
	if start > stop {
		return []byte{}
	}
	return value[start : stop+1]
}

// Edit replaces the value and keeps the time to live and the media type. An
// absent key is created without either. A value beyond Limits.ValueBytes is
// ErrTooBig.
func (s *String) Edit(value []byte) error {
	if s.r.exists && bytes.Equal(value, s.r.meta.Value) {
		return s.r.touch()
	}
	if err := s.r.ensure(encoding.TypeString); err != nil {
		return err
	}
	defer s.r.tx.resulting(len(s.r.tx.op.found))
	return s.r.setValue(value)
}

// Append adds to the end of the value and creates an absent key.
func (s *String) Append(tail []byte) error {
	if err := s.r.tx.roomFor(len(s.Value()), len(tail)); err != nil {
		return err
	}
	return s.Edit(slices.Concat(s.Value(), tail))
}

// Overlay writes part into the value from offset on, after filling a gap with
// zero bytes. An absent key is created, but an empty part changes and creates
// nothing, as in SETRANGE. A negative offset is ErrRange.
func (s *String) Overlay(offset int64, part []byte) error {
	if offset < 0 {
		return ErrRange
	}
	if len(part) == 0 {
		if s.r.exists {
			return s.r.touch()
		}
		return nil
	}
	limit := int64(s.r.tx.s.limits.ValueBytes)
	if offset > limit {
		return fmt.Errorf("%w: the offset is %d, the limit of a value is %d bytes", ErrTooBig, offset, limit)
	}
	if err := s.r.tx.roomFor(int(offset), len(part)); err != nil {
		return err
	}
	old := s.Value()
	value := make([]byte, max(len(old), int(offset)+len(part)))
	copy(value, old)
	copy(value[offset:], part)
	return s.Edit(value)
}

// roomFor refuses a value of have+more bytes before it is built.
func (tx *Tx) roomFor(have, more int) error {
	if limit := tx.s.limits.ValueBytes; have+more > limit {
		return tooLong("value", have+more, limit)
	}
	return nil
}

// resulting says that the violations noted from a position on lie in the state
// that a write leads to, not in the request itself.
func (tx *Tx) resulting(from int) {
	for i := from; i < len(tx.op.found); i++ {
		tx.op.found[i].Phase = contracts.PhaseResult
	}
}
