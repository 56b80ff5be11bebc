package service

import "keypact/store"

// ScoredMember is a member of a sorted set in an answer.
type ScoredMember struct {
	Member Bytes `json:"member"`
	Score  Score `json:"score"`
}

func scoredMembers(list []store.Scored) []ScoredMember {
	out := make([]ScoredMember, len(list))
	for i, s := range list {
		out[i] = ScoredMember{Member: s.Member, Score: Score(s.Score)}
	}
	return out
}

// ZSetEntry is a member of a sorted set in a request.
type ZSetEntry struct {
	Member Bytes  `json:"member" validate:"required,element"`
	Score  *Score `json:"score" validate:"required"`
}

// ZSetAdd gives members their scores and creates the sorted set if it is
// absent. Members that do not meet the conditions in If stay as they are and
// count as unchanged: absent takes new members only, present only those that
// are there; greater and less change a score only upwards or downwards, and
// take new members. A member named twice takes its last score. A key of another
// type is ErrWrongType, a member past the limit on members ErrTooBig.
type ZSetAdd struct {
	Key     Bytes       `json:"key" validate:"required,key"`
	Members []ZSetEntry `json:"members" validate:"required,min=1,dive"`
	If      Conditions  `json:"if,omitzero" validate:"conditions=absent present greater less"`
	Expiry
}

// ZSetAdded is what became of the members, and how many there are now.
type ZSetAdded struct {
	Added     uint64 `json:"added"`
	Updated   uint64 `json:"updated"`
	Unchanged uint64 `json:"unchanged"`
	Count     uint64 `json:"count"`
}

// Calls is ZADD.
func (op *ZSetAdd) Calls() []store.Call {
	return []store.Call{{Verb: "ZADD", Key: op.Key, DataAt: "members"}}
}

// Apply returns ZSetAdded.
func (op *ZSetAdd) Apply(tx *store.Tx) (any, error) {
	zset, err := tx.ZSet(op.Key)
	if err != nil {
		return nil, err
	}
	answer := ZSetAdded{}
	for i, m := range op.Members {
		tx.At(store.Place{List: "members", Index: i, Identity: "member", Data: "score"})
		change, err := zset.Put(m.Member, float64(*m.Score), when(op.If))
		if err != nil {
			return nil, err
		}
		switch change {
		case store.Added:
			answer.Added++
		case store.Updated:
			answer.Updated++
		default:
			answer.Unchanged++
		}
	}
	answer.Count = zset.Count()
	return answer, expire(tx, zset, op.Expiry)
}

// when gives conditions the form the store takes.
func when(c Conditions) store.When {
	return store.When{
		Absent: c.Has(Absent), Present: c.Has(Present), Greater: c.Has(Greater), Less: c.Has(Less),
	}
}

// openZSet opens a sorted set that must be there.
func openZSet(tx *store.Tx, key []byte) (*store.ZSet, error) {
	zset, err := tx.ZSet(key)
	if err == nil && !zset.Exists() {
		err = store.ErrNotFound
	}
	return zset, err
}

// ZSetPop takes up to Count members (default 1) out, those with the least
// scores first, or with Side max those with the greatest. An absent key is
// ErrNotFound, one of another type ErrWrongType, more than Limits.Result
// members are ErrTooBig.
type ZSetPop struct {
	Key   Bytes  `json:"key" validate:"required,key"`
	Side  string `json:"side,omitzero" validate:"omitempty,oneof=min max"`
	Count *int64 `json:"count,omitzero" validate:"omitempty,min=1"`
}

// ZSetPopped are the members that came out, in that order, and how many are
// left.
type ZSetPopped struct {
	Members []ScoredMember `json:"members"`
	Count   uint64         `json:"count"`
}

// The sides of a sorted set in requests.
const (
	sideMin = "min"
	sideMax = "max"
)

// Calls is ZPOPMIN or ZPOPMAX.
func (op *ZSetPop) Calls() []store.Call {
	verb := "ZPOPMIN"
	if op.Side == sideMax {
		verb = "ZPOPMAX"
	}
	return []store.Call{{Verb: verb, Key: op.Key, Count: op.Count}}
}

// Apply returns ZSetPopped.
func (op *ZSetPop) Apply(tx *store.Tx) (any, error) {
	zset, err := openZSet(tx, op.Key)
	if err != nil {
		return nil, err
	}
	popped, err := zset.Pop(op.Side == sideMax, uint64(countOr(op.Count, 1)))
	if err != nil {
		return nil, err
	}
	return ZSetPopped{Members: scoredMembers(popped), Count: zset.Count()}, nil
}

// ZSetDelete deletes a sorted set. An absent key is ErrNotFound, a key of
// another type ErrWrongType.
type ZSetDelete struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls is DEL.
func (op *ZSetDelete) Calls() []store.Call {
	return []store.Call{{Verb: "DEL", Key: op.Key}}
}

// Apply returns Stored.
func (op *ZSetDelete) Apply(tx *store.Tx) (any, error) {
	zset, err := tx.ZSet(op.Key)
	return remove(zset, err)
}

// zsetRows defines the operations on sorted sets.
func zsetRows() []Row {
	always := func(*ZSetMemberGet) bool { return true }
	return []Row{
		read[ZSetRange]("ZSetRange", verb("ZRANGE"), verb("ZMSCORE"),
			verbWith("ZSCAN", func(op *ZSetRange) { op.By = byMember }, nil)),
		read[ZSetCount]("ZSetCount", verb("ZCARD"),
			verbWith("ZCOUNT", func(op *ZSetCount) { op.By = byScore }, nil),
			verbWith("ZLEXCOUNT", func(op *ZSetCount) { op.By = byLex }, nil)),
		read[ZSetMemberGet]("ZSetMemberGet", verb("ZSCORE"),
			verbWith("ZRANK", nil, always), verbWith("ZREVRANK", nil, always)),
		write[ZSetAdd]("ZSetAdd", verb("ZADD")),
		write[ZSetRemove]("ZSetRemove", verb("ZREM"),
			verbWith("ZREMRANGEBYRANK", func(op *ZSetRemove) { op.By = byRank }, nil),
			verbWith("ZREMRANGEBYSCORE", func(op *ZSetRemove) { op.By = byScore }, nil),
			verbWith("ZREMRANGEBYLEX", func(op *ZSetRemove) { op.By = byLex }, nil)),
		write[ZSetMemberSet]("ZSetMemberSet"),
		write[ZSetMemberRemove]("ZSetMemberRemove"),
		write[ZSetMemberIncr]("ZSetMemberIncr", verb("ZINCRBY")),
		write[ZSetPop]("ZSetPop",
			verbWith("ZPOPMIN", func(op *ZSetPop) { op.Side = sideMin }, nil),
			verbWith("ZPOPMAX", func(op *ZSetPop) { op.Side = sideMax }, nil)),
		write[ZSetDelete]("ZSetDelete"),
	}
}
