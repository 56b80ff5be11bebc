package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"keypact/store/kv/badger"
)

// listened opens a store whose events are gathered.
func listened(t *testing.T) (s *Store, clock *wallClock, heard func() string) {
	t.Helper()
	clock = newClock()
	var mu sync.Mutex
	var all []string
	s, err := Open(context.Background(), openDB(t, badger.Options{Clock: clock.now}), Options{Sweep: -1, Notify: func(events []Event) {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range events {
			all = append(all, fmt.Sprintf("%s:%s@%s", e.Name, e.Key, e.Space))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, clock, func() string {
		mu.Lock()
		defer mu.Unlock()
		text := strings.Join(all, " ")
		all = nil
		return text
	}
}

func expiredOf(t *testing.T, s *Store) int64 {
	t.Helper()
	r, err := s.Reclaiming(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r.Expired
}

func TestEvents(t *testing.T) {
	s, clock, heard := listened(t)
	must(t, s, hset("k", "a", "v"))
	if got := heard(); got != "" || s.Changes() != 1 {
		t.Errorf("before anyone listens: %s, %d changes", got, s.Changes())
	}
	s.SetNotify(true)
	quiet := calling(func(tx *Tx, _ []Outcome) error {
		tx.EventIn("1", "hset", []byte("k"))
		return ErrRange
	}, hset("k", "z", "v"))
	for _, test := range []struct {
		ops  []Op
		want string
	}{
		{[]Op{hset("k", "b", "v"), In("3", hset("k", "b", "v"))}, "hset:k@0 hset:k@3"},
		{[]Op{hdel("k", "a"), fails("k", "x"), quiet}, "hdel:k@0"},
		{[]Op{hdel("k", "b")}, "hdel:k@0 del:k@0"},
		{[]Op{del("k")}, ""},
		{[]Op{rpush("l", "1"), rename("l", "m"), copyOver("m", "l"), popLeft("m")}, "rpush:l@0 rename_from:l@0 rename_to:m@0 copy_to:l@0 lpop:m@0 del:m@0"},
		{[]Op{move("k", "3", "4")}, "move_from:k@3 move_to:k@4"},
		{[]Op{In("4", del("k")), del("l")}, "del:k@4 del:l@0"},
		{[]Op{act{[]Call{call("SADD", "s")}, func(tx *Tx) (any, error) {
			tx.Event("sinterstore", []byte("s"))
			return sadd("s", "m").(act).do(tx)
		}}}, "sinterstore:s@0"},
		{[]Op{expireAt("s", clock.ms.Load()+1000)}, "expire:s@0"},
		{[]Op{calling(func(*Tx, []Outcome) error { return nil }, hset("n", "a", "v"), fails("n", "b"), expireAt("n", 1))}, "hset:n@0 del:n@0"},
	} {
		if _, err := s.Do(context.Background(), Each, test.ops); err != nil {
			t.Fatal(err)
		}
		if got := heard(); got != test.want {
			t.Errorf("heard %q, want %q", got, test.want)
		}
	}
	if _, err := s.Do(context.Background(), Atomic, []Op{hset("k", "a", "v"), hdel("absent", "x")}); err == nil {
		t.Fatal("the list should fail")
	}
	if _, err := s.DryRun(context.Background(), hset("k", "a", "v")); err != nil || heard() != "" {
		t.Error("what is undone is heard of", err)
	}
	must(t, s, sadd("w", "m"))
	must(t, s, expireAt("w", clock.ms.Load()+1000))
	heard()
	clock.step(2e9)
	must(t, s, hset("s", "f", "v"))
	if got := heard(); got != "expired:s@0 hset:s@0" || expiredOf(t, s) != 1 {
		t.Errorf("heard %q, %d expired", got, expiredOf(t, s))
	}
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := heard(); got != "expired:w@0" || expiredOf(t, s) != 2 {
		t.Errorf("heard %q, %d expired", got, expiredOf(t, s))
	}
	s.SetNotify(false)
	must(t, s, hset("s", "f", "v"))
	if got := heard(); got != "" {
		t.Errorf("after they left: %s", got)
	}
}

func TestChangesCountWhatChanged(t *testing.T) {
	s, _ := newStore(t, "")
	for i, test := range []struct {
		op   Op
		want uint64
	}{
		{hset("k", "a", "v"), 1},
		{sadd("s", "a", "b"), 2},
		{sadd("s", "a"), 2},
		{del("absent"), 2},
		{fails("k", "b"), 2},
		{rename("s", "r"), 4},
		{swapOp("0", "1"), 5},
		{flushOp("1"), 7},
		{flushOp("1"), 7},
	} {
		one(t, s, test.op)
		if got := s.Changes(); got != test.want {
			t.Errorf("operation %d: %d changes, want %d", i, got, test.want)
		}
	}
}
