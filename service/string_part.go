package service

import "keypact/store"

// Length is the answer of operations on the size of a value: bytes of a
// string, elements of a list.
type Length struct {
	Length int64 `json:"length"`
}

// StringPatch adds to the end of a string (append), or writes a part of it
// from an offset on after filling a gap with zero bytes (offset and value). An
// absent key is created, but writing nothing at an offset creates nothing. A
// key of another type is refused, a result beyond 8 MiB less 64 KiB is too
// large. A time to live, if given, is set on an existing key too.
type StringPatch struct {
	Key    Bytes  `json:"key" validate:"required,key"`
	Append Bytes  `json:"append,omitzero" validate:"value"`
	Offset *int64 `json:"offset,omitzero" validate:"omitnil,min=0"`
	Value  Bytes  `json:"value,omitzero" validate:"value"`
	Expiry
}

func (op StringPatch) check(l Limits) []Issue {
	issues := op.Expiry.check(l)
	const either = "must be given: either append, or offset and value"
	switch {
	case op.Append != nil && (op.Offset != nil || op.Value != nil):
		issues = append(issues, Issue{Path: []string{"append"}, Detail: "must not be given together with offset or value"})
	case op.Append != nil:
	case op.Offset == nil && op.Value == nil:
		issues = append(issues, Issue{Path: []string{"append"}, Detail: either})
	case op.Offset == nil:
		issues = append(issues, Issue{Path: []string{"offset"}, Detail: either})
	case op.Value == nil:
		issues = append(issues, Issue{Path: []string{"value"}, Detail: either})
	}
	return issues
}

// Calls declares APPEND or SETRANGE.
func (op StringPatch) Calls() []store.Call {
	if op.Append != nil {
		return []store.Call{{Verb: "APPEND", Key: op.Key, DataAt: "append"}}
	}
	return []store.Call{{Verb: "SETRANGE", Key: op.Key, DataAt: "value"}}
}

// Apply writes.
func (op StringPatch) Apply(tx *store.Tx) (any, error) {
	s, err := tx.String(op.Key)
	if err != nil {
		return nil, err
	}
	if err := op.write(tx, s); err != nil {
		return nil, err
	}
	return Length{Length: int64(len(s.Value()))}, expire(tx, s, op.Expiry)
}

func (op StringPatch) write(tx *store.Tx, s *store.String) error {
	if op.Append != nil {
		tx.At(store.Place{Data: "append"})
		return s.Append(op.Append)
	}
	tx.At(store.Place{Data: "value"})
	return s.Overlay(*op.Offset, op.Value)
}

// StringRange reads the bytes from start to stop, both included; negative
// positions count from the end, and a range outside the value is empty. An
// absent key is not found, a key of another type is refused.
type StringRange struct {
	Key   Bytes  `json:"key" validate:"required,key"`
	Start int64  `json:"start,omitzero"`
	Stop  *int64 `json:"stop,omitzero"` // default -1, the last byte
}

// StringPart is the answer of StringRange.
type StringPart struct {
	Value Bytes `json:"value"`
}

// Calls declares GETRANGE.
func (op StringRange) Calls() []store.Call {
	return []store.Call{{Verb: "GETRANGE", Key: op.Key, Read: true}}
}

// Apply reads.
func (op StringRange) Apply(tx *store.Tx) (any, error) {
	s, err := tx.String(op.Key)
	if err != nil {
		return nil, err
	}
	if !s.Exists() {
		return nil, store.ErrNotFound
	}
	stop := int64(-1)
	if op.Stop != nil {
		stop = *op.Stop
	}
	return StringPart{Value: s.Range(op.Start, stop)}, nil
}

// StringLength counts the bytes of a string: 0 for an absent key. A key of
// another type is refused.
type StringLength struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls declares STRLEN.
func (op StringLength) Calls() []store.Call {
	return []store.Call{{Verb: "STRLEN", Key: op.Key, Read: true}}
}

// Apply counts.
func (op StringLength) Apply(tx *store.Tx) (any, error) {
	s, err := tx.String(op.Key)
	if err != nil {
		return nil, err
	}
	return Length{Length: int64(len(s.Value()))}, nil
}
