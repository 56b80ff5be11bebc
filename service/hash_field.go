package service

import "keypact/store"

// HashFieldGet reads one field. An absent key or field is not found, a key of
// another type is refused.
type HashFieldGet struct {
	Key   Bytes `json:"key" validate:"required,key"`
	Field Bytes `json:"field" validate:"required,element"`
}

// Value is the answer of operations that read one element.
type Value struct {
	Value Bytes `json:"value"`
}

// Raw is the element without a form around it.
func (v Value) Raw() (value []byte, mediaType string) { return v.Value, "" }

// Calls declares HGET.
func (op HashFieldGet) Calls() []store.Call {
	return []store.Call{{Verb: "HGET", Key: op.Key, Read: true, DataAt: "field"}}
}

// Apply reads.
func (op HashFieldGet) Apply(tx *store.Tx) (any, error) {
	h, err := tx.Hash(op.Key)
	if err != nil {
		return nil, err
	}
	value, found, err := h.Field(op.Field)
	if err == nil && !found {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return Value{Value: value}, nil
}

// HashFieldSet gives one field a value and creates the hash. With if absent a
// field that is there is left alone (412). It answers without a body; Created
// says whether the field is new. A time to live, if given, is set on an
// existing hash too. A key of another type is refused; a name beyond 4,096
// bytes or a value beyond 8 MiB less 64 KiB is too large.
type HashFieldSet struct {
	Key   Bytes `json:"key" validate:"required,key"`
	Field Bytes `json:"field" validate:"required,element"`
	Value Bytes `json:"value" validate:"required,value"`
	Expiry
	If Conditions `json:"if,omitzero" validate:"conditions=absent"`
}

// SetRaw takes a request's raw body as the value. A field keeps no media type.
func (op *HashFieldSet) SetRaw(body []byte, _ string) { op.Value = body }

// Calls declares HSET, or HSETNX with a condition.
func (op HashFieldSet) Calls() []store.Call {
	verb := "HSET"
	if op.If.Has(Absent) {
		verb = "HSETNX"
	}
	return []store.Call{{Verb: verb, Key: op.Key, DataAt: "field"}}
}

// Apply writes.
func (op HashFieldSet) Apply(tx *store.Tx) (any, error) {
	h, err := tx.Hash(op.Key)
	if err != nil {
		return nil, err
	}
	if op.If.Has(Absent) {
		if _, found, err := h.Field(op.Field); err != nil || found {
			return nil, orPrecondition(err)
		}
	}
	tx.At(store.Place{Identity: "field", Data: "value"})
	added, _, err := h.Put(op.Field, op.Value)
	if err != nil {
		return nil, err
	}
	return Stored{Created: added}, expire(tx, h, op.Expiry)
}

// orPrecondition is the error that came first.
func orPrecondition(err error) error {
	if err != nil {
		return err
	}
	return store.ErrPrecondition
}

// HashFieldRemove removes one field; the last one takes the key with it. An
// absent key or field is not found, a key of another type is refused.
type HashFieldRemove struct {
	Key   Bytes `json:"key" validate:"required,key"`
	Field Bytes `json:"field" validate:"required,element"`
}

// Calls declares HDEL.
func (op HashFieldRemove) Calls() []store.Call {
	return []store.Call{{Verb: "HDEL", Key: op.Key, DataAt: "field"}}
}

// Apply removes.
func (op HashFieldRemove) Apply(tx *store.Tx) (any, error) {
	h, err := tx.Hash(op.Key)
	if err != nil {
		return nil, err
	}
	tx.At(store.Place{Identity: "field"})
	dropped, err := h.Drop(op.Field)
	if err == nil && !dropped {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return removal(h, 1, nil)
}

// HashFieldIncr adds to the number a field holds; an absent field counts as 0
// and is created, as is the hash. Otherwise it counts as StringIncr does. A
// time to live, if given, is set on the hash.
type HashFieldIncr struct {
	Key     Bytes  `json:"key" validate:"required,key"`
	Field   Bytes  `json:"field" validate:"required,element"`
	By      Number `json:"by,omitzero"`
	Decimal bool   `json:"decimal,omitzero"` // count in decimal numbers even if by is whole
	Expiry
}

func hashFieldIncrVerbs() []Verb {
	return []Verb{
		verbWith("HINCRBY", nil, func(op *HashFieldIncr) bool { return op.By != "" && op.step().whole() }),
		verbWith("HINCRBYFLOAT",
			func(op *HashFieldIncr) { op.Decimal = true },
			func(op *HashFieldIncr) bool { return op.By != "" && !op.step().whole() }),
	}
}

func (op HashFieldIncr) step() increment { return increment{by: op.By, decimal: op.Decimal} }

func (op HashFieldIncr) check(l Limits) []Issue {
	return append(op.Expiry.check(l), op.step().check()...)
}

// Calls declares HINCRBY or HINCRBYFLOAT.
func (op HashFieldIncr) Calls() []store.Call {
	verb := "HINCRBYFLOAT"
	if op.step().whole() {
		verb = "HINCRBY"
	}
	return []store.Call{{Verb: verb, Key: op.Key, DataAt: "field"}}
}

// Apply counts.
func (op HashFieldIncr) Apply(tx *store.Tx) (any, error) {
	h, err := tx.Hash(op.Key)
	if err != nil {
		return nil, err
	}
	old, found, err := h.Field(op.Field)
	if err != nil {
		return nil, err
	}
	value, err := op.step().apply(old, found)
	if err != nil {
		return nil, err
	}
	tx.At(store.Place{Identity: "field", Data: "by"})
	if err := h.Edit(op.Field, value); err != nil {
		return nil, err
	}
	return Counted{Value: Number(value)}, expire(tx, h, op.Expiry)
}
