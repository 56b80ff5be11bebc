package powerloss_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/kv/powerloss"
)

// eager answers a sync at once and makes up for it before the next write: it
// is an engine that answers early.
type eager struct{ badger.Log }

func (e eager) Sync() error { return nil }

func (e eager) Write(ts uint64, group []badger.Record) error {
	if err := e.Log.Sync(); err != nil {
		return err
	}
	return e.Log.Write(ts, group)
}

func TestPowerLoss(t *testing.T) {
	for _, test := range []struct {
		name       string
		durability badger.Durability
		early      bool
		loses      bool
	}{
		{"always", badger.Always, false, false},
		{"interval", badger.Interval, false, true},
		{"none", badger.None, false, true},
		{"always, but answered early", badger.Always, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			lost := 0
			for cutAfter := 20; cutAfter <= 320; cutAfter += 100 {
				lost += lose(t, test.durability, test.early, cutAfter)
			}
			if loses := lost > 0; loses != test.loses {
				t.Errorf("%d answered transactions are lost; loss expected: %v", lost, test.loses)
			}
		})
	}
}

// lose runs concurrent writers, cuts the power after so many answers, and
// counts the answered transactions that are gone.
func lose(t *testing.T, durability badger.Durability, early bool, cutAfter int) (lost int) {
	t.Helper()
	disk, fatal := powerloss.NewDisk(), make(chan error, 2)
	db, err := badger.Open(badger.Options{
		InMemory: true, Durability: durability, SyncInterval: time.Hour,
		OnFatal: func(err error) { fatal <- err },
		WrapLog: func(log badger.Log) badger.Log {
			log = disk.Wrap(log)
			if early {
				log = eager{log}
			}
			return log
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	answered := writeUntilCut(t, db, disk, cutAfter)
	if err := <-fatal; !errors.Is(err, powerloss.ErrCut) {
		t.Errorf("fatal error: %v", err)
	}
	if err := db.Close(); !errors.Is(err, powerloss.ErrCut) {
		t.Errorf("close: %v", err)
	}
	return survey(t, disk, answered)
}

// writeUntilCut runs eight writers and returns how many transactions each had
// answered. The power goes after cutAfter answers.
func writeUntilCut(t *testing.T, db kv.DB, disk *powerloss.Disk, cutAfter int) []int {
	answered := make([]int, 8)
	var total atomic.Int64
	var group sync.WaitGroup
	for w := range answered {
		group.Go(func() {
			for n := 1; ; n++ {
				if err := write(db, w, n); err != nil {
					if !errors.Is(err, kv.ErrClosed) {
						t.Errorf("after the power loss: %v", err)
					}
					return
				}
				answered[w] = n
				if total.Add(1) == int64(cutAfter) {
					disk.Cut()
				}
			}
		})
	}
	group.Wait()
	return answered
}

// write adds record n of writer w and raises its count, in one transaction.
func write(db kv.DB, w, n int) error {
	return db.Update(context.Background(), func(tx kv.Txn) error {
		count := []byte(strconv.Itoa(n))
		if err := tx.Set(fmt.Appendf(nil, "record/%d/%06d", w, n), count); err != nil {
			return err
		}
		if n%3 == 0 {
			if err := tx.Delete(fmt.Appendf(nil, "last/%d/%06d", w, n-3)); err != nil {
				return err
			}
			if err := tx.Set(fmt.Appendf(nil, "last/%d/%06d", w, n), count); err != nil {
				return err
			}
		}
		return tx.Set(fmt.Appendf(nil, "count/%d", w), count)
	})
}

// survey opens what survived: it must be whole transactions, none missing in
// between. It returns how many answered ones are missing at the end.
func survey(t *testing.T, disk *powerloss.Disk, answered []int) (lost int) {
	t.Helper()
	db, err := badger.Open(badger.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := disk.Restore(context.Background(), db); err != nil {
		t.Fatal(err)
	}
	err = db.View(context.Background(), func(r kv.Reader) error {
		for w, want := range answered {
			got := 0
			if v, err := r.Get(nil, fmt.Appendf(nil, "count/%d", w)); err == nil {
				got, _ = strconv.Atoi(string(v))
			}
			lost += max(0, want-got)
			checkWhole(t, r, w, got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lost
}

// checkWhole checks that writer w's records are those of its first n transactions.
func checkWhole(t *testing.T, r kv.Reader, w, n int) {
	t.Helper()
	records, last := 0, ""
	scan := func(prefix string, visit func(key, value []byte) bool) {
		lower, upper := fmt.Appendf(nil, "%s/%d/", prefix, w), fmt.Appendf(nil, "%s/%d0", prefix, w)
		if err := r.Scan(kv.Range{Lower: lower, Upper: upper}, visit); err != nil {
			t.Error(err)
		}
	}
	scan("record", func(key, value []byte) bool {
		records++
		return string(value) == strconv.Itoa(records)
	})
	if records != n {
		t.Errorf("writer %d counts %d transactions and has the first %d records", w, n, records)
	}
	scan("last", func(_, value []byte) bool { last += string(value); return true })
	if want := strconv.Itoa(n / 3 * 3); n >= 3 && last != want {
		t.Errorf("writer %d at %d keeps %q, want %q", w, n, last, want)
	}
}
