package service

import (
	"keypact/store"
)

// SetAdd adds members to a set, which it creates if it is absent; those that
// are there already change nothing. A key of another type is ErrWrongType, a
// member past the limit on members ErrTooBig.
type SetAdd struct {
	Key     Bytes   `json:"key" validate:"required,key"`
	Members []Bytes `json:"members" validate:"required,min=1,dive,element"`
	Expiry
}

// SetAdded is how many members are new, and how many the set has now.
type SetAdded struct {
	Added uint64 `json:"added"`
	Count uint64 `json:"count"`
}

// Calls is SADD.
func (op *SetAdd) Calls() []store.Call {
	return []store.Call{{Verb: "SADD", Key: op.Key, DataAt: "members"}}
}

// Apply returns SetAdded.
func (op *SetAdd) Apply(tx *store.Tx) (any, error) {
	set, err := tx.Set(op.Key)
	if err != nil {
		return nil, err
	}
	answer := SetAdded{}
	for i, member := range op.Members {
		tx.At(store.Place{List: "members", Index: i})
		added, err := set.Add(member)
		if err != nil {
			return nil, err
		}
		if added {
			answer.Added++
		}
	}
	answer.Count = set.Count()
	return answer, expire(tx, set, op.Expiry)
}

// SetMembers says of each of Members whether it is in the set, or, without
// them, reads a page of the set in the order of the members' bytes. An absent
// key is ErrNotFound, one of another type ErrWrongType.
type SetMembers struct {
	Key     Bytes   `json:"key" validate:"required,key"`
	Members []Bytes `json:"members,omitzero" query:"member" validate:"dive,element"`
	Page
}

// SetPresence says of each member asked for whether it is there.
type SetPresence struct {
	Present []bool `json:"present"`
}

// SetPage is a part of a set. Without a cursor nothing follows.
type SetPage struct {
	Members []Bytes `json:"members"`
	Cursor  Cursor  `json:"cursor,omitzero"`
}

// defaults gives a page its size; what asks for members has none.
func (op *SetMembers) defaults(l Limits) {
	if op.Members == nil {
		op.Page.defaults(l)
	}
}

func (op *SetMembers) check(Limits) []Issue {
	if op.Members == nil {
		return nil
	}
	return together("members", map[string]bool{
		"match": op.Match != nil, "cursor": op.Cursor != nil, "limit": op.Limit != 0,
	}, "match", "cursor", "limit")
}

// Calls is SMISMEMBER, or SSCAN for a page.
func (op *SetMembers) Calls() []store.Call {
	verb := "SSCAN"
	if op.Members != nil {
		verb = "SMISMEMBER"
	}
	return []store.Call{{Verb: verb, Key: op.Key, Read: true}}
}

// Apply returns SetPresence or SetPage.
func (op *SetMembers) Apply(tx *store.Tx) (any, error) {
	set, err := openSet(tx, op.Key)
	if err != nil {
		return nil, err
	}
	if op.Members == nil {
		return op.page(set)
	}
	answer := SetPresence{Present: make([]bool, len(op.Members))}
	for i, member := range op.Members {
		if answer.Present[i], err = set.Has(member); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

func (op *SetMembers) page(set *store.Set) (any, error) {
	members, last, err := set.Page(op.Cursor.element(), op.limit(), op.scanned(), op.matcher())
	if err != nil {
		return nil, err
	}
	return SetPage{Members: bytesList(members), Cursor: next(last)}, nil
}

// SetRemove removes members from a set; those that are not there change
// nothing. An absent key has none; a key of another type is ErrWrongType.
type SetRemove struct {
	Key     Bytes   `json:"key" validate:"required,key"`
	Members []Bytes `json:"members" query:"member" validate:"required,min=1,dive,element"`
}

// Calls is SREM.
func (op *SetRemove) Calls() []store.Call {
	return []store.Call{{Verb: "SREM", Key: op.Key, DataAt: "members"}}
}

// Apply returns Removal.
func (op *SetRemove) Apply(tx *store.Tx) (any, error) {
	set, err := tx.Set(op.Key)
	if err != nil {
		return nil, err
	}
	removed, err := set.DropAll(rawList(op.Members))
	return removal(set, removed, err)
}

// SetMove takes a member out of a set and adds it to the destination, which it
// creates if it is absent. An absent source or member is ErrNotFound, a key of
// another type ErrWrongType; then nothing moves. Onto its own set it changes
// nothing.
type SetMove struct {
	Key         Bytes `json:"key" validate:"required,key"`
	Member      Bytes `json:"member" validate:"required,element"`
	Destination Bytes `json:"destination" validate:"required,key"`
}

// Moved says that the element moved.
type Moved struct {
	Moved bool `json:"moved"` // always true
}

// Calls is SREM of the source and SADD to the destination.
func (op *SetMove) Calls() []store.Call {
	return []store.Call{
		{Verb: "SREM", Key: op.Key, DataAt: "member"},
		{Verb: "SADD", Key: op.Destination, KeyAt: "destination", DataAt: "member"},
	}
}

// Apply returns Moved.
func (op *SetMove) Apply(tx *store.Tx) (any, error) {
	source, err := openSet(tx, op.Key)
	if err != nil {
		return nil, err
	}
	destination, err := tx.Set(op.Destination)
	if err != nil {
		return nil, err
	}
	if string(op.Key) == string(op.Destination) {
		return op.confirm(source)
	}
	dropped, err := source.Drop(op.Member)
	if err != nil {
		return nil, err
	}
	if !dropped {
		return nil, store.ErrNotFound
	}
	tx.At(store.Place{Identity: "member"})
	if _, err := destination.Add(op.Member); err != nil {
		return nil, err
	}
	return Moved{Moved: true}, nil
}

// confirm answers for a member that stays where it is.
func (op *SetMove) confirm(set *store.Set) (any, error) {
	found, err := set.Has(op.Member)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, store.ErrNotFound
	}
	return Moved{Moved: true}, nil
}
