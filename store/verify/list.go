package verify

import (
	"fmt"

	"keypact/encoding"
)

// run is what is known of a row of list indexes in ascending order.
type run struct {
	n           uint64
	first, last uint64
	gaps        bool // the distance of two neighbours is not the stride
}

func (r *run) add(index, stride uint64) {
	if r.n == 0 {
		r.first = index
	} else if index-r.last != stride {
		r.gaps = true
	}
	r.n, r.last = r.n+1, index
}

// listSeen is what was seen of the records of a list.
type listSeen struct {
	parts       parts
	inside, all run    // within the bounds; and with those that are not but do not wait to be reclaimed
	before      run    // of all, those before the left bound
	behind      run    // of all, those behind the right bound
	misfit      string // the first that is not where it belongs
	buried      bool   // a record between those outside waits to be reclaimed
	hidden      bool   // one was there, behind one that does not
}

// item judges one element of a list.
func (w *walk) item(e *entry, c *cursor) error {
	index, rest, err := encoding.CutIndex(c.name())
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%w: list key: %d bytes left over", encoding.ErrCorrupt, len(rest))
	}
	if err != nil {
		return err
	}
	l, m, stride := &e.list, &e.m, max(e.m.Stride, 1)
	if l.all.n == 0 {
		l.parts = w.parts[e.place]
	}
	if index < m.Left || index >= m.Right {
		l.outside(index, m, stride)
		return nil
	}
	data, err := w.element(e, c)
	if want := m.Left + l.inside.n*stride; l.misfit == "" && index != want && (m.Uneven == 0 || l.inside.n == 0) {
		l.misfit = fmt.Sprintf("element %d has index %d, not %d", l.inside.n, index, want)
	}
	if l.before.n > 0 && l.buried {
		l.hidden = true
	}
	l.buried = false
	l.inside.add(index, stride)
	l.all.add(index, stride)
	e.judgeItem(data.Value)
	e.count(c.name())
	return err
}

// outside takes a record beyond the bounds.
func (l *listSeen) outside(index uint64, m *encoding.Meta, stride uint64) {
	if l.parts.cover(index) {
		l.buried = true
		return
	}
	l.hidden = l.hidden || l.buried && l.all.n > 0
	l.buried = false
	l.all.add(index, stride)
	if index < m.Left {
		l.before.add(index, stride)
	} else {
		l.behind.add(index, stride)
	}
}

// finishList compares a list with its bounds. Records beyond them that do not
// wait to be reclaimed are dead if the list is whole without them; else they
// are elements that it has lost sight of.
func (e *entry) finishList() {
	m, l := &e.m, &e.list
	if l.all.n == 0 {
		e.lost()
		return
	}
	outside := l.before.n + l.behind.n
	chosen, mend := &l.inside, mend(nil)
	if l.inside.n != m.Count && outside > 0 {
		chosen = &l.all
	}
	if chosen.n > 0 && !(chosen == &l.all && l.hidden) {
		mend = e.relay(*chosen)
	}
	if l.inside.n != m.Count {
		e.fault(CodeCount, mend, "a list counts %d elements and has %d, and %d outside its bounds", m.Count, l.inside.n, outside)
	} else if outside > 0 {
		e.fault(CodeOutside, e.buryOutside(), "%d elements lie outside the list and are not reclaimed, first with index %d", outside, l.all.first)
	}
	stride := max(m.Stride, 1)
	switch {
	case l.misfit != "":
		e.fault(CodeList, mend, "%s", l.misfit)
	case m.Right != above(l.inside.last, stride) || m.Uneven == 0 && m.Right-m.Left != m.Count*stride:
		e.fault(CodeList, mend, "a list from %d to %d with stride %d and %d elements", m.Left, m.Right, stride, m.Count)
	}
}

// above is the least multiple of the stride above an index, where the next
// element pushed to the right goes.
func above(index, stride uint64) uint64 { return index/stride*stride + stride }

// relay makes the bounds and the count those of the records of a run.
func (e *entry) relay(r run) mend {
	return e.edit(func(m *encoding.Meta) {
		stride := max(m.Stride, 1)
		m.Count, m.Left = r.n, r.first
		m.Right = above(r.last, stride)
		if m.Uneven == 0 && (r.gaps || r.first%stride != 0) {
			m.Uneven = 1
		}
	})
}

// buryOutside deletes what lies outside the bounds and does not wait for that.
func (e *entry) buryOutside() mend {
	left, right, parts := e.m.Left, e.m.Right, e.list.parts
	return func(m *mender) error {
		return m.removeAll(e.prefix(encoding.FamilyList), func(name []byte) bool {
			index, _, err := encoding.CutIndex(name)
			return err != nil || index >= left && index < right || parts.cover(index)
		})
	}
}
