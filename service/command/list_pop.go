package command

import (
	"keypact/store"
)

// listPop is LPOP and RPOP key [count].
func listPop(a *Args) (Call, error) {
	key, end := a.Next(), endOf(a.name)
	count, err := a.popCount(wrongNumber(a.name))
	if err != nil {
		return Call{}, err
	}
	op := &act{calls: counting(count, use(a.name, key)), apply: func(tx *store.Tx) (Reply, error) {
		items, err := popList(tx, key, end, countOr(count, 1))
		switch {
		case err != nil:
			return nil, err
		case items == nil && count == nil:
			return Null{}, nil
		case items == nil:
			return NullArray{}, nil
		case count == nil:
			return bulk(items[0]), nil
		}
		return bulks(items), nil
	}}
	return done(op)
}

// popCount takes the number of elements that a pop may end with; nil if there
// is none. more is the error of words behind it.
func (a *Args) popCount(more Error) (*int64, error) {
	if !a.More() {
		return nil, nil
	}
	if a.Len() > 1 {
		return nil, more
	}
	n, err := a.AtLeast(0, errPositive)
	return &n, err
}

// countOr is a count that may not have been said.
func countOr(count *int64, otherwise uint64) uint64 {
	if count == nil {
		return otherwise
	}
	return uint64(*count)
}

// listPopWaiting is BLPOP and BRPOP key [key ...] timeout.
func listPopWaiting(a *Args) (Call, error) {
	keys := a.Take(a.Len() - 1)
	p := &firstPop{verb: a.name}
	wait, err := a.Timeout()
	if err != nil {
		return Call{}, err
	}
	p.wait = &wait
	end := endOf(a.name[1:])
	p.pop = func(tx *store.Tx, key []byte) (Reply, error) {
		items, err := popList(tx, key, end, 1)
		if err != nil || len(items) == 0 {
			return nil, err
		}
		return Array{bulk(key), bulk(items[0])}, nil
	}
	return p.call(keys)
}

// listPopFirst is LMPOP numkeys key [key ...] LEFT|RIGHT [COUNT count], and
// BLMPOP, which has a timeout before that.
func listPopFirst(a *Args) (Call, error) {
	var end store.End
	p, keys, err := parseFirstPop(a, func() (err error) {
		end, err = a.end()
		return err
	})
	if err != nil {
		return Call{}, err
	}
	p.pop = func(tx *store.Tx, key []byte) (Reply, error) {
		items, err := popList(tx, key, end, countOr(p.count, 1))
		if err != nil || len(items) == 0 {
			return nil, err
		}
		return Array{bulk(key), bulks(items)}, nil
	}
	return p.call(keys)
}

// popList takes elements off a list; nil says that it is absent.
func popList(tx *store.Tx, key []byte, end store.End, n uint64) ([][]byte, error) {
	list, err := tx.List(key)
	if err != nil || !list.Exists() {
		return nil, err
	}
	if n == 0 {
		return [][]byte{}, nil
	}
	items, err := list.Pop(end, n)
	if err == nil {
		took(tx, popOf(end), key, list)
	}
	return items, err
}
