package store

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"keypact/encoding"
	"keypact/store/kv"
)

// Pushed elements get the indexes of a grid: the multiples of the list's
// stride, from the middle of all numbers on to both sides. meta.Left is the
// index of the first element, meta.Right the grid point where the next push to
// the right goes; a push to the left goes to the grid point below meta.Left. So
// each end has 2^47 grid points to grow over before a list must start anew.
//
// A list that changes at its ends alone is regular: position p has the index
// Left + p*stride. One that lost or gained elements in its middle is uneven: the
// new ones lie between grid points, and only the counted tree beside the list,
// or a walk, knows positions. Records outside the bounds are dead, whatever the
// list does: they wait for the reclaimer, or for a push that overwrites them.

// listShape says how lists lay out their elements and from where on changes
// take another way.
type listShape struct {
	stride uint64 // between the indexes of pushed elements
	shift  uint64 // elements that a change may move to keep a list regular
	few    uint64 // an uneven list of no more elements is written anew where it changes
	part   uint64 // records that a cut at an end deletes itself, at most
	window uint64 // elements that move apart on either side of a new one, at most
}

// defaultLists shifts in lists too small for a tree, so that an uneven list has
// one as a rule.
var defaultLists = listShape{stride: 1 << 16, shift: 128, few: 64, part: 256, window: 4096}

// firstIndex is where the index of a new list starts: the middle, so that both
// ends grow.
const firstIndex = encoding.ListMiddle

// startList makes the layout of an empty list.
func (s *Store) startList(m *encoding.Meta) {
	m.Left, m.Right, m.Stride, m.Uneven = firstIndex, firstIndex, s.lists.stride, 0
}

// step is the distance of grid points. Lists from before there were strides
// have none.
func (l *List) step() uint64 { return max(l.r.meta.Stride, 1) }

// above is the least grid point above an index.
func (l *List) above(index uint64) uint64 { return index/l.step()*l.step() + l.step() }

// regular reports whether positions follow from indexes.
func (l *List) regular() bool { return l.r.meta.Uneven == 0 }

// grow makes room for one element at an end and returns its index.
func (l *List) grow(end End) uint64 {
	m, step := &l.r.meta, l.step()
	m.Count++
	if end == Left {
		m.Left = (m.Left - 1) / step * step
		return m.Left
	}
	m.Right += step
	return m.Right - step
}

// indexAt is the index of the element at a position. The number of elements
// stands for the place behind the last.
func (l *List) indexAt(position uint64) (uint64, error) {
	m := &l.r.meta
	switch {
	case l.regular():
		return m.Left + position*l.step(), nil
	case position == 0:
		return m.Left, nil
	case position == m.Count:
		return m.Right, nil
	}
	t := l.r.tree(encoding.FamilyList)
	if !t.exists() {
		return l.walkTo(position)
	}
	name, err := t.at(position)
	if err != nil {
		return 0, err
	}
	index, _, err := encoding.CutIndex(name)
	return index, err
}

// walkTo is indexAt for an uneven list without a tree: a walk from the nearer
// end.
func (l *List) walkTo(position uint64) (uint64, error) {
	m := &l.r.meta
	n, reverse := position+1, false
	if back := m.Count - position; back < n {
		n, reverse = back, true
	}
	indexes, err := l.indexes(m.Left, m.Right, reverse, n)
	if err != nil {
		return 0, err
	}
	if uint64(len(indexes)) < n {
		return 0, l.corrupt("%d of %d records are there", len(indexes), m.Count)
	}
	return indexes[n-1], nil
}

// slice reads the elements at the positions [from, to).
func (l *List) slice(from, to uint64, reverse bool) ([][]byte, error) {
	lower, err := l.indexAt(from)
	if err != nil {
		return nil, err
	}
	if to-from == 1 {
		item, err := l.r.element(l.r.listKey(lower))
		return [][]byte{item}, err
	}
	upper, err := l.indexAt(to)
	if err != nil {
		return nil, err
	}
	items := make([][]byte, 0, to-from)
	err = l.walk(lower, upper, reverse, func(_ uint64, item []byte) error {
		items = append(items, bytes.Clone(item))
		return nil
	})
	if err == nil && uint64(len(items)) != to-from {
		err = l.corrupt("%d of %d records are there", len(items), to-from)
	}
	return items, err
}

// walk visits the records of the indexes [from, to). An item is valid only
// during the visit.
func (l *List) walk(from, to uint64, reverse bool, visit func(index uint64, item []byte) error) error {
	return l.r.scan(encoding.FamilyList, kv.Range{Lower: itemName(from), Upper: itemName(to), Reverse: reverse},
		func(name, item []byte) error {
			index, _, err := encoding.CutIndex(name)
			if err != nil {
				return err
			}
			return visit(index, item)
		})
}

// indexes lists which of the indexes [from, to) have a record, up to limit of
// them; 0 is no limit.
func (l *List) indexes(from, to uint64, reverse bool, limit uint64) (found []uint64, err error) {
	within := kv.Range{Lower: itemName(from), Upper: itemName(to), Reverse: reverse, KeysOnly: true, Limit: int(limit)}
	err = l.r.scan(encoding.FamilyList, within, func(name, _ []byte) error {
		index, _, err := encoding.CutIndex(name)
		found = append(found, index)
		return err
	})
	return found, err
}

// itemName is what the record of a list element has behind the prefix.
func itemName(index uint64) []byte { return binary.BigEndian.AppendUint64(nil, index) }

// inside narrows a range of list records to the bounds of the list, outside of
// which they are dead.
func (r *record) inside(within kv.Range) kv.Range {
	if left := itemName(r.meta.Left); bytes.Compare(within.Lower, left) < 0 {
		within.Lower = left
	}
	if right := itemName(r.meta.Right); within.Upper == nil || bytes.Compare(right, within.Upper) < 0 {
		within.Upper = right
	}
	return within
}

func (l *List) corrupt(format string, args ...any) error {
	return fmt.Errorf("list %q: %w: %s", l.r.key, encoding.ErrCorrupt, fmt.Sprintf(format, args...))
}
