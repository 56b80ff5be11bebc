package command

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"keypact/contracts"
	"keypact/store"
)

// reference is a pattern of BY or GET: where the value for an element is.
type reference struct {
	itself         bool // #: the element
	constant       bool // there is no * for the element: nothing is found
	before, behind []byte
	field          []byte // of a hash; nil is a string
}

// parseReference reads a pattern: * stands for the element, and -> parts a key
// from a field of it.
func parseReference(word []byte) *reference {
	if string(word) == "#" {
		return &reference{itself: true, constant: true}
	}
	before, behind, found := bytes.Cut(clone(word), []byte("*"))
	if !found {
		return &reference{constant: true}
	}
	r := &reference{before: before, behind: behind}
	if key, field, found := bytes.Cut(behind, []byte("->")); found && len(field) > 0 {
		r.behind, r.field = key, field
	}
	return r
}

// find reads the value for an element; nil if there is none.
func (r *reference) find(tx *store.Tx, element []byte) ([]byte, error) {
	switch {
	case r.itself:
		return element, nil
	case r.constant:
		return nil, nil
	}
	key := slices.Concat(r.before, element, r.behind)
	verb, wanted := "GET", store.TypeString
	if r.field != nil {
		verb, wanted = "HGET", store.TypeHash
	}
	tx.Look(store.Call{Verb: contracts.CanonicalVerb(verb), Key: key, Read: true})
	k, err := tx.Key(key)
	if err != nil || k.Type() != wanted {
		return nil, err
	}
	if r.field != nil {
		h, err := tx.Hash(key)
		if err != nil {
			return nil, err
		}
		value, _, err := h.Field(r.field)
		return bytes.Clone(value), err
	}
	s, err := tx.String(key)
	if err != nil {
		return nil, err
	}
	return append([]byte{}, s.Value()...), nil
}

// weighted is an element with what it is sorted by.
type weighted struct {
	element []byte
	text    []byte // with ALPHA; nil comes before all else
	number  float64
}

const errSortNumber = Error("ERR One or more scores can't be converted into double")

// order sorts elements. Equal ones are told apart by their bytes where they are
// sorted by numbers, and keep their order where they are sorted by text.
func (o sorting) order(tx *store.Tx, elements [][]byte) ([][]byte, error) {
	if o.unsorted() && o.store == 0 {
		return elements, nil
	}
	by := o.by
	if o.unsorted() { // a stored set, whose order is to be a fixed one
		o.alpha, by = true, nil
	}
	list := make([]weighted, len(elements))
	for i, element := range elements {
		list[i].element = element
		value := element
		if by != nil {
			var err error
			if value, err = by.find(tx, element); err != nil {
				return nil, err
			}
		}
		if o.alpha {
			list[i].text = value
			continue
		}
		if value == nil {
			continue
		}
		number, ok := sortNumber(value)
		if !ok {
			return nil, fail(errSortNumber)
		}
		list[i].number = number
	}
	slices.SortStableFunc(list, o.compare)
	for i, w := range list {
		elements[i] = w.element
	}
	return elements, nil
}

func (o sorting) compare(a, b weighted) int {
	var order int
	if o.alpha {
		switch {
		case a.text == nil || b.text == nil:
			order = cmp.Compare(weight(a.text), weight(b.text))
		default:
			order = bytes.Compare(a.text, b.text)
		}
	} else if order = cmp.Compare(a.number, b.number); order == 0 {
		order = bytes.Compare(a.element, b.element)
	}
	if o.descending {
		return -order
	}
	return order
}

func weight(text []byte) int {
	if text == nil {
		return 0
	}
	return 1
}

// sortNumber reads a number as strtod does, blanks before it included. An empty
// text is 0.
func sortNumber(text []byte) (float64, bool) {
	trimmed := strings.TrimLeft(string(text), " \t\n\v\f\r")
	if len(text) == 0 {
		return 0, true
	}
	if strings.ContainsRune(trimmed, '_') {
		return 0, false
	}
	f, err := strconv.ParseFloat(trimmed, 64)
	return f, err == nil && !math.IsNaN(f)
}
