package store

import (
	"bytes"
	"fmt"

	"keypact/store/kv"
)

// Insert puts an element next to the first one, seen from the left, that
// equals pivot. ok is false if there is none. The shorter side of the list
// moves over by one; past the engine's cap on writes that is kv.ErrTooBig.
func (l *List) Insert(pivot, item []byte, after bool) (ok bool, err error) {
	at, ok, err := l.find(pivot)
	if err != nil || !ok {
		return ok, err
	}
	if after {
		at++
	}
	m := &l.r.meta
	if at-m.Left <= m.Right-at {
		if err := l.shift(m.Left, at, -1); err != nil {
			return false, err
		}
		l.grow(Left)
		return true, l.r.putItem(at-1, item)
	}
	if err := l.shift(at, m.Right, 1); err != nil {
		return false, err
	}
	l.grow(Right)
	return true, l.r.putItem(at, item)
}

// find is the index of the first element that equals item.
func (l *List) find(item []byte) (index uint64, found bool, err error) {
	if !l.r.exists {
		return 0, false, nil
	}
	err = l.walk(l.r.meta.Left, l.r.meta.Right, false, func(i uint64, other []byte) error {
		if !bytes.Equal(item, other) {
			return nil
		}
		index, found = i, true
		return errStop
	})
	return index, found, err
}

// shift moves the elements of the indexes [from, to) by one, up or down. It
// starts at the far end, so that it never writes what it has yet to read.
func (l *List) shift(from, to uint64, by int) error {
	return l.walk(from, to, by > 0, func(index uint64, item []byte) error {
		return l.r.moveItem(index+uint64(by), item)
	})
}

// RemoveItem drops elements that equal item and returns how many: the first n
// from the left, the first -n from the right if n is negative, all if it is 0.
// The longest run between two of them stays where it is, and what lies on
// either side moves up to it; past the engine's cap on writes that is
// kv.ErrTooBig.
func (l *List) RemoveItem(item []byte, n int64) (removed uint64, err error) {
	if !l.r.exists {
		return 0, nil
	}
	found, err := l.survey(item, n)
	if err != nil || found.matches == 0 {
		return 0, err
	}
	if found.matches == l.r.meta.Count {
		return found.matches, l.cut(Left, found.matches)
	}
	below, err := l.close(item, found, l.r.meta.Left, found.runFrom, true)
	if err != nil {
		return 0, err
	}
	above, err := l.close(item, found, found.runTo, l.r.meta.Right, false)
	if err != nil {
		return 0, err
	}
	if below+above != found.matches {
		return 0, fmt.Errorf("list %q: %d elements to drop became %d: %w", l.r.key, found.matches, below+above, kv.ErrConflict)
	}
	if err := l.cut(Left, below); err != nil {
		return 0, err
	}
	return found.matches, l.cut(Right, above)
}

// survey is what RemoveItem knows of a list before it moves anything.
type survey struct {
	matches        uint64 // elements to drop
	first, last    uint64 // indexes of the first and the last of them
	runFrom, runTo uint64 // the longest run without any
}

// survey finds the elements to drop without keeping them in memory.
func (l *List) survey(item []byte, n int64) (survey, error) {
	m := &l.r.meta
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
		found.matches++
		found.first, found.last = min(found.first, index), max(found.last, index)
		if reverse {
			run(index+1, to)
			to = index
		} else {
			run(from, index)
			from = index + 1
		}
		if found.matches == limit {
			return errStop
		}
		return nil
	})
	run(from, to)
	return found, err
}

// close moves the elements of the indexes [from, to) together, up or down,
// over those to drop, and returns how many those are.
func (l *List) close(item []byte, found survey, from, to uint64, up bool) (dropped uint64, err error) {
	err = l.walk(from, to, up, func(index uint64, other []byte) error {
		switch {
		case index >= found.first && index <= found.last && bytes.Equal(item, other):
			dropped++
			return nil
		case dropped == 0:
			return nil
		case up:
			return l.r.moveItem(index+dropped, other)
		}
		return l.r.moveItem(index-dropped, other)
	})
	return dropped, err
}
