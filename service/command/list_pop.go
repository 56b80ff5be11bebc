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
		list, err := tx.List(key)
		if err != nil {
			return nil, err
		}
		switch {
		case !list.Exists() && count == nil:
			return Null{}, nil
		case !list.Exists():
			return NullArray{}, nil
		case count == nil:
			items, err := list.Pop(end, 1)
			if err != nil {
				return nil, err
			}
			return bulk(items[0]), nil
		}
		items, err := list.Pop(end, uint64(*count))
		return bulks(items), err
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
		items, err := popList(tx, key, end, p.most())
		if err != nil || len(items) == 0 {
			return nil, err
		}
		return Array{bulk(key), bulks(items)}, nil
	}
	return p.call(keys)
}

// popList takes elements off a list; an absent one has none.
func popList(tx *store.Tx, key []byte, end store.End, n uint64) ([][]byte, error) {
	list, err := tx.List(key)
	if err != nil || !list.Exists() {
		return nil, err
	}
	return list.Pop(end, n)
}
