package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/storetest"
)

// smallTree makes a few dozen elements a tree of several levels.
var smallTree = treeShape{from: 8, run: 4, node: 4}

// treeStore is a store whose trees are small, and its engine.
func treeStore(t *testing.T, shape treeShape) (*Store, kv.DB, *wallClock) {
	t.Helper()
	clock := newClock()
	db := openDB(t, badger.Options{Clock: clock.now})
	s := openStore(t, db, "")
	s.trees = shape
	return s, db, clock
}

// fatal is what a test and a rapid run have in common.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sound fails if the records of a store do not fit together.
func sound(t fatal, db kv.DB, clock *wallClock) {
	t.Helper()
	err := db.View(context.Background(), func(r kv.Reader) error {
		if faults := storetest.Check(r, clock.ms.Load()); len(faults) > 0 {
			return errors.New(faults[0])
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// on runs fn as an operation that writes the keys.
func on(s *Store, fn func(tx *Tx) error, keys ...string) error {
	op := act{do: func(tx *Tx) (any, error) { return nil, fn(tx) }}
	for _, key := range keys {
		op.calls = append(op.calls, call("ZADD", key))
	}
	out, err := s.Do(context.Background(), Each, []Op{op})
	if err == nil {
		err = out[0].Err
	}
	return err
}

// depth is how many levels the tree of a key has; 0 is no tree.
func depth(t *testing.T, s *Store, key string, f encoding.Family) int {
	t.Helper()
	levels := 0
	err := on(s, func(tx *Tx) error {
		r, err := tx.peek([]byte(key))
		if err != nil || !r.tree(f).exists() {
			return err
		}
		root, err := r.tree(f).root()
		levels = int(root.Level) + 1
		return err
	}, key)
	if err != nil {
		t.Fatal(err)
	}
	return levels
}

var drawTreeScore = rapid.OneOf(
	rapid.SampledFrom([]float64{0, 1, -1, math.Inf(1), math.Inf(-1)}),
	rapid.Float64Range(-1e3, 1e3),
	rapid.Map(rapid.IntRange(0, 3), func(n int) float64 { return float64(n) }),
)

// draws names of one family: all orders of growth, ties, prefixes of others.
func drawName(t *rapid.T, f encoding.Family, step int) []byte {
	member := rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 0, 3), rapid.Map(rapid.IntRange(0, 300), func(n int) []byte { return fmt.Appendf(nil, "m%d", n) }))
	switch f {
	case encoding.FamilyScore:
		score := drawTreeScore
		switch rapid.IntRange(0, 3).Draw(t, "growth") {
		case 0:
			score = rapid.Just(float64(1e6 + step))
		case 1:
			score = rapid.Just(float64(-1e6 - step))
		}
		return scoreName(score.Draw(t, "score")+0, member.Draw(t, "member"))
	case encoding.FamilyList:
		return binary.BigEndian.AppendUint64(nil, rapid.Uint64Max(math.MaxUint64-1).Draw(t, "index"))
	}
	return member.Draw(t, "member")
}

// put writes or removes the bare records of an element and tells the tree.
func (r *record) putNamed(f encoding.Family, name []byte, remove bool) error {
	if err := r.change(); err != nil {
		return err
	}
	key := append(r.prefix(f), name...)
	member := append(r.prefix(encoding.FamilyMember), name...)
	if f == encoding.FamilyList {
		r.meta.Stride, r.meta.Uneven = 1, 1
		r.meta.Left, r.meta.Right = 0, math.MaxUint64
	}
	data := encoding.AppendData(nil, &encoding.Data{Created: r.tx.now})
	value := data
	if f == encoding.FamilyScore {
		member = append(r.prefix(encoding.FamilyMember), name[8:]...)
		data = encoding.AppendData(nil, &encoding.Data{Created: r.tx.now, Value: name[:8]})
		value = encoding.AppendIndexValue(nil)
	}
	tell, write := r.tree(f).add, func(key, value []byte) error { return r.tx.w.Set(key, value) }
	if remove {
		tell, write = r.tree(f).drop, func(key, _ []byte) error { return r.tx.w.Delete(key) }
		r.meta.Count--
	} else {
		r.meta.Count++
	}
	if f == encoding.FamilyScore {
		if err := write(member, data); err != nil {
			return err
		}
		if !remove {
			r.widenMarks(name)
		}
	}
	return errors.Join(write(key, value), tell(name))
}

// TestTreeIsASortedSlice drives trees of all three families beside a sorted
// slice of names; several changes make one operation, some of which fail.
func TestTreeIsASortedSlice(t *testing.T) {
	for _, f := range []encoding.Family{encoding.FamilyScore, encoding.FamilyMember, encoding.FamilyList} {
		t.Run(f.String(), func(t *testing.T) {
			deepest, run := 0, 0
			s, db, clock := treeStore(t, smallTree)
			rapid.Check(t, func(rt *rapid.T) {
				run++
				s.trees = treeShape{from: 8, run: uint64(rapid.IntRange(2, 6).Draw(rt, "run")), node: rapid.IntRange(3, 6).Draw(rt, "node")}
				m := treeModel{t: rt, s: s, f: f, key: fmt.Sprint(run), members: map[string]bool{}}
				defer m.clear()
				for m.step = range rapid.IntRange(1, 12).Draw(rt, "steps") {
					m.change()
					sound(rt, db, clock)
					m.compare()
				}
				deepest = max(deepest, depth(t, s, m.key, f))
			})
			if deepest < 3 {
				t.Errorf("the deepest tree had %d levels", deepest)
			}
		})
	}
}

type treeModel struct {
	t       *rapid.T
	s       *Store
	f       encoding.Family
	key     string
	step    int
	names   []string
	members map[string]bool // of a sorted set
}

var errGiveUp = errors.New("give up")

// clear removes what the run left, so that runs do not slow each other down.
func (m *treeModel) clear() {
	err := on(m.s, func(tx *Tx) error {
		k, err := tx.Key([]byte(m.key))
		if err == nil {
			err = k.Remove()
		}
		return err
	}, m.key)
	if err := errors.Join(err, m.s.Sweep(context.Background())); err != nil {
		m.t.Fatalf("%v", err)
	}
}

// change makes one operation of some additions and removals.
func (m *treeModel) change() {
	before, beforeMembers := slices.Clone(m.names), cloneSet(m.members)
	remove := rapid.IntRange(0, 9).Draw(m.t, "mood") < 4
	fail := rapid.IntRange(0, 5).Draw(m.t, "fail") == 0
	err := on(m.s, func(tx *Tx) error {
		m.names, m.members = slices.Clone(before), cloneSet(beforeMembers)
		typ := map[encoding.Family]Type{encoding.FamilyScore: TypeZSet, encoding.FamilyMember: TypeSet, encoding.FamilyList: TypeList}[m.f]
		r, err := tx.open([]byte(m.key), typ)
		if err == nil {
			err = r.ensure(typ)
		}
		for n := rapid.IntRange(1, 40).Draw(m.t, "changes"); n > 0 && err == nil; n-- {
			if remove && len(m.names) > 0 {
				i := rapid.IntRange(0, len(m.names)-1).Draw(m.t, "which")
				err = r.putNamed(m.f, []byte(m.names[i]), true)
				m.forget(m.names[i])
				m.names = slices.Delete(m.names, i, i+1)
				continue
			}
			name := drawName(m.t, m.f, m.step*40+n)
			if i, found := slices.BinarySearch(m.names, string(name)); !found && m.fresh(string(name)) {
				m.names = slices.Insert(m.names, i, string(name))
				err = r.putNamed(m.f, name, false)
			}
		}
		if n := len(m.names); n > 0 && m.f == encoding.FamilyList {
			r.meta.Left = binary.BigEndian.Uint64([]byte(m.names[0]))
			r.meta.Right = binary.BigEndian.Uint64([]byte(m.names[n-1])) + 1
		}
		if err == nil && fail {
			err = errGiveUp
		}
		return err
	}, m.key)
	if errors.Is(err, errGiveUp) {
		m.names, m.members = before, beforeMembers
	} else if err != nil {
		m.t.Fatalf("%v", err)
	}
}

// fresh reports whether a name brings a new member, as the sorted set's other
// order wants.
func (m *treeModel) fresh(name string) bool {
	if m.f != encoding.FamilyScore {
		return true
	}
	old := m.members[name[8:]]
	m.members[name[8:]] = true
	return !old
}

func (m *treeModel) forget(name string) {
	if m.f == encoding.FamilyScore {
		delete(m.members, name[8:])
	}
}

func cloneSet(old map[string]bool) map[string]bool {
	out := make(map[string]bool, len(old))
	for name := range old {
		out[name] = true
	}
	return out
}

// compare asks the tree for all it can say.
func (m *treeModel) compare() {
	err := on(m.s, func(tx *Tx) error {
		r, err := tx.peek([]byte(m.key))
		if err != nil {
			return err
		}
		tree := r.tree(m.f)
		if !tree.exists() {
			if n := uint64(len(m.names)); n > tree.shape.from {
				m.t.Fatalf("%d elements have no tree", n)
			}
			return nil
		}
		if len(m.names) < int(tree.shape.from)/2 {
			m.t.Fatalf("%d elements have a tree", len(m.names))
		}
		return m.compareTree(tree)
	}, m.key)
	if err != nil {
		m.t.Fatalf("%v", err)
	}
}

func (m *treeModel) compareTree(tree *tree) error {
	var all []uint64
	for i, want := range m.names {
		if name, err := tree.at(uint64(i)); err != nil || string(name) != want {
			m.t.Fatalf("at rank %d is %x (%v), want %x", i, name, err, want)
		}
		all = append(all, uint64(i))
	}
	if _, err := tree.at(uint64(len(m.names))); !errors.Is(err, encoding.ErrCorrupt) {
		m.t.Fatalf("behind the last: %v", err)
	}
	keep := rapid.IntRange(1, 5).Draw(m.t, "one in")
	some := slices.DeleteFunc(all, func(rank uint64) bool { return rank*7%uint64(keep) > 0 })
	var got, want []string
	for _, rank := range some {
		want = append(want, m.names[rank])
	}
	err := tree.visit(some, func(name []byte) error {
		got = append(got, string(name))
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		m.t.Fatalf("ranks %v are %x (%v), want %x", some, got, err, want)
	}
	for range 10 {
		a, b := drawName(m.t, m.f, 0), drawName(m.t, m.f, 500)
		if rapid.Bool().Draw(m.t, "an element") {
			a = []byte(rapid.SampledFrom(m.names).Draw(m.t, "name"))
		}
		before, _ := slices.BinarySearch(m.names, string(a))
		to, _ := slices.BinarySearch(m.names, string(b))
		if rank, err := tree.rank(a); err != nil || rank != uint64(before) {
			m.t.Fatalf("%x has rank %d (%v), want %d", a, rank, err, before)
		}
		if n, err := tree.between(a, b); err != nil || n != uint64(max(0, to-before)) {
			m.t.Fatalf("from %x to %x are %d elements (%v), want %d", a, b, n, err, max(0, to-before))
		}
	}
	return nil
}
