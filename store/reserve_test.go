package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"keypact/store/kv/badger"
)

// Below the watermark everything that takes away goes on, and what it leaves
// behind is reclaimed; everything else is refused, alone.
func TestBelowTheWatermark(t *testing.T) {
	var free atomic.Uint64
	free.Store(2000)
	options := badger.Options{Dir: t.TempDir(), MinFreeBytes: 1000, FreeBytes: func(string) (uint64, error) { return free.Load(), nil }}
	clock := newClock()
	options.Clock = clock.now
	db := openDB(t, options)
	s := openStore(t, db, "")
	for i := range 3 {
		must(t, s, sadd(fmt.Sprint("s", i), numbers(0, 3*idleStep)...))
	}
	must(t, s, hset("h", "f", "v"))
	must(t, s, hset("brief", "f", "v"))
	must(t, s, expireAt("brief", clock.ms.Load()+1000))
	must(t, s, rpush("queue", "a"))
	must(t, s, rpush("queue", "b"))
	s.Close()

	free.Store(999)
	s = openStore(t, db, "")
	outs, err := s.Do(context.Background(), Each, []Op{del("s0"), hset("h", "f", "w"), popLeft("queue"), rpush("queue", "c"), del("nothing")})
	if err != nil {
		t.Fatal(err)
	}
	for i, refused := range []bool{false, true, false, true, false} {
		if errors.Is(outs[i].Err, ErrFull) != refused {
			t.Errorf("operation %d: %v", i, outs[i].Err)
		}
	}
	if _, err := s.Do(context.Background(), Atomic, []Op{del("s1"), hset("h", "f", "w")}); !errors.Is(err, ErrFull) {
		t.Errorf("all or nothing: %v", err)
	}
	if n := count(t, s, "s1"); n != 3*idleStep {
		t.Errorf("half of it was done: %d members", n)
	}
	clock.step(2e9)
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := reclaiming(t, s); got.Backlog != 0 || got.Reclaimed < 3*idleStep || got.Expired != 1 {
		t.Errorf("the worker stands still: %+v", got)
	}
	flushed(t, s, 4)
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, db); len(left) != 0 {
		t.Errorf("records left: %v", left)
	}
}

// A draft that only takes away is applied out of the reserve, too.
func TestDraftsBelowTheWatermark(t *testing.T) {
	var free atomic.Uint64
	free.Store(2000)
	db := openDB(t, badger.Options{Dir: t.TempDir(), MinFreeBytes: 1000, FreeBytes: func(string) (uint64, error) { return free.Load(), nil }})
	s := openTuned(t, db, Tuning{LightReads: 10})
	for i := range 20 {
		must(t, s, hset("source", fmt.Sprint(i), "v"))
	}
	free.Store(999)
	outs, err := s.Do(context.Background(), Each, []Op{walkThenSet("source", "n", func() {})})
	if err != nil || !errors.Is(outs[0].Err, ErrFull) {
		t.Errorf("a draft that writes: %+v, %v", outs, err)
	}
	var keys []Op
	for i := range 20 {
		keys = append(keys, del(fmt.Sprint("absent", i)))
	}
	if outs, err = s.Do(context.Background(), Each, append(keys, del("source"))); err != nil || outs[20].Err != nil {
		t.Errorf("a draft that deletes: %+v, %v", outs, err)
	}
	if n := keysOf(t, s); n != 0 {
		t.Errorf("%d keys are left", n)
	}
}

// The note that a value conforms goes with a deletion, also at the end of a
// list that closes with a read.
func TestVerdictsBelowTheWatermark(t *testing.T) {
	var free atomic.Uint64
	free.Store(2000)
	db := openDB(t, badger.Options{Dir: t.TempDir(), MinFreeBytes: 1000, FreeBytes: func(string) (uint64, error) { return free.Load(), nil }})
	s := openStore(t, db, "")
	for i := range 3 {
		must(t, s, rpush("queue", fmt.Sprint(i)))
	}
	if err := s.SetContracts(context.Background(), parse(t, `format: 1
contracts:
  queue: {key: queue, type: list, existing: strict, ttl: optional, items: {maxBytes: 10}}
`)); err != nil {
		t.Fatal(err)
	}
	free.Store(999)
	read := act{[]Call{{Verb: "LLEN", Key: []byte("queue"), Read: true}}, func(tx *Tx) (any, error) {
		l, err := tx.List([]byte("queue"))
		if err != nil {
			return nil, err
		}
		return l.Count(), nil
	}}
	out, err := s.Do(context.Background(), Atomic, []Op{popLeft("queue"), read})
	if err != nil || out[1].Value != uint64(2) {
		t.Errorf("%+v, %v", out, err)
	}
}
