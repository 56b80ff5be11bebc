package service

import "keypact/store"

// ZSetRange reads a part of a sorted set. By says how:
//
//   - rank (the default): from Min (default 0) to Max (default -1), both
//     included; rank 0 is the least score, with Order desc the greatest, and
//     negative ranks count from the other end;
//   - score and lex: between Min and Max as in ZSetCount; Order desc starts at
//     Max;
//   - member: a page in the order of the members' bytes, with Match, Cursor and
//     Limit, which neither skips nor repeats a member that stays.
//
// Offset leaves out the first members of a range and Limit stops it; 0 is no
// limit. With Members it reads their scores instead, null for those that are
// not there.
//
// An absent key is ErrNotFound, one of another type ErrWrongType, a range of
// more than Limits.Result members ErrTooBig.
type ZSetRange struct {
	Key     Bytes   `json:"key" validate:"required,key"`
	By      string  `json:"by,omitzero" validate:"omitempty,oneof=rank score lex member"`
	Min     Bound   `json:"min,omitzero"`
	Max     Bound   `json:"max,omitzero"`
	Order   string  `json:"order,omitzero" validate:"omitempty,oneof=asc desc"`
	Offset  int64   `json:"offset,omitzero" validate:"min=0"`
	Limit   int64   `json:"limit,omitzero" validate:"min=0"`
	Cursor  Cursor  `json:"cursor,omitzero"`
	Match   Bytes   `json:"match,omitzero"`
	Members []Bytes `json:"members,omitzero" query:"member" validate:"dive,element"`
}

// ZSetMembers are members of a sorted set with their scores.
type ZSetMembers struct {
	Members []ScoredMember `json:"members"`
	Cursor  Cursor         `json:"cursor,omitzero"` // of a page only, if more follow
}

// ZSetScores are the scores of the members asked for; nil is an absent member.
type ZSetScores struct {
	Scores []*Score `json:"scores"`
}

// defaults gives a page its size; other ranges have none.
func (op *ZSetRange) defaults(l Limits) {
	if op.By == byMember && op.Limit == 0 {
		op.Limit = int64(l.DefaultPage)
	}
}

func (op *ZSetRange) check(l Limits) []Issue {
	given := map[string]bool{
		"by": op.By != "", "min": op.Min != nil, "max": op.Max != nil, "order": op.Order != "",
		"offset": op.Offset != 0, "limit": op.Limit != 0, "cursor": op.Cursor != nil, "match": op.Match != nil,
	}
	switch {
	case op.Members != nil:
		return together("members", given, "by", "min", "max", "order", "offset", "limit", "cursor", "match")
	case op.By == byMember:
		issues := together("by member", given, "min", "max", "order", "offset")
		return append(issues, pageSize(op.Limit, l)...)
	}
	_, issues := parseRange(op.By, op.Min, op.Max)
	return append(issues, without("by member", given, "cursor", "match")...)
}

// Calls is ZRANGE, ZSCAN for a page, or ZMSCORE.
func (op *ZSetRange) Calls() []store.Call {
	verb := "ZRANGE"
	switch {
	case op.Members != nil:
		verb = "ZMSCORE"
	case op.By == byMember:
		verb = "ZSCAN"
	}
	return []store.Call{{Verb: verb, Key: op.Key, Read: true}}
}

// Apply returns ZSetMembers or ZSetScores.
func (op *ZSetRange) Apply(tx *store.Tx) (any, error) {
	zset, err := openZSet(tx, op.Key)
	if err != nil {
		return nil, err
	}
	switch {
	case op.Members != nil:
		return op.scores(zset)
	case op.By == byMember:
		return op.page(zset)
	}
	members, err := op.read(zset)
	if err != nil {
		return nil, err
	}
	return ZSetMembers{Members: scoredMembers(members)}, nil
}

func (op *ZSetRange) read(zset *store.ZSet) ([]store.Scored, error) {
	r, _ := parseRange(op.By, op.Min, op.Max)
	reverse := op.Order == "desc"
	limit := op.Limit
	if limit == 0 {
		limit = -1
	}
	if !r.byRank {
		return zset.Select(r.section, reverse, uint64(op.Offset), limit)
	}
	from, to := store.Span(r.start, r.stop, zset.Count())
	from = min(from+uint64(op.Offset), to)
	if limit > 0 {
		to = min(to, from+uint64(limit))
	}
	return zset.ByRank(from, to, reverse)
}

func (op *ZSetRange) scores(zset *store.ZSet) (any, error) {
	answer := ZSetScores{Scores: make([]*Score, len(op.Members))}
	for i, member := range op.Members {
		score, found, err := zset.Score(member)
		if err != nil {
			return nil, err
		}
		if found {
			answer.Scores[i] = new(Score(score))
		}
	}
	return answer, nil
}

func (op *ZSetRange) page(zset *store.ZSet) (any, error) {
	asked := Page{Match: op.Match, Limit: int(op.Limit)}
	members, last, err := zset.Page(op.Cursor.element(), asked.limit(), asked.scanned(), asked.matcher())
	if err != nil {
		return nil, err
	}
	return ZSetMembers{Members: scoredMembers(members), Cursor: next(last)}, nil
}
