package store

import (
	"bytes"
	"fmt"

	"keypact/store/kv"
)

// RemoveItem drops elements that equal item and returns how many: the first n
// from the left, the first -n from the right if n is negative, all if it is 0.
// Near the ends of a regular list what remains moves together; else few are
// taken out in place, which makes the list uneven, and for many the list is
// written anew.
func (l *List) RemoveItem(item []byte, n int64) (removed uint64, err error) {
	if !l.r.exists {
		return 0, nil
	}
	found, err := l.survey(item, n)
	if err != nil || found.matches == 0 {
		return 0, err
	}
	shape, left := &l.r.tx.s.lists, l.Count()-found.matches
	anew := func() error { return l.removeAnew(item, found, left) }
	switch {
	case left == 0:
		err = l.keep(0, 0)
	case l.regular() && left-found.run(l.step()) <= shape.shift:
		err = l.r.orAnew(func() error { return l.close(item, found) }, anew)
	case l.step() == 1 || left <= shape.few || found.matches > plucked || l.r.rewriteCheaper(found.matches, left):
		err = anew()
	default:
		err = l.r.orAnew(func() error { return l.pluck(found.indexes) }, anew)
	}
	return found.matches, err
}

// survey is what RemoveItem knows of a list before it changes anything.
type survey struct {
	matches        uint64   // elements to drop
	first, last    uint64   // indexes of the first and the last of them
	runFrom, runTo uint64   // the longest run without any; of a regular list
	indexes        []uint64 // of the elements to drop, if they are not too many to be taken out in place
}

// run is the number of elements in the longest run.
func (s *survey) run(step uint64) uint64 { return (s.runTo - s.runFrom) / step }

// has reports whether an element is one of those to drop.
func (s *survey) has(index uint64, item, dropped []byte) bool {
	return index >= s.first && index <= s.last && bytes.Equal(item, dropped)
}

// plucked is how many elements are ever taken out in place, at most.
const plucked = 1 << 16

// survey finds the elements to drop without keeping them in memory.
func (l *List) survey(item []byte, n int64) (survey, error) {
	m, step := &l.r.meta, l.step()
	limit := uint64(max(n, -n)) // of the least int64 too
	found := survey{}
	reverse := n < 0
	from, to := m.Left, m.Right // what is not yet known to hold a match
	run := func(a, b uint64) {
		if b-a > found.runTo-found.runFrom {
			found.runFrom, found.runTo = a, b
		}
	}
	err := l.walk(m.Left, m.Right, reverse, func(index uint64, other []byte) error {
		if !bytes.Equal(item, other) {
			return nil
		}
		if found.matches == 0 {
			found.first, found.last = index, index
		}
		if found.matches++; found.matches <= plucked {
			found.indexes = append(found.indexes, index)
		}
		found.first, found.last = min(found.first, index), max(found.last, index)
		if reverse {
			run(index+step, to)
			to = index
		} else {
			run(from, index)
			from = index + step
		}
		if found.matches == limit {
			return errStop
		}
		return nil
	})
	run(from, to)
	return found, err
}

// close moves what remains of a regular list together. The longest run between
// two elements to drop stays where it is, and what lies on either side moves up
// to it.
func (l *List) close(item []byte, found survey) error {
	m := &l.r.meta
	below, err := l.closeSide(item, found, m.Left, found.runFrom, true)
	if err != nil {
		return err
	}
	above, err := l.closeSide(item, found, found.runTo, m.Right, false)
	if err != nil {
		return err
	}
	if below+above != found.matches {
		return fmt.Errorf("list %q: %d elements to drop became %d: %w", l.r.key, found.matches, below+above, kv.ErrConflict)
	}
	return l.keep(below, m.Count-above)
}

// closeSide moves the elements of the indexes [from, to) together, up or down,
// over those to drop, and returns how many those are.
func (l *List) closeSide(item []byte, found survey, from, to uint64, up bool) (dropped uint64, err error) {
	step := l.step()
	err = l.walk(from, to, up, func(index uint64, other []byte) error {
		switch {
		case found.has(index, other, item):
			dropped++
			return nil
		case dropped == 0:
			return nil
		case up:
			return l.r.moveItem(index+dropped*step, other)
		}
		return l.r.moveItem(index-dropped*step, other)
	})
	return dropped, err
}

// removeAnew writes the elements that stay into a new generation.
func (l *List) removeAnew(item []byte, found survey, left uint64) error {
	return l.rewrite(left, l.r.meta.Left, l.r.meta.Right, func(index uint64, other []byte) error {
		if found.has(index, other, item) {
			return nil
		}
		return l.append(other)
	})
}

// pluck takes elements out in place. The bounds close in if they were the first
// or the last.
func (l *List) pluck(indexes []uint64) error {
	m := &l.r.meta
	m.Uneven = 1
	if err := l.drop(indexes); err != nil {
		return err
	}
	first, err := l.indexes(m.Left, m.Right, false, 1)
	if err != nil {
		return err
	}
	last, err := l.indexes(m.Left, m.Right, true, 1)
	if err != nil {
		return err
	}
	if len(first) == 0 || len(last) == 0 {
		return l.corrupt("it counts %d elements and has none", m.Count)
	}
	m.Left, m.Right = first[0], l.above(last[0])
	return nil
}
