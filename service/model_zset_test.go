package service

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"keypact/store"
)

var zsetSteps = []drawOp{zsetAdd, zsetAdd, zsetMemberSet, zsetIncr, zsetRemove, zsetRemoveRange, zsetRead, zsetRead, zsetCount, zsetPop, zsetRank}

var drawScore = rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, 2, -1, 0.5, math.Inf(1), math.Inf(-1)})

// inOrder are all members by score, then by member.
func (v *modelValue) inOrder() []ScoredMember {
	out := []ScoredMember{}
	for member, score := range v.members {
		out = append(out, ScoredMember{Member: Bytes(member), Score: Score(score)})
	}
	slices.SortFunc(out, func(a, b ScoredMember) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), strings.Compare(string(a.Member), string(b.Member)))
	})
	return out
}

func drawWhen(t *rapid.T) Conditions {
	return rapid.SampledFrom([]Conditions{nil, nil, Only(Absent), Only(Present), Only(Greater), Only(Less), Only(Present, Greater)}).Draw(t, "if")
}

func (v *modelValue) put(member string, score float64, c Conditions) (change string, err error) {
	old, found := v.members[member]
	switch {
	case math.IsNaN(score):
		return "", store.ErrNaN
	case found && c.Has(Absent), !found && c.Has(Present), found && c.Has(Greater) && score <= old, found && c.Has(Less) && score >= old:
		return "refused", nil
	case found && old == score:
		return "unchanged", nil
	}
	v.members[member] = score + 0
	if found {
		return "updated", nil
	}
	return "added", nil
}

func zsetAdd(t *rapid.T, key string) modelStep {
	op := &ZSetAdd{Key: Bytes(key), If: drawWhen(t), Expiry: drawExpiry(t)}
	for range rapid.IntRange(1, 4).Draw(t, "members") {
		op.Members = append(op.Members, scored(drawElement.Draw(t, "member"), drawScore.Draw(t, "score")))
	}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.open(key, "zset")
		if err != nil {
			return nil, err
		}
		n := map[string]uint64{}
		for _, e := range op.Members {
			change, err := v.put(string(e.Member), float64(*e.Score), op.If)
			if err != nil {
				return nil, err
			}
			n[change]++
		}
		m.keep(key, v, op.Expiry)
		return ZSetAdded{Added: n["added"], Updated: n["updated"], Unchanged: n["unchanged"] + n["refused"], Count: uint64(v.size())}, nil
	}}
}

func zsetMemberSet(t *rapid.T, key string) modelStep {
	op := &ZSetMemberSet{Key: Bytes(key), Member: Bytes(drawElement.Draw(t, "member")), Score: new(Score(drawScore.Draw(t, "score"))), If: drawWhen(t), Expiry: drawExpiry(t)}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.open(key, "zset")
		if err != nil {
			return nil, err
		}
		change, err := v.put(string(op.Member), float64(*op.Score), op.If)
		if err == nil && change == "refused" {
			err = store.ErrPrecondition
		}
		if err == nil {
			m.keep(key, v, op.Expiry)
		}
		return Stored{Created: change == "added"}, err
	}}
}

func zsetIncr(t *rapid.T, key string) modelStep {
	op := &ZSetMemberIncr{Key: Bytes(key), Member: Bytes(drawElement.Draw(t, "member")), By: new(Score(drawScore.Draw(t, "by"))), If: drawWhen(t), Expiry: drawExpiry(t)}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.open(key, "zset")
		if err != nil {
			return nil, err
		}
		score := v.members[string(op.Member)] + float64(*op.By)
		change, err := v.put(string(op.Member), score, op.If)
		if err == nil && change == "refused" {
			err = store.ErrPrecondition
		}
		if err == nil {
			m.keep(key, v, op.Expiry)
		}
		return ZSetScore{Score: Score(score + 0)}, err
	}}
}

func zsetRemove(t *rapid.T, key string) modelStep {
	op := &ZSetRemove{Key: Bytes(key), Members: texts(drawElements(t)...)}
	return modelStep{op: op, want: func(m *model) (any, error) { return modelRemove(m, key, "zset", op.Members) }}
}

// modelRange is a range with what it means for one member at a rank.
type modelRange struct {
	by, least, most string
}

func drawRange(t *rapid.T, kinds ...string) modelRange {
	r := modelRange{by: rapid.SampledFrom(kinds).Draw(t, "by")}
	draw := map[string]*rapid.Generator[string]{
		"rank":  rapid.Custom(func(t *rapid.T) string { return strconv.FormatInt(drawBound.Draw(t, "rank"), 10) }),
		"score": rapid.SampledFrom([]string{"-inf", "(-inf", "-1", "(-1", "0", "(0", "0.5", "(1", "1", "2", "inf", "(inf"}),
		"lex":   rapid.SampledFrom([]string{"-", "+", "[", "(", "[a", "(a", "[a\x00", "(b", "[c", "[\xff", "(\xff\xff"}),
	}[r.by]
	r.least, r.most = draw.Draw(t, "min"), draw.Draw(t, "max")
	return r
}

// of picks the members inside the range, in its order or from its end.
func (r modelRange) of(v *modelValue, desc bool) []ScoredMember {
	all := v.inOrder()
	if r.by == "lex" {
		slices.SortFunc(all, func(a, b ScoredMember) int { return strings.Compare(string(a.Member), string(b.Member)) })
	}
	if desc {
		slices.Reverse(all)
	}
	switch r.by {
	case "rank":
		names := make([]string, len(all))
		for i := range names {
			names[i] = strconv.Itoa(i)
		}
		start, _ := strconv.ParseInt(r.least, 10, 64)
		stop, _ := strconv.ParseInt(r.most, 10, 64)
		out := []ScoredMember{}
		for _, name := range between(names, start, stop) {
			i, _ := strconv.Atoi(name)
			out = append(out, all[i])
		}
		return out
	case "score":
		return slices.DeleteFunc(all, func(s ScoredMember) bool {
			return above(r.least, float64(s.Score)) || below(r.most, float64(s.Score))
		})
	}
	return slices.DeleteFunc(all, func(s ScoredMember) bool {
		return !afterLex(r.least, string(s.Member)) || !beforeLex(r.most, string(s.Member))
	})
}

// above says that a score is not within a lower bound.
func above(bound string, score float64) bool {
	text, open := strings.CutPrefix(bound, "(")
	least, _ := strconv.ParseFloat(text, 64)
	return score < least || open && score == least
}

func below(bound string, score float64) bool {
	text, open := strings.CutPrefix(bound, "(")
	most, _ := strconv.ParseFloat(text, 64)
	return score > most || open && score == most
}

func afterLex(bound, member string) bool {
	switch {
	case bound == "-":
		return true
	case bound == "+":
		return false
	case bound[0] == '[':
		return member >= bound[1:]
	}
	return member > bound[1:]
}

func beforeLex(bound, member string) bool {
	switch {
	case bound == "+":
		return true
	case bound == "-":
		return false
	case bound[0] == '[':
		return member <= bound[1:]
	}
	return member < bound[1:]
}

func zsetRemoveRange(t *rapid.T, key string) modelStep {
	r := drawRange(t, "rank", "score", "lex")
	op := &ZSetRemove{Key: Bytes(key), By: r.by, Min: bound(r.least), Max: bound(r.most)}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.open(key, "zset")
		if err != nil {
			return nil, err
		}
		var members []Bytes
		for _, s := range r.of(v, false) {
			members = append(members, s.Member)
		}
		return modelRemove(m, key, "zset", members)
	}}
}

func zsetRead(t *rapid.T, key string) modelStep {
	r := drawRange(t, "rank", "score", "lex")
	op := &ZSetRange{
		Key: Bytes(key), By: r.by, Min: bound(r.least), Max: bound(r.most),
		Order:  rapid.SampledFrom([]string{"", "asc", "desc"}).Draw(t, "order"),
		Offset: rapid.Int64Range(0, 2).Draw(t, "offset"), Limit: rapid.Int64Range(0, 3).Draw(t, "limit"),
	}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.present(key, "zset")
		if err != nil {
			return nil, err
		}
		members := r.of(v, op.Order == "desc")
		members = members[min(int(op.Offset), len(members)):]
		if op.Limit > 0 {
			members = members[:min(int(op.Limit), len(members))]
		}
		return ZSetMembers{Members: members}, nil
	}}
}

func zsetCount(t *rapid.T, key string) modelStep {
	r := drawRange(t, "score", "lex")
	op := &ZSetCount{Key: Bytes(key), By: r.by, Min: bound(r.least), Max: bound(r.most)}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.open(key, "zset")
		if err != nil {
			return nil, err
		}
		return Total{Count: uint64(len(r.of(v, false)))}, nil
	}}
}

func zsetPop(t *rapid.T, key string) modelStep {
	op := &ZSetPop{Key: Bytes(key), Side: rapid.SampledFrom([]string{"", "min", "max"}).Draw(t, "side"), Count: new(rapid.Int64Range(1, 3).Draw(t, "count"))}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.present(key, "zset")
		if err != nil {
			return nil, err
		}
		all := v.inOrder()
		if op.Side == "max" {
			slices.Reverse(all)
		}
		all = all[:min(len(all), int(*op.Count))]
		for _, s := range all {
			delete(v.members, string(s.Member))
		}
		m.keep(key, v, Expiry{})
		return ZSetPopped{Members: all, Count: uint64(v.size())}, nil
	}}
}

func zsetRank(t *rapid.T, key string) modelStep {
	op := &ZSetMemberGet{Key: Bytes(key), Member: Bytes(drawElement.Draw(t, "member"))}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.present(key, "zset")
		if err != nil {
			return nil, err
		}
		all := v.inOrder()
		at := slices.IndexFunc(all, func(s ScoredMember) bool { return string(s.Member) == string(op.Member) })
		if at < 0 {
			return nil, store.ErrNotFound
		}
		return RankedMember{Member: op.Member, Score: all[at].Score, Rank: uint64(at), ReverseRank: uint64(len(all) - 1 - at)}, nil
	}}
}
