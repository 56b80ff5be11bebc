package command

import (
	"strings"

	"keypact/store"
)

// greatest reports whether a pop is of the greatest scores.
func (a *Args) greatest() bool { return strings.HasSuffix(a.name, "MAX") }

// zsetPop is ZPOPMIN and ZPOPMAX key [count].
func zsetPop(a *Args) (Call, error) {
	key, greatest := a.Next(), a.greatest()
	count, err := a.popCount(errSyntax)
	if err != nil {
		return Call{}, err
	}
	return done(&act{calls: counting(count, use(a.name, key)), apply: func(tx *store.Tx) (Reply, error) {
		members, err := popZSet(tx, key, greatest, countOr(count, 1))
		switch {
		case err != nil:
			return nil, err
		case count != nil:
			return scored(members, true), nil
		case len(members) == 0:
			return Array{}, nil
		}
		return Array{bulk(members[0].Member), Double(members[0].Score)}, nil
	}})
}

// zsetPopWaiting is BZPOPMIN and BZPOPMAX key [key ...] timeout.
func zsetPopWaiting(a *Args) (Call, error) {
	keys := a.Take(a.Len() - 1)
	wait, err := a.Timeout()
	if err != nil {
		return Call{}, err
	}
	greatest := a.greatest()
	p := &firstPop{verb: a.name, wait: &wait}
	p.pop = func(tx *store.Tx, key []byte) (Reply, error) {
		members, err := popZSet(tx, key, greatest, 1)
		if err != nil || len(members) == 0 {
			return nil, err
		}
		return Array{bulk(key), bulk(members[0].Member), Double(members[0].Score)}, nil
	}
	return p.call(keys)
}

// zsetPopFirst is ZMPOP numkeys key [key ...] MIN|MAX [COUNT count], and BZMPOP,
// which has a timeout before that.
func zsetPopFirst(a *Args) (Call, error) {
	greatest := false
	p, keys, err := parseFirstPop(a, func() error {
		which := a.OneOf("MIN", "MAX")
		if greatest = which == "MAX"; which == "" {
			return errSyntax
		}
		return nil
	})
	if err != nil {
		return Call{}, err
	}
	p.pop = func(tx *store.Tx, key []byte) (Reply, error) {
		members, err := popZSet(tx, key, greatest, countOr(p.count, 1))
		if err != nil || len(members) == 0 {
			return nil, err
		}
		list := make(Array, len(members)) // of arrays, in RESP2 too
		for i, m := range members {
			list[i] = Array{bulk(m.Member), Double(m.Score)}
		}
		return Array{bulk(key), list}, nil
	}
	return p.call(keys)
}

// popZSet takes members out of a sorted set; an absent one has none.
func popZSet(tx *store.Tx, key []byte, greatest bool, n uint64) ([]store.Scored, error) {
	zset, err := tx.ZSet(key)
	if err != nil || !zset.Exists() || n == 0 {
		return nil, err
	}
	name := "zpopmin"
	if greatest {
		name = "zpopmax"
	}
	members, err := zset.Pop(greatest, n)
	if err == nil {
		took(tx, name, key, zset)
	}
	return members, err
}
