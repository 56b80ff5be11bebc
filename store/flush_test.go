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

func flushed(t *testing.T, s *Store, want int64) {
	t.Helper()
	if removed, err := s.Flush(context.Background()); err != nil || removed != want {
		t.Fatalf("flush: %d keys, %v; want %d", removed, err, want)
	}
}

func keysOf(t *testing.T, s *Store) int64 {
	t.Helper()
	n, err := s.Keys(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A flush takes every key at once and the worker takes the records; keys
// written after it stay.
func TestFlush(t *testing.T) {
	clock := newClock()
	db := openDB(t, badger.Options{Clock: clock.now})
	s := openStore(t, db, "")
	for i := range 300 {
		must(t, s, hset(fmt.Sprint("h", i), "f", "v"))
	}
	must(t, s, sadd("s", numbers(0, 3*idleStep)...))
	must(t, s, expireAt("h1", clock.ms.Load()+1000))
	must(t, s, expireAt("s", clock.ms.Load()+1000))
	flushed(t, s, 301)
	if n := keysOf(t, s); n != 0 || count(t, s, "h1") != -1 || count(t, s, "s") != -1 {
		t.Errorf("%d keys are left", n)
	}
	must(t, s, hset("h1", "f", "new"))
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, db); left[encoding.FamilyMeta] != 1 || left[encoding.FamilyMember] != 1 || len(left) != 2 {
		t.Errorf("records left: %v", left)
	}
	if n := keysOf(t, s); n != 1 || count(t, s, "h1") != 1 {
		t.Errorf("%d keys, want the new one", n)
	}
	s.Close()
	s = openStore(t, db, "")
	if n := keysOf(t, s); n != 1 || count(t, s, "h1") != 1 {
		t.Errorf("after a restart: %d keys", n)
	}
	flushed(t, s, 1)
	flushed(t, s, 0)
}

// A key that expires in a flushed namespace is taken once.
func TestFlushedKeysExpire(t *testing.T) {
	clock := newClock()
	db := openDB(t, badger.Options{Clock: clock.now})
	s := openStore(t, db, "")
	for i := range 20 {
		must(t, s, hset(fmt.Sprint("h", i), "f", "v"))
		must(t, s, expireAt(fmt.Sprint("h", i), clock.ms.Load()+1000))
	}
	flushed(t, s, 20)
	clock.step(2e9)
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, db); len(left) != 0 {
		t.Errorf("records left: %v", left)
	}
	var counters int
	if err := db.View(context.Background(), func(r kv.Reader) error {
		first := []byte{byte(encoding.FamilyCounter)}
		return r.Scan(kv.Range{Lower: first, Upper: encoding.PrefixEnd(first)}, func(_, _ []byte) bool { counters++; return true })
	}); err != nil || counters != 0 {
		t.Errorf("%d counters are left, %v", counters, err)
	}
}

// An operation that waits outlasts a flush.
func TestFlushKeepsWaiters(t *testing.T) {
	s := openStore(t, openDB(t, badger.Options{}), "")
	must(t, s, hset("k", "f", "v"))
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
	flushed(t, s, 1)
	must(t, s, rpush("queue", "item"))
	if out := <-got; fmt.Sprintf("%s", out.Value) != "[item]" {
		t.Errorf("the waiter got %+v", out)
	}
}

// A draft that began before a flush is run again behind it.
func TestFlushOvertakesADraft(t *testing.T) {
	s := openTuned(t, openDB(t, badger.Options{}), Tuning{LightReads: 10})
	for i := range 20 {
		must(t, s, hset("source", fmt.Sprint(i), "v"))
	}
	runs := 0
	out := must(t, s, walkThenSet("source", "n", func() {
		if runs++; runs == 1 {
			flushed(t, s, 1)
		}
	}))
	if runs != 2 || out.Value != 0 || keysOf(t, s) != 1 {
		t.Errorf("%d runs, outcome %+v, %d keys", runs, out, keysOf(t, s))
	}
}

// A flush beside one that fails to commit does not show.
func TestFlushThatFailsIsNone(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	must(t, s, hset("k", "f", "v"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("flush: %v", err)
	}
	if n := keysOf(t, s); n != 1 || count(t, s, "k") != 1 {
		t.Errorf("%d keys", n)
	}
}
