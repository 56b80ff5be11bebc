package service

import "keypact/store"

// SetMemberGet says that a member is in a set. An absent key or member is
// ErrNotFound, a key of another type ErrWrongType.
type SetMemberGet struct {
	Key    Bytes `json:"key" validate:"required,key"`
	Member Bytes `json:"member" validate:"required,element"`
}

// SetMember is one member of a set.
type SetMember struct {
	Member Bytes `json:"member"`
}

// Calls is SISMEMBER.
func (op *SetMemberGet) Calls() []store.Call {
	return []store.Call{{Verb: "SISMEMBER", Key: op.Key, Read: true}}
}

// Apply returns SetMember.
func (op *SetMemberGet) Apply(tx *store.Tx) (any, error) {
	set, err := openSet(tx, op.Key)
	if err != nil {
		return nil, err
	}
	found, err := set.Has(op.Member)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, store.ErrNotFound
	}
	return SetMember{Member: op.Member}, nil
}

// SetMemberAdd adds one member to a set, which it creates if it is absent. One
// that is there changes nothing. A key of another type is ErrWrongType.
type SetMemberAdd struct {
	Key    Bytes `json:"key" validate:"required,key"`
	Member Bytes `json:"member" validate:"required,element"`
	Expiry
}

// Calls is SADD.
func (op *SetMemberAdd) Calls() []store.Call {
	return []store.Call{{Verb: "SADD", Key: op.Key, DataAt: "member"}}
}

// Apply returns Stored, created if the member is new.
func (op *SetMemberAdd) Apply(tx *store.Tx) (any, error) {
	set, err := tx.Set(op.Key)
	if err != nil {
		return nil, err
	}
	tx.At(store.Place{Identity: "member"})
	added, err := set.Add(op.Member)
	if err != nil {
		return nil, err
	}
	return Stored{Created: added}, expire(tx, set, op.Expiry)
}

// SetMemberRemove removes one member from a set. An absent key or member is
// ErrNotFound, a key of another type ErrWrongType.
type SetMemberRemove struct {
	Key    Bytes `json:"key" validate:"required,key"`
	Member Bytes `json:"member" validate:"required,element"`
}

// Calls is SREM.
func (op *SetMemberRemove) Calls() []store.Call {
	return []store.Call{{Verb: "SREM", Key: op.Key, DataAt: "member"}}
}

// Apply returns Removal.
func (op *SetMemberRemove) Apply(tx *store.Tx) (any, error) {
	set, err := openSet(tx, op.Key)
	if err != nil {
		return nil, err
	}
	dropped, err := set.Drop(op.Member)
	if err == nil && !dropped {
		err = store.ErrNotFound
	}
	return removal(set, 1, err)
}
