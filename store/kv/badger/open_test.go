package badger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"keypact/store/kv"
)

var background = context.Background()

// put stores value under key.
func put(t testing.TB, db kv.DB, key string, value []byte) {
	t.Helper()
	err := db.Update(background, func(tx kv.Txn) error { return tx.Set([]byte(key), value) })
	if err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	foreign := t.TempDir()
	for _, path := range []string{file, filepath.Join(foreign, "holiday.jpg")} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	used := t.TempDir()
	defer open(t, Options{Dir: used}).Close()
	for _, test := range []struct {
		name    string
		options Options
		want    string
	}{
		{"nothing", Options{}, "give either a directory or InMemory"},
		{"both", Options{Dir: used, InMemory: true}, "give either a directory or InMemory"},
		{"a file", Options{Dir: file}, file + " is not a directory"},
		{"below a file", Options{Dir: filepath.Join(file, "data")}, "not a directory"},
		{"foreign content", Options{Dir: foreign}, foreign + " holds holiday.jpg and no store"},
		{"in use", Options{Dir: used}, "directory " + used + " is in use by another process"},
		{"small memtable", Options{Dir: t.TempDir(), MemTableBytes: 3 << 20}, "cannot take a record of 584320 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			db, err := Open(test.options)
			if err == nil {
				db.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %q, want %q in it", err, test.want)
			}
		})
	}
}

func TestOpenAcceptsLeftovers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"LOCK", "MANIFEST-REWRITE", ".probe-123"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "lost+found"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := open(t, Options{Dir: dir}).Close(); err != nil {
		t.Error(err)
	}
}

func TestReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "store")
	long := bytes.Repeat([]byte("long"), 1<<20)
	for round := range 4 {
		db := open(t, Options{Dir: dir})
		ts := db.ts
		put(t, db, "round", fmt.Append(nil, round))
		put(t, db, "long", long[:len(long)-round<<20])
		put(t, db, fmt.Sprint("kept", round), []byte("x"))
		if db.ts != ts+3 || ts < uint64(3*round) {
			t.Errorf("round %d: timestamps went from %d to %d", round, ts, db.ts)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db := open(t, Options{Dir: dir})
	defer db.Close()
	err := db.View(background, func(r kv.Reader) error {
		if v, err := r.Get(nil, []byte("long")); err != nil || !bytes.Equal(v, long[:1<<20]) {
			t.Errorf("long value: %d bytes, %v", len(v), err)
		}
		var keys []string
		err := r.Scan(kv.Range{KeysOnly: true}, func(key, _ []byte) bool {
			keys = append(keys, string(key))
			return true
		})
		if got := strings.Join(keys, " "); got != "kept0 kept1 kept2 kept3 long round" {
			t.Errorf("keys: %s", got)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if n := partRecords(t, db); n != 2 {
		t.Errorf("%d parts for a value of 1 MiB", n)
	}
}

// partRecords counts the parts of long values that the engine holds.
func partRecords(t *testing.T, db *DB) (n int) {
	t.Helper()
	e, err := db.epochs.acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer db.epochs.release(e)
	log := &engineLog{db: db.engine}
	if err := log.load(e.ts); err != nil {
		t.Fatal(err)
	}
	for _, parts := range log.parts {
		n += int(parts)
	}
	return n
}

func TestPartsWithoutOwnerGo(t *testing.T) {
	dir := t.TempDir()
	db := open(t, Options{Dir: dir})
	put(t, db, "long", make([]byte, 2<<20))
	// A process that dies behind the group that deletes the value leaves its parts.
	tx := db.engine.NewTransactionAt(db.ts+1, true)
	if err := tx.Delete([]byte("long")); err != nil {
		t.Fatal(err)
	}
	if err := tx.CommitAt(db.ts+1, nil); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, Options{Dir: dir})
	defer db.Close()
	reader := db.engine.NewTransactionAt(db.ts, false)
	defer reader.Discard()
	for i := range uint32(4) {
		if _, err := reader.Get(appendPartKey(nil, []byte("long"), i)); err == nil {
			t.Errorf("part %d is still there", i)
		}
	}
	put(t, db, "after", []byte("1"))
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		db := open(t, Options{Dir: t.TempDir(), Durability: Interval})
		put(t, db, "a", []byte("1"))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	deadline := time.After(10 * time.Second)
	for runtime.NumGoroutine() > before {
		select {
		case <-deadline:
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
		default:
			runtime.Gosched() // Badger's own end a little later
		}
	}
}

func TestReservedKeys(t *testing.T) {
	db := open(t, Options{InMemory: true})
	defer db.Close()
	for _, key := range []string{"\xff", "\xffabc", "!badger!x", strings.Repeat("k", maxKeyBytes+1)} {
		err := db.Update(background, func(tx kv.Txn) error { return tx.Set([]byte(key), []byte("v")) })
		if !errors.Is(err, kv.ErrInvalid) {
			t.Errorf("set %.10q: %v", key, err)
		}
	}
	put(t, db, strings.Repeat("k", maxKeyBytes), make([]byte, 1<<20))
	put(t, db, "!badger", []byte("v"))
	put(t, db, "\xfe\xff", []byte("v"))
}
