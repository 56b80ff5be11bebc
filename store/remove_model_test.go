package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"keypact/encoding"
)

// TestRemovalsBesideAMap takes elements out of hashes, sets and sorted sets in
// every way there is, few and many, in place and by writing what stays anew,
// beside a map of what should be there.
func TestRemovalsBesideAMap(t *testing.T) {
	for _, typ := range []encoding.Type{TypeHash, TypeSet, TypeZSet} {
		t.Run(typ.String(), func(t *testing.T) {
			s, db, clock := treeStore(t, smallTree)
			anew, run := 0, 0
			rapid.Check(t, func(rt *rapid.T) {
				run++
				s.removals = removalShape{few: rapid.Uint64Range(0, 20).Draw(rt, "few"), records: rapid.Uint64Range(1, 80).Draw(rt, "records")}
				s.tuning.StageFrom = rapid.SampledFrom([]uint64{1, 10, 1000}).Draw(rt, "stage from")
				m := removals{t: rt, s: s, typ: typ, key: fmt.Sprint(run), want: map[string]float64{}}
				defer m.clear()
				for range rapid.IntRange(1, 12).Draw(rt, "steps") {
					m.step()
					sound(rt, db, clock)
					m.compare()
				}
				anew += m.anew
			})
			if anew == 0 {
				t.Error("nothing was written anew")
			}
		})
	}
}

type removals struct {
	t    *rapid.T
	s    *Store
	typ  encoding.Type
	key  string
	want map[string]float64 // scores, or values, by name
	anew int                // how often the key got a new generation
}

// do runs fn as one operation on the key, alone or in an atomic list.
func (m *removals) do(fn func(tx *Tx, key []byte) error) {
	mode := rapid.SampledFrom([]Mode{Each, Atomic}).Draw(m.t, "mode")
	op := act{[]Call{call("DEL", m.key)}, func(tx *Tx) (any, error) { return nil, fn(tx, []byte(m.key)) }}
	before := m.revision()
	out, err := m.s.Do(context.Background(), mode, []Op{op})
	if err == nil {
		err = out[0].Err
	}
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	after := m.revision()
	if before.Version != 0 && after.Version != 0 && before.Version != after.Version {
		m.anew++
	}
	if before.Version != 0 && after.Version != 0 && after.Changes > before.Changes+1 {
		m.t.Fatalf("one operation made %d changes", after.Changes-before.Changes)
	}
}

func (m *removals) revision() (rev Revision) {
	m.read(func(tx *Tx) error {
		r, err := tx.peek([]byte(m.key))
		rev = r.revision()
		return err
	})
	return rev
}

func (m *removals) read(fn func(tx *Tx) error) {
	if err := m.s.view(context.Background(), fn); err != nil {
		m.t.Fatalf("%v", err)
	}
}

func (m *removals) step() {
	steps := []func(){m.add, m.add, m.dropAll, m.rename, m.sweep}
	switch m.typ {
	case TypeSet:
		steps = append(steps, m.popSet)
	case TypeZSet:
		steps = append(steps, m.popZSet, m.dropRanks, m.dropScores, m.dropMembers)
	}
	rapid.SampledFrom(steps).Draw(m.t, "step")()
}

var removalName = rapid.OneOf(
	rapid.Map(rapid.IntRange(0, 150), func(n int) string { return fmt.Sprintf("%03d", n) }),
	rapid.SampledFrom([]string{"", "\x00", "0", "\xff"}),
)

func (m *removals) add() {
	added := rapid.MapOfN(removalName, rapid.Float64Range(-4, 4), 1, 80).Draw(m.t, "added")
	if rapid.Bool().Draw(m.t, "ties") {
		for name := range added {
			added[name] = 1
		}
	}
	m.do(func(tx *Tx, key []byte) error { return errorOf(tx.fillUp(m.typ, key, added)) })
	maps.Copy(m.want, added)
}

// errorOf shortens a call whose handle nobody needs.
func errorOf(_ any, err error) error { return err }

// fillUp adds elements to a key.
func (tx *Tx) fillUp(t encoding.Type, key []byte, added map[string]float64) (n int, err error) {
	for _, name := range slices.Sorted(maps.Keys(added)) {
		switch t {
		case TypeHash:
			h, failed := tx.Hash(key)
			if err = failed; err == nil {
				_, _, err = h.Put([]byte(name), fmt.Append(nil, added[name]))
			}
		case TypeSet:
			s, failed := tx.Set(key)
			if err = failed; err == nil {
				_, err = s.Add([]byte(name))
			}
		default:
			z, failed := tx.ZSet(key)
			if err = failed; err == nil {
				_, err = z.Put([]byte(name), added[name], When{})
			}
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// dropAll names elements that are there, others, and some twice.
func (m *removals) dropAll() {
	names := rapid.SliceOfN(removalName, 1, 100).Draw(m.t, "names")
	if rapid.Bool().Draw(m.t, "mostly there") {
		names = append(names, slices.Sorted(maps.Keys(m.want))[len(m.want)/4:]...)
	}
	gone := 0
	for _, name := range names {
		if _, there := m.want[name]; there {
			gone++
			delete(m.want, name)
		}
	}
	var raw [][]byte
	for _, name := range names {
		raw = append(raw, []byte(name))
	}
	m.do(func(tx *Tx, key []byte) error {
		removed, err := tx.dropFrom(m.typ, key, raw)
		if err == nil && removed != uint64(gone) {
			m.t.Fatalf("%d removed, not %d", removed, gone)
		}
		return err
	})
}

// dropFrom takes elements with some names out of a key.
func (tx *Tx) dropFrom(t encoding.Type, key []byte, names [][]byte) (uint64, error) {
	r, err := tx.open(key, t)
	if err != nil {
		return 0, err
	}
	switch t {
	case TypeHash:
		return (&Hash{handle{r}}).DropAll(names)
	case TypeSet:
		return (&Set{handle{r}}).DropAll(names)
	}
	return (&ZSet{handle{r}}).DropAll(names)
}

func (m *removals) popSet() {
	n := rapid.Uint64Range(1, 90).Draw(m.t, "popped")
	var popped [][]byte
	m.do(func(tx *Tx, key []byte) error {
		s, err := tx.Set(key)
		if err == nil {
			popped, err = s.Pop(n)
		}
		return err
	})
	if len(popped) != min(int(n), len(m.want)) {
		m.t.Fatalf("popped %d of %d, asked for %d", len(popped), len(m.want), n)
	}
	for _, member := range popped {
		if _, there := m.want[string(member)]; !there {
			m.t.Fatalf("popped %q, which is not there", member)
		}
		delete(m.want, string(member))
	}
}

// ranked are the members of a sorted set in their order.
func (m *removals) ranked() []string {
	return slices.SortedFunc(maps.Keys(m.want), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.want[a], m.want[b]), cmp.Compare(a, b))
	})
}

func (m *removals) onZSet(fn func(z *ZSet) (uint64, error), gone []string) {
	m.do(func(tx *Tx, key []byte) error {
		z, err := tx.ZSet(key)
		if err != nil {
			return err
		}
		removed, err := fn(z)
		if err == nil && removed != uint64(len(gone)) {
			m.t.Fatalf("%d removed, not %d", removed, len(gone))
		}
		return err
	})
	for _, name := range gone {
		delete(m.want, name)
	}
}

func (m *removals) popZSet() {
	n, greatest := rapid.IntRange(1, 90).Draw(m.t, "popped"), rapid.Bool().Draw(m.t, "greatest")
	want := m.ranked()
	if greatest {
		slices.Reverse(want)
	}
	want = want[:min(n, len(want))]
	m.onZSet(func(z *ZSet) (uint64, error) {
		popped, err := z.Pop(greatest, uint64(n))
		for i, p := range popped {
			if string(p.Member) != want[i] || p.Score != m.want[want[i]] {
				m.t.Fatalf("popped %q at %d, not %q", p.Member, i, want[i])
			}
		}
		return uint64(len(popped)), err
	}, want)
}

func (m *removals) dropRanks() {
	from, to := rapid.IntRange(0, len(m.want)).Draw(m.t, "from"), rapid.IntRange(0, len(m.want)+2).Draw(m.t, "to")
	gone := m.ranked()[from:max(from, min(to, len(m.want)))]
	m.onZSet(func(z *ZSet) (uint64, error) { return z.DropRanks(uint64(from), uint64(to)) }, gone)
}

func (m *removals) dropScores() {
	least := ScoreEnd{Score: rapid.Float64Range(-4, 4).Draw(m.t, "least"), Open: rapid.Bool().Draw(m.t, "open")}
	most := ScoreEnd{Score: rapid.Float64Range(-4, 4).Draw(m.t, "most"), Open: rapid.Bool().Draw(m.t, "open")}
	gone := slices.DeleteFunc(m.ranked(), func(name string) bool {
		score := m.want[name]
		return score < least.Score || score > most.Score || least.Open && score == least.Score || most.Open && score == most.Score
	})
	m.onZSet(func(z *ZSet) (uint64, error) { return z.DropIn(ByScore(least, most)) }, gone)
}

func (m *removals) dropMembers() {
	least, most := []byte(removalName.Draw(m.t, "least")), []byte(removalName.Draw(m.t, "most"))
	gone := slices.DeleteFunc(m.ranked(), func(name string) bool {
		return bytes.Compare([]byte(name), least) < 0 || bytes.Compare([]byte(name), most) >= 0
	})
	m.onZSet(func(z *ZSet) (uint64, error) {
		return z.DropIn(ByMember(MemberEnd{Member: least}, MemberEnd{Member: most, Open: true}))
	}, gone)
}

// rename gives the key another home, or takes it back, and copies it there.
func (m *removals) rename() {
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
	m.key = to
}

func (m *removals) run(op Op) {
	out, err := m.s.Do(context.Background(), Each, []Op{op})
	if err == nil {
		err = out[0].Err
	}
	if err != nil {
		m.t.Fatalf("%v", err)
	}
}

func (m *removals) sweep() {
	if err := m.s.Sweep(context.Background()); err != nil {
		m.t.Fatalf("%v", err)
	}
}

func (m *removals) clear() {
	m.run(del(m.key))
	m.sweep()
}

// compare reads all there is in every order.
func (m *removals) compare() {
	m.read(func(tx *Tx) error {
		r, err := tx.open([]byte(m.key), m.typ)
		if err != nil {
			return err
		}
		got := map[string]string{}
		err = r.eachElement(func(name, value []byte) error {
			got[string(name)] = string(value)
			return nil
		})
		if err != nil || len(got) != len(m.want) || r.exists != (len(m.want) > 0) {
			m.t.Fatalf("%d elements, not %d (%v)", len(got), len(m.want), err)
		}
		for name, want := range m.want {
			value, there := got[name]
			text := map[encoding.Type]string{TypeHash: fmt.Sprint(want), TypeZSet: string(encoding.AppendFloat(nil, want))}[m.typ]
			if !there || value != text {
				m.t.Fatalf("%q is %q (%v), not %q", name, value, there, text)
			}
		}
		if m.typ == TypeZSet {
			m.compareOrder(&ZSet{handle{r}})
		}
		return nil
	})
}

func (m *removals) compareOrder(z *ZSet) {
	want := m.ranked()
	got, err := z.ByRank(0, z.Count(), false)
	if err != nil || len(got) != len(want) {
		m.t.Fatalf("%d members in order, not %d (%v)", len(got), len(want), err)
	}
	for i, name := range want {
		if string(got[i].Member) != name {
			m.t.Fatalf("rank %d is %q, not %q", i, got[i].Member, name)
		}
		if i%7 > 0 {
			continue
		}
		if _, before, behind, found, err := z.Rank([]byte(name)); err != nil || !found || before != uint64(i) || behind != uint64(len(want)-1-i) {
			m.t.Fatalf("%q has %d before and %d behind (%v, %v), its rank is %d of %d", name, before, behind, found, err, i, len(want))
		}
	}
}
