package command

import "keypact/store"

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
		members, err := popZSet(tx, key, greatest, p.most())
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
	if err != nil || !zset.Exists() {
		return nil, err
	}
	return zset.Pop(greatest, n)
}
