package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"keypact/encoding"
	"keypact/store/kv"
)

// TestListIsASlice drives lists of all layouts beside a slice: grids so narrow
// that insertions use them up, cuts that leave their records to the worker, who
// comes by half way, and lists from before there were grids.
func TestListIsASlice(t *testing.T) {
	s, db, clock := treeStore(t, smallTree)
	seen := map[string]int{}
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		s.lists = listShape{
			stride: rapid.SampledFrom([]uint64{1, 2, 256, 1 << 10}).Draw(rt, "stride"),
			shift:  rapid.Uint64Range(0, 6).Draw(rt, "shift"),
			few:    rapid.Uint64Range(0, 4).Draw(rt, "few"),
			part:   rapid.Uint64Range(0, 4).Draw(rt, "part"),
			window: rapid.SampledFrom([]uint64{0, narrowest, 4 * narrowest}).Draw(rt, "window"),
		}
		s.removals = removalShape{few: rapid.Uint64Range(0, 6).Draw(rt, "drop few"), records: rapid.Uint64Range(1, 40).Draw(rt, "drop most")}
		s.tuning.StageFrom = rapid.SampledFrom([]uint64{1, 10, 1000}).Draw(rt, "stage from")
		m := listModel{t: rt, s: s, db: db, key: fmt.Sprint(run), seen: seen}
		defer m.clear()
		if rapid.IntRange(0, 3).Draw(rt, "old") == 0 {
			m.old()
		}
		for range rapid.IntRange(1, 15).Draw(rt, "steps") {
			m.step()
			sound(m.t, m.db, clock)
			m.compare()
		}
	})
	for _, want := range []string{"old", "uneven", "uneven with a tree", "anew", "part", "part grown over"} {
		if seen[want] == 0 {
			t.Errorf("no list was %s", want)
		}
	}
}

// Where insertions have used up the indexes between two elements, their
// neighbours move apart, and the list keeps its generation.
func TestNeighboursMoveApart(t *testing.T) {
	s, db, clock := treeStore(t, smallTree)
	s.lists = listShape{stride: 1 << 10, window: 4 * narrowest}
	items := strings.Split("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "")
	insert := func(fn func(l *List) error) {
		t.Helper()
		if err := on(s, func(tx *Tx) error {
			l, err := tx.List([]byte("k"))
			if err != nil {
				return err
			}
			return fn(l)
		}, "k"); err != nil {
			t.Fatal(err)
		}
		sound(t, db, clock)
	}
	insert(func(l *List) (err error) {
		for _, item := range items {
			err = errors.Join(err, l.Push(Right, []byte(item)))
		}
		return err
	})
	first := s.stateOf(t, "k")
	for i := range 40 {
		item := fmt.Sprint(i)
		insert(func(l *List) error { return errorOf(l.Insert([]byte("z"), []byte(item), false)) })
		items = slices.Insert(items, slices.Index(items, "z"), item)
	}
	insert(func(l *List) error {
		got, err := l.Range(0, -1)
		if !slices.Equal(texts(got), items) {
			t.Errorf("the list is %q, not %q", got, items)
		}
		return err
	})
	if last := s.stateOf(t, "k"); last.Version != first.Version || last.Uneven == 0 {
		t.Errorf("%+v became %+v", first, last)
	}
}

type listModel struct {
	t    *rapid.T
	s    *Store
	db   kv.DB
	key  string
	want []string
	seen map[string]int
}

// layout is how a list lies in its records.
type layout struct {
	encoding.Meta
	indexes []uint64

	parts    int // cut off, for the worker
	allParts int // those of lists that are gone included
}

func (m *listModel) layout() (lay layout) {
	err := m.s.view(context.Background(), func(tx *Tx) error {
		l, err := tx.List([]byte(m.key))
		if err == nil && l.Exists() {
			lay.Meta = l.r.meta
			lay.indexes, err = l.indexes(lay.Left, lay.Right, false, 0)
		}
		if err != nil {
			return err
		}
		from := []byte{byte(encoding.FamilyReclaim)}
		return tx.r.Scan(kv.Range{Lower: from, Upper: encoding.PrefixEnd(from)}, func(_, value []byte) bool {
			var rec encoding.Reclaim
			if err = encoding.ParseReclaim(value, &rec); err == nil && rec.Part() {
				lay.allParts++
				if rec.Version == lay.Version {
					lay.parts++
				}
			}
			return err == nil
		})
	})
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	return lay
}

// do runs fn on the list as one operation, after which it should hold want:
// alone, in an atomic list, or in one that fails behind it and takes it back.
func (m *listModel) do(want []string, fn func(l *List) error) {
	mode := rapid.SampledFrom([]Mode{Each, Each, Atomic}).Draw(m.t, "mode")
	fail := rapid.IntRange(0, 9).Draw(m.t, "fail") == 0
	before := m.layout()
	out, err := m.s.Do(context.Background(), mode, []Op{act{[]Call{call("LIST", m.key)}, func(tx *Tx) (any, error) {
		l, err := tx.List([]byte(m.key))
		if err == nil {
			err = fn(l)
		}
		if err == nil && fail {
			err = errGiveUp
		}
		return nil, err
	}}})
	if err == nil {
		err = out[0].Err
	}
	if fail && errors.Is(err, errGiveUp) {
		return
	}
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	m.want = want
	m.note(before, m.layout())
}

// note remembers which ways were taken.
func (m *listModel) note(before, after layout) {
	saw := func(what string, did bool) {
		if did {
			m.seen[what]++
		}
	}
	same := before.Version == after.Version && after.Version != 0
	saw("uneven", after.Uneven != 0)
	saw("uneven with a tree", after.Uneven != 0 && after.TreeRoot != 0)
	saw("anew", before.Version != 0 && after.Version != 0 && !same)
	saw("part", same && after.parts > before.parts)
	saw("part grown over", same && before.parts > 0 && after.Count > before.Count && after.parts == before.parts)
}

// old makes a list as it was written before there were grids: its meta record
// has no stride, and its indexes are consecutive.
func (m *listModel) old() {
	items := m.items(30)
	m.run(act{[]Call{call("RPUSH", m.key)}, func(tx *Tx) (any, error) {
		l, err := tx.List([]byte(m.key))
		if err == nil {
			err = l.r.ensure(TypeList)
		}
		l.r.meta.Stride = 0
		for _, item := range items {
			err = errors.Join(err, l.Push(Right, []byte(item)))
		}
		return nil, err
	}})
	m.want = items
	if lay := m.layout(); lay.Stride != 0 || lay.Right-lay.Left != uint64(len(items)) {
		m.t.Fatalf("an old list is %+v", lay)
	}
	m.seen["old"]++
}

func (m *listModel) step() {
	rapid.SampledFrom([]func(){
		m.push, m.pop, m.insert, m.insert, m.insert, m.remove, m.remove, m.trim, m.set, m.rotate, m.regrow, m.move, m.renew, m.worker,
	}).Draw(m.t, "step")()
}

// items draws up to n elements, of which many are equal.
func (m *listModel) items(n int) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", ""}), 1, n).Draw(m.t, "items")
}

func (m *listModel) end() End { return End(rapid.Bool().Draw(m.t, "right")) }

func (m *listModel) push() { m.pushAt(m.end(), m.items(40)) }

func (m *listModel) pushAt(end End, items []string) {
	want := append(slices.Clone(m.want), items...)
	if end == Left {
		front := slices.Clone(items)
		slices.Reverse(front)
		want = append(front, m.want...)
	}
	m.do(want, func(l *List) (err error) {
		for _, item := range items {
			err = errors.Join(err, l.Push(end, []byte(item)))
		}
		return err
	})
}

func (m *listModel) pop() { m.popAt(m.end(), rapid.IntRange(1, 30).Draw(m.t, "popped")) }

func (m *listModel) popAt(end End, n int) {
	n = min(n, len(m.want))
	want, rest := slices.Clone(m.want[:n]), m.want[n:]
	if end == Right {
		want, rest = slices.Clone(m.want[len(m.want)-n:]), m.want[:len(m.want)-n]
		slices.Reverse(want)
	}
	m.do(rest, func(l *List) error {
		popped, err := l.Pop(end, uint64(n))
		if err == nil && !slices.Equal(texts(popped), want) {
			m.t.Fatalf("popped %q, not %q", popped, want)
		}
		return err
	})
}

func texts(items [][]byte) (out []string) {
	for _, item := range items {
		out = append(out, string(item))
	}
	return out
}

// insert puts elements next to the same one again and again, until no index is
// free there.
func (m *listModel) insert() {
	pivot, after := m.items(1)[0], rapid.Bool().Draw(m.t, "after")
	for range rapid.SampledFrom([]int{1, 3, 20}).Draw(m.t, "times") {
		item := m.items(1)[0]
		at := slices.Index(m.want, pivot)
		want := m.want
		if at >= 0 {
			place := at
			if after {
				place++
			}
			want = slices.Insert(slices.Clone(m.want), place, item)
		}
		m.do(want, func(l *List) error {
			ok, err := l.Insert([]byte(pivot), []byte(item), after)
			if ok != (at >= 0) {
				m.t.Fatalf("insertion beside %q: %v", pivot, ok)
			}
			return err
		})
	}
}

func (m *listModel) remove() {
	item, n := m.items(1)[0], rapid.IntRange(-3, 3).Draw(m.t, "count")
	var want []string
	left, removed := max(n, -n), 0
	take := func(other string) bool {
		if other != item || n != 0 && removed == left {
			return false
		}
		removed++
		return true
	}
	if n >= 0 {
		for _, other := range m.want {
			if !take(other) {
				want = append(want, other)
			}
		}
	} else {
		for _, other := range slices.Backward(m.want) {
			if !take(other) {
				want = append(want, other)
			}
		}
		slices.Reverse(want)
	}
	m.do(want, func(l *List) error {
		got, err := l.RemoveItem([]byte(item), int64(n))
		if err == nil && got != uint64(removed) {
			m.t.Fatalf("removed %d, not %d", got, removed)
		}
		return err
	})
}

func (m *listModel) position(what string) int {
	return rapid.IntRange(-len(m.want)-2, len(m.want)+2).Draw(m.t, what)
}

func (m *listModel) trim() {
	start, stop := m.position("start"), m.position("stop")
	from, to := Span(int64(start), int64(stop), uint64(len(m.want)))
	m.do(m.want[from:to], func(l *List) error {
		removed, err := l.Trim(int64(start), int64(stop))
		if err == nil && removed != uint64(len(m.want))-(to-from) {
			m.t.Fatalf("trimmed %d of %d to [%d, %d)", removed, len(m.want), from, to)
		}
		return err
	})
}

func (m *listModel) set() {
	p, item := m.position("position"), m.items(1)[0]
	at, want := p, m.want
	if p < 0 {
		at = len(m.want) + p
	}
	there := at >= 0 && at < len(m.want)
	if there {
		want = slices.Clone(m.want)
		want[at] = item
	}
	m.do(want, func(l *List) error {
		ok, err := l.Set(int64(p), []byte(item))
		if ok != there {
			m.t.Fatalf("setting %d of %d: %v", p, len(m.want), ok)
		}
		return err
	})
}

// rotate moves an element from one end to the other.
func (m *listModel) rotate() {
	if len(m.want) == 0 {
		return
	}
	from, last := m.end(), len(m.want)-1
	want := append(slices.Clone(m.want[1:]), m.want[0])
	if from == Right {
		want = append([]string{m.want[last]}, m.want[:last]...)
	}
	m.do(want, func(l *List) error {
		_, _, err := l.Rotate(from, !from)
		return err
	})
}

// regrow takes many elements off an end and pushes as many back, over what
// waits for the worker, who may have come by.
func (m *listModel) regrow() {
	end, n := m.end(), rapid.IntRange(2, 30).Draw(m.t, "popped")
	m.popAt(end, n)
	if rapid.Bool().Draw(m.t, "the worker came by") {
		m.worker()
	}
	for range rapid.IntRange(1, 3).Draw(m.t, "times") {
		m.pushAt(end, m.items(20))
	}
}

// worker deletes some of what is dead, or all of it.
func (m *listModel) worker() {
	step := rapid.IntRange(0, 4).Draw(m.t, "records")
	err := error(nil)
	if step == 0 {
		err = m.s.Sweep(context.Background())
	} else {
		_, err = m.s.reclaimStep(context.Background(), m.s.sweeper.marks.begin(0, 0), step)
	}
	if err != nil {
		m.t.Fatalf("%v", err)
	}
}

// move gives the list another name, or its first one again, or makes a copy
// take its place.
func (m *listModel) move() {
	if len(m.want) == 0 {
		return
	}
	to := m.key + "'"
	if rapid.Bool().Draw(m.t, "copy") {
		m.run(copyOp(m.key, to))
		m.run(renameOp(to, m.key))
		return
	}
	m.run(renameOp(m.key, to))
	if m.key = to; rapid.Bool().Draw(m.t, "back") {
		m.key = m.key[:len(m.key)-1]
		m.run(renameOp(to, m.key))
	}
}

// renew deletes the list and makes it again.
func (m *listModel) renew() {
	m.run(del(m.key))
	m.want = nil
	m.push()
}

func (m *listModel) run(op Op) {
	out, err := m.s.Do(context.Background(), Each, []Op{op})
	if err == nil {
		err = out[0].Err
	}
	if err != nil {
		m.t.Fatalf("%v", err)
	}
}

func (m *listModel) clear() {
	m.run(del(m.key))
	if err := m.s.Sweep(context.Background()); err != nil {
		m.t.Fatalf("%v", err)
	}
}

// compare reads the list by position from both ends, by range, and by popping
// all of it in an operation that is taken back.
func (m *listModel) compare() {
	n := len(m.want)
	backwards := slices.Clone(m.want)
	slices.Reverse(backwards)
	start, stop := m.position("start"), m.position("stop")
	out, err := m.s.Do(context.Background(), Each, []Op{act{[]Call{call("LIST", m.key)}, func(tx *Tx) (any, error) {
		l, err := tx.List([]byte(m.key))
		if err != nil {
			return nil, err
		}
		if l.Count() != uint64(n) || l.Exists() != (n > 0) {
			m.t.Fatalf("%d elements (%v), not %d", l.Count(), l.Exists(), n)
		}
		for i, want := range m.want {
			front, _, err := l.Get(int64(i))
			if err != nil || string(front) != want {
				m.t.Fatalf("element %d is %q (%v), not %q", i, front, err, want)
			}
			back, _, err := l.Get(int64(i - n))
			if err != nil || string(back) != want {
				m.t.Fatalf("element %d is %q (%v), not %q", i-n, back, err, want)
			}
		}
		m.compareRange(l, 0, -1)
		m.compareRange(l, start, stop)
		for at := 0; at < n; at += 3 {
			popped, err := l.Pop(Right, 3)
			if err != nil {
				return nil, err
			}
			if want := backwards[at:min(at+3, n)]; !slices.Equal(texts(popped), want) {
				m.t.Fatalf("popped %q, not %q", popped, want)
			}
		}
		return nil, errGiveUp
	}}})
	if err == nil {
		err = out[0].Err
	}
	if !errors.Is(err, errGiveUp) {
		m.t.Fatalf("%v", err)
	}
}

func (m *listModel) compareRange(l *List, start, stop int) {
	from, to := Span(int64(start), int64(stop), uint64(len(m.want)))
	got, err := l.Range(int64(start), int64(stop))
	if err != nil || !slices.Equal(texts(got), m.want[from:to]) {
		m.t.Fatalf("from %d to %d are %q (%v), not %q", start, stop, got, err, m.want[from:to])
	}
}
