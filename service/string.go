package service

import "keypact/store"

func stringRows() []Row {
	return []Row{
		read[StringGet]("StringGet", verb("GET")),
		write[StringSet]("StringSet",
			verb("SET"),
			verbWith("SETNX",
				func(op *StringSet) { op.If = Only(Absent) },
				func(op *StringSet) bool { return op.If.Has(Absent) }),
			verbWith("SETEX", nil, func(op *StringSet) bool { return op.Expiry.given() })),
		write[StringPatch]("StringPatch",
			verbWith("APPEND", nil, func(op *StringPatch) bool { return op.Append != nil }),
			verbWith("SETRANGE", nil, func(op *StringPatch) bool { return op.Append == nil })),
		read[StringRange]("StringRange", verb("GETRANGE")),
		read[StringLength]("StringLength", verb("STRLEN")),
		write[StringIncr]("StringIncr", stringIncrVerbs()...),
		read[StringsGet]("StringsGet", verb("MGET")),
		write[StringsSet]("StringsSet",
			verb("MSET"),
			verbWith("MSETNX",
				func(op *StringsSet) { op.If = Only(Absent) },
				func(op *StringsSet) bool { return op.If.Has(Absent) })),
		write[StringDelete]("StringDelete"),
	}
}

// StringGet reads a string. An absent key is not found, a key of another type
// is refused.
type StringGet struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// StringValue is the answer of StringGet.
type StringValue struct {
	Value     Bytes  `json:"value"`
	MediaType string `json:"media_type,omitzero"` // what the value was stored as, if that was said
	Remaining
}

// Raw is the value without a form around it.
func (v StringValue) Raw() (value []byte, mediaType string) { return v.Value, v.MediaType }

// Calls declares GET.
func (op StringGet) Calls() []store.Call {
	return []store.Call{{Verb: "GET", Key: op.Key, Read: true}}
}

// Apply reads.
func (op StringGet) Apply(tx *store.Tx) (any, error) {
	s, err := tx.String(op.Key)
	if err != nil {
		return nil, err
	}
	if !s.Exists() {
		return nil, store.ErrNotFound
	}
	return StringValue{Value: s.Value(), MediaType: s.MediaType(), Remaining: remaining(tx, s.Expires())}, nil
}

// StringSet makes a key a string, whatever type it had. Without an expiry the
// key does not expire, unless keep_ttl keeps the one it had. With a condition
// on the key that does not hold nothing is written (412). It answers without a
// body; Created says whether the key is new. A value beyond 8 MiB less 64 KiB
// is too large.
type StringSet struct {
	Key   Bytes `json:"key" validate:"required,key"`
	Value Bytes `json:"value" validate:"required,value"`
	Expiry
	KeepTTL   bool       `json:"keep_ttl,omitzero"`
	If        Conditions `json:"if,omitzero" validate:"conditions=absent present"`
	MediaType string     `json:"media_type,omitzero" validate:"max=255"` // of a raw body; stored with the value
}

// SetRaw takes a request's raw body as the value.
func (op *StringSet) SetRaw(body []byte, mediaType string) {
	op.Value, op.MediaType = body, mediaType
}

func (op StringSet) check(l Limits) []Issue {
	issues := op.Expiry.check(l)
	if op.KeepTTL && op.Expiry.given() {
		issues = append(issues, Issue{Path: []string{"keep_ttl"}, Detail: "must not be given together with ttl or expires_at"})
	}
	return issues
}

// Calls declares SET.
func (op StringSet) Calls() []store.Call {
	return []store.Call{{Verb: "SET", Key: op.Key, DataAt: "value"}}
}

// Apply writes.
func (op StringSet) Apply(tx *store.Tx) (any, error) {
	expires, err := op.Expiry.at(tx)
	if err != nil {
		return nil, err
	}
	k, err := tx.Key(op.Key)
	if err != nil {
		return nil, err
	}
	created := !k.Exists()
	if op.If.Has(Absent) && !created || op.If.Has(Present) && created {
		return nil, store.ErrPrecondition
	}
	tx.At(store.Place{Data: "value"})
	return Stored{Created: created}, k.PutString(op.Value, op.MediaType, expires, op.KeepTTL)
}

// StringDelete deletes a string. An absent key is not found, a key of another
// type is refused.
type StringDelete struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls declares DEL.
func (op StringDelete) Calls() []store.Call { return deleteCalls(op.Key) }

// Apply deletes.
func (op StringDelete) Apply(tx *store.Tx) (any, error) {
	s, err := tx.String(op.Key)
	return remove(s, err)
}
