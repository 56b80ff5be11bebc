package service

import (
	"fmt"

	"keypact/store"
)

// The sides of a list in requests.
const (
	left  = "left"
	right = "right"
)

// end is the end of a list that a side names; fallback if none is named.
func end(side string, fallback store.End) store.End {
	switch side {
	case left:
		return store.Left
	case right:
		return store.Right
	}
	return fallback
}

// oneOf picks a command by the end it works on.
func oneOf(at store.End, leftVerb, rightVerb string) string {
	if at == store.Left {
		return leftVerb
	}
	return rightVerb
}

// ListRange reads the elements from Start (default 0) to Stop (default -1),
// both included; negative positions count from the right, and what lies outside
// the list is left out. An absent key is ErrNotFound, one of another type
// ErrWrongType, a range of more than Limits.Result elements ErrTooBig.
type ListRange struct {
	Key   Bytes  `json:"key" validate:"required,key"`
	Start *int64 `json:"start,omitzero"`
	Stop  *int64 `json:"stop,omitzero"`
}

// ListItems is a part of a list and the length of all of it.
type ListItems struct {
	Items []Bytes `json:"items"`
	Count uint64  `json:"count"`
}

// Calls is LRANGE.
func (op *ListRange) Calls() []store.Call {
	return []store.Call{{Verb: "LRANGE", Key: op.Key, Read: true}}
}

// Apply returns ListItems.
func (op *ListRange) Apply(tx *store.Tx) (any, error) {
	list, err := openList(tx, op.Key)
	if err != nil {
		return nil, err
	}
	items, err := list.Range(countOr(op.Start, 0), countOr(op.Stop, -1))
	if err != nil {
		return nil, err
	}
	return ListItems{Items: bytesList(items), Count: list.Count()}, nil
}

// openList opens a list that must be there.
func openList(tx *store.Tx, key []byte) (*store.List, error) {
	list, err := tx.List(key)
	if err == nil && !list.Exists() {
		err = store.ErrNotFound
	}
	return list, err
}

// ListGet reads the element at a position, which counts from the right if it is
// negative. An absent key and a position outside the list are ErrNotFound, a
// key of another type is ErrWrongType.
type ListGet struct {
	Key   Bytes  `json:"key" validate:"required,key"`
	Index *int64 `json:"index" validate:"required"`
}

// ListItem is one element.
type ListItem struct {
	Value Bytes `json:"value"`
}

// Raw is the element without a form around it.
func (i ListItem) Raw() (value []byte, mediaType string) { return i.Value, "" }

// Calls is LINDEX.
func (op *ListGet) Calls() []store.Call {
	return []store.Call{{Verb: "LINDEX", Key: op.Key, Read: true}}
}

// Apply returns ListItem.
func (op *ListGet) Apply(tx *store.Tx) (any, error) {
	list, err := openList(tx, op.Key)
	if err != nil {
		return nil, err
	}
	item, ok, err := list.Get(*op.Index)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, outsideList(*op.Index)
	}
	return ListItem{Value: item}, nil
}

// outsideList is the error for an element that is not there.
func outsideList(index int64) error {
	return fmt.Errorf("%w: the list has no element %d: %w", store.ErrNotFound, index, store.ErrRange)
}

// ListSet replaces the element at a position, which counts from the right if it
// is negative. An absent key and a position outside the list are ErrNotFound, a
// key of another type is ErrWrongType. An equal element changes nothing.
type ListSet struct {
	Key   Bytes  `json:"key" validate:"required,key"`
	Index *int64 `json:"index" validate:"required"`
	Value Bytes  `json:"value" validate:"required,value"`
}

// Calls is LSET.
func (op *ListSet) Calls() []store.Call {
	return []store.Call{{Verb: "LSET", Key: op.Key, DataAt: "value"}}
}

// Apply returns Stored, which is never created.
func (op *ListSet) Apply(tx *store.Tx) (any, error) {
	list, err := openList(tx, op.Key)
	if err != nil {
		return nil, err
	}
	tx.At(store.Place{Data: "value"})
	ok, err := list.Set(*op.Index, op.Value)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, outsideList(*op.Index)
	}
	return Stored{}, nil
}

// ListCount counts the elements of a list; an absent key has none. A key of
// another type is ErrWrongType.
type ListCount struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls is LLEN.
func (op *ListCount) Calls() []store.Call {
	return []store.Call{{Verb: "LLEN", Key: op.Key, Read: true}}
}

// Apply returns Total.
func (op *ListCount) Apply(tx *store.Tx) (any, error) {
	list, err := tx.List(op.Key)
	return total(list, err)
}

// ListDelete deletes a list. An absent key is ErrNotFound, a key of another
// type ErrWrongType.
type ListDelete struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls is DEL.
func (op *ListDelete) Calls() []store.Call {
	return []store.Call{{Verb: "DEL", Key: op.Key}}
}

// Apply returns Stored.
func (op *ListDelete) Apply(tx *store.Tx) (any, error) {
	list, err := tx.List(op.Key)
	return remove(list, err)
}

// listRows defines the operations on lists.
func listRows() []Row {
	return []Row{
		read[ListRange]("ListRange", verb("LRANGE")),
		read[ListGet]("ListGet", verb("LINDEX")),
		read[ListCount]("ListCount", verb("LLEN")),
		write[ListPush]("ListPush",
			verbWith("LPUSH", func(op *ListPush) { op.Side = left }, nil),
			verbWith("RPUSH", func(op *ListPush) { op.Side = right }, nil),
			verbWith("LPUSHX", func(op *ListPush) { op.Side, op.If = left, Only(Present) }, nil),
			verbWith("RPUSHX", func(op *ListPush) { op.Side, op.If = right, Only(Present) }, nil)),
		write[ListSet]("ListSet", verb("LSET")),
		write[ListPop]("ListPop",
			verbWith("LPOP", func(op *ListPop) { op.Side = left }, nil),
			verbWith("RPOP", func(op *ListPop) { op.Side = right }, nil)),
		write[ListMove]("ListMove",
			verbWith("LMOVE", nil, func(*ListMove) bool { return true }),
			verbWith("RPOPLPUSH", func(op *ListMove) { op.From, op.To = right, left },
				func(op *ListMove) bool { return op.From == right && op.To == left })),
		write[ListInsert]("ListInsert", verb("LINSERT")),
		write[ListRemove]("ListRemove", verb("LREM")),
		write[ListTrim]("ListTrim", verb("LTRIM")),
		write[ListDelete]("ListDelete"),
	}
}
