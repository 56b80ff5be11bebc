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

// openTuned opens a store on db that takes other ways early.
func openTuned(t *testing.T, db kv.DB, tuning Tuning) *Store {
	t.Helper()
	s, err := Open(context.Background(), db, Options{Sweep: -1, Tuning: tuning})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// walkThenSet reads all fields of a hash, calls between, and sets a field of
// another one to their number.
func walkThenSet(from, to string, between func()) Op {
	return act{[]Call{{Verb: "HLEN", Key: []byte(from), Read: true}, call("HSET", to)}, func(tx *Tx) (any, error) {
		h, err := tx.Hash([]byte(from))
		if err != nil {
			return nil, err
		}
		all, err := h.All()
		if err != nil {
			return nil, err
		}
		between()
		dst, err := tx.Hash([]byte(to))
		if err != nil {
			return nil, err
		}
		_, _, err = dst.Put([]byte("n"), []byte(fmt.Sprint(len(all))))
		return len(all), err
	}}
}

// A list that reads much runs beside the line of writers: others write while it
// runs. What it read is checked when it is applied.
func TestHeavyOperationHoldsNobodyUp(t *testing.T) {
	s := openTuned(t, openDB(t, badger.Options{}), Tuning{LightReads: 10})
	for i := range 20 {
		must(t, s, hset("source", fmt.Sprint(i), "v"))
	}
	runs := 0
	out := must(t, s, walkThenSet("source", "n", func() {
		if runs++; runs == 1 {
			must(t, s, hset("other", "f", "v")) // in the line of writers this would never return
		}
	}))
	if runs != 1 || out.Value != 20 || out.Revision != s.revisionOf(t, "source") {
		t.Errorf("%d runs, outcome %+v", runs, out)
	}
}

func TestChangedSourceIsReadAgain(t *testing.T) {
	for _, test := range []struct {
		name   string
		change Op
		runs   int
	}{
		{"an element", hset("source", "new", "v"), 2},
		{"the same value", hset("source", "1", "v"), 2}, // hset counts it as a change
		{"the destination", hset("n", "x", "v"), 2},
		{"gone", del("source"), 2},
		{"another key", hset("other", "f", "v"), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := openTuned(t, openDB(t, badger.Options{}), Tuning{LightReads: 10})
			for i := range 20 {
				must(t, s, hset("source", fmt.Sprint(i), "v"))
			}
			runs := 0
			out := must(t, s, walkThenSet("source", "n", func() {
				if runs++; runs == 1 {
					must(t, s, test.change)
				}
			}))
			if runs != test.runs {
				t.Errorf("%d runs, want %d", runs, test.runs)
			}
			if n := max(count(t, s, "source"), 0); int64(out.Value.(int)) != n {
				t.Errorf("it read %v fields, there are %d", out.Value, n)
			}
		})
	}
}

// Whoever loses the race again and again gets a turn in the line of writers.
func TestHeavyOperationComesToAnEnd(t *testing.T) {
	s := openTuned(t, openDB(t, badger.Options{}), Tuning{LightReads: 10})
	for i := range 20 {
		must(t, s, hset("source", fmt.Sprint(i), "v"))
	}
	runs := 0
	out := must(t, s, walkThenSet("source", "n", func() {
		if runs++; runs <= attempts {
			must(t, s, hset("source", fmt.Sprint("more", runs), "v"))
		}
	}))
	if runs != attempts+1 || out.Value != 20+attempts {
		t.Errorf("%d runs, outcome %+v", runs, out)
	}
}

func TestSourceThatExpiresMeanwhileIsReadAgain(t *testing.T) {
	clock := newClock()
	s := openTuned(t, openDB(t, badger.Options{Clock: clock.now}), Tuning{LightReads: 10})
	for i := range 20 {
		must(t, s, hset("source", fmt.Sprint(i), "v"))
	}
	must(t, s, expireAt("source", clock.ms.Load()+1000))
	runs := 0
	out := must(t, s, walkThenSet("source", "n", func() {
		if runs++; runs == 1 {
			clock.step(1e9)
		}
	}))
	if runs != 2 || out.Value != 0 {
		t.Errorf("%d runs, outcome %+v", runs, out)
	}
}

func TestContractsThatChangeMeanwhileJudgeAnew(t *testing.T) {
	s := openTuned(t, openDB(t, badger.Options{}), Tuning{LightReads: 10})
	for i := range 20 {
		must(t, s, hset("source", fmt.Sprint(i), "v"))
	}
	set := parse(t, "format: 1\ncontracts: {c: {key: 'n', type: set}}")
	runs := 0
	out := one(t, s, walkThenSet("source", "n", func() {
		if runs++; runs == 1 {
			if err := s.SetContracts(context.Background(), set); err != nil {
				t.Error(err)
			}
		}
	}))
	if got := codes(out.Err); len(got) != 1 || runs != 2 {
		t.Errorf("%d runs, violations %q", runs, got)
	}
}

// A client that has left stops its draft.
func TestHeavyOperationEndsWithItsClient(t *testing.T) {
	s := openTuned(t, openDB(t, badger.Options{}), Tuning{LightReads: 10})
	for i := range patience {
		must(t, s, hset("source", fmt.Sprint(i), "v"))
	}
	ctx, leave := context.WithCancel(context.Background())
	op := act{[]Call{{Verb: "HLEN", Key: []byte("source"), Read: true}, call("HSET", "n")}, func(tx *Tx) (any, error) {
		h, err := tx.Hash([]byte("source"))
		for err == nil {
			if _, err = h.All(); tx.stamps != nil {
				leave()
			}
		}
		return nil, err
	}}
	if _, err := s.Do(ctx, Each, []Op{op}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A page of keys is under no key's stamp, so what read one is not prepared.
func TestPageOfKeysIsReadInTheLine(t *testing.T) {
	s := openTuned(t, openDB(t, badger.Options{}), Tuning{LightReads: 3})
	for i := range 10 {
		must(t, s, hset(fmt.Sprint("k", i), "f", "v"))
	}
	drafts := 0
	out := must(t, s, act{[]Call{call("HSET", "n")}, func(tx *Tx) (any, error) {
		if tx.stamps != nil {
			drafts++
		}
		page, _, err := tx.Keys(nil, 100, 100, KeyFilter{})
		if err != nil {
			return nil, err
		}
		h, err := tx.Hash([]byte("n"))
		if err != nil {
			return nil, err
		}
		_, _, err = h.Put([]byte("n"), []byte("v"))
		return len(page), err
	}})
	if out.Value != 10 || drafts != 1 {
		t.Errorf("outcome %+v after %d drafts", out, drafts)
	}
}

// What a heavy list feeds is handed to those who wait.
func TestHeavyPushServesWaiters(t *testing.T) {
	s := openTuned(t, openDB(t, badger.Options{}), Tuning{LightReads: 1})
	got := make(chan Outcome, 1)
	go func() {
		out, _, err := s.Wait(context.Background(), popLeft("queue"), 1e12)
		if err != nil {
			t.Error(err)
		}
		got <- out
	}()
	for s.Waiting() == 0 {
		must(t, s, hset("k", "f", "v")) // in the line behind the waiter
	}
	must(t, s, act{[]Call{call("RPUSH", "queue")}, func(tx *Tx) (any, error) {
		for range 3 {
			if _, err := tx.load(tx.ns(), []byte("k")); err != nil {
				return nil, err
			}
		}
		l, err := tx.List([]byte("queue"))
		if err != nil {
			return nil, err
		}
		return nil, l.Push(Right, []byte("item"))
	}})
	if out := <-got; fmt.Sprintf("%s", out.Value) != "[item]" {
		t.Errorf("the waiter got %+v", out)
	}
}

// popLeft is an operation that finds nothing in an empty list.
func popLeft(key string) Op {
	return act{[]Call{call("LPOP", key)}, func(tx *Tx) (any, error) {
		l, err := tx.List([]byte(key))
		if err != nil {
			return nil, err
		}
		items, err := l.Pop(Left, 1)
		if err == nil && len(items) == 0 {
			err = ErrNotFound
		}
		return items, err
	}}
}

func rpush(key, item string) Op {
	return act{[]Call{call("RPUSH", key)}, func(tx *Tx) (any, error) {
		l, err := tx.List([]byte(key))
		if err != nil {
			return nil, err
		}
		return nil, l.Push(Right, []byte(item))
	}}
}

// revisionOf reads the revision of a key.
func (s *Store) revisionOf(t *testing.T, key string) Revision {
	t.Helper()
	return one(t, s, act{[]Call{{Verb: "HLEN", Key: []byte(key), Read: true}}, func(tx *Tx) (any, error) {
		_, err := tx.open([]byte(key), encoding.TypeHash)
		return nil, err
	}}).Revision
}
