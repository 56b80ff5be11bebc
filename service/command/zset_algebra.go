package command

import (
	"strings"

	"keypact/store"
)

// zalgebra is what commands that combine sorted sets have in their words.
type zalgebra struct {
	how     store.Algebra
	sources []store.Source
	scores  store.Aggregate
	show    bool // WITHSCORES
	limit   uint64
}

func (z *zalgebra) keys() [][]byte {
	keys := make([][]byte, len(z.sources))
	for i, s := range z.sources {
		keys[i] = s.Key
	}
	return keys
}

// zsetCombine is ZUNION and ZINTER numkeys key [key ...] [WEIGHTS weight ...]
// [AGGREGATE SUM|MIN|MAX] [WITHSCORES], and ZDIFF without weights and aggregate.
func zsetCombine(a *Args) (Call, error) {
	z, err := parseAlgebra(a)
	if err != nil {
		return Call{}, err
	}
	return a.reading(func(tx *store.Tx) (Reply, error) {
		members, err := tx.CombineScored(z.how, z.sources, z.scores)
		return scored(members, z.show), err
	}, z.keys()...)
}

// zsetStore is ZUNIONSTORE, ZINTERSTORE and ZDIFFSTORE destination and the words
// of zsetCombine but WITHSCORES.
func zsetStore(a *Args) (Call, error) {
	destination := a.Next()
	z, err := parseAlgebra(a)
	if err != nil {
		return Call{}, err
	}
	_, reads := a.algebra()
	calls := append([]store.Call{use(a.name, destination)}, lookAll(reads, z.keys())...)
	return done(&act{calls: calls, apply: func(tx *store.Tx) (Reply, error) {
		return storing(tx, a.name, destination, func() (uint64, error) {
			return tx.StoreScored(destination, z.how, z.sources, z.scores)
		})
	}})
}

// zsetInterCount is ZINTERCARD numkeys key [key ...] [LIMIT limit].
func zsetInterCount(a *Args) (Call, error) {
	z, err := parseAlgebra(a)
	if err != nil {
		return Call{}, err
	}
	return a.reading(func(tx *store.Tx) (Reply, error) {
		n, err := tx.CountScored(store.Intersection, z.sources, z.limit)
		return Int(n), err
	}, z.keys()...)
}

func parseAlgebra(a *Args) (*zalgebra, error) {
	keys, err := a.Keys(Error("ERR at least 1 input key is needed for '" + strings.ToLower(a.name) + "' command"))
	if err != nil {
		return nil, err
	}
	z := new(zalgebra)
	z.how, _ = a.algebra()
	for _, key := range keys {
		z.sources = append(z.sources, store.Source{Key: key, Weight: 1})
	}
	if a.name == "ZINTERCARD" {
		z.limit, err = a.limits()
		return z, err
	}
	for a.More() {
		if err := z.option(a); err != nil {
			return nil, err
		}
	}
	return z, nil
}

// option takes one option.
func (z *zalgebra) option(a *Args) error {
	weighs := z.how != store.Difference
	switch {
	case weighs && a.Len() > len(z.sources) && a.Token("WEIGHTS"):
		for i := range z.sources {
			weight, err := a.Float()
			if err != nil {
				return Error("ERR weight value is not a float")
			}
			z.sources[i].Weight = weight
		}
		return nil
	case weighs && a.Len() > 1 && a.Token("AGGREGATE"):
		switch a.OneOf("SUM", "MIN", "MAX") {
		case "SUM":
			z.scores = store.Sum
		case "MIN":
			z.scores = store.Least
		case "MAX":
			z.scores = store.Greatest
		default:
			return errSyntax
		}
		return nil
	case !strings.HasSuffix(a.name, "STORE") && a.Token("WITHSCORES"):
		z.show = true
		return nil
	}
	return errSyntax
}
