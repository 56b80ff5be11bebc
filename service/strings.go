package service

import "keypact/store"

// StringsGet reads many strings of one moment. Absent keys and keys of another
// type are null, as in MGET.
type StringsGet struct {
	Keys []Bytes `json:"keys" query:"key" validate:"required,min=1,max=1000,dive,required,key"`
}

// Values is the answer of StringsGet, in the order of its keys.
type Values struct {
	Values []Bytes `json:"values"`
}

// Calls declares GET of each key.
func (op StringsGet) Calls() []store.Call { return readCalls("GET", op.Keys) }

// readCalls declares a read of each of the request's keys.
func readCalls(verb string, keys []Bytes) []store.Call {
	calls := make([]store.Call, len(keys))
	for i, key := range keys {
		calls[i] = store.Call{Verb: verb, Key: key, Read: true, KeyAt: "keys"}
	}
	return calls
}

// Apply reads.
func (op StringsGet) Apply(tx *store.Tx) (any, error) {
	values := make([]Bytes, len(op.Keys))
	for i, key := range op.Keys {
		k, err := tx.Key(key)
		if err != nil {
			return nil, err
		}
		if k.Type() != store.TypeString {
			continue
		}
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		values[i] = s.Value()
	}
	return Values{Values: values}, nil
}

// StringsSet makes many keys strings in one step, whatever they held, with one
// expiry for all. With if absent nothing is written when any key exists (412).
// A key given twice takes its last value.
type StringsSet struct {
	Pairs []KeyValue `json:"pairs" validate:"required,min=1,max=1000,dive"`
	Expiry
	If Conditions `json:"if,omitzero" validate:"conditions=absent"`
}

// KeyValue is one pair of StringsSet.
type KeyValue struct {
	Key   Bytes `json:"key" validate:"required,key"`
	Value Bytes `json:"value" validate:"required,value"`
}

// StringsStored is the answer of StringsSet: how many keys were set, and how
// many of them are new.
type StringsStored struct {
	Count   int64 `json:"count"`
	Created int64 `json:"created"`
}

// Calls declares SET of each key.
func (op StringsSet) Calls() []store.Call {
	calls := make([]store.Call, len(op.Pairs))
	for i, pair := range op.Pairs {
		calls[i] = store.Call{Verb: "SET", Key: pair.Key, KeyAt: "pairs", DataAt: "pairs"}
	}
	return calls
}

// Apply writes.
func (op StringsSet) Apply(tx *store.Tx) (any, error) {
	expires, err := op.Expiry.at(tx)
	if err != nil {
		return nil, err
	}
	last := make(map[string]int, len(op.Pairs))
	for i, pair := range op.Pairs {
		last[string(pair.Key)] = i
	}
	answer := StringsStored{Count: int64(len(last))}
	for i, pair := range op.Pairs {
		if last[string(pair.Key)] != i {
			continue
		}
		k, err := tx.Key(pair.Key)
		if err != nil {
			return nil, err
		}
		if k.Exists() && op.If.Has(Absent) {
			return nil, store.ErrPrecondition
		}
		if !k.Exists() {
			answer.Created++
		}
		tx.At(store.Place{List: "pairs", Index: i, Data: "value", Identity: "key"})
		if err := k.PutString(pair.Value, "", expires, false); err != nil {
			return nil, err
		}
	}
	return answer, nil
}
