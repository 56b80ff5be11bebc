package command

import (
	"bytes"

	"keypact/store"
)

func setCommands() []*Command {
	row := func(name string, arity int, flags Flag, keys Keys, since, summary string, parse func(*Args) (Call, error)) *Command {
		return &Command{Name: name, Arity: arity, Flags: flags, Keys: keys, Group: "set", Since: since, Summary: summary, parse: parse}
	}
	const grow = Write | DenyOOM
	return []*Command{
		row("SADD", -3, grow|Fast, oneKey, "1.0.0", "Adds members to a set", setAdd),
		row("SREM", -3, Write|Fast, oneKey, "1.0.0", "Removes members from a set", setRemove),
		row("SMEMBERS", 2, ReadOnly, oneKey, "1.0.0", "Reads all members of a set", setMembers),
		row("SISMEMBER", 3, ReadOnly|Fast, oneKey, "1.0.0", "Says whether a member is in a set", setHas),
		row("SMISMEMBER", -3, ReadOnly|Fast, oneKey, "6.2.0", "Says which members are in a set", setHasMany),
		row("SCARD", 2, ReadOnly|Fast, oneKey, "1.0.0", "Counts the members of a set", setCount),
		row("SPOP", -2, Write|Fast, oneKey, "1.0.0", "Takes members out of a set at random", setPop),
		row("SRANDMEMBER", -2, ReadOnly, oneKey, "1.0.0", "Reads members of a set at random", setRandom),
		row("SMOVE", 4, Write|Fast, twoKeys, "1.0.0", "Moves a member from a set to another", setMove),
		row("SUNION", -2, ReadOnly, allKeys, "1.0.0", "Reads what at least one of some sets holds", setCombine),
		row("SINTER", -2, ReadOnly, allKeys, "1.0.0", "Reads what each of some sets holds", setCombine),
		row("SDIFF", -2, ReadOnly, allKeys, "1.0.0", "Reads what the first of some sets holds and no other does", setCombine),
		row("SINTERCARD", -3, ReadOnly|MovableKeys, numbered(1), "7.0.0", "Counts what each of some sets holds", setInterCount),
		row("SUNIONSTORE", -3, grow, allKeys, "1.0.0", "Makes a set of what at least one of some sets holds", setStore),
		row("SINTERSTORE", -3, grow, allKeys, "1.0.0", "Makes a set of what each of some sets holds", setStore),
		row("SDIFFSTORE", -3, grow, allKeys, "1.0.0", "Makes a set of what the first of some sets holds and no other does", setStore),
	}
}

// onSet is a command about one set.
func (a *Args) onSet(read bool, key []byte, apply func(tx *store.Tx, set *store.Set) (Reply, error)) (Call, error) {
	return a.acting(read, func(tx *store.Tx) (Reply, error) {
		set, err := tx.Set(key)
		if err != nil {
			return nil, err
		}
		return apply(tx, set)
	}, key)
}

// setAdd is SADD key member [member ...].
func setAdd(a *Args) (Call, error) {
	key, members := a.Next(), a.Rest()
	return a.onSet(false, key, func(tx *store.Tx, set *store.Set) (Reply, error) {
		n, err := countTrue(members, set.Add)
		if n > 0 {
			tx.Event("sadd", key)
		}
		return n, err
	})
}

// setRemove is SREM key member [member ...].
func setRemove(a *Args) (Call, error) {
	key, members := a.Next(), a.Rest()
	return a.onSet(false, key, func(tx *store.Tx, set *store.Set) (Reply, error) {
		n, err := countTrue(members, set.Drop)
		if n > 0 {
			took(tx, "srem", key, set)
		}
		return n, err
	})
}

// countTrue does something with each member and counts those that it was true of.
func countTrue(members [][]byte, do func(member []byte) (bool, error)) (n Int, err error) {
	for _, member := range members {
		did, err := do(member)
		if err != nil {
			return 0, err
		}
		n += yes(did)
	}
	return n, nil
}

// setMembers is SMEMBERS key.
func setMembers(a *Args) (Call, error) {
	return a.onSet(true, a.Next(), func(_ *store.Tx, set *store.Set) (Reply, error) {
		members, err := set.Members()
		return Set(bulks(members)), err
	})
}

// setHas is SISMEMBER key member.
func setHas(a *Args) (Call, error) {
	key, member := a.Next(), a.Next()
	return a.onSet(true, key, func(_ *store.Tx, set *store.Set) (Reply, error) {
		found, err := set.Has(member)
		return yes(found), err
	})
}

// setHasMany is SMISMEMBER key member [member ...].
func setHasMany(a *Args) (Call, error) {
	key, members := a.Next(), a.Rest()
	return a.onSet(true, key, func(_ *store.Tx, set *store.Set) (Reply, error) {
		out := make(Array, len(members))
		for i, member := range members {
			found, err := set.Has(member)
			if err != nil {
				return nil, err
			}
			out[i] = yes(found)
		}
		return out, nil
	})
}

// setCount is SCARD key.
func setCount(a *Args) (Call, error) {
	return a.onSet(true, a.Next(), func(_ *store.Tx, set *store.Set) (Reply, error) {
		return Int(set.Count()), nil
	})
}

// setPop is SPOP key [count].
func setPop(a *Args) (Call, error) {
	key := a.Next()
	count, err := a.popCount(errSyntax)
	if err != nil {
		return Call{}, err
	}
	return done(&act{calls: counting(count, use(a.name, key)), apply: func(tx *store.Tx) (Reply, error) {
		set, err := tx.Set(key)
		if err != nil {
			return nil, err
		}
		members, err := set.Pop(countOr(count, 1))
		if err != nil {
			return nil, err
		}
		if len(members) > 0 {
			took(tx, "spop", key, set)
		}
		switch {
		case count != nil:
			return Set(bulks(members)), nil
		case len(members) == 0:
			return Null{}, nil
		}
		return bulk(members[0]), nil
	}})
}

// setRandom is SRANDMEMBER key [count]. A negative count may pick a member more
// than once.
func setRandom(a *Args) (Call, error) {
	key := a.Next()
	count, err := a.randomCount()
	if err == nil {
		err = a.End()
	}
	if err != nil {
		return Call{}, err
	}
	return done(&act{calls: counting(count, look(a.name, key)), apply: func(tx *store.Tx) (Reply, error) {
		set, err := tx.Set(key)
		if err != nil {
			return nil, err
		}
		if count == nil {
			members, err := set.Random(1)
			if err != nil || len(members) == 0 {
				return Null{}, err
			}
			return bulk(members[0]), nil
		}
		pick, n := set.Random, uint64(*count)
		if *count < 0 {
			pick, n = set.RandomRepeated, uint64(-*count)
		}
		if !set.Exists() {
			n = 0
		}
		members, err := pick(n)
		return bulks(members), err
	}})
}

// randomCount takes how many elements are to be picked at random; nil if that
// is not said.
func (a *Args) randomCount() (*int64, error) {
	if !a.More() {
		return nil, nil
	}
	if a.Len() > 1 && a.name == "SRANDMEMBER" {
		return nil, errSyntax
	}
	n, err := a.Int()
	if err == nil && n == -n && n != 0 {
		err = errRandomCount
	}
	return &n, err
}

const errRandomCount = Error("ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807")

// setMove is SMOVE source destination member.
func setMove(a *Args) (Call, error) {
	from, to, member := a.Next(), a.Next(), a.Next()
	calls := []store.Call{use("SREM", from), use("SADD", to)}
	return done(&act{calls: calls, apply: func(tx *store.Tx) (Reply, error) {
		source, err := tx.Set(from)
		if err != nil {
			return nil, err
		}
		if !source.Exists() {
			return Int(0), nil
		}
		destination, err := tx.Set(to)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(from, to) {
			found, err := source.Has(member)
			return yes(found), err
		}
		dropped, err := source.Drop(member)
		if err != nil || !dropped {
			return Int(0), err
		}
		took(tx, "srem", from, source)
		added, err := destination.Add(member)
		if added {
			tx.Event("sadd", to)
		}
		return Int(1), err
	}})
}
