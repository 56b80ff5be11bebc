package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// Many small values go in one step, a large one in several, each from where the
// last one ended.
func TestReclaimSteps(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	for i := range 10 {
		must(t, s, sadd(fmt.Sprint("small", i), numbers(0, 3)...))
	}
	must(t, s, sadd("large", numbers(0, 200)...))
	must(t, s, sadd("last", "x"))
	for i := range 10 {
		must(t, s, del(fmt.Sprint("small", i)))
	}
	must(t, s, del("large"))
	must(t, s, del("last"))
	round := s.sweeper.marks.begin(0, 0)
	want := []struct{ members, queue int }{
		{131, 2}, // the small ones and 70 of the large one
		{31, 2},
		{0, 0},
		{0, 0},
	}
	for i, want := range want {
		busy, err := s.reclaimStep(context.Background(), round, 100)
		left := dump(t, db)
		if err != nil || busy != (i < 3) || left[encoding.FamilyMember] != want.members || left[encoding.FamilyReclaim] != want.queue {
			t.Errorf("step %d: busy %v, %v, records %v, want %+v", i, busy, err, left, want)
		}
	}
	if got := reclaiming(t, s); got != (Reclaiming{Reclaimed: 231}) {
		t.Errorf("figures: %+v", got)
	}
}

// Where one transaction holds less than a step of the worker, steps are shorter
// and nothing is left out.
func TestTheWorkerFitsIntoSmallTransactions(t *testing.T) {
	clock := newClock()
	db := openDB(t, badger.Options{Clock: clock.now, MaxTxnWrites: 150})
	s := openStore(t, db, "")
	due := clock.now().Add(time.Second).UnixMilli()
	for i := range 300 {
		key := fmt.Sprint("key", i)
		must(t, s, sadd(key, "a", "b"))
		must(t, s, expireAt(key, due))
	}
	for range 10 {
		must(t, s, sadd("large", numbers(0, 100)...))
		must(t, s, del("large"))
	}
	must(t, s, sadd("stays", "x"))
	clock.step(2 * time.Second)
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	left := dump(t, db)
	if left[encoding.FamilyMeta] != 1 || left[encoding.FamilyMember] != 1 || left[encoding.FamilyReclaim] != 0 || left[encoding.FamilyExpiry] != 0 {
		t.Errorf("records are left: %v", left)
	}
	if got := reclaiming(t, s); got.Expired != 300 {
		t.Errorf("figures: %+v", got)
	}
}

func reclaiming(t *testing.T, s *Store) Reclaiming {
	t.Helper()
	out, err := s.Reclaiming(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The figures are those of the moment: what was deleted waits at once, whether
// or not the worker has looked.
func TestReclaimingFigures(t *testing.T) {
	clock := newClock()
	s := openStore(t, openDB(t, badger.Options{Clock: clock.now}), "")
	ctx := context.Background()
	must(t, s, sadd("a", numbers(0, 200)...))
	must(t, s, sadd("b", "x"))
	must(t, s, expireAt("b", clock.ms.Load()+500))
	must(t, s, del("a"))
	clock.step(3 * time.Second)
	must(t, s, sadd("c", "x"))
	must(t, s, del("c"))
	if got, want := reclaiming(t, s), (Reclaiming{Backlog: 2, Oldest: 3 * time.Second}); got != want {
		t.Errorf("before the first step: %+v, want %+v", got, want)
	}
	round := s.sweeper.marks.begin(0, 0)
	if _, err := s.reclaimStep(ctx, round, 100); err != nil {
		t.Fatal(err)
	}
	if got, want := reclaiming(t, s), (Reclaiming{Backlog: 2, Oldest: 3 * time.Second, Reclaimed: 100}); got != want {
		t.Errorf("half way: %+v, want %+v", got, want)
	}
	if err := s.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if got, want := reclaiming(t, s), (Reclaiming{Reclaimed: 202, Expired: 1}); got != want {
		t.Errorf("at the end: %+v, want %+v", got, want)
	}
}

// A round begins behind what former ones took away, and now and then at the
// very front, where an entry may lie that came late.
func TestMarksOfTheWorker(t *testing.T) {
	clock := newClock()
	db := openDB(t, badger.Options{Clock: clock.now})
	s := openStore(t, db, "")
	ctx := context.Background()
	sweep := func() {
		t.Helper()
		if err := s.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
	}
	start := clock.ms.Load()
	sweep()
	clock.step(time.Minute)
	sweep()
	if got := s.sweeper.marks.swept; got != start+60_000 {
		t.Errorf("swept up to %d, want %d", got, start+60_000)
	}
	// What nobody should write: a queue entry and a due key behind the marks.
	late := encoding.AppendExpiryKey(nil, 3, start-1000, 1, []byte("gone"), 1)
	dead := encoding.Reclaim{NS: 1, Home: []byte("gone"), Version: 1, Type: encoding.TypeSet}
	if err := db.Update(ctx, func(w kv.Txn) error {
		if err := w.Set(encoding.AppendReclaimKey(nil, 0), encoding.AppendReclaim(nil, &dead)); err != nil {
			return err
		}
		return w.Set(late, encoding.AppendIndexValue(nil))
	}); err != nil {
		t.Fatal(err)
	}
	sweep()
	if left := dump(t, db); left[encoding.FamilyExpiry] != 1 || left[encoding.FamilyReclaim] != 1 {
		t.Errorf("the round began at the front: %v", left)
	}
	clock.step(fromTheTop * time.Millisecond)
	sweep()
	if left := dump(t, db); len(left) != 0 {
		t.Errorf("records left: %v", left)
	}
}

// A part of a list goes, but for what the list has grown back over; nothing of
// a list that is dead stays.
func TestPartOfAListIsReclaimed(t *testing.T) {
	for _, test := range []struct {
		name       string
		meta       bool
		alias      bool
		from, to   uint64
		wantLeft   int
		liveLeft   uint64
		liveRight  uint64
		otherOwner bool
	}{
		{name: "below the bounds", meta: true, from: 0, to: 10, liveLeft: 10, liveRight: 20, wantLeft: 10},
		{name: "grown back over a half", meta: true, from: 0, to: 10, liveLeft: 5, liveRight: 20, wantLeft: 15},
		{name: "above the bounds", meta: true, from: 15, to: 20, liveLeft: 0, liveRight: 15, wantLeft: 15},
		{name: "renamed", meta: true, alias: true, from: 0, to: 10, liveLeft: 10, liveRight: 20, wantLeft: 10},
		{name: "dead", from: 0, to: 10, wantLeft: 10},
		{name: "another version lives", meta: true, otherOwner: true, from: 0, to: 10, liveLeft: 0, liveRight: 20, wantLeft: 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := openDB(t, badger.Options{})
			s := openStore(t, db, "")
			ns := s.spaces.next[0]
			key, home := []byte("list"), []byte("list")
			meta := encoding.Meta{Type: encoding.TypeList, Count: 1, Version: 7, Changes: 1, Created: 1, Left: test.liveLeft, Right: test.liveRight}
			err := db.Update(context.Background(), func(w kv.Txn) error {
				if test.alias {
					home = []byte("home")
					meta.HasHome, meta.Home = true, home
					if err := w.Set(encoding.AppendAliasKey(nil, ns, home, 7), encoding.AppendAlias(nil, key)); err != nil {
						return err
					}
				}
				if test.otherOwner {
					meta.Version = 8
				}
				if test.meta {
					if err := w.Set(encoding.AppendMetaKey(nil, ns, key), encoding.AppendMeta(nil, &meta)); err != nil {
						return err
					}
				}
				for index := range uint64(20) {
					data := encoding.AppendData(nil, &encoding.Data{Created: 1, Value: []byte("v")})
					if err := w.Set(encoding.AppendListKey(nil, ns, home, 7, index), data); err != nil {
						return err
					}
				}
				return s.queueReclaim(w, encoding.Reclaim{NS: ns, Home: home, Version: 7, Type: encoding.TypeList, From: test.from, To: test.to})
			})
			if err != nil {
				t.Fatal(err)
			}
			round := s.sweeper.marks.begin(0, 0)
			for busy := true; busy; {
				if busy, err = s.reclaimStep(context.Background(), round, 3); err != nil {
					t.Fatal(err)
				}
			}
			if left := dump(t, db); left[encoding.FamilyList] != test.wantLeft || left[encoding.FamilyReclaim] != 0 {
				t.Errorf("records left: %v, want %d", left, test.wantLeft)
			}
		})
	}
}
