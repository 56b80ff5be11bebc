package store

import (
	"keypact/encoding"
)

// cut drops n elements at an end.
func (l *List) cut(end End, n uint64) error {
	if end == Right {
		return l.keep(0, l.Count()-n)
	}
	return l.keep(n, l.Count())
}

// keep drops all elements but those at the positions [from, to).
func (l *List) keep(from, to uint64) error {
	left := to - from
	removed := l.Count() - left
	switch {
	case removed == 0:
		return nil
	case l.r.wholesale(removed) || left == 0 && !l.regular():
		return l.r.remove()
	case l.regular():
		return l.keepRegular(from, to)
	case left <= l.r.tx.s.lists.few || l.r.rewriteCheaper(removed, left):
		return l.keepAnew(from, to)
	}
	return l.r.orAnew(func() error { return l.keepUneven(from, to) }, func() error { return l.keepAnew(from, to) })
}

// keepRegular cuts a list whose positions follow from its indexes.
func (l *List) keepRegular(from, to uint64) error {
	m := &l.r.meta
	left, right := m.Left+from*l.step(), m.Left+to*l.step()
	if err := l.cede(m.Left, left); err != nil {
		return err
	}
	if err := l.cede(right, m.Right); err != nil {
		return err
	}
	m.Left, m.Right, m.Count = left, right, to-from
	return nil
}

// cede drops the records of the indexes [from, to) at an end of a regular list.
// Many are left to the reclaimer, which spares what the list grows back over.
func (l *List) cede(from, to uint64) error {
	r, step := l.r, l.step()
	if (to-from)/step > r.tx.s.lists.part {
		if err := r.change(); err != nil {
			return err
		}
		return r.tx.s.queueReclaim(r.tx.w, encoding.Reclaim{
			NS: r.ns, Home: r.home(), Version: r.meta.Version, Type: encoding.TypeList, From: from, To: to,
		})
	}
	for index := from; index < to; index += step {
		if err := r.dropItem(index); err != nil {
			return err
		}
	}
	return nil
}

// keepUneven cuts an uneven list in place.
func (l *List) keepUneven(from, to uint64) error {
	m := &l.r.meta
	left, err := l.indexAt(from)
	if err != nil {
		return err
	}
	end, right := m.Right, m.Right
	if to < m.Count {
		last, err := l.indexAt(to - 1)
		if err != nil {
			return err
		}
		end, right = last+1, l.above(last)
	}
	before, err := l.indexes(m.Left, left, false, 0)
	if err != nil {
		return err
	}
	behind, err := l.indexes(end, m.Right, false, 0)
	if err != nil {
		return err
	}
	if err := l.drop(append(before, behind...)); err != nil {
		return err
	}
	m.Left, m.Right = left, right
	return nil
}

// drop deletes the elements at some indexes and leaves the bounds as they are.
func (l *List) drop(indexes []uint64) error {
	for _, index := range indexes {
		l.r.meta.Count--
		if err := l.r.dropItem(index); err != nil {
			return err
		}
	}
	return nil
}

// keepAnew is keep by writing what stays into a new generation.
func (l *List) keepAnew(from, to uint64) error {
	lower, err := l.indexAt(from)
	if err != nil {
		return err
	}
	upper, err := l.indexAt(to)
	if err != nil {
		return err
	}
	return l.rewrite(to-from, lower, upper, func(_ uint64, item []byte) error { return l.append(item) })
}

// rewrite gives the list a new generation, which is regular, of about size
// elements. each sees the former elements of the indexes [from, to) in their
// order and appends what is to stay.
func (l *List) rewrite(size, from, to uint64, each func(index uint64, item []byte) error) error {
	if err := l.r.tx.bulky(size); err != nil {
		return err
	}
	former := &List{handle{l.r.snapshotOf()}}
	if err := l.r.regenerate(); err != nil {
		return err
	}
	return former.walk(from, to, false, each)
}

// append puts an element that the list had before at its right end.
func (l *List) append(item []byte) error { return l.r.moveItem(l.grow(Right), item) }
