package service

import "keypact/store"

// SetGet reads a whole set with its time to live, in the order of the members'
// bytes. An absent key is ErrNotFound, one of another type ErrWrongType, a set
// of more than Limits.Result members ErrTooBig.
type SetGet struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// WholeSet is a set with all its members.
type WholeSet struct {
	Members []Bytes `json:"members"`
	Count   uint64  `json:"count"`
	Remaining
}

// Calls is SMEMBERS.
func (op *SetGet) Calls() []store.Call {
	return []store.Call{{Verb: "SMEMBERS", Key: op.Key, Read: true}}
}

// Apply returns WholeSet.
func (op *SetGet) Apply(tx *store.Tx) (any, error) {
	set, err := openSet(tx, op.Key)
	if err != nil {
		return nil, err
	}
	members, err := set.Members()
	if err != nil {
		return nil, err
	}
	return WholeSet{Members: bytesList(members), Count: set.Count(), Remaining: remaining(tx, set.Expires())}, nil
}

// openSet opens a set that must be there.
func openSet(tx *store.Tx, key []byte) (*store.Set, error) {
	set, err := tx.Set(key)
	if err == nil && !set.Exists() {
		err = store.ErrNotFound
	}
	return set, err
}

// SetCount counts the members of a set; an absent key has none. A key of
// another type is ErrWrongType.
type SetCount struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls is SCARD.
func (op *SetCount) Calls() []store.Call {
	return []store.Call{{Verb: "SCARD", Key: op.Key, Read: true}}
}

// Apply returns Total.
func (op *SetCount) Apply(tx *store.Tx) (any, error) {
	set, err := tx.Set(op.Key)
	return total(set, err)
}

// SetDelete deletes a set. An absent key is ErrNotFound, a key of another type
// ErrWrongType.
type SetDelete struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls is DEL.
func (op *SetDelete) Calls() []store.Call {
	return []store.Call{{Verb: "DEL", Key: op.Key}}
}

// Apply returns Stored.
func (op *SetDelete) Apply(tx *store.Tx) (any, error) {
	set, err := tx.Set(op.Key)
	return remove(set, err)
}

// SetRandom picks Count members (default 1) and leaves them there: different
// ones in the order of their bytes, each choice equally likely; with a negative
// Count -Count picks, each on its own, so that members may repeat. An absent
// key is ErrNotFound, one of another type ErrWrongType, more than Limits.Result
// picks are ErrTooBig.
type SetRandom struct {
	Key   Bytes  `json:"key" validate:"required,key"`
	Count *int64 `json:"count,omitzero"`
}

// SetMembersOf are members of a set.
type SetMembersOf struct {
	Members []Bytes `json:"members"`
}

// Calls is SRANDMEMBER.
func (op *SetRandom) Calls() []store.Call {
	return []store.Call{{Verb: "SRANDMEMBER", Key: op.Key, Read: true, Count: op.Count}}
}

// Apply returns SetMembersOf.
func (op *SetRandom) Apply(tx *store.Tx) (any, error) {
	set, err := openSet(tx, op.Key)
	if err != nil {
		return nil, err
	}
	pick, n := set.Random, countOr(op.Count, 1)
	if n < 0 {
		pick, n = set.RandomRepeated, -n
	}
	members, err := pick(uint64(n)) // of the least int64 too
	if err != nil {
		return nil, err
	}
	return SetMembersOf{Members: bytesList(members)}, nil
}

// SetPop takes up to Count members (default 1) out of a set, different ones,
// each choice equally likely. An absent key is ErrNotFound, one of another type
// ErrWrongType, more than Limits.Result members are ErrTooBig.
type SetPop struct {
	Key   Bytes  `json:"key" validate:"required,key"`
	Count *int64 `json:"count,omitzero" validate:"omitempty,min=1"`
}

// SetPopped are the members that came out, in the order of their bytes, and how
// many are left.
type SetPopped struct {
	Members []Bytes `json:"members"`
	Count   uint64  `json:"count"`
}

// Calls is SPOP.
func (op *SetPop) Calls() []store.Call {
	return []store.Call{{Verb: "SPOP", Key: op.Key, Count: op.Count}}
}

// Apply returns SetPopped.
func (op *SetPop) Apply(tx *store.Tx) (any, error) {
	set, err := openSet(tx, op.Key)
	if err != nil {
		return nil, err
	}
	members, err := set.Pop(uint64(countOr(op.Count, 1)))
	if err != nil {
		return nil, err
	}
	return SetPopped{Members: bytesList(members), Count: set.Count()}, nil
}

// setRows defines the operations on sets.
func setRows() []Row {
	return []Row{
		read[SetGet]("SetGet", verb("SMEMBERS")),
		read[SetCount]("SetCount", verb("SCARD")),
		read[SetMembers]("SetMembers", verb("SMISMEMBER"), verb("SSCAN")),
		read[SetMemberGet]("SetMemberGet", verb("SISMEMBER")),
		read[SetRandom]("SetRandom", verb("SRANDMEMBER")),
		write[SetAdd]("SetAdd", verb("SADD")),
		write[SetRemove]("SetRemove", verb("SREM")),
		write[SetMemberAdd]("SetMemberAdd"),
		write[SetMemberRemove]("SetMemberRemove"),
		write[SetPop]("SetPop", verb("SPOP")),
		write[SetMove]("SetMove", verbWith("SMOVE", nil, func(*SetMove) bool { return true })),
		write[SetUnion]("SetUnion", verb("SUNION"), verb("SUNIONSTORE")),
		write[SetInter]("SetInter", verb("SINTER"), verb("SINTERSTORE")),
		write[SetDiff]("SetDiff", verb("SDIFF"), verb("SDIFFSTORE")),
		write[SetDelete]("SetDelete"),
	}
}
