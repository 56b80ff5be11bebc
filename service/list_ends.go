package service

import "keypact/store"

// ListPush adds elements, one after the other, at a side of a list (default
// right), which it creates if it is absent; with If present an absent one is
// ErrPrecondition. A key of another type is ErrWrongType, an element past the
// limit on values ErrTooBig. Operations that wait for the list get the elements
// first, in the order in which they came.
type ListPush struct {
	Key   Bytes      `json:"key" validate:"required,key"`
	Items []Bytes    `json:"items" validate:"required,min=1,dive,value"`
	Side  string     `json:"side,omitzero" validate:"omitempty,oneof=left right"`
	If    Conditions `json:"if,omitzero" validate:"conditions=present"`
	Expiry
}

// ListLength is how long a list is now, before those who wait for it are served.
type ListLength struct {
	Length uint64 `json:"length"`
}

// Calls is LPUSH or RPUSH, with If present LPUSHX or RPUSHX.
func (op *ListPush) Calls() []store.Call {
	verb := oneOf(end(op.Side, store.Right), "LPUSH", "RPUSH")
	if op.If.Has(Present) {
		verb += "X"
	}
	return []store.Call{{Verb: verb, Key: op.Key, DataAt: "items"}}
}

// Apply returns ListLength.
func (op *ListPush) Apply(tx *store.Tx) (any, error) {
	list, err := tx.List(op.Key)
	if err != nil {
		return nil, err
	}
	if op.If.Has(Present) && !list.Exists() {
		return nil, store.ErrPrecondition
	}
	for i, item := range op.Items {
		tx.At(store.Place{List: "items", Index: i})
		if err := list.Push(end(op.Side, store.Right), item); err != nil {
			return nil, err
		}
	}
	return ListLength{Length: list.Count()}, expire(tx, list, op.Expiry)
}

// ListPop takes up to Count elements (default 1) off a side of a list (default
// left). An absent key is ErrNotFound; with Wait the operation waits for
// elements that long. A key of another type is ErrWrongType, more than
// Limits.Result elements are ErrTooBig.
type ListPop struct {
	Key   Bytes  `json:"key" validate:"required,key"`
	Side  string `json:"side,omitzero" validate:"omitempty,oneof=left right"`
	Count *int64 `json:"count,omitzero" validate:"omitempty,min=1"`
	Wait  TTL    `json:"wait,omitzero" validate:"wait"`
}

// Calls is LPOP or RPOP; with Wait BLPOP or BRPOP, for more than one element
// BLMPOP.
func (op *ListPop) Calls() []store.Call {
	verb := popVerb(end(op.Side, store.Left), op.Wait)
	if op.Wait != 0 && countOr(op.Count, 1) > 1 {
		verb = "BLMPOP"
	}
	return []store.Call{{Verb: verb, Key: op.Key, Wait: op.Wait.Pointer(), Count: op.Count}}
}

// popVerb is the command that takes one element off an end.
func popVerb(at store.End, wait TTL) string {
	verb := oneOf(at, "LPOP", "RPOP")
	if wait != 0 {
		verb = "B" + verb
	}
	return verb
}

// Apply returns ListItems: what came off, in that order, and the length that is
// left.
func (op *ListPop) Apply(tx *store.Tx) (any, error) {
	list, err := openList(tx, op.Key)
	if err != nil {
		return nil, err
	}
	items, err := list.Pop(end(op.Side, store.Left), uint64(countOr(op.Count, 1)))
	if err != nil {
		return nil, err
	}
	return ListItems{Items: bytesList(items), Count: list.Count()}, nil
}

// ListMove takes one element off a side of a list (default left) and adds it
// at a side of the destination (default right), which it creates if it is
// absent. Both may be the same list, which is then rotated. An absent source is
// ErrNotFound; with Wait the operation waits for an element that long. A key of
// another type is ErrWrongType; then nothing moves.
type ListMove struct {
	Key         Bytes  `json:"key" validate:"required,key"`
	Destination Bytes  `json:"destination" validate:"required,key"`
	From        string `json:"from,omitzero" validate:"omitempty,oneof=left right"`
	To          string `json:"to,omitzero" validate:"omitempty,oneof=left right"`
	Wait        TTL    `json:"wait,omitzero" validate:"wait"`
}

// ListMoved is the element that moved and the length that the source has left.
type ListMoved struct {
	Item  Bytes  `json:"item"`
	Count uint64 `json:"count"`
}

// Calls is a pop of the source and a push to the destination.
func (op *ListMove) Calls() []store.Call {
	return []store.Call{
		{Verb: popVerb(end(op.From, store.Left), op.Wait), Key: op.Key, Wait: op.Wait.Pointer()},
		{Verb: oneOf(end(op.To, store.Right), "LPUSH", "RPUSH"), Key: op.Destination, KeyAt: "destination"},
	}
}

// Apply returns ListMoved.
func (op *ListMove) Apply(tx *store.Tx) (any, error) {
	source, err := openList(tx, op.Key)
	if err != nil {
		return nil, err
	}
	tx.At(store.Place{Identity: "destination"})
	from, to := end(op.From, store.Left), end(op.To, store.Right)
	if string(op.Key) == string(op.Destination) {
		item, _, err := source.Rotate(from, to)
		if err != nil {
			return nil, err
		}
		return ListMoved{Item: item, Count: source.Count()}, nil
	}
	destination, err := tx.List(op.Destination)
	if err != nil {
		return nil, err
	}
	items, err := source.Pop(from, 1)
	if err != nil {
		return nil, err
	}
	return ListMoved{Item: items[0], Count: source.Count()}, destination.Push(to, items[0])
}
