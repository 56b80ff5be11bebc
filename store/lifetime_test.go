package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

func TestExpiredKeysLeaveTheDisk(t *testing.T) {
	clock := newClock()
	db := openDB(t, badger.Options{Clock: clock.now})
	s := openStore(t, db, "")
	for i := range 600 {
		must(t, s, hset("k", fmt.Sprint(i), "v"))
	}
	must(t, s, expireAt("k", clock.ms.Load()+1000))
	must(t, s, hset("stays", "f", "v"))
	must(t, s, expireAt("stays", clock.ms.Load()+1000))
	must(t, s, expireAt("stays", 0))
	clock.step(999 * time.Millisecond)
	if n := count(t, s, "k"); n != 600 {
		t.Errorf("%d fields just before the time", n)
	}
	clock.step(time.Millisecond)
	if n := count(t, s, "k"); n != -1 {
		t.Errorf("%d fields at the time", n)
	}
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, db); left[encoding.FamilyMeta] != 1 || left[encoding.FamilyMember] != 1 || len(left) != 2 {
		t.Errorf("records left: %v", left)
	}
	if n, _ := s.Keys(context.Background()); n != 1 {
		t.Errorf("%d keys counted", n)
	}
}

func TestAStepBackOfTheClockResurrectsNothing(t *testing.T) {
	clock := newClock()
	dir := t.TempDir()
	open := func() (*badger.DB, *Store) {
		db := openDB(t, badger.Options{Dir: dir, Clock: clock.now})
		return db, openStore(t, db, "")
	}
	db, s := open()
	must(t, s, hset("k", "f", "v"))
	must(t, s, expireAt("k", clock.ms.Load()+1000))
	clock.step(2 * time.Second)
	must(t, s, hset("other", "f", "v")) // acknowledged at a time when k is gone
	clock.step(-time.Hour)
	if n := count(t, s, "k"); n != -1 {
		t.Errorf("back before a restart: %d fields", n)
	}
	s.Close()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, s = open()
	if n := count(t, s, "k"); n != -1 {
		t.Errorf("back after a restart: %d fields", n)
	}
	must(t, s, hset("k", "new", "v"))
	if n := count(t, s, "k"); n != 1 {
		t.Errorf("the new key shows %d fields", n)
	}
	clock.step(2 * time.Hour)
	if n := count(t, s, "k"); n != 1 {
		t.Errorf("the new key inherited a lifetime: %d fields", n)
	}
}

func TestDeletedDataIsReclaimedInSteps(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	for i := range 2*busyStep + 10 {
		must(t, s, hset("k", fmt.Sprint(i), "v"))
	}
	must(t, s, del("k"))
	must(t, s, hset("k", "again", "v"))
	round := s.sweeper.marks.begin(0, 0)
	for want := 2*busyStep + 10; want > 0; want -= busyStep {
		if left := dump(t, db)[encoding.FamilyMember]; left != want+1 {
			t.Fatalf("%d members left, want %d", left, want+1)
		}
		if _, err := s.reclaimStep(context.Background(), round, busyStep); err != nil {
			t.Fatal(err)
		}
	}
	if left := dump(t, db); left[encoding.FamilyMember] != 1 || left[encoding.FamilyReclaim] != 0 {
		t.Errorf("records left: %v", left)
	}
	if n := count(t, s, "k"); n != 1 {
		t.Errorf("%d fields of the new key", n)
	}
}

func TestVersionsNeverRepeat(t *testing.T) {
	dir := t.TempDir()
	seen := make(map[uint64]bool)
	for range 3 {
		db := openDB(t, badger.Options{Dir: dir})
		s := openStore(t, db, "")
		for range 5 {
			v := must(t, s, hset("k", "f", "v")).Revision.Version
			if seen[v] {
				t.Fatalf("version %d came twice", v)
			}
			seen[v] = true
			must(t, s, del("k"))
			one(t, s, act{[]Call{call("HSET", "k")}, func(tx *Tx) (any, error) {
				hset("k", "f", "v").Apply(tx)
				return nil, errors.New("undone")
			}})
		}
		s.Close()
		db.Close()
	}
}

func TestAForeignOrNewerDirectoryIsRefused(t *testing.T) {
	for name, record := range map[string][2][]byte{
		"newer":   {encoding.FormatKey(), encoding.AppendFormat(nil, encoding.Format+1)},
		"foreign": {[]byte("something"), []byte("else")},
	} {
		db := openDB(t, badger.Options{})
		if err := db.Update(context.Background(), func(w kv.Txn) error { return w.Set(record[0], record[1]) }); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(context.Background(), db, Options{}); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: error %v, want ErrFormat", name, err)
		}
	}
}

func TestTheStoreOutlivesTheContextItWasOpenedWith(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Open(ctx, openDB(t, badger.Options{}), Options{Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	cancel()
	must(t, s, hset("k", "f", "v"))
	if n := count(t, s, "k"); n != 1 {
		t.Errorf("%d fields, want 1", n)
	}
}
