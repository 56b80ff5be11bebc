package badger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"keypact/store/kv"
)

func TestFull(t *testing.T) {
	var free atomic.Uint64
	free.Store(math.MaxInt64)
	db := open(t, Options{Dir: t.TempDir(), MinFreeBytes: 1000, Maintenance: -1,
		FreeBytes: func(string) (uint64, error) { return free.Load(), nil },
		Essential: func(key, value []byte) bool { return key[0] == 'e' && string(value) == "1" }})
	defer db.Close()
	for _, key := range []string{"a", "b", "c"} {
		put(t, db, key, []byte("1"))
	}
	deleting := func(key string) func(kv.Txn) error {
		return func(tx kv.Txn) error { return tx.Delete([]byte(key)) }
	}
	both := func(first, second func(kv.Txn) error) func(kv.Txn) error {
		return func(tx kv.Txn) error { return errors.Join(first(tx), second(tx)) }
	}
	expect := func(name string, fn func(kv.Txn) error, passes bool) {
		t.Helper()
		if err := db.Update(background, fn); passes && err != nil || !passes && !errors.Is(err, kv.ErrFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, low := range []uint64{999, 250} {
		free.Store(low)
		expect("set", setting("x"), false)
		expect("set of an essential key to another value", func(tx kv.Txn) error { return tx.Set([]byte("e"), []byte("2")) }, false)
		expect("set beside a deletion", both(deleting("a"), setting("x")), false)
		if !has(t, db, "a") || !db.Stats().Full || db.Stats().FreeBytes != int64(low) {
			t.Errorf("full: %+v", db.Stats())
		}
		expect("essential set", setting("e"), true)
	}
	expect("deletion", deleting("a"), true)
	expect("deletion beside an essential set", both(deleting("b"), setting("e2")), true)
	if has(t, db, "a") || has(t, db, "b") || !has(t, db, "e2") {
		t.Error("what passed is not there")
	}
	free.Store(249)
	expect("deletion below the floor", deleting("c"), false)
	expect("essential set below the floor", setting("e"), false)
	free.Store(1000)
	expect("set", setting("x"), true)
}

// A request that finds no room in its group goes first into the next one,
// with what it queued; what it did meanwhile is put right.
func TestGroupOverflow(t *testing.T) {
	db, log := openGated(t, Options{})
	first := start(db, setting("first"))
	log.expect(t, "write")
	var undone, published, runs atomic.Int64
	ran := make(chan bool, 100)
	var all []<-chan error
	for i := range 3 {
		all = append(all, start(db, func(tx kv.Txn) error {
			runs.Add(1)
			tx.After(func(tx kv.Txn) error {
				tx.Undone(func() { undone.Add(1) })
				tx.Published(func() { published.Add(1) })
				defer func() { ran <- true }()
				return tx.Set(fmt.Appendf(nil, "after%d", i), make([]byte, 1<<20))
			})
			return tx.Set(fmt.Appendf(nil, "big%d", i), make([]byte, 1900<<10))
		}))
	}
	<-ran
	for range 10 {
		log.writes <- nil
		log.syncs <- nil
	}
	for _, done := range append(all, first) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for i := range 3 {
		if !has(t, db, fmt.Sprint("big", i)) || !has(t, db, fmt.Sprint("after", i)) {
			t.Errorf("request %d is lost", i)
		}
	}
	if published.Load() != 3 || undone.Load() != runs.Load()-3 {
		t.Errorf("%d runs, %d undone, %d published", runs.Load(), undone.Load(), published.Load())
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// Eight MiB each, all at once: no group grows past what Badger takes.
func TestLargeTransactionsTogether(t *testing.T) {
	db := open(t, Options{Dir: t.TempDir(), Durability: None})
	defer db.Close()
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			err := db.Update(background, func(tx kv.Txn) error {
				if err := tx.Set(fmt.Appendf(nil, "value%d", i), make([]byte, 4<<20)); err != nil {
					return err
				}
				for n := range 40_000 {
					if err := tx.Set(fmt.Appendf(nil, "k%d/%05d", i, n), make([]byte, 80)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	n := 0
	err := db.View(background, func(r kv.Reader) error {
		return r.Scan(kv.Range{KeysOnly: true}, func(_, _ []byte) bool { n++; return true })
	})
	if err != nil || n != 6*40_001 {
		t.Errorf("%d records, %v", n, err)
	}
}

func TestWritesPerTransaction(t *testing.T) {
	db := open(t, Options{InMemory: true, MaxTxnWrites: 10})
	defer db.Close()
	fill := func(n int) error {
		return db.Update(background, func(tx kv.Txn) error {
			for i := range 3 * n {
				if err := tx.Set(fmt.Append(nil, i%n), []byte("1")); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := fill(10); err != nil {
		t.Error(err)
	}
	if err := fill(11); !errors.Is(err, kv.ErrTooBig) {
		t.Errorf("11 records: %v", err)
	}
}

// A snapshot that is read keeps its versions; when it is gone they may go.
func TestEpochs(t *testing.T) {
	s := newEpochs(5)
	a, _ := s.acquire()
	b, _ := s.acquire()
	if a != b || a.ts != 5 {
		t.Errorf("epochs %v, %v", a, b)
	}
	if got := s.publish(6); got != 5 {
		t.Errorf("oldest is %d, want 5", got)
	}
	c, _ := s.acquire()
	s.release(a)
	if got := s.publish(7); got != 5 {
		t.Errorf("oldest is %d, want 5", got)
	}
	s.release(b)
	if got := s.publish(8); got != 6 {
		t.Errorf("oldest is %d, want 6", got)
	}
	s.close(kv.ErrClosed)
	select {
	case <-s.idle:
		t.Error("idle with a reader")
	default:
	}
	s.release(c)
	<-s.idle
	if _, err := s.acquire(); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("acquire: %v", err)
	}
}

func TestDurabilityNames(t *testing.T) {
	for _, d := range []Durability{Always, Interval, None} {
		if got, err := ParseDurability(d.String()); got != d || err != nil {
			t.Errorf("%v parses as %v, %v", d, got, err)
		}
	}
	if _, err := ParseDurability("Always"); err == nil {
		t.Error("Always parses")
	}
}

func TestNow(t *testing.T) {
	at := time.Unix(42, 0)
	db := open(t, Options{InMemory: true, Clock: func() time.Time { return at }})
	defer db.Close()
	if got, err := db.Now(context.Background()); got != at || err != nil {
		t.Errorf("now is %v, %v", got, err)
	}
}
