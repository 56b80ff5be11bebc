package command

import (
	"math"
	"strings"

	"keypact/store"
)

// zrange is the part of a sorted set that a command is about.
type zrange struct {
	byRank      bool
	start, stop int64         // ranks
	section     store.Section // if not by rank
	reverse     bool
	scores      bool
	offset      int64
	limit       int64 // negative is none
}

// by says by what a command selects members: RANK, SCORE or LEX.
func (a *Args) by() string {
	switch {
	case strings.Contains(a.name, "SCORE") || a.name == "ZCOUNT":
		return "SCORE"
	case strings.Contains(a.name, "LEX"):
		return "LEX"
	}
	return "RANK"
}

// zsetRange is ZRANGE key start stop [BYSCORE|BYLEX] [REV] [LIMIT offset count]
// [WITHSCORES] and the commands that say a part of that in their name.
func zsetRange(a *Args) (Call, error) {
	key := a.Next()
	r, err := parseRange(a)
	if err != nil {
		return Call{}, err
	}
	return a.onZSet(true, key, func(_ *store.Tx, zset *store.ZSet) (Reply, error) {
		section, offset, limit := r.of(zset)
		members, err := zset.Select(section, r.reverse, offset, limit)
		return scored(members, r.scores), err
	})
}

// zsetRangeStore is ZRANGESTORE destination source start stop and the options of
// ZRANGE.
func zsetRangeStore(a *Args) (Call, error) {
	destination, source := a.Next(), a.Next()
	r, err := parseRange(a)
	if err != nil {
		return Call{}, err
	}
	calls := []store.Call{use(a.name, destination), look("ZRANGE", source)}
	return done(&act{calls: calls, apply: func(tx *store.Tx) (Reply, error) {
		zset, err := tx.ZSet(source)
		if err != nil {
			return nil, err
		}
		section, offset, limit := r.of(zset)
		return storing(tx, a.name, destination, func() (uint64, error) {
			return tx.StoreSection(destination, zset, section, r.reverse, offset, limit)
		})
	}})
}

// of is the range as a section of a sorted set, from which offset members are
// left out and up to limit taken.
func (r *zrange) of(zset *store.ZSet) (section store.Section, offset uint64, limit int64) {
	if r.byRank {
		from, to := store.Span(r.start, r.stop, zset.Count())
		return allScores, from, int64(to - from)
	}
	if r.offset < 0 {
		return r.section, 0, 0
	}
	return r.section, uint64(r.offset), r.limit
}

// allScores is a sorted set in full, in the order of its scores.
var allScores = store.ByScore(store.ScoreEnd{Score: math.Inf(-1)}, store.ScoreEnd{Score: math.Inf(1)})

// parseRange takes two bounds and the options behind them.
func parseRange(a *Args) (*zrange, error) {
	first, second := a.Next(), a.Next()
	r := &zrange{reverse: strings.HasPrefix(a.name, "ZREV"), limit: -1}
	by, shows := a.by(), a.name != "ZRANGESTORE"
	anyOrder := a.name == "ZRANGE" || !shows
	anyWay := anyOrder
	for a.More() {
		var err error
		switch {
		case shows && a.Token("WITHSCORES"):
			r.scores = true
		case a.Len() > 2 && a.Token("LIMIT"):
			r.offset, r.limit, err = a.span()
		case anyOrder && a.Token("REV"):
			r.reverse, anyOrder = true, false
		case anyWay && a.Token("BYLEX"):
			by, anyWay = "LEX", false
		case anyWay && a.Token("BYSCORE"):
			by, anyWay = "SCORE", false
		default:
			err = errSyntax
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case r.limit != -1 && by == "RANK":
		return nil, Error("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX")
	case r.scores && by == "LEX":
		return nil, Error("ERR syntax error, WITHSCORES not supported in combination with BYLEX")
	case r.reverse && by != "RANK":
		first, second = second, first
	}
	return r, r.bounds(by, first, second)
}

func (r *zrange) bounds(by string, first, second []byte) (err error) {
	if by != "RANK" {
		r.section, err = parseSection(by, first, second)
		return err
	}
	r.byRank = true
	if r.start, err = parseInt(first); err == nil {
		r.stop, err = parseInt(second)
	}
	return err
}

// parseSection reads two bounds of scores or of members.
func parseSection(by string, least, most []byte) (store.Section, error) {
	if by == "SCORE" {
		from, ok1 := scoreEnd(least)
		to, ok2 := scoreEnd(most)
		if !ok1 || !ok2 {
			return store.Section{}, Error("ERR min or max is not a float")
		}
		return store.ByScore(from, to), nil
	}
	from, ok1 := memberEnd(least)
	to, ok2 := memberEnd(most)
	if !ok1 || !ok2 {
		return store.Section{}, Error("ERR min or max not valid string range item")
	}
	return store.ByMember(from, to), nil
}

// scoreEnd reads a score, which lies outside if it begins with a parenthesis.
func scoreEnd(word []byte) (end store.ScoreEnd, ok bool) {
	if end.Open = len(word) > 0 && word[0] == '('; end.Open {
		word = word[1:]
	}
	f, err := parseFloat(word)
	end.Score = f
	return end, err == nil
}

// memberEnd reads a member behind [ or (, which says that it lies outside; - is
// before all members and + behind them.
func memberEnd(word []byte) (end store.MemberEnd, ok bool) {
	switch {
	case string(word) == "-":
		return store.MemberEnd{Infinite: -1}, true
	case string(word) == "+":
		return store.MemberEnd{Infinite: 1}, true
	case len(word) == 0 || word[0] != '[' && word[0] != '(':
		return store.MemberEnd{}, false
	}
	return store.MemberEnd{Member: word[1:], Open: word[0] == '('}, true
}

// zsetCountSection is ZCOUNT key min max and ZLEXCOUNT key min max.
func zsetCountSection(a *Args) (Call, error) {
	key := a.Next()
	section, err := parseSection(a.by(), a.Next(), a.Next())
	if err != nil {
		return Call{}, err
	}
	return a.onZSet(true, key, func(_ *store.Tx, zset *store.ZSet) (Reply, error) {
		n, err := zset.CountIn(section)
		return Int(n), err
	})
}

// zsetRemoveSection is ZREMRANGEBYSCORE and ZREMRANGEBYLEX key min max.
func zsetRemoveSection(a *Args) (Call, error) {
	key := a.Next()
	section, err := parseSection(a.by(), a.Next(), a.Next())
	if err != nil {
		return Call{}, err
	}
	name := strings.ToLower(a.name)
	return a.onZSet(false, key, func(tx *store.Tx, zset *store.ZSet) (Reply, error) {
		n, err := zset.DropIn(section)
		if n > 0 {
			took(tx, name, key, zset)
		}
		return Int(n), err
	})
}

// zsetRemoveRanks is ZREMRANGEBYRANK key start stop.
func zsetRemoveRanks(a *Args) (Call, error) {
	key := a.Next()
	start, stop, err := a.span()
	if err != nil {
		return Call{}, err
	}
	return a.onZSet(false, key, func(tx *store.Tx, zset *store.ZSet) (Reply, error) {
		from, to := store.Span(start, stop, zset.Count())
		n, err := zset.DropRanks(from, to)
		if n > 0 {
			took(tx, "zremrangebyrank", key, zset)
		}
		return Int(n), err
	})
}
