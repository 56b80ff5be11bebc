package service

import "keypact/store"

// SetSources are the sets that a set is made of, and where it goes. Absent keys
// are empty sets. Limit stops at that many members, the first in the order of
// their bytes; 0 is all.
//
// With Destination the result replaces what that key held, of whatever type,
// without a time to live; an empty result removes it. The destination may be
// one of the sources. Without Destination the result is the answer.
//
// A key of another type is ErrWrongType, an answer of more than Limits.Result
// members ErrTooBig; contracts of the sources may allow less. A stored result of
// any size appears as a whole; inside a batch one that a transaction cannot hold
// is kv.ErrTooBig.
type SetSources struct {
	Keys        []Bytes `json:"keys" validate:"required,min=1,max=1000,dive,key"`
	Destination Bytes   `json:"destination,omitzero" validate:"key"`
	Limit       int     `json:"limit,omitzero" validate:"min=0"`
}

// SetResult are the members of a set that was computed.
type SetResult struct {
	Members []Bytes `json:"members"`
	Count   uint64  `json:"count"`
}

// SetUnion is what at least one of the sets holds.
type SetUnion struct{ SetSources }

// SetInter is what each of the sets holds.
type SetInter struct{ SetSources }

// SetDiff is what the first of the sets holds and no other does.
type SetDiff struct{ SetSources }

// Calls is SUNION, or SUNIONSTORE to the destination.
func (op *SetUnion) Calls() []store.Call { return op.calls("SUNION") }

// Calls is SINTER, or SINTERSTORE to the destination.
func (op *SetInter) Calls() []store.Call { return op.calls("SINTER") }

// Calls is SDIFF, or SDIFFSTORE to the destination.
func (op *SetDiff) Calls() []store.Call { return op.calls("SDIFF") }

// Apply returns SetResult, or Total if the result is stored.
func (op *SetUnion) Apply(tx *store.Tx) (any, error) { return op.apply(tx, store.Union) }

// Apply returns SetResult, or Total if the result is stored.
func (op *SetInter) Apply(tx *store.Tx) (any, error) { return op.apply(tx, store.Intersection) }

// Apply returns SetResult, or Total if the result is stored.
func (op *SetDiff) Apply(tx *store.Tx) (any, error) { return op.apply(tx, store.Difference) }

// calls puts the destination first: it is the key that changes.
func (s *SetSources) calls(verb string) []store.Call {
	calls := make([]store.Call, 0, len(s.Keys)+1)
	if s.Destination != nil {
		calls = append(calls, store.Call{Verb: verb + "STORE", Key: s.Destination, KeyAt: "destination", DataAt: "keys"})
	}
	for _, key := range s.Keys {
		calls = append(calls, store.Call{Verb: verb, Key: key, Read: true, KeyAt: "keys"})
	}
	return calls
}

func (s *SetSources) apply(tx *store.Tx, how store.Algebra) (any, error) {
	if s.Destination != nil {
		tx.At(store.Place{Identity: "keys"})
		n, err := tx.StoreCombined(s.Destination, how, rawList(s.Keys), s.Limit)
		return Total{Count: n}, err
	}
	members, err := tx.Combine(how, rawList(s.Keys), s.Limit)
	if err != nil {
		return nil, err
	}
	return SetResult{Members: bytesList(members), Count: uint64(len(members))}, nil
}
