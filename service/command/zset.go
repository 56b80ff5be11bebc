package command

import "keypact/store"

func zsetCommands() []*Command {
	row := func(name string, arity int, flags Flag, keys Keys, since, summary string, parse func(*Args) (Call, error)) *Command {
		return &Command{Name: name, Arity: arity, Flags: flags, Keys: keys, Group: "sorted-set", Since: since, Summary: summary, parse: parse}
	}
	const grow, movable = Write | DenyOOM, ReadOnly | MovableKeys
	behindKeys := Keys{First: 1, Last: -2, Step: 1}
	return []*Command{
		row("ZADD", -4, grow|Fast, oneKey, "1.2.0", "Gives members scores", zsetAdd),
		row("ZINCRBY", 4, grow|Fast, oneKey, "1.2.0", "Adds to the score of a member", zsetAdd),
		row("ZREM", -3, Write|Fast, oneKey, "1.2.0", "Removes members from a sorted set", zsetRemove),
		row("ZCARD", 2, ReadOnly|Fast, oneKey, "1.2.0", "Counts the members of a sorted set", zsetCount),
		row("ZSCORE", 3, ReadOnly|Fast, oneKey, "1.2.0", "Reads the score of a member", zsetScore),
		row("ZMSCORE", -3, ReadOnly|Fast, oneKey, "6.2.0", "Reads the scores of members", zsetScores),
		row("ZRANK", 3, ReadOnly|Fast, oneKey, "2.0.0", "Counts the members before one", zsetRank),
		row("ZREVRANK", 3, ReadOnly|Fast, oneKey, "2.0.0", "Counts the members behind one", zsetRank),
		row("ZRANDMEMBER", -2, ReadOnly, oneKey, "6.2.0", "Reads members of a sorted set at random", zsetRandom),
		row("ZRANGE", -4, ReadOnly, oneKey, "1.2.0", "Reads members by rank, score or bytes", zsetRange),
		row("ZREVRANGE", -4, ReadOnly, oneKey, "1.2.0", "Reads members by rank from the greatest score down", zsetRange),
		row("ZRANGEBYSCORE", -4, ReadOnly, oneKey, "1.0.5", "Reads members by score", zsetRange),
		row("ZREVRANGEBYSCORE", -4, ReadOnly, oneKey, "2.2.0", "Reads members by score from the greatest down", zsetRange),
		row("ZRANGEBYLEX", -4, ReadOnly, oneKey, "2.8.9", "Reads members by their bytes", zsetRange),
		row("ZREVRANGEBYLEX", -4, ReadOnly, oneKey, "2.8.9", "Reads members by their bytes from the last up", zsetRange),
		row("ZRANGESTORE", -5, grow, twoKeys, "6.2.0", "Makes a sorted set of a part of another", zsetRangeStore),
		row("ZCOUNT", 4, ReadOnly|Fast, oneKey, "2.0.0", "Counts members by score", zsetCountSection),
		row("ZLEXCOUNT", 4, ReadOnly|Fast, oneKey, "2.8.9", "Counts members by their bytes", zsetCountSection),
		row("ZREMRANGEBYRANK", 4, Write, oneKey, "2.0.0", "Removes members by rank", zsetRemoveRanks),
		row("ZREMRANGEBYSCORE", 4, Write, oneKey, "1.2.0", "Removes members by score", zsetRemoveSection),
		row("ZREMRANGEBYLEX", 4, Write, oneKey, "2.8.9", "Removes members by their bytes", zsetRemoveSection),
		row("ZPOPMIN", -2, Write|Fast, oneKey, "5.0.0", "Takes out the members with the least scores", zsetPop),
		row("ZPOPMAX", -2, Write|Fast, oneKey, "5.0.0", "Takes out the members with the greatest scores", zsetPop),
		row("ZMPOP", -4, Write|MovableKeys, numbered(1), "7.0.0", "Takes members out of the first sorted set that has any", zsetPopFirst),
		row("BZPOPMIN", -3, Write|NoScript|Fast|Blocking, behindKeys, "5.0.0", "Takes out the member with the least score, or waits for one", zsetPopWaiting),
		row("BZPOPMAX", -3, Write|NoScript|Fast|Blocking, behindKeys, "5.0.0", "Takes out the member with the greatest score, or waits for one", zsetPopWaiting),
		row("BZMPOP", -5, Write|Blocking|MovableKeys, numbered(2), "7.0.0", "Takes members out of a sorted set, or waits for some", zsetPopFirst),
		row("ZUNION", -3, movable, numbered(1), "6.2.0", "Reads what at least one of some sorted sets holds", zsetCombine),
		row("ZINTER", -3, movable, numbered(1), "6.2.0", "Reads what each of some sorted sets holds", zsetCombine),
		row("ZDIFF", -3, movable, numbered(1), "6.2.0", "Reads what the first of some sorted sets holds and no other does", zsetCombine),
		row("ZINTERCARD", -3, movable, numbered(1), "7.0.0", "Counts what each of some sorted sets holds", zsetInterCount),
		row("ZUNIONSTORE", -4, grow|MovableKeys, numberedBehind(2), "2.0.0", "Makes a sorted set of what at least one of some holds", zsetStore),
		row("ZINTERSTORE", -4, grow|MovableKeys, numberedBehind(2), "2.0.0", "Makes a sorted set of what each of some holds", zsetStore),
		row("ZDIFFSTORE", -4, grow|MovableKeys, numberedBehind(2), "6.2.0", "Makes a sorted set of what the first of some holds and no other does", zsetStore),
	}
}

// onZSet is a command about one sorted set.
func (a *Args) onZSet(read bool, key []byte, apply func(tx *store.Tx, zset *store.ZSet) (Reply, error)) (Call, error) {
	return a.acting(read, func(tx *store.Tx) (Reply, error) {
		zset, err := tx.ZSet(key)
		if err != nil {
			return nil, err
		}
		return apply(tx, zset)
	}, key)
}

// zsetRemove is ZREM key member [member ...].
func zsetRemove(a *Args) (Call, error) {
	key, members := a.Next(), a.Rest()
	return a.onZSet(false, key, func(tx *store.Tx, zset *store.ZSet) (Reply, error) {
		n, err := countTrue(members, zset.Drop)
		if n > 0 {
			took(tx, "zrem", key, zset)
		}
		return n, err
	})
}

// zsetCount is ZCARD key.
func zsetCount(a *Args) (Call, error) {
	return a.onZSet(true, a.Next(), func(_ *store.Tx, zset *store.ZSet) (Reply, error) {
		return Int(zset.Count()), nil
	})
}

// zsetScore is ZSCORE key member.
func zsetScore(a *Args) (Call, error) {
	key, member := a.Next(), a.Next()
	return a.onZSet(true, key, func(_ *store.Tx, zset *store.ZSet) (Reply, error) {
		return scoreOf(zset, member)
	})
}

// zsetScores is ZMSCORE key member [member ...].
func zsetScores(a *Args) (Call, error) {
	key, members := a.Next(), a.Rest()
	return a.onZSet(true, key, func(_ *store.Tx, zset *store.ZSet) (Reply, error) {
		out := make(Array, len(members))
		for i, member := range members {
			var err error
			if out[i], err = scoreOf(zset, member); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

func scoreOf(zset *store.ZSet, member []byte) (Reply, error) {
	score, found, err := zset.Score(member)
	if err != nil || !found {
		return Null{}, err
	}
	return Double(score), nil
}

// zsetRank is ZRANK and ZREVRANK key member.
func zsetRank(a *Args) (Call, error) {
	key, member := a.Next(), a.Next()
	reverse := a.name == "ZREVRANK"
	return a.onZSet(true, key, func(_ *store.Tx, zset *store.ZSet) (Reply, error) {
		_, before, behind, found, err := zset.Rank(member)
		switch {
		case err != nil || !found:
			return Null{}, err
		case reverse:
			return Int(behind), nil
		}
		return Int(before), nil
	})
}

// zsetRandom is ZRANDMEMBER key [count [WITHSCORES]]. A negative count may pick
// a member more than once.
func zsetRandom(a *Args) (Call, error) {
	key := a.Next()
	count, err := a.randomCount()
	if err != nil {
		return Call{}, err
	}
	scores := count != nil && a.Token("WITHSCORES")
	if err := a.End(); err != nil {
		return Call{}, err
	}
	const half = 1<<62 - 1
	if scores && (*count < -half || *count > half) {
		return Call{}, errOutOfRange
	}
	op := &act{calls: counting(count, look(a.name, key)), apply: func(tx *store.Tx) (Reply, error) {
		zset, err := tx.ZSet(key)
		if err != nil {
			return nil, err
		}
		if count == nil {
			members, err := zset.Random(1)
			if err != nil || len(members) == 0 {
				return Null{}, err
			}
			return bulk(members[0].Member), nil
		}
		pick, n := zset.Random, uint64(*count)
		if *count < 0 {
			pick, n = zset.RandomRepeated, uint64(-*count)
		}
		if !zset.Exists() {
			n = 0
		}
		members, err := pick(n)
		return scored(members, scores), err
	}}
	return done(op)
}

// scored lists members, with their scores or without.
func scored(members []store.Scored, scores bool) Array {
	out := make(Array, len(members))
	for i, m := range members {
		if out[i] = bulk(m.Member); scores {
			out[i] = Pair{bulk(m.Member), Double(m.Score)}
		}
	}
	return out
}
