package service

import "keypact/store"

// KeysPage reads a page of keys in the order of their bytes: those that match
// the pattern, are of the type and are governed by the contract, as far as the
// request says.
type KeysPage struct {
	Page
	Type     string `json:"type,omitzero" validate:"omitempty,oneof=string hash list set zset"`
	Contract string `json:"contract,omitzero"`
}

// KeyList is the answer of KeysPage. Without a cursor it is the last page.
type KeyList struct {
	Keys   []Bytes `json:"keys"`
	Cursor Cursor  `json:"cursor,omitzero"`
}

// Calls declares nothing: keys are listed, not opened.
func (op KeysPage) Calls() []store.Call { return nil }

// Apply reads.
func (op KeysPage) Apply(tx *store.Tx) (any, error) {
	filter := store.KeyFilter{Contract: op.Contract}
	filter.Type, _ = store.ParseType(op.Type)
	if op.Match != nil {
		g := newGlob(op.Match)
		filter.Prefix, filter.Match = g.Prefix(), g.Match
	}
	keys, last, err := tx.Keys(op.Cursor.element(), op.limit(), op.scanned(), filter)
	if err != nil {
		return nil, err
	}
	answer := KeyList{Keys: make([]Bytes, len(keys)), Cursor: next(last)}
	for i, key := range keys {
		answer.Keys[i] = key
	}
	return answer, nil
}
