package service

import (
	"math"

	"keypact/store"
)

// What a range over a sorted set can go by.
const (
	byRank   = "rank"
	byScore  = "score"
	byLex    = "lex"
	byMember = "member"
)

// zsetRange is the part of a sorted set between two bounds. Ranks are the
// half-open interval [from, to) of a number of members.
type zsetRange struct {
	byRank      bool
	start, stop int64
	section     store.Section
}

// parseRange reads bounds; one that is not given lies beyond all members. The
// issues name the bounds that cannot be read.
func parseRange(by string, least, most Bound) (r zsetRange, issues []Issue) {
	fault := func(member string, err error) {
		if err != nil {
			issues = append(issues, Issue{Path: []string{member}, Detail: err.Error()})
		}
	}
	switch by {
	case byScore:
		from, err := scoreEnd(least, math.Inf(-1))
		fault("min", err)
		to, err := scoreEnd(most, math.Inf(1))
		fault("max", err)
		r.section = store.ByScore(from, to)
	case byLex:
		from, err := memberEnd(least, -1)
		fault("min", err)
		to, err := memberEnd(most, 1)
		fault("max", err)
		r.section = store.ByMember(from, to)
	default:
		var err error
		r.byRank = true
		r.start, err = rankEnd(least, 0)
		fault("min", err)
		r.stop, err = rankEnd(most, -1)
		fault("max", err)
	}
	return r, issues
}

func rankEnd(b Bound, fallback int64) (int64, error) {
	if b == nil {
		return fallback, nil
	}
	return b.Rank()
}

func scoreEnd(b Bound, fallback float64) (store.ScoreEnd, error) {
	if b == nil {
		return store.ScoreEnd{Score: fallback}, nil
	}
	bound, err := b.Score()
	return store.ScoreEnd{Score: bound.Value, Open: bound.Exclusive}, err
}

func memberEnd(b Bound, fallback int) (store.MemberEnd, error) {
	if b == nil {
		return store.MemberEnd{Infinite: fallback}, nil
	}
	bound, err := b.Lex()
	return store.MemberEnd{Member: bound.Member, Open: bound.Exclusive, Infinite: bound.Infinite}, err
}

// ZSetCount counts members: all of them, or those between Min and Max by score
// (5, "(5", "inf") or by lex ("[a", "(a", "-", "+"), in the order of the
// members' bytes whatever their scores are. A bound that is not given lies
// beyond all members. An absent key has none; a key of another type is
// ErrWrongType.
type ZSetCount struct {
	Key Bytes  `json:"key" validate:"required,key"`
	By  string `json:"by,omitzero" validate:"omitempty,oneof=score lex"`
	Min Bound  `json:"min,omitzero"`
	Max Bound  `json:"max,omitzero"`
}

func (op *ZSetCount) check(Limits) []Issue {
	if op.By == "" {
		return without("by", map[string]bool{"min": op.Min != nil, "max": op.Max != nil}, "min", "max")
	}
	_, issues := parseRange(op.By, op.Min, op.Max)
	return issues
}

// Calls is ZCARD, ZCOUNT or ZLEXCOUNT.
func (op *ZSetCount) Calls() []store.Call {
	verb := "ZCARD"
	switch op.By {
	case byScore:
		verb = "ZCOUNT"
	case byLex:
		verb = "ZLEXCOUNT"
	}
	return []store.Call{{Verb: verb, Key: op.Key, Read: true}}
}

// Apply returns Total.
func (op *ZSetCount) Apply(tx *store.Tx) (any, error) {
	zset, err := tx.ZSet(op.Key)
	if err != nil || op.By == "" {
		return total(zset, err)
	}
	r, _ := parseRange(op.By, op.Min, op.Max)
	n, err := zset.CountIn(r.section)
	return Total{Count: n}, err
}

// ZSetRemove removes Members, those that are not there changing nothing, or all
// members between Min and Max by rank (0 is the least score, -1 the greatest),
// by score or by lex (see ZSetCount). An absent key has none; a key of another
// type is ErrWrongType. Any number of members goes, at once for all who look;
// inside a batch more than one transaction may write is kv.ErrTooBig.
type ZSetRemove struct {
	Key     Bytes   `json:"key" validate:"required,key"`
	Members []Bytes `json:"members,omitzero" query:"member" validate:"dive,element"`
	By      string  `json:"by,omitzero" validate:"omitempty,oneof=rank score lex"`
	Min     Bound   `json:"min,omitzero"`
	Max     Bound   `json:"max,omitzero"`
}

func (op *ZSetRemove) check(Limits) []Issue {
	given := map[string]bool{"by": op.By != "", "min": op.Min != nil, "max": op.Max != nil}
	if op.By == "" {
		if len(op.Members) == 0 {
			return []Issue{{Path: []string{"members"}, Detail: "is required, or by with min and max"}}
		}
		return together("members", given, "min", "max")
	}
	issues := together("by", map[string]bool{"members": op.Members != nil}, "members")
	for _, name := range []string{"min", "max"} {
		if !given[name] {
			issues = append(issues, Issue{Path: []string{name}, Detail: "is required together with by"})
		}
	}
	_, faults := parseRange(op.By, op.Min, op.Max)
	return append(issues, faults...)
}

// Calls is ZREM, ZREMRANGEBYRANK, ZREMRANGEBYSCORE or ZREMRANGEBYLEX.
func (op *ZSetRemove) Calls() []store.Call {
	call := store.Call{Verb: "ZREM", Key: op.Key, DataAt: "members"}
	switch op.By {
	case byRank:
		call = store.Call{Verb: "ZREMRANGEBYRANK", Key: op.Key}
	case byScore:
		call = store.Call{Verb: "ZREMRANGEBYSCORE", Key: op.Key}
	case byLex:
		call = store.Call{Verb: "ZREMRANGEBYLEX", Key: op.Key}
	}
	return []store.Call{call}
}

// Apply returns Removal.
func (op *ZSetRemove) Apply(tx *store.Tx) (any, error) {
	zset, err := tx.ZSet(op.Key)
	if err != nil {
		return nil, err
	}
	if op.By == "" {
		removed, err := zset.DropAll(rawList(op.Members))
		return removal(zset, removed, err)
	}
	r, _ := parseRange(op.By, op.Min, op.Max)
	if r.byRank {
		removed, err := zset.DropRanks(store.Span(r.start, r.stop, zset.Count()))
		return removal(zset, removed, err)
	}
	removed, err := zset.DropIn(r.section)
	return removal(zset, removed, err)
}
