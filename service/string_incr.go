package service

import "keypact/store"

// StringIncr adds to the number a string holds; an absent key counts as 0 and
// is created. A whole number by (default 1) counts in 64-bit integers: the
// value must be one, in canonical form, and a result beyond 64 bits is refused.
// With a fraction, or with decimal set, it counts in decimal numbers, exactly.
// The time to live is kept unless the request gives one. A key of another type
// is refused.
type StringIncr struct {
	Key     Bytes  `json:"key" validate:"required,key"`
	By      Number `json:"by,omitzero"`
	Decimal bool   `json:"decimal,omitzero"` // count in decimal numbers even if by is whole
	Expiry

	negate bool // count down, as DECR does
}

// Counted is the answer of operations that count. A decimal number that no
// double holds is written with all its digits.
type Counted struct {
	Value Number `json:"value"`
}

func stringIncrVerbs() []Verb {
	one := func(op *StringIncr) bool { return op.By == "" && !op.Decimal }
	whole := func(op *StringIncr) bool { return op.By != "" && op.step().whole() }
	down := func(op *StringIncr) { op.negate = true }
	return []Verb{
		verbWith("INCR", nil, one),
		verbWith("INCRBY", nil, whole),
		verbWith("DECR", down, one),
		verbWith("DECRBY", down, whole),
		verbWith("INCRBYFLOAT",
			func(op *StringIncr) { op.Decimal = true },
			func(op *StringIncr) bool { return op.By != "" && !op.step().whole() }),
	}
}

func (op StringIncr) step() increment {
	return increment{by: op.By, decimal: op.Decimal, negate: op.negate}
}

func (op StringIncr) check(l Limits) []Issue {
	return append(op.Expiry.check(l), op.step().check()...)
}

// Calls declares INCRBY or INCRBYFLOAT.
func (op StringIncr) Calls() []store.Call {
	verb := "INCRBYFLOAT"
	if op.step().whole() {
		verb = "INCRBY"
	}
	return []store.Call{{Verb: verb, Key: op.Key, DataAt: "by"}}
}

// Apply counts.
func (op StringIncr) Apply(tx *store.Tx) (any, error) {
	s, err := tx.String(op.Key)
	if err != nil {
		return nil, err
	}
	value, err := op.step().apply(s.Value(), s.Exists())
	if err != nil {
		return nil, err
	}
	tx.At(store.Place{Data: "by"})
	if err := s.Edit(value); err != nil {
		return nil, err
	}
	return Counted{Value: Number(value)}, expire(tx, s, op.Expiry)
}
