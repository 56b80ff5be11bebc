package service

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"keypact/contracts"
	"keypact/store"
	"keypact/store/kv/badger"
)

// sealed allows a key to be made and nothing more.
const sealed = `format: 1
contracts:
  sealed: {key: 'sealed:{x}', type: hash, ttl: optional, operations: [HSET]}
`

// A flush asks no contract. What a key had before it is gone for good, and what
// is written after it stays.
func TestFlush(t *testing.T) {
	f := newFixture(t, sealed)
	for i := range 7 {
		f.do("HSET", fmt.Sprintf(`"key": "sealed:%d", "fields": {"a": "b"}`, i))
	}
	if got := f.do("DEL", `"key": "sealed:1"`); got != "contract contract-violation" {
		t.Fatalf("DEL: %s", got)
	}
	if got, err := f.Flush(context.Background(), Flush{Namespace: new(store.DefaultNamespace)}); err != nil || got.Removed != 7 {
		t.Errorf("%+v, %v", got, err)
	}
	if got := f.do("HLEN", `"key": "sealed:1"`); got != `{"count":0}` {
		t.Errorf("afterwards: %s", got)
	}
	f.do("HSET", `"key": "sealed:1", "fields": {"c": "d"}`)
	if err := f.store.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := f.do("HGETALL", `"key": "sealed:1"`); got != `{"fields":{"c":"d"},"count":1}` {
		t.Errorf("what came after it: %s", got)
	}
}

func TestFlushRefuses(t *testing.T) {
	f := newFixture(t, "")
	f.do("SET", `"key": "k", "value": "v"`)
	for _, name := range []*string{nil, new(""), new("1"), new("00"), new("0 ")} {
		_, err := f.Flush(context.Background(), Flush{Namespace: name})
		var failed *Error
		if !errors.As(err, &failed) || failed.Kind != KindInvalid || len(failed.Errors) != 1 || failed.Errors[0].Path[0] != "namespace" {
			t.Errorf("%v: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var failed *Error
	if _, err := f.Flush(ctx, Flush{Namespace: new(store.DefaultNamespace)}); !errors.As(err, &failed) || failed.Kind != KindBusy {
		t.Errorf("a request that ended: %v", err)
	}
	if got := f.do("EXISTS", `"key": "k"`); got != `{"exists":true}` {
		t.Errorf("it flushed: %s", got)
	}
}

// A flush that free space does not allow is told from a failure.
func TestFlushBelowTheWatermark(t *testing.T) {
	var free atomic.Uint64
	free.Store(2000)
	db, err := badger.Open(badger.Options{Dir: t.TempDir(), MinFreeBytes: 1000, FreeBytes: func(string) (uint64, error) { return free.Load(), nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	st, err := store.Open(t.Context(), db, store.Options{Contracts: contracts.Empty(), Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	s, err := New(st, Options{})
	if err != nil {
		t.Fatal(err)
	}
	free.Store(999)
	var failed *Error
	if _, err := s.Flush(context.Background(), Flush{Namespace: new(store.DefaultNamespace)}); !errors.As(err, &failed) || failed.Kind != KindFull {
		t.Errorf("below the watermark: %v", err)
	}
}

// The worker's figures go from what waits to what is done.
func TestReclaiming(t *testing.T) {
	f := newFixture(t, "")
	check := func(want Reclaiming) {
		t.Helper()
		if got, err := f.Reclaiming(context.Background()); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	f.do("SADD", `"key": "s", "members": ["a", "b", "c"]`)
	f.do("SET", `"key": "brief", "value": "v", "ttl": "1s"`)
	check(Reclaiming{})
	f.do("DEL", `"key": "s"`)
	f.clock.step(1500 * time.Millisecond)
	check(Reclaiming{Backlog: 1, OldestSeconds: 1.5})
	if err := f.store.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	check(Reclaiming{ReclaimedRecords: 3, ExpiredKeys: 1})
}
