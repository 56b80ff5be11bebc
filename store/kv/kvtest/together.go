package kvtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"keypact/store/kv"
)

func testSnapshotStays(t *testing.T, db kv.DB) {
	put(t, db, "a=1", "b=1")
	view(t, db, func(r kv.Reader) error {
		for i := range 20 {
			put(t, db, fmt.Sprintf("a=%d", i), "b=", fmt.Sprintf("c%d=1", i), "b=2")
			if got, err := dump(r, kv.Range{}); err != nil || got != "a=1 b=1" {
				t.Fatalf("the view changed to %q, %v", got, err)
			}
			if got := get(r, "a") + get(r, "b") + get(r, "c0"); got != "11" {
				t.Fatalf("the view changed: gets give %q", got)
			}
		}
		var seen []string
		err := r.Scan(kv.Range{Reverse: true}, func(key, _ []byte) bool {
			put(t, db, "a=", "b=", "aa=1")
			seen = append(seen, string(key))
			return true
		})
		if err != nil || fmt.Sprint(seen) != "[b a]" {
			t.Errorf("writes beside a scan changed it: %v, %v", seen, err)
		}
		return nil
	})
}

func testViewBesideTxn(t *testing.T, db kv.DB) {
	put(t, db, "a=1")
	update(t, db, func(tx kv.Txn) error {
		if err := set(tx, "a=2"); err != nil {
			return err
		}
		view(t, db, func(r kv.Reader) error {
			if got := get(r, "a"); got != "1" {
				t.Errorf("a view saw %q of a transaction that still runs", got)
			}
			return nil
		})
		return nil
	})
	holds(t, db, "a=2")
}

// testExactCounters: 50 goroutines count up shared records, and each sees its
// own result. Every other transaction fails and must not count.
func testExactCounters(t *testing.T, db kv.DB) {
	const writers, rounds = 50, 20
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range rounds {
				key := fmt.Appendf(nil, "counter%d", i%3)
				err := db.Update(context.Background(), func(tx kv.Txn) error {
					if err := add(tx, key, 1); err != nil {
						return err
					}
					if (w+i)%2 == 0 {
						return errUndone
					}
					return nil
				})
				if err != nil && !errors.Is(err, errUndone) {
					t.Errorf("update: %v", err)
				}
			}
		})
	}
	group.Wait()
	total := 0
	view(t, db, func(r kv.Reader) error {
		return r.Scan(kv.Range{}, func(_, value []byte) bool {
			n, _ := strconv.Atoi(string(value))
			total += n
			return true
		})
	})
	if total != writers*rounds/2 {
		t.Errorf("counters add up to %d, want %d", total, writers*rounds/2)
	}
}

// add adds n to a decimal counter.
func add(tx kv.Txn, key []byte, n int) error {
	value, err := tx.Get(nil, key)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	have := 0
	if len(value) > 0 {
		if have, err = strconv.Atoi(string(value)); err != nil {
			return err
		}
	}
	return tx.Set(key, strconv.AppendInt(nil, int64(have+n), 10))
}

// testSumsStayWhole moves amounts between accounts; every scan, in views and
// in transactions, over stored, flying and pending records, sees the same sum.
func testSumsStayWhole(t *testing.T, db kv.DB) {
	const accounts, amount, movers, rounds = 10, 100, 8, 40
	account := func(i int) []byte { return fmt.Appendf(nil, "account%d", i%accounts) }
	update(t, db, func(tx kv.Txn) error {
		for i := range accounts {
			if err := add(tx, account(i), amount); err != nil {
				return err
			}
		}
		return nil
	})
	sum := func(r kv.Reader, reverse bool) {
		total := 0
		err := r.Scan(kv.Range{Reverse: reverse}, func(_, value []byte) bool {
			n, _ := strconv.Atoi(string(value))
			total += n
			return true
		})
		if err != nil || total != accounts*amount {
			t.Errorf("a scan sees %d in all accounts, %v", total, err)
		}
	}
	var group sync.WaitGroup
	for m := range movers {
		group.Go(func() {
			for i := range rounds {
				update(t, db, func(tx kv.Txn) error {
					sum(tx, i%2 == 0)
					if err := add(tx, account(m+i), -(m + 1)); err != nil {
						return err
					}
					return add(tx, account(m*i+1), m+1)
				})
				view(t, db, func(r kv.Reader) error { sum(r, i%2 == 1); return nil })
			}
		})
	}
	group.Wait()
}
