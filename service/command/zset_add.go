package command

import "keypact/store"

// adding is what ZADD and ZINCRBY do.
type adding struct {
	when    store.When
	incr    bool // the score is added to the one that is there
	changes bool // members with another score are counted too
	members []store.Scored
}

// zsetAdd is ZADD key [NX|XX] [GT|LT] [CH] [INCR] score member [score member ...]
// and ZINCRBY key increment member.
func zsetAdd(a *Args) (Call, error) {
	key := a.Next()
	add, err := parseAdding(a)
	if err != nil {
		return Call{}, err
	}
	call, err := a.onZSet(false, key, func(tx *store.Tx, zset *store.ZSet) (Reply, error) {
		reply, changed, err := add.apply(zset)
		if changed && add.incr {
			tx.Event("zincr", key)
		} else if changed {
			tx.Event("zadd", key)
		}
		return reply, err
	})
	call.Errors = map[string]Error{"not-a-number": "ERR resulting score is not a number (NaN)"}
	return call, err
}

func parseAdding(a *Args) (*adding, error) {
	add := &adding{incr: a.name == "ZINCRBY"}
	for more := !add.incr; more; {
		switch a.OneOf("NX", "XX", "GT", "LT", "CH", "INCR") {
		case "NX":
			add.when.Absent = true
		case "XX":
			add.when.Present = true
		case "GT":
			add.when.Greater = true
		case "LT":
			add.when.Less = true
		case "CH":
			add.changes = true
		case "INCR":
			add.incr = true
		default:
			more = false
		}
	}
	when, n := add.when, a.Len()
	switch {
	case n == 0 || n%2 != 0:
		return nil, errSyntax
	case when.Absent && when.Present:
		return nil, Error("ERR XX and NX options at the same time are not compatible")
	case when.Absent && (when.Greater || when.Less) || when.Greater && when.Less:
		return nil, Error("ERR GT, LT, and/or NX options at the same time are not compatible")
	case add.incr && n > 2:
		return nil, Error("ERR INCR option supports a single increment-element pair")
	}
	for a.More() {
		score, err := a.Float()
		if err != nil {
			return nil, err
		}
		add.members = append(add.members, store.Scored{Member: a.Next(), Score: score})
	}
	return add, nil
}

// apply returns the reply too if nothing has changed.
func (add *adding) apply(zset *store.ZSet) (reply Reply, changed bool, err error) {
	if add.incr {
		score, change, err := zset.Incr(add.members[0].Member, add.members[0].Score, add.when)
		if err != nil || change == store.Refused {
			return Null{}, false, err
		}
		return Double(score), change != store.Unchanged, nil
	}
	n := 0
	for _, m := range add.members {
		change, err := zset.Put(m.Member, m.Score, add.when)
		if err != nil {
			return nil, false, err
		}
		changed = changed || change == store.Added || change == store.Updated
		if change == store.Added || change == store.Updated && add.changes {
			n++
		}
	}
	return Int(n), changed, nil
}
