package store

import (
	"bytes"
	"fmt"

	"keypact/encoding"
)

// End is one of the two ends of a list.
type End bool

// The ends of a list.
const (
	Left  End = false
	Right End = true
)

// List is a list as the running operation sees it. Its elements have indexes of
// the list's own, from meta.Left up to meta.Right; see list_index.go. Positions
// in the methods count from the left, starting at 0; an absent key is a list
// without elements.
type List struct{ handle }

// List opens a key as a list. A key of another type is ErrWrongType.
func (tx *Tx) List(key []byte) (*List, error) {
	r, err := tx.open(key, encoding.TypeList)
	if err != nil {
		return nil, err
	}
	return &List{handle{r}}, nil
}

// Push adds an element at an end and creates the list if it is absent.
// Operations that wait for the list are served when the running one succeeds.
func (l *List) Push(end End, item []byte) error {
	if err := l.r.ensure(encoding.TypeList); err != nil {
		return err
	}
	return l.r.putItem(l.grow(end), item)
}

// Pop takes up to n elements off an end, in the order in which they come off.
// More than Limits.Result elements are ErrTooBig.
func (l *List) Pop(end End, n uint64) ([][]byte, error) {
	n = min(n, l.Count())
	if err := l.r.tx.fits(n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, nil
	}
	from := uint64(0)
	if end == Right {
		from = l.Count() - n
	}
	items, err := l.slice(from, from+n, end == Right)
	if err != nil {
		return nil, err
	}
	return items, l.cut(end, n)
}

// Rotate takes the element off one end and puts it back at an end of the same
// list. ok is false if the list is empty. An element that comes back to where
// it was changes nothing.
func (l *List) Rotate(from, to End) (item []byte, ok bool, err error) {
	if l.Count() == 0 {
		return nil, false, nil
	}
	position := int64(0)
	if from == Right {
		position = -1
	}
	item, ok, err = l.Get(position)
	if err != nil || !ok || from == to || l.Count() == 1 {
		return item, ok, err
	}
	if err := l.cut(from, 1); err != nil {
		return nil, false, err
	}
	return item, true, l.r.moveItem(l.grow(to), item)
}

// Get reads the element at a position; negative ones count from the right, -1
// being the last. ok is false if there is none.
func (l *List) Get(position int64) (item []byte, ok bool, err error) {
	_, item, ok, err = l.get(position)
	return item, ok, err
}

// get is Get that tells the element's index too.
func (l *List) get(position int64) (index uint64, item []byte, ok bool, err error) {
	from, ok := l.position(position)
	if !ok {
		return 0, nil, false, nil
	}
	if index, err = l.indexAt(from); err == nil {
		item, err = l.r.element(l.r.listKey(index))
	}
	if err != nil {
		return 0, nil, false, fmt.Errorf("element %d of key %q: %w", position, l.r.key, err)
	}
	return index, item, true, nil
}

// position counts a position from the left; ok is false if it lies outside.
func (l *List) position(p int64) (from uint64, ok bool) {
	count := l.Count()
	if p >= 0 {
		return uint64(p), uint64(p) < count
	}
	back := uint64(-(p + 1)) + 1 // of the least int64 too
	return count - back, back <= count
}

// Set replaces the element at a position; negative ones count from the right.
// ok is false if there is none. An equal element changes nothing.
func (l *List) Set(position int64, item []byte) (ok bool, err error) {
	index, old, ok, err := l.get(position)
	if err != nil || !ok || bytes.Equal(old, item) {
		return ok, err
	}
	return true, l.r.setItem(index, item)
}

// Range reads the elements from start to stop, both included; negative
// positions count from the right, and what lies outside the list is left out.
// More than Limits.Result elements are ErrTooBig.
func (l *List) Range(start, stop int64) ([][]byte, error) {
	from, to := Span(start, stop, l.Count())
	if err := l.r.tx.fits(to - from); err != nil || from == to {
		return nil, err
	}
	return l.slice(from, to, false)
}

// Trim keeps the elements from start to stop, both included, and drops the
// rest; it returns how many it dropped.
func (l *List) Trim(start, stop int64) (removed uint64, err error) {
	count := l.Count()
	from, to := Span(start, stop, count)
	return count - (to - from), l.keep(from, to)
}

// Span turns positions that include their ends and count from the back if
// negative into the half-open interval they mean among count elements. An
// empty interval is 0, 0.
func Span(start, stop int64, count uint64) (from, to uint64) {
	first, last := fromFront(start, count), fromFront(stop, count)
	last = min(last, int64(count)-1)
	first = max(first, 0)
	if first > last {
		return 0, 0
	}
	return uint64(first), uint64(last) + 1
}

func fromFront(position int64, count uint64) int64 {
	if position < 0 {
		return position + int64(count)
	}
	return position
}

// fits refuses answers of more elements than the store's limit.
func (tx *Tx) fits(n uint64) error {
	if n > uint64(tx.s.limits.Result) {
		return fmt.Errorf("%w: the result has %d elements, the limit is %d", ErrTooBig, n, tx.s.limits.Result)
	}
	return nil
}
