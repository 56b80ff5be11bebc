package store

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// admin is an operation on whole namespaces.
func admin(do func(tx *Tx) error) Op {
	return act{nil, func(tx *Tx) (any, error) { return nil, do(tx) }}
}

func flushOp(space string) Op {
	return admin(func(tx *Tx) error { _, err := tx.Flush(space); return err })
}

func swapOp(a, b string) Op { return admin(func(tx *Tx) error { return tx.Swap(a, b) }) }

// countIn is count in a namespace.
func countIn(t *testing.T, s *Store, space, key string) int64 {
	t.Helper()
	n := int64(-1)
	must(t, s, In(space, act{[]Call{{Verb: "HLEN", Key: []byte(key), Read: true}}, func(tx *Tx) (any, error) {
		k, err := tx.Key([]byte(key))
		if err == nil && k.Exists() {
			n = int64(k.Count())
		}
		return nil, err
	}}))
	return n
}

func keysIn(t *testing.T, s *Store, space string) int64 {
	t.Helper()
	n, err := s.KeysIn(context.Background(), space)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNamespacesHoldKeysOfTheirOwn(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	out, err := s.Do(context.Background(), Each, []Op{
		hset("k", "a", "1"), In("3", hset("k", "b", "1")), In("3", hset("k", "c", "1")), In("15", hset("x", "d", "1")), In("16", hset("k", "e", "1")), In("03", hset("k", "e", "1")),
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range out {
		if missing := errors.Is(o.Err, ErrNoNamespace); missing != (i >= 4) {
			t.Errorf("operation %d: %v", i, o.Err)
		}
	}
	if out[1].Created != true || out[2].Created || out[2].Revision.Changes != 2 {
		t.Errorf("outcomes %+v", out[1:3])
	}
	for space, want := range map[string]int64{"0": 1, "3": 2, "15": -1, "7": -1} {
		if n := countIn(t, s, space, "k"); n != want {
			t.Errorf("namespace %s: %d fields, want %d", space, n, want)
		}
	}
	s.Close()
	s = openStore(t, db, "")
	if countIn(t, s, "3", "k") != 2 || keysIn(t, s, "15") != 1 || keysIn(t, s, "0") != 1 || keysIn(t, s, "1") != 0 {
		t.Error("another store after a restart")
	}
	if _, err := s.KeysIn(context.Background(), "16"); !errors.Is(err, ErrNoNamespace) {
		t.Errorf("keys of a namespace that does not exist: %v", err)
	}
}

// A store made by a program that knew one namespace gets the others.
func TestMissingNamespacesAreMade(t *testing.T) {
	db := openDB(t, badger.Options{})
	s, err := Open(context.Background(), db, Options{Namespaces: 1, Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	must(t, s, hset("k", "a", "1"))
	if n := s.Namespaces(); n != 1 {
		t.Errorf("%d namespaces", n)
	}
	s.Close()
	s = openStore(t, db, "")
	if n := s.Namespaces(); n != 16 || countIn(t, s, "0", "k") != 1 {
		t.Errorf("%d namespaces", n)
	}
	must(t, s, In("9", hset("k", "a", "1")))
}

func TestContractsHoldInEveryNamespace(t *testing.T) {
	s, _ := newStore(t, profile)
	wantCodes(t, one(t, s, In("5", hset("p:1", "level", "11"))).Err, "0 number.maximum [fields level]", "0 field.missing [fields]")
	must(t, s, In("5", hset("p:1", "name", "ada")))
	// The same key elsewhere is another value.
	wantCodes(t, one(t, s, hset("p:1", "level", "1")).Err, "0 field.missing [fields]")
	out, err := s.Do(context.Background(), Atomic, []Op{In("6", hset("p:1", "level", "1")), hset("p:1", "name", "ada")})
	wantCodes(t, err, "0 field.missing [fields]")
	if out != nil {
		t.Error("outcomes beside an error")
	}
}

func TestACallOnAnotherNamespaceMustBeDeclared(t *testing.T) {
	s, _ := newStore(t, "")
	write := func(calls ...Call) Op {
		return act{calls, func(tx *Tx) (any, error) {
			k, err := tx.KeyIn("4", []byte("k"))
			if err != nil {
				return nil, err
			}
			return nil, k.PutString([]byte("v"), "", 0, false)
		}}
	}
	if out := one(t, s, write(call("SET", "k"))); !errors.Is(out.Err, ErrDenied) {
		t.Errorf("a write to another namespace: %v", out.Err)
	}
	there := call("SET", "k")
	there.Space = "4"
	must(t, s, write(there))
	must(t, s, In("9", write(there)))
	if keysIn(t, s, "4") != 1 || keysIn(t, s, "0") != 0 || keysIn(t, s, "9") != 0 {
		t.Error("the key is not where it belongs")
	}
}

func move(key, from, to string) Op {
	there := call("MOVE", key)
	there.Space = to
	return In(from, act{[]Call{call("MOVE", key), there}, func(tx *Tx) (any, error) {
		k, err := tx.Key([]byte(key))
		if err != nil {
			return nil, err
		}
		return k.Move(to)
	}})
}

func TestMove(t *testing.T) {
	clock := newClock()
	db := openDB(t, badger.Options{Clock: clock.now})
	s := openTuned(t, db, Tuning{LightReads: 50, StageFrom: 100})
	for i := range 200 {
		must(t, s, hset("small", fmt.Sprint(i%3), "v"))
		must(t, s, hset("big", fmt.Sprint(i), "v"))
	}
	must(t, s, expireAt("big", clock.ms.Load()+1000))
	for _, key := range []string{"small", "big"} {
		want := count(t, s, key)
		if out := must(t, s, move(key, "0", "2")); out.Value != true {
			t.Errorf("%s was not moved", key)
		}
		if count(t, s, key) != -1 || countIn(t, s, "2", key) != want {
			t.Errorf("%s: %d here, %d there", key, count(t, s, key), countIn(t, s, "2", key))
		}
		if out := must(t, s, move(key, "0", "2")); out.Value != false {
			t.Errorf("%s: an absent key was moved", key)
		}
	}
	must(t, s, hset("small", "a", "v"))
	if out := must(t, s, move("small", "2", "0")); out.Value != false || count(t, s, "small") != 1 {
		t.Error("a key was moved onto another")
	}
	if out := one(t, s, move("small", "2", "2")); !errors.Is(out.Err, ErrSameKey) {
		t.Errorf("onto itself: %v", out.Err)
	}
	if out := one(t, s, move("small", "2", "99")); !errors.Is(out.Err, ErrNoNamespace) {
		t.Errorf("into nowhere: %v", out.Err)
	}
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, db); left[encoding.FamilyStage] != 0 || left[encoding.FamilyMember] != 200+3+1 {
		t.Errorf("records left: %v", left)
	}
	clock.step(2e9)
	if n := countIn(t, s, "2", "big"); n != -1 {
		t.Error("the time to live did not move along")
	}
}

func TestCopyIntoAnotherNamespace(t *testing.T) {
	s, _ := newStore(t, profile)
	must(t, s, hset("p:1", "name", "ada"))
	to := func(space, key string) Op {
		there := call("COPY", key)
		there.Space = space
		return act{[]Call{{Verb: "COPY", Key: []byte("p:1"), Read: true}, there}, func(tx *Tx) (any, error) {
			k, err := tx.Key([]byte("p:1"))
			if err != nil {
				return nil, err
			}
			return nil, k.CopyIn(space, []byte(key))
		}}
	}
	must(t, s, to("1", "p:1"))
	must(t, s, to("0", "p:2"))
	if out := one(t, s, to("0", "p:1")); !errors.Is(out.Err, ErrSameKey) {
		t.Errorf("onto itself: %v", out.Err)
	}
	if countIn(t, s, "1", "p:1") != 1 || count(t, s, "p:2") != 1 {
		t.Error("the copies are not there")
	}
}

func TestFlushInsideAList(t *testing.T) {
	s, _ := newStore(t, profile)
	must(t, s, hset("old", "f", "v"))
	must(t, s, In("1", hset("other", "f", "v")))
	var counts []int64
	note := func(space string) Op {
		return admin(func(tx *Tx) error {
			n, err := tx.KeyCount(space)
			counts = append(counts, n)
			return err
		})
	}
	// p:1 breaks its contract, but goes with its namespace before it is judged.
	_, err := s.Do(context.Background(), Atomic, []Op{
		hset("new", "f", "v"), hset("p:1", "age", "1"), note("0"), flushOp("0"), note(""), hset("behind", "f", "v"), note("0"), note("1"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(counts) != "[3 0 1 1]" {
		t.Errorf("counts %v", counts)
	}
	if keysOf(t, s) != 1 || count(t, s, "behind") != 1 || count(t, s, "old") != -1 || keysIn(t, s, "1") != 1 {
		t.Error("not as the list left it")
	}
	// A flush that fails later is undone with its operation.
	out, err := s.Do(context.Background(), Each, []Op{
		admin(func(tx *Tx) error {
			if _, err := tx.FlushAll(); err != nil {
				return err
			}
			return ErrRange
		}),
		hset("behind", "g", "v"),
	})
	if err != nil || !errors.Is(out[0].Err, ErrRange) || out[1].Err != nil {
		t.Fatal(out, err)
	}
	if count(t, s, "behind") != 2 || keysOf(t, s) != 1 || keysIn(t, s, "1") != 1 {
		t.Error("the flush was not undone")
	}
	must(t, s, admin(func(tx *Tx) error { _, err := tx.FlushAll(); return err }))
	if keysOf(t, s) != 0 || keysIn(t, s, "1") != 0 {
		t.Error("keys are left")
	}
}

func TestSwap(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	must(t, s, hset("k", "a", "v"))
	must(t, s, In("1", hset("k", "b", "v")))
	must(t, s, In("1", hset("k", "c", "v")))
	out, err := s.Do(context.Background(), Each, []Op{
		hset("k", "d", "v"), swapOp("0", "1"), hset("k", "e", "v"), admin(func(tx *Tx) error {
			if err := tx.Swap("0", "2"); err != nil {
				return err
			}
			return ErrRange
		}), In("1", hset("k", "f", "v")), In("1", hset("k", "g", "v")), swapOp("3", "3"), swapOp("0", "x"),
	})
	if err != nil || !errors.Is(out[3].Err, ErrRange) || out[6].Err != nil || !errors.Is(out[7].Err, ErrNoNamespace) {
		t.Fatal(out, err)
	}
	look := func() {
		t.Helper()
		if a, b := count(t, s, "k"), countIn(t, s, "1", "k"); a != 3 || b != 4 {
			t.Errorf("%d and %d fields, want 3 and 4", a, b)
		}
		if keysOf(t, s) != 1 || keysIn(t, s, "1") != 1 {
			t.Error("keys are counted wrongly")
		}
	}
	look()
	s.Close()
	s = openStore(t, db, "")
	look()
}

// A snapshot that may lie beside a swap is asked for its own rows.
func TestSnapshotsKnowTheirNamespaces(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	before := s.spaces.glance()
	err := db.View(context.Background(), func(old kv.Reader) error {
		must(t, s, swapOp("0", "1"))
		ids, err := s.spaces.visible(old, before)
		if err != nil || ids[0] != (*before)[0] {
			t.Errorf("the old snapshot has %v, %v, want %v", ids, err, *before)
		}
		return db.View(context.Background(), func(r kv.Reader) error {
			ids, err := s.spaces.visible(r, before)
			if err != nil || ids[0] != (*before)[1] {
				t.Errorf("a glance before the swap: %v, %v", ids, err)
			}
			s.spaces.moving.Add(1)
			defer s.spaces.moving.Add(-1)
			if ids, err = s.spaces.visible(r, s.spaces.glance()); err != nil || ids[0] != (*before)[1] {
				t.Errorf("while one is on its way: %v, %v", ids, err)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
