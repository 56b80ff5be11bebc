package command

import (
	"keypact/store"
)

func listCommands() []*Command {
	row := func(name string, arity int, flags Flag, keys Keys, since, summary string, parse func(*Args) (Call, error)) *Command {
		return &Command{Name: name, Arity: arity, Flags: flags, Keys: keys, Group: "list", Since: since, Summary: summary, parse: parse}
	}
	const grow = Write | DenyOOM
	behindKeys := Keys{First: 1, Last: -2, Step: 1}
	return []*Command{
		row("LPUSH", -3, grow|Fast, oneKey, "1.0.0", "Adds elements at the left of a list", listPush),
		row("RPUSH", -3, grow|Fast, oneKey, "1.0.0", "Adds elements at the right of a list", listPush),
		row("LPUSHX", -3, grow|Fast, oneKey, "2.2.0", "Adds elements at the left of a list that is there", listPush),
		row("RPUSHX", -3, grow|Fast, oneKey, "2.2.0", "Adds elements at the right of a list that is there", listPush),
		row("LLEN", 2, ReadOnly|Fast, oneKey, "1.0.0", "Counts the elements of a list", listLength),
		row("LRANGE", 4, ReadOnly, oneKey, "1.0.0", "Reads elements between two positions", listRange),
		row("LINDEX", 3, ReadOnly, oneKey, "1.0.0", "Reads the element at a position", listIndex),
		row("LPOS", -3, ReadOnly, oneKey, "6.0.6", "Finds where elements equal a value", listPositions),
		row("LSET", 4, grow, oneKey, "1.0.0", "Replaces the element at a position", listSet),
		row("LINSERT", 5, grow, oneKey, "2.2.0", "Puts an element beside another", listInsert),
		row("LREM", 4, Write, oneKey, "1.0.0", "Removes elements that equal a value", listRemove),
		row("LTRIM", 4, Write, oneKey, "1.0.0", "Keeps the elements between two positions", listTrim),
		row("LPOP", -2, Write|Fast, oneKey, "1.0.0", "Takes elements off the left of a list", listPop),
		row("RPOP", -2, Write|Fast, oneKey, "1.0.0", "Takes elements off the right of a list", listPop),
		row("LMPOP", -4, Write|MovableKeys, numbered(1), "7.0.0", "Takes elements off the first list that has any", listPopFirst),
		row("LMOVE", 5, grow, twoKeys, "6.2.0", "Moves an element from an end of a list to an end of another", listMove),
		row("RPOPLPUSH", 3, grow, twoKeys, "1.2.0", "Moves an element from the right of a list to the left of another", listMove),
		row("BLPOP", -3, Write|NoScript|Blocking, behindKeys, "2.0.0", "Takes an element off the left of a list, or waits for one", listPopWaiting),
		row("BRPOP", -3, Write|NoScript|Blocking, behindKeys, "2.0.0", "Takes an element off the right of a list, or waits for one", listPopWaiting),
		row("BLMPOP", -5, Write|Blocking|MovableKeys, numbered(2), "7.0.0", "Takes elements off a list, or waits for some", listPopFirst),
		row("BLMOVE", 6, grow|NoScript|Blocking, twoKeys, "6.2.0", "Moves an element between lists, or waits for one", listMove),
		row("BRPOPLPUSH", 4, grow|NoScript|Blocking, twoKeys, "2.2.0", "Moves an element from the right to the left, or waits for one", listMove),
	}
}

// onList is a command about one list.
func (a *Args) onList(read bool, key []byte, apply func(tx *store.Tx, list *store.List) (Reply, error)) (Call, error) {
	return a.acting(read, func(tx *store.Tx) (Reply, error) {
		list, err := tx.List(key)
		if err != nil {
			return nil, err
		}
		return apply(tx, list)
	}, key)
}

// listLength is LLEN key.
func listLength(a *Args) (Call, error) {
	return a.onList(true, a.Next(), func(_ *store.Tx, list *store.List) (Reply, error) {
		return Int(list.Count()), nil
	})
}

// span takes two positions that include their ends.
func (a *Args) span() (start, stop int64, err error) {
	if start, err = a.Int(); err == nil {
		stop, err = a.Int()
	}
	return start, stop, err
}

// listRange is LRANGE key start stop.
func listRange(a *Args) (Call, error) {
	key := a.Next()
	start, stop, err := a.span()
	if err != nil {
		return Call{}, err
	}
	return a.onList(true, key, func(_ *store.Tx, list *store.List) (Reply, error) {
		items, err := list.Range(start, stop)
		return bulks(items), err
	})
}

// listIndex is LINDEX key index. The index of an absent list may be anything.
func listIndex(a *Args) (Call, error) {
	key := a.Next()
	index, wrong := a.Int()
	return a.onList(true, key, func(_ *store.Tx, list *store.List) (Reply, error) {
		if !list.Exists() {
			return Null{}, nil
		}
		if wrong != nil {
			return nil, fail(errNotInteger)
		}
		item, ok, err := list.Get(index)
		if err != nil || !ok {
			return Null{}, err
		}
		return bulk(item), nil
	})
}

// listSet is LSET key index element.
func listSet(a *Args) (Call, error) {
	key := a.Next()
	index, wrong := a.Int()
	item := a.Next()
	return a.onList(false, key, func(tx *store.Tx, list *store.List) (Reply, error) {
		if !list.Exists() {
			return nil, fail(errNoKey)
		}
		if wrong != nil {
			return nil, fail(errNotInteger)
		}
		ok, err := list.Set(index, item)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fail("ERR index out of range")
		}
		tx.Event("lset", key)
		return OK, nil
	})
}

// listInsert is LINSERT key BEFORE|AFTER pivot element.
func listInsert(a *Args) (Call, error) {
	key, where := a.Next(), a.OneOf("BEFORE", "AFTER")
	if where == "" {
		return Call{}, errSyntax
	}
	pivot, item := a.Next(), a.Next()
	return a.onList(false, key, func(tx *store.Tx, list *store.List) (Reply, error) {
		if !list.Exists() {
			return Int(0), nil
		}
		ok, err := list.Insert(pivot, item, where == "AFTER")
		if err != nil || !ok {
			return Int(-1), err
		}
		tx.Event("linsert", key)
		return Int(list.Count()), nil
	})
}

// listRemove is LREM key count element.
func listRemove(a *Args) (Call, error) {
	key := a.Next()
	count, err := a.Int()
	if err != nil {
		return Call{}, err
	}
	item := a.Next()
	return a.onList(false, key, func(tx *store.Tx, list *store.List) (Reply, error) {
		removed, err := list.RemoveItem(item, count)
		if removed > 0 {
			took(tx, "lrem", key, list)
		}
		return Int(removed), err
	})
}

// listTrim is LTRIM key start stop.
func listTrim(a *Args) (Call, error) {
	key := a.Next()
	start, stop, err := a.span()
	if err != nil {
		return Call{}, err
	}
	return a.onList(false, key, func(tx *store.Tx, list *store.List) (Reply, error) {
		if !list.Exists() {
			return OK, nil
		}
		_, err := list.Trim(start, stop)
		took(tx, "ltrim", key, list)
		return OK, err
	})
}

// listPush is LPUSH, RPUSH, LPUSHX and RPUSHX key element [element ...].
func listPush(a *Args) (Call, error) {
	key, items := a.Next(), a.Rest()
	end, present := endOf(a.name), a.name[len(a.name)-1] == 'X'
	return a.onList(false, key, func(tx *store.Tx, list *store.List) (Reply, error) {
		if present && !list.Exists() {
			return Int(0), nil
		}
		for _, item := range items {
			if err := list.Push(end, item); err != nil {
				return nil, err
			}
		}
		tx.Event(pushOf(end), key)
		return Int(list.Count()), nil
	})
}

// endOf is the end of a list that a command's name begins with.
func endOf(name string) store.End {
	if name[0] == 'R' {
		return store.Right
	}
	return store.Left
}

// pushOf and popOf name what happened at an end of a list.
func pushOf(end store.End) string {
	if end == store.Right {
		return "rpush"
	}
	return "lpush"
}

func popOf(end store.End) string {
	if end == store.Right {
		return "rpop"
	}
	return "lpop"
}

// took tells that a command took elements out of a key, and that the key is gone
// if none is left.
func took(tx *store.Tx, name string, key []byte, left interface{ Count() uint64 }) {
	tx.Event(name, key)
	if left.Count() == 0 {
		tx.Event("del", key)
	}
}

// end takes LEFT or RIGHT.
func (a *Args) end() (store.End, error) {
	switch a.OneOf("LEFT", "RIGHT") {
	case "LEFT":
		return store.Left, nil
	case "RIGHT":
		return store.Right, nil
	}
	return store.Left, errSyntax
}

// listPositions is LPOS key element [RANK rank] [COUNT count] [MAXLEN length].
func listPositions(a *Args) (Call, error) {
	key, item := a.Next(), a.Next()
	search, all, err := parseSearch(a)
	if err != nil {
		return Call{}, err
	}
	return a.onList(true, key, func(_ *store.Tx, list *store.List) (Reply, error) {
		found, err := list.Positions(item, search)
		if err != nil {
			return nil, err
		}
		out := make(Array, len(found))
		for i, position := range found {
			out[i] = Int(position)
		}
		switch {
		case all:
			return out, nil
		case len(out) == 0:
			return Null{}, nil
		}
		return out[0], nil
	})
}

// parseSearch reads the options of LPOS. all says that there is a COUNT.
func parseSearch(a *Args) (s store.Search, all bool, err error) {
	s.Limit = 1
	for a.More() {
		option := a.OneOf("RANK", "COUNT", "MAXLEN")
		if option == "" || !a.More() {
			return s, false, errSyntax
		}
		var n int64
		switch option {
		case "RANK":
			if n, err = a.Int(); err == nil && n == 0 {
				err = Error("ERR RANK can't be zero: use 1 to start from the first match, " +
					"2 from the second ... or use negative to start from the end of the list")
			}
			s.From, s.Rank = store.Left, uint64(n)
			if n < 0 {
				s.From, s.Rank = store.Right, -uint64(n)
			}
		case "COUNT":
			n, err = a.AtLeast(0, "ERR COUNT can't be negative")
			s.Limit, all = uint64(n), true
		case "MAXLEN":
			n, err = a.AtLeast(0, "ERR MAXLEN can't be negative")
			s.Look = uint64(n)
		}
		if err != nil {
			return s, false, err
		}
	}
	return s, all, nil
}
