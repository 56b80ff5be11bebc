package service

import "keypact/store"

// ZSetMemberGet reads the score of a member and its ranks, counted from the
// least score and from the greatest, the first being 0. An absent key or member
// is ErrNotFound, a key of another type ErrWrongType.
type ZSetMemberGet struct {
	Key    Bytes `json:"key" validate:"required,key"`
	Member Bytes `json:"member" validate:"required,element"`
}

// RankedMember is a member of a sorted set with its place there.
type RankedMember struct {
	Member      Bytes  `json:"member"`
	Score       Score  `json:"score"`
	Rank        uint64 `json:"rank"`
	ReverseRank uint64 `json:"reverse_rank"`
}

// Calls is ZSCORE.
func (op *ZSetMemberGet) Calls() []store.Call {
	return []store.Call{{Verb: "ZSCORE", Key: op.Key, Read: true}}
}

// Apply returns RankedMember.
func (op *ZSetMemberGet) Apply(tx *store.Tx) (any, error) {
	zset, err := openZSet(tx, op.Key)
	if err != nil {
		return nil, err
	}
	score, rank, reverse, found, err := zset.Rank(op.Member)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, store.ErrNotFound
	}
	return RankedMember{Member: op.Member, Score: Score(score), Rank: rank, ReverseRank: reverse}, nil
}

// ZSetMemberSet gives one member a score and creates the sorted set if it is
// absent. Conditions that do not hold are ErrPrecondition: absent and present
// look at the member, greater and less at its score, if it has one. A key of
// another type is ErrWrongType.
type ZSetMemberSet struct {
	Key    Bytes      `json:"key" validate:"required,key"`
	Member Bytes      `json:"member" validate:"required,element"`
	Score  *Score     `json:"score" validate:"required"`
	If     Conditions `json:"if,omitzero" validate:"conditions=absent present greater less"`
	Expiry
}

// Calls is ZADD.
func (op *ZSetMemberSet) Calls() []store.Call {
	return []store.Call{{Verb: "ZADD", Key: op.Key, DataAt: "member"}}
}

// Apply returns Stored, created if the member is new.
func (op *ZSetMemberSet) Apply(tx *store.Tx) (any, error) {
	zset, err := tx.ZSet(op.Key)
	if err != nil {
		return nil, err
	}
	tx.At(store.Place{Identity: "member", Data: "score"})
	change, err := zset.Put(op.Member, float64(*op.Score), when(op.If))
	if err != nil {
		return nil, err
	}
	if change == store.Refused {
		return nil, store.ErrPrecondition
	}
	return Stored{Created: change == store.Added}, expire(tx, zset, op.Expiry)
}

// ZSetMemberIncr adds By (default 1) to the score of a member, which counts as
// 0 if it is absent, and creates the sorted set if it is absent. Conditions are
// those of ZSetMemberSet, on the score that comes out. A score that would not
// be a number is store.ErrNaN, a key of another type ErrWrongType.
type ZSetMemberIncr struct {
	Key    Bytes      `json:"key" validate:"required,key"`
	Member Bytes      `json:"member" validate:"required,element"`
	By     *Score     `json:"by,omitzero"`
	If     Conditions `json:"if,omitzero" validate:"conditions=absent present greater less"`
	Expiry
}

// ZSetScore is the score of one member.
type ZSetScore struct {
	Score Score `json:"score"`
}

// Calls is ZINCRBY.
func (op *ZSetMemberIncr) Calls() []store.Call {
	return []store.Call{{Verb: "ZINCRBY", Key: op.Key, DataAt: "member"}}
}

// Apply returns ZSetScore.
func (op *ZSetMemberIncr) Apply(tx *store.Tx) (any, error) {
	zset, err := tx.ZSet(op.Key)
	if err != nil {
		return nil, err
	}
	by := 1.0
	if op.By != nil {
		by = float64(*op.By)
	}
	tx.At(store.Place{Identity: "member", Data: "by"})
	score, change, err := zset.Incr(op.Member, by, when(op.If))
	if err != nil {
		return nil, err
	}
	if change == store.Refused {
		return nil, store.ErrPrecondition
	}
	return ZSetScore{Score: Score(score)}, expire(tx, zset, op.Expiry)
}

// ZSetMemberRemove removes one member. An absent key or member is ErrNotFound,
// a key of another type ErrWrongType.
type ZSetMemberRemove struct {
	Key    Bytes `json:"key" validate:"required,key"`
	Member Bytes `json:"member" validate:"required,element"`
}

// Calls is ZREM.
func (op *ZSetMemberRemove) Calls() []store.Call {
	return []store.Call{{Verb: "ZREM", Key: op.Key, DataAt: "member"}}
}

// Apply returns Removal.
func (op *ZSetMemberRemove) Apply(tx *store.Tx) (any, error) {
	zset, err := openZSet(tx, op.Key)
	if err != nil {
		return nil, err
	}
	dropped, err := zset.Drop(op.Member)
	if err == nil && !dropped {
		err = store.ErrNotFound
	}
	return removal(zset, 1, err)
}
