package command

import (
	"keypact/store"
)

func sortCommands() []*Command {
	return []*Command{
		{Name: "SORT", Arity: -2, Flags: Write | DenyOOM, Keys: Keys{First: 1, Last: 1, Step: 1, Find: sortKeys}, Group: "generic", Since: "1.0.0",
			Summary: "Reads a list, a set or a sorted set in an order of its own, or stores it so", parse: sortKey},
		{Name: "SORT_RO", Arity: -2, Flags: ReadOnly, Keys: Keys{First: 1, Last: 1, Step: 1, Find: firstWord}, Group: "generic", Since: "7.0.0",
			Summary: "Reads a list, a set or a sorted set in an order of its own", parse: sortKey},
	}
}

func firstWord([][]byte) []int { return []int{1} }

// sortKeys finds the key and the destination behind the last STORE. The keys
// that BY and GET lead to depend on the elements.
func sortKeys(words [][]byte) []int {
	a := &Args{name: "SORT", list: words, at: 1}
	o, err := parseSort(a)
	if err != nil || o.store == 0 {
		return []int{1}
	}
	return []int{1, o.store}
}

// sorting are the words behind SORT key.
type sorting struct {
	descending, alpha bool
	offset, limit     int64 // limit -1 is none
	by                *reference
	get               []*reference
	store             int // position of the destination, from 1; 0 is none
	destination       []byte
}

func parseSort(a *Args) (o sorting, err error) {
	o.limit = -1
	for a.More() {
		switch {
		case a.Token("ASC"):
			o.descending = false
		case a.Token("DESC"):
			o.descending = true
		case a.Token("ALPHA"):
			o.alpha = true
		case a.Len() > 2 && a.Token("LIMIT"):
			if o.offset, err = a.Int(); err != nil {
				return o, err
			}
			if o.limit, err = a.Int(); err != nil {
				return o, err
			}
		case a.Len() > 1 && a.name == "SORT" && a.Token("STORE"):
			o.destination = a.Next()
			o.store = a.at
		case a.Len() > 1 && a.Token("BY"):
			o.by = parseReference(a.Next())
		case a.Len() > 1 && a.Token("GET"):
			o.get = append(o.get, parseReference(a.Next()))
		default:
			return o, errSyntax
		}
	}
	return o, nil
}

// sortKey is SORT key [BY pattern] [LIMIT offset count] [GET pattern ...]
// [ASC|DESC] [ALPHA] [STORE destination], and SORT_RO without STORE. Elements
// are compared by their bytes. More of them than one answer may hold are an
// error, even if LIMIT asks for few.
func sortKey(a *Args) (Call, error) {
	key := a.Next()
	o, err := parseSort(a)
	if err != nil {
		return Call{}, err
	}
	calls := []store.Call{look("SORT", key)}
	if o.store > 0 {
		calls = append([]store.Call{use("SORT", o.destination)}, calls...)
	}
	return done(&act{calls: calls, apply: func(tx *store.Tx) (Reply, error) {
		values, err := o.values(tx, key)
		if err != nil {
			return nil, err
		}
		if o.store > 0 {
			return o.keep(tx, values)
		}
		return bulks(values), nil
	}})
}

// values are the result: the elements in order, or what GET finds for each. What
// GET does not find is nil.
func (o sorting) values(tx *store.Tx, key []byte) ([][]byte, error) {
	elements, ordered, err := o.elements(tx, key)
	if err != nil {
		return nil, err
	}
	if !ordered {
		if elements, err = o.order(tx, elements); err != nil {
			return nil, err
		}
		from, to := o.window(len(elements))
		elements = elements[from:to]
	}
	if len(o.get) == 0 {
		return elements, nil
	}
	if err := tx.JudgeResult([][]byte{key}, len(elements)*len(o.get)); err != nil {
		return nil, err
	}
	out := make([][]byte, 0, len(elements)*len(o.get))
	for _, element := range elements {
		for _, get := range o.get {
			value, err := get.find(tx, element)
			if err != nil {
				return nil, err
			}
			out = append(out, value)
		}
	}
	return out, nil
}

// window is the part that LIMIT asks for.
func (o sorting) window(n int) (from, to int) {
	start := max(o.offset, 0)
	if start >= int64(n) {
		return n, n
	}
	if o.limit < 0 || o.limit > int64(n)-start {
		return int(start), n
	}
	return int(start), int(start + o.limit)
}

// unsorted reports whether BY names no key, so that the elements come as they
// are.
func (o sorting) unsorted() bool { return o.by != nil && o.by.constant }

// elements reads what is to be sorted. ordered says that it is in its order and
// cut to size already.
func (o sorting) elements(tx *store.Tx, key []byte) (elements [][]byte, ordered bool, err error) {
	k, err := tx.Key(key)
	if err != nil {
		return nil, false, err
	}
	count := int(min(k.Count(), 1<<62))
	from, to := o.window(count)
	switch k.Type() {
	case 0:
		return nil, true, nil
	case store.TypeList:
		l, err := tx.List(key)
		if err != nil || !o.unsorted() {
			return o.all(l.Range(0, -1))
		}
		if from == to {
			return nil, true, nil
		}
		elements, err := l.Range(int64(from), int64(to)-1)
		return elements, true, err
	case store.TypeSet:
		s, err := tx.Set(key)
		if err != nil {
			return nil, false, err
		}
		return o.all(s.Members())
	case store.TypeZSet:
		return o.scored(tx, key, from, to)
	}
	return nil, false, store.ErrWrongType
}

func (o sorting) all(elements [][]byte, err error) ([][]byte, bool, error) {
	return elements, false, err
}

// scored reads a sorted set, in the order of its scores.
func (o sorting) scored(tx *store.Tx, key []byte, from, to int) ([][]byte, bool, error) {
	z, err := tx.ZSet(key)
	if err != nil {
		return nil, false, err
	}
	if !o.unsorted() {
		from, to = 0, int(z.Count())
	}
	scored, err := z.ByRank(uint64(from), uint64(to), o.unsorted() && o.descending)
	out := make([][]byte, len(scored))
	for i, s := range scored {
		out[i] = s.Member
	}
	return out, o.unsorted(), err
}

// keep writes the result into the destination as a list, or deletes that if
// there is nothing.
func (o sorting) keep(tx *store.Tx, values [][]byte) (Reply, error) {
	k, err := tx.Key(o.destination)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		if k.Exists() {
			tx.Event("del", o.destination)
		}
		return Int(0), k.Remove()
	}
	l, err := tx.NewList(o.destination, uint64(len(values)))
	if err != nil {
		return nil, err
	}
	for _, value := range values {
		if err := l.Push(store.Right, value); err != nil {
			return nil, err
		}
	}
	tx.Event("sortstore", o.destination)
	return Int(len(values)), nil
}
