package store

import (
	"bytes"
	"slices"
)

// Insert puts an element next to the first one, seen from the left, that
// equals pivot. ok is false if there is none. Near an end of a regular list the
// shorter side moves over by one; else the element gets an index between those
// of its neighbours, which makes the list uneven.
func (l *List) Insert(pivot, item []byte, after bool) (ok bool, err error) {
	g, ok, err := l.find(pivot, after)
	if err != nil || !ok {
		return ok, err
	}
	m, shape := &l.r.meta, &l.r.tx.s.lists
	anew := func() error { return l.insertAnew(g, item) }
	switch {
	case g.position == 0:
		return true, l.r.putItem(l.grow(Left), item)
	case g.position == m.Count:
		return true, l.r.putItem(l.grow(Right), item)
	case l.regular() && min(g.position, m.Count-g.position) <= shape.shift:
		return true, l.r.orAnew(func() error { return l.makeWay(g, item) }, anew)
	case l.step() == 1 || m.Count <= shape.few:
		return true, anew()
	}
	return true, l.r.orAnew(func() error { return l.squeeze(g, item) }, anew)
}

// gap is the place between two neighbours.
type gap struct {
	position uint64 // how many elements lie before it
	lo, hi   uint64 // indexes of the neighbours
}

// find looks for the place next to the first element that equals pivot.
func (l *List) find(pivot []byte, after bool) (g gap, found bool, err error) {
	if !l.r.exists {
		return g, false, nil
	}
	err = l.walk(l.r.meta.Left, l.r.meta.Right, false, func(index uint64, item []byte) error {
		if !found {
			found = bytes.Equal(item, pivot)
			if !found || after {
				g.position, g.lo = g.position+1, index
				return nil
			}
		}
		g.hi = index
		return errStop
	})
	return g, found, err
}

// makeWay shifts the shorter side of a regular list by one place.
func (l *List) makeWay(g gap, item []byte) error {
	m, step := &l.r.meta, l.step()
	if g.position <= m.Count-g.position {
		if err := l.shift(m.Left, g.hi, -step); err != nil {
			return err
		}
		l.grow(Left)
		return l.r.putItem(g.hi-step, item)
	}
	if err := l.shift(g.hi, m.Right, step); err != nil {
		return err
	}
	l.grow(Right)
	return l.r.putItem(g.hi, item)
}

// shift moves the elements of the indexes [from, to) by a distance, which wraps
// around to go down. It starts at the far end, so that it never writes what it
// has yet to read.
func (l *List) shift(from, to, by uint64) error {
	return l.walk(from, to, by < firstIndex, func(index uint64, item []byte) error {
		return l.r.moveItem(index+by, item)
	})
}

// insertAnew writes the list with a new element into a new generation.
func (l *List) insertAnew(g gap, item []byte) error {
	m := &l.r.meta
	return l.rewrite(m.Count+1, m.Left, m.Right, func(index uint64, other []byte) error {
		if index == g.hi {
			if err := l.r.putItem(l.grow(Right), item); err != nil {
				return err
			}
		}
		return l.append(other)
	})
}

// squeeze puts an element between the indexes of its neighbours. Where they
// leave none, it moves those around apart, or writes the list anew.
func (l *List) squeeze(g gap, item []byte) error {
	if g.hi-g.lo < 2 {
		ok, err := l.spread(&g)
		if err != nil {
			return err
		}
		if !ok {
			return l.insertAnew(g, item)
		}
	}
	l.r.meta.Uneven = 1
	l.r.meta.Count++
	return l.r.putItem(g.lo+(g.hi-g.lo)/2, item)
}

// narrowest is how many elements on either side of a gap move apart at least.
const narrowest = 16

// spread moves the elements around a gap apart evenly, within the narrowest
// window that is sparse enough, and corrects the gap. ok is false if there is
// no such window. The wider a window, the sparser it has to be, so that after
// it is spread the windows within it take many insertions until one of its size
// must be spread again: M. Bender, R. Cole, E. Demaine, M. Farach-Colton and
// J. Zito, "Two Simplified Algorithms for Maintaining Order in a List", 2002.
func (l *List) spread(g *gap) (ok bool, err error) {
	for size := uint64(narrowest); size <= l.r.tx.s.lists.window; size *= 2 {
		w, err := l.window(g, size)
		if err != nil {
			return false, err
		}
		n := uint64(len(w.left) + len(w.right) + 1)
		if space := (w.to - w.from) / (n + 1); space > 1 && space*space >= 256*n {
			return true, l.respace(w, space, g)
		}
	}
	return false, nil
}

// window is a run of elements around a gap that may move between two indexes
// that stay.
type window struct {
	from, to    uint64
	left, right []uint64 // indexes of the elements on both sides, from left to right
}

// window finds up to size elements on either side of a gap. The first element
// of the list stays where it is, and nothing leaves the bounds.
func (l *List) window(g *gap, size uint64) (w window, err error) {
	m := &l.r.meta
	if w.left, err = l.indexes(m.Left, g.lo+1, true, size+1); err != nil {
		return w, err
	}
	if w.right, err = l.indexes(g.hi, m.Right, false, size+1); err != nil {
		return w, err
	}
	slices.Reverse(w.left)
	w.from, w.left = w.left[0], w.left[1:]
	w.to = m.Right
	if n := uint64(len(w.right)); n > size {
		w.to, w.right = w.right[size], w.right[:size]
	}
	return w, nil
}

// respace puts the elements of a window at equal distances and leaves one place
// free at the gap. Those that go down are moved from the left on, those that go
// up from the right on, so that none meets another.
func (l *List) respace(w window, space uint64, g *gap) error {
	was := append(slices.Clone(w.left), w.right...)
	becomes := make([]uint64, len(was))
	for i := range was {
		becomes[i] = w.from + uint64(i+1)*space
		if i >= len(w.left) {
			becomes[i] += space
		}
	}
	g.lo = w.from + uint64(len(w.left))*space
	g.hi = g.lo + 2*space
	for i := range was {
		if becomes[i] < was[i] {
			if err := l.move(was[i], becomes[i]); err != nil {
				return err
			}
		}
	}
	for i := range slices.Backward(was) {
		if becomes[i] > was[i] {
			if err := l.move(was[i], becomes[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// move gives an element another index between the same neighbours.
func (l *List) move(from, to uint64) error {
	item, err := l.r.element(l.r.listKey(from))
	if err != nil {
		return err
	}
	if err := l.r.moveItem(to, item); err != nil {
		return err
	}
	return l.r.dropItem(from)
}
