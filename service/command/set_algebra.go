package command

import (
	"strings"

	"keypact/store"
)

// algebras are the ways to combine sets and sorted sets, by the command's name
// without its first letter.
var algebras = map[string]store.Algebra{"UNION": store.Union, "INTER": store.Intersection, "DIFF": store.Difference}

// algebra is the way in which a command combines: SUNIONSTORE is UNION. reads
// is the command that counts for what is only read: SUNION.
func (a *Args) algebra() (how store.Algebra, reads string) {
	reads = strings.TrimSuffix(a.name, "STORE")
	return algebras[reads[1:]], reads
}

// lookAll are keys that an operation only reads.
func lookAll(verb string, keys [][]byte) []store.Call {
	calls := make([]store.Call, len(keys))
	for i, key := range keys {
		calls[i] = look(verb, key)
	}
	return calls
}

// setCombine is SUNION, SINTER and SDIFF key [key ...].
func setCombine(a *Args) (Call, error) {
	how, _ := a.algebra()
	keys := a.Rest()
	return a.reading(func(tx *store.Tx) (Reply, error) {
		members, err := tx.Combine(how, keys, 0)
		return Set(bulks(members)), err
	}, keys...)
}

// setStore is SUNIONSTORE, SINTERSTORE and SDIFFSTORE destination key [key ...].
func setStore(a *Args) (Call, error) {
	how, reads := a.algebra()
	destination, keys := a.Next(), a.Rest()
	calls := append([]store.Call{use(a.name, destination)}, lookAll(reads, keys)...)
	return done(&act{calls: calls, apply: func(tx *store.Tx) (Reply, error) {
		return storing(tx, a.name, destination, func() (uint64, error) {
			return tx.StoreCombined(destination, how, keys, 0)
		})
	}})
}

// storing makes a key something new by a command, and tells that it is gone if
// the new value has no elements.
func storing(tx *store.Tx, name string, key []byte, do func() (uint64, error)) (Reply, error) {
	k, err := tx.Key(key)
	if err != nil {
		return nil, err
	}
	existed := k.Exists()
	n, err := do()
	switch {
	case err != nil:
		return nil, err
	case n > 0:
		tx.Event(strings.ToLower(name), key)
	case existed:
		tx.Event("del", key)
	}
	return Int(n), nil
}

// setInterCount is SINTERCARD numkeys key [key ...] [LIMIT limit].
func setInterCount(a *Args) (Call, error) {
	n, err := a.AtLeast(1, "ERR numkeys should be greater than 0")
	if err != nil {
		return Call{}, err
	}
	if n > int64(a.Len()) {
		return Call{}, Error("ERR Number of keys can't be greater than number of args")
	}
	keys := a.Take(int(n))
	limit, err := a.limits()
	if err != nil {
		return Call{}, err
	}
	return a.reading(func(tx *store.Tx) (Reply, error) {
		n, err := tx.CountCombined(store.Intersection, keys, limit)
		return Int(n), err
	}, keys...)
}

// limits takes LIMIT limit as often as it comes; the last one counts, and 0 is
// no limit.
func (a *Args) limits() (uint64, error) {
	limit := int64(0)
	for a.More() {
		if a.Len() < 2 || !a.Token("LIMIT") {
			return 0, errSyntax
		}
		var err error
		if limit, err = a.AtLeast(0, "ERR LIMIT can't be negative"); err != nil {
			return 0, err
		}
	}
	return uint64(limit), nil
}
