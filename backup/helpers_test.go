package backup_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"keypact/backup"
	"keypact/encoding"
	"keypact/store"
	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/storetest"
)

var background = context.Background()

// noon is when all stores live, in ms since the epoch.
const noon = 1_800_000_000_000

func now() time.Time { return time.UnixMilli(noon) }

// failer is what helpers need of *testing.T and *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// openMemory opens an engine with small tables, so that restores have to split
// what they write. The caller closes it.
func openMemory(t failer) *badger.DB {
	t.Helper()
	db, err := badger.Open(badger.Options{
		InMemory: true, MemTableBytes: 8 << 20, MaxTxnBytes: 1 << 20, MaxTxnWrites: 5000, Clock: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// newEngine is an engine with format and instance id, closed with the test.
func newEngine(t *testing.T) *badger.DB {
	t.Helper()
	db := openMemory(t)
	t.Cleanup(func() { _ = db.Close() })
	if err := store.Identify(background, db); err != nil {
		t.Fatal(err)
	}
	return db
}

// change sets, or with an empty value deletes, records of a family that the
// store does not look into.
func change(t failer, db kv.DB, pairs map[string]string) {
	t.Helper()
	err := db.Update(background, func(tx kv.Txn) error {
		for key, value := range pairs {
			var err error
			if value == "" {
				err = tx.Delete([]byte(key))
			} else {
				err = tx.Set([]byte(key), []byte(value))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// written is one backup.
type written struct {
	file   []byte
	header backup.Header
	end    backup.Trailer
}

func write(t failer, db kv.Exporter, since backup.Point) written {
	t.Helper()
	var file bytes.Buffer
	h, end, err := backup.Write(background, &file, db, since, now())
	if err != nil {
		t.Fatal(err)
	}
	return written{file.Bytes(), h, end}
}

// sources names files by their position.
func sources(files ...[]byte) (list []backup.Source) {
	for i, file := range files {
		list = append(list, backup.Source{Name: fmt.Sprintf("file %d", i), Reader: bytes.NewReader(file)})
	}
	return list
}

// restoreInto fills a new engine; the caller closes it.
func restoreInto(t failer, files ...[]byte) (*badger.DB, error) {
	t.Helper()
	db := openMemory(t)
	_, _, err := backup.Restore(background, db, sources(files...))
	return db, err
}

// restored is what an engine made of files holds.
func restored(t failer, files ...[]byte) map[string]string {
	t.Helper()
	db, err := restoreInto(t, files...)
	defer func() { _ = db.Close() }()
	if err != nil {
		t.Fatal(err)
	}
	return dump(t, db)
}

func dump(t failer, db kv.DB) (all map[string]string) {
	t.Helper()
	err := db.View(background, func(r kv.Reader) (err error) {
		all, err = storetest.Dump(r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// instance is the instance id that an engine holds.
func instance(t failer, db kv.DB) (id uint64) {
	t.Helper()
	err := db.View(background, func(r kv.Reader) error {
		raw, err := r.Get(nil, encoding.InstanceKey())
		if err == nil {
			id, err = encoding.ParseSequence(raw)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}
