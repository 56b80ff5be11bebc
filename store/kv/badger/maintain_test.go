package badger

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"keypact/store/kv"
)

// smallTables make a few megabytes a store of several levels.
func smallTables(t *testing.T) Options {
	return Options{Dir: t.TempDir(), Durability: None, MemTableBytes: 3 << 20, TableBytes: 256 << 10, Maintenance: -1,
		MaxTxnBytes: 256 << 10, MaxTxnWrites: 1000, baseLevelBytes: 1 << 20}
}

// storeNumbers writes records of 1 KiB, numbered; deleteNumbers deletes them.
func storeNumbers(t *testing.T, db *DB, from, to int) {
	t.Helper()
	random := rand.NewChaCha8([32]byte{1})
	value := make([]byte, 1<<10)
	each(t, db, from, to, func(tx kv.Txn, key []byte) error {
		_, _ = random.Read(value)
		return tx.Set(key, value)
	})
}

func deleteNumbers(t *testing.T, db *DB, from, to int) {
	t.Helper()
	each(t, db, from, to, func(tx kv.Txn, key []byte) error { return tx.Delete(key) })
}

func each(t *testing.T, db *DB, from, to int, do func(tx kv.Txn, key []byte) error) {
	t.Helper()
	for ; from < to; from += 200 {
		err := db.Update(background, func(tx kv.Txn) error {
			for i := from; i < min(from+200, to); i++ {
				if err := do(tx, numberKey(i)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

const numbers = 20_000

// numberKey is the key of the record stored as number i, in no order of i.
func numberKey(i int) []byte { return fmt.Appendf(nil, "number%06d", i*7919%numbers) }

func TestMaintenanceGivesSpaceBack(t *testing.T) {
	o := smallTables(t)
	rounds := make(chan Round, 1000)
	o.OnRound = func(r Round) { rounds <- r }
	o.Maintenance = 5 * time.Millisecond
	db := open(t, o)
	defer db.Close()
	storeNumbers(t, db, 0, numbers)
	before := db.Stats().LSMBytes
	deleteNumbers(t, db, numbers/10, numbers)
	for db.Stats().LSMBytes > before/2 { // the last few megabytes are not worth a round
		select {
		case <-rounds:
		case <-time.After(time.Minute):
			t.Fatalf("%d bytes of %d are left: %+v", db.Stats().LSMBytes, before, db.Stats())
		}
	}
	s := db.Stats()
	if s.Rounds == 0 || s.Reclaimed == 0 || s.Round.Took == 0 || s.Round.Steps == 0 {
		t.Errorf("stats: %+v", s)
	}
	n := 0
	err := db.View(background, func(r kv.Reader) error {
		return r.Scan(kv.Range{KeysOnly: true}, func(_, _ []byte) bool { n++; return true })
	})
	if err != nil || n != numbers/10 {
		t.Errorf("%d records are left, %v", n, err)
	}
}

// Without anything deleted there is nothing to do, whatever else is written.
func TestMaintenanceRests(t *testing.T) {
	db := open(t, smallTables(t))
	defer db.Close()
	m := newMaintainer(db)
	for range 3 {
		storeNumbers(t, db, 0, numbers)
		if err := m.look(); err != nil {
			t.Fatal(err)
		}
	}
	if s := db.Stats(); s.Rounds != 0 {
		t.Errorf("stats: %+v", s)
	}
	deleteNumbers(t, db, 0, numbers)
	for _, want := range []int64{1, 1, 1} { // one round, and then rest
		if err := m.look(); err != nil {
			t.Fatal(err)
		}
		if s := db.Stats(); s.Rounds != want || !s.Round.Whole {
			t.Errorf("%d rounds, want %d: %+v", s.Rounds, want, s)
		}
	}
}

// Deletions of a former process are found by what they left in the tables.
func TestMaintenanceAfterReopen(t *testing.T) {
	o := smallTables(t)
	db := open(t, o)
	storeNumbers(t, db, 0, numbers/2)
	for i := 0; db.Stats().Stale == 0; i += 200 {
		if i >= 10*numbers {
			t.Fatalf("no deletion has reached the levels in between: %+v", db.Stats())
		}
		at := i % (numbers / 2)
		deleteNumbers(t, db, at, at+200)
		storeNumbers(t, db, numbers/2+at, numbers/2+at+200)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, o)
	defer db.Close()
	m := newMaintainer(db)
	if dead, total := m.dead(); dead == 0 || dead > total {
		t.Errorf("%d bytes of %d are dead", dead, total)
	}
	if err := m.round(); err != nil {
		t.Fatal(err)
	}
	if dead, _ := m.dead(); dead != 0 || db.Stats().Stale != 0 || !db.Stats().Round.Whole {
		t.Errorf("%d bytes are dead afterwards: %+v", dead, db.Stats())
	}
}

// A full disk is left alone.
func TestMaintenanceOnFullDisk(t *testing.T) {
	var free atomic.Uint64
	free.Store(math.MaxInt64)
	o := smallTables(t)
	o.MinFreeBytes, o.FreeBytes = 1000, func(string) (uint64, error) { return free.Load(), nil }
	db := open(t, o)
	defer db.Close()
	storeNumbers(t, db, 0, numbers)
	deleteNumbers(t, db, 0, numbers)
	m := newMaintainer(db)
	for _, test := range []struct {
		free   uint64
		rounds int64
	}{{249, 0}, {250, 1}} {
		free.Store(test.free)
		if err := m.look(); err != nil {
			t.Fatal(err)
		}
		if got := db.Stats().Rounds; got != test.rounds {
			t.Errorf("%d rounds with %d bytes free", got, test.free)
		}
	}
}

// Close ends a round between two steps, and nothing is lost by it.
func TestMaintenanceEndsAtClose(t *testing.T) {
	o := smallTables(t)
	var db *DB
	stepping, closed := make(chan bool, 1), make(chan error, 1)
	rounds := make(chan Round, 1)
	o.OnRound = func(r Round) { rounds <- r }
	db = open(t, o)
	storeNumbers(t, db, 0, numbers)
	deleteNumbers(t, db, 0, numbers/2)
	m := newMaintainer(db)
	rests := m.rests
	steps := 0
	m.rests = func(d time.Duration) bool {
		if db.step.Load() == nil {
			return rests(d) // not in Flatten yet
		}
		if steps++; steps == 1 {
			stepping <- true
			<-db.stop
		}
		return rests(d)
	}
	db.work.Go(func() {
		if err := m.round(); err != nil {
			t.Error(err)
		}
	})
	<-stepping
	go func() { closed <- db.Close() }()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if r := <-rounds; r.Whole || r.Steps != 0 {
		t.Errorf("round: %+v", r)
	}
	db = open(t, Options{Dir: o.Dir})
	defer db.Close()
	for _, i := range []int{0, numbers/2 - 1, numbers / 2, numbers - 1} {
		if got := has(t, db, string(numberKey(i))); got != (i >= numbers/2) {
			t.Errorf("record %d is there: %v", i, got)
		}
	}
}

// Writers and readers go on during rounds.
func TestMaintenanceBesideTraffic(t *testing.T) {
	o := smallTables(t)
	db := open(t, o)
	defer db.Close()
	storeNumbers(t, db, 0, numbers/2)
	deleteNumbers(t, db, 0, numbers/4)
	var stop atomic.Bool
	wrote := make(chan int)
	go func() {
		n := 0
		for ; !stop.Load(); n++ {
			key := fmt.Sprint("beside", n%100)
			put(t, db, key, bytes.Repeat([]byte("x"), 1000))
			if !has(t, db, key) {
				t.Errorf("%s is not there", key)
			}
		}
		wrote <- n
	}()
	m := newMaintainer(db)
	for range 3 {
		if err := m.round(); err != nil {
			t.Error(err)
		}
	}
	stop.Store(true)
	if n := <-wrote; n == 0 {
		t.Error("nothing was written meanwhile")
	}
}

// Deletions in the memtable are made a table although nobody writes.
func TestRotate(t *testing.T) {
	o := smallTables(t)
	o.Durability = Always
	db := open(t, o)
	defer db.Close()
	put(t, db, "a", []byte("1"))
	m := newMaintainer(db)
	first := db.files.newest()
	if err := m.rotate(); err != nil || db.files.newest() != first {
		t.Errorf("rotated without deletions: %v", err)
	}
	if err := db.Update(background, func(tx kv.Txn) error { return tx.Delete([]byte("a")) }); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second finds nothing to do
		if err := m.rotate(); err != nil || db.files.newest() != first+1 {
			t.Errorf("memtable %d after %d: %v", db.files.newest(), first, err)
		}
	}
	if fileExists(db.files.path(first)) || tableBytes(db.engine.Levels()) == 0 {
		t.Error("the memtable is no table")
	}
	put(t, db, "b", []byte("1"))
	if has(t, db, "a") || !has(t, db, "b") || partRecords(t, db) != 0 {
		t.Error("records are not as they were written")
	}
}
