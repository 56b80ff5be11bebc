package service

import (
	"fmt"

	"keypact/store"
)

// ListInsert puts an element before or after (Where, default before) the first
// one, seen from the left, that equals Pivot. An absent key and an absent pivot
// are ErrNotFound, a key of another type is ErrWrongType.
type ListInsert struct {
	Key   Bytes  `json:"key" validate:"required,key"`
	Pivot Bytes  `json:"pivot" validate:"required,value"`
	Value Bytes  `json:"value" validate:"required,value"`
	Where string `json:"where,omitzero" validate:"omitempty,oneof=before after"`
}

// Calls is LINSERT.
func (op *ListInsert) Calls() []store.Call {
	return []store.Call{{Verb: "LINSERT", Key: op.Key, DataAt: "value"}}
}

// Apply returns ListLength.
func (op *ListInsert) Apply(tx *store.Tx) (any, error) {
	list, err := openList(tx, op.Key)
	if err != nil {
		return nil, err
	}
	tx.At(store.Place{Data: "value"})
	ok, err := list.Insert(op.Pivot, op.Value, op.Where == "after")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: no element equals the pivot", store.ErrNotFound)
	}
	return ListLength{Length: list.Count()}, nil
}

// ListRemove removes elements that equal Value: the first Count from the left,
// the first -Count from the right if it is negative, all of them if it is 0. An
// absent key has none; a key of another type is ErrWrongType. Any number of
// elements goes at once for all who look; inside a batch more than one
// transaction may write is kv.ErrTooBig.
type ListRemove struct {
	Key   Bytes `json:"key" validate:"required,key"`
	Value Bytes `json:"value" validate:"required,value"`
	Count int64 `json:"count,omitzero"`
}

// Calls is LREM.
func (op *ListRemove) Calls() []store.Call {
	return []store.Call{{Verb: "LREM", Key: op.Key}}
}

// Apply returns Removal.
func (op *ListRemove) Apply(tx *store.Tx) (any, error) {
	list, err := tx.List(op.Key)
	if err != nil {
		return nil, err
	}
	removed, err := list.RemoveItem(op.Value, op.Count)
	return removal(list, removed, err)
}

// ListTrim keeps the elements from Start to Stop, both included, and removes
// the rest; negative positions count from the right. An absent key is already
// trimmed; a key of another type is ErrWrongType. For sizes see ListRemove.
type ListTrim struct {
	Key   Bytes  `json:"key" validate:"required,key"`
	Start *int64 `json:"start" validate:"required"`
	Stop  *int64 `json:"stop" validate:"required"`
}

// Calls is LTRIM.
func (op *ListTrim) Calls() []store.Call {
	return []store.Call{{Verb: "LTRIM", Key: op.Key}}
}

// Apply returns Removal.
func (op *ListTrim) Apply(tx *store.Tx) (any, error) {
	list, err := tx.List(op.Key)
	if err != nil {
		return nil, err
	}
	removed, err := list.Trim(countOr(op.Start, 0), countOr(op.Stop, -1))
	return removal(list, removed, err)
}
