package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// A store of a tenth of the size that stores have: its transactions hold 5,000
// records, and it takes other ways a tenth as early.
var (
	tenth       = badger.Options{MaxTxnWrites: 5_000, MaxTxnBytes: 800 << 10}
	tenthTuning = Tuning{LightReads: 500, StageFrom: 200, DropFew: 200, DropMost: 3_900}
)

// filled makes a collection whose element number i is scored i.
func filled(t *testing.T, s *Store, typ encoding.Type, key string, n int, name func(i int) string) {
	t.Helper()
	for from := 0; from < n; from += 500 {
		added := map[string]float64{}
		for i := from; i < min(from+500, n); i++ {
			added[name(i)] = float64(i)
		}
		must(t, s, act{[]Call{call("ADD", key)}, func(tx *Tx) (any, error) { return tx.fillUp(typ, []byte(key), added) }})
	}
}

func short(i int) string { return fmt.Sprintf("%06d", i) }
func long(i int) string  { return fmt.Sprintf("%06d", i) + strings.Repeat("x", 300) }

// Removals succeed whatever is removed of whatever: what remains is exactly the
// rest, the tree counts it, and nothing else is left on disk.
func TestRemovalsAtAnySize(t *testing.T) {
	scores := func(from, to int) func(tx *Tx) (uint64, error) {
		return func(tx *Tx) (uint64, error) {
			z, err := tx.ZSet([]byte("k"))
			if err != nil {
				return 0, err
			}
			return z.DropIn(ByScore(ScoreEnd{Score: float64(from)}, ScoreEnd{Score: float64(to), Open: true}))
		}
	}
	members := func(from, to string) func(tx *Tx) (uint64, error) {
		return func(tx *Tx) (uint64, error) {
			z, err := tx.ZSet([]byte("k"))
			if err != nil {
				return 0, err
			}
			return z.DropIn(ByMember(MemberEnd{Member: []byte(from)}, MemberEnd{Member: []byte(to), Open: true}))
		}
	}
	ranks := func(from, to uint64) func(tx *Tx) (uint64, error) {
		return func(tx *Tx) (uint64, error) {
			z, err := tx.ZSet([]byte("k"))
			if err != nil {
				return 0, err
			}
			return z.DropRanks(from, to)
		}
	}
	pop := func(greatest bool, n uint64) func(tx *Tx) (uint64, error) {
		return func(tx *Tx) (uint64, error) {
			z, err := tx.ZSet([]byte("k"))
			if err != nil {
				return 0, err
			}
			popped, err := z.Pop(greatest, n)
			return uint64(len(popped)), err
		}
	}
	spop := func(n uint64) func(tx *Tx) (uint64, error) {
		return func(tx *Tx) (uint64, error) {
			s, err := tx.Set([]byte("k"))
			if err != nil {
				return 0, err
			}
			popped, err := s.Pop(n)
			return uint64(len(popped)), err
		}
	}
	names := func(typ encoding.Type, name func(int) string, from, to int) func(tx *Tx) (uint64, error) {
		return func(tx *Tx) (uint64, error) {
			var all [][]byte
			for i := from; i < to; i++ {
				all = append(all, []byte(name(i)))
			}
			return tx.dropFrom(typ, []byte("k"), all)
		}
	}
	for _, test := range []struct {
		name    string
		typ     encoding.Type
		element func(int) string
		n       int
		drop    func(tx *Tx) (uint64, error)
		removed uint64
		anew    bool
	}{
		{"few by score", TypeZSet, short, 8000, scores(3000, 3200), 200, false},
		{"some by score, of far more", TypeZSet, short, 12000, scores(3000, 4200), 1200, false},
		{"more by score than is left", TypeZSet, short, 8000, scores(1000, 7000), 6000, true},
		{"more than a transaction, of far more", TypeZSet, short, 30000, scores(1000, 3700), 2700, true},
		{"all by score", TypeZSet, short, 8000, scores(0, 8000), 8000, false},
		{"by member", TypeZSet, short, 8000, members(short(10), short(6010)), 6000, true},
		{"by rank, in front", TypeZSet, short, 8000, ranks(0, 5000), 5000, true},
		{"by rank, at the end", TypeZSet, short, 8000, ranks(100, 9000), 7900, true},
		{"popped from the front", TypeZSet, short, 8000, pop(false, 3000), 3000, true},
		{"popped from the end", TypeZSet, short, 8000, pop(true, 7999), 7999, true},
		{"popped from a set", TypeSet, short, 8000, spop(6000), 6000, true},
		{"members of a set by name", TypeSet, short, 8000, names(TypeSet, short, 100, 9000), 7900, true},
		{"members by name", TypeZSet, short, 8000, names(TypeZSet, short, 100, 7000), 6900, true},
		{"fields by name", TypeHash, short, 20000, names(TypeHash, short, 0, 10000), 10000, true},
		{"all fields by name", TypeHash, short, 8000, names(TypeHash, short, 0, 8000), 8000, false},
		{"few long members by score, of far more", TypeZSet, long, 12000, scores(3000, 3100), 100, false},
		{"long members by score, of far more", TypeZSet, long, 20000, scores(3000, 4200), 1200, false},
		{"longer members than a transaction holds", TypeZSet, long, 22000, scores(3000, 4290), 1290, true},
		{"longer fields than a transaction holds", TypeHash, long, 30000, names(TypeHash, long, 0, 3000), 3000, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			clock := newClock()
			options := tenth
			options.Clock = clock.now
			db := openDB(t, options)
			s := openTuned(t, db, tenthTuning)
			filled(t, s, test.typ, "k", test.n, test.element)
			before := s.stateOf(t, "k")
			out := must(t, s, act{[]Call{call("DEL", "k")}, func(tx *Tx) (any, error) { return test.drop(tx) }})
			if out.Value != test.removed {
				t.Errorf("%v removed, not %d", out.Value, test.removed)
			}
			after := s.stateOf(t, "k")
			rest := uint64(test.n) - test.removed
			if after.Count != rest || rest > 0 && (after.Changes != before.Changes+1 || after.Version != before.Version != test.anew) {
				t.Errorf("%+v became %+v; anew: %v", before, after, test.anew)
			}
			sound(t, db, clock)
			sweep(t, s)
			sound(t, db, clock)
			left := dump(t, db)
			if left[encoding.FamilyMember] != int(rest) || left[encoding.FamilyReclaim] != 0 || left[encoding.FamilyStage] != 0 {
				t.Errorf("records left: %v", left)
			}
		})
	}
}

// stateOf is the meta record of a key; an absent one is all zero.
func (s *Store) stateOf(t *testing.T, key string) (meta encoding.Meta) {
	t.Helper()
	if err := s.view(context.Background(), func(tx *Tx) error {
		r, err := tx.peek([]byte(key))
		meta = r.meta
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return meta
}

// In an atomic list everything goes into one transaction, so the way is taken
// that writes less; what neither way fits is too big, and nothing has changed.
func TestRemovalsInAnAtomicList(t *testing.T) {
	for _, test := range []struct {
		n, removed int
		fits, anew bool
	}{
		{8000, 2000, true, false},
		{8000, 7000, true, true},
		{8000, 4000, false, false},
	} {
		t.Run(fmt.Sprint(test.removed), func(t *testing.T) {
			s := openTuned(t, openDB(t, tenth), tenthTuning)
			filled(t, s, TypeZSet, "k", test.n, short)
			before := s.stateOf(t, "k")
			_, err := s.Do(context.Background(), Atomic, []Op{act{[]Call{call("DEL", "k")}, func(tx *Tx) (any, error) {
				z, err := tx.ZSet([]byte("k"))
				if err != nil {
					return nil, err
				}
				return z.DropRanks(0, uint64(test.removed))
			}}})
			after := s.stateOf(t, "k")
			if errors.Is(err, kv.ErrTooBig) == test.fits || test.fits != (err == nil) {
				t.Fatal(err)
			}
			want := uint64(test.n)
			if test.fits {
				want -= uint64(test.removed)
			}
			if after.Count != want || after.Version != before.Version != test.anew {
				t.Errorf("%d members, want %d; %+v became %+v", after.Count, want, before, after)
			}
		})
	}
}

// A removal that keeps losing the race against other writers is made in place.
func TestRemovalsUnderTraffic(t *testing.T) {
	s := openTuned(t, openDB(t, badger.Options{}), tenthTuning)
	filled(t, s, TypeZSet, "k", 1000, short)
	runs := 0
	must(t, s, act{[]Call{call("ZREMRANGEBYRANK", "k")}, func(tx *Tx) (any, error) {
		z, err := tx.ZSet([]byte("k"))
		if err != nil {
			return nil, err
		}
		removed, err := z.DropRanks(0, 700)
		if tx.stage != nil && err == nil {
			runs++
			filled(t, s, TypeZSet, "k", 1, func(int) string { return fmt.Sprint("new", runs) })
		}
		return removed, err
	}})
	if n := count(t, s, "k"); runs != attempts || n != 300+attempts {
		t.Errorf("%d members after %d lost races", n, runs)
	}
}

// An operation that no longer fits behind others of its pipeline gets a
// transaction of its own, and a value that it makes goes in steps.
func TestAPipelineLongerThanATransaction(t *testing.T) {
	s := openTuned(t, openDB(t, tenth), Tuning{})
	var ops []Op
	for i := range 4 {
		ops = append(ops, sadd(fmt.Sprint("k", i), numbers(0, 2000)...))
	}
	ops = append(ops, sadd("k0", numbers(2000, 8000)...), sadd("new", numbers(0, 6000)...), sadd("last", "x"))
	out, err := s.Do(context.Background(), Each, ops)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range out {
		if big := i == 4; errors.Is(o.Err, kv.ErrTooBig) != big || !big && o.Err != nil {
			t.Errorf("operation %d: %v", i, o.Err)
		}
	}
	for key, want := range map[string]int64{"k0": 2000, "k3": 2000, "new": 6000, "last": 1} {
		if n := count(t, s, key); n != want {
			t.Errorf("%s has %d members, want %d", key, n, want)
		}
	}
}
