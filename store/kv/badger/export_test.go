package badger_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/kv/powerloss"
)

func openAt(t *testing.T, o badger.Options) *badger.DB {
	t.Helper()
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func setOne(t *testing.T, db kv.DB, key, value string) {
	t.Helper()
	err := db.Update(context.Background(), func(tx kv.Txn) error { return tx.Set([]byte(key), []byte(value)) })
	if err != nil {
		t.Fatal(err)
	}
}

// What a backup has seen, a power loss must not take back: the next increment
// would miss what is written under the same stamps.
func TestExportOutlivesPowerLoss(t *testing.T) {
	disk := powerloss.NewDisk()
	db := openAt(t, badger.Options{InMemory: true, Durability: badger.None, WrapLog: disk.Wrap})
	setOne(t, db, "a", "1")
	err := db.Export(context.Background(), func(kv.Export) error { disk.Cut(); return nil })
	if err != nil {
		t.Fatal(err)
	}
	_ = db.Close() // cannot sync
	after := openAt(t, badger.Options{InMemory: true})
	defer after.Close()
	if err := disk.Restore(context.Background(), after); err != nil {
		t.Fatal(err)
	}
	err = after.View(context.Background(), func(r kv.Reader) error {
		_, err := r.Get(nil, []byte("a"))
		return err
	})
	if err != nil {
		t.Errorf("the record is gone: %v", err)
	}
}

// Stamps go on behind those of the last process.
func TestExportStampsRiseAcrossStarts(t *testing.T) {
	dir := t.TempDir()
	var last uint64
	for i := range 3 {
		db := openAt(t, badger.Options{Dir: dir})
		setOne(t, db, fmt.Sprint(i), "x")
		err := db.Export(context.Background(), func(x kv.Export) error {
			if x.Stamp() <= last {
				t.Errorf("stamp %d follows %d", x.Stamp(), last)
			}
			last = x.Stamp()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A damaged table is an error and not a backup with less in it.
func TestExportRefusesDamage(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, badger.Options{Dir: dir})
	err := db.Update(context.Background(), func(tx kv.Txn) error {
		for i := range 10_000 {
			if err := tx.Set(fmt.Appendf(nil, "key%05d", i), fmt.Appendf(nil, "value%d", i*i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil { // makes a table of the records
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("tables: %v, %v", tables, err)
	}
	text, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	text[5000] ^= 0x40
	if err := os.WriteFile(tables[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, badger.Options{Dir: dir})
	defer db.Close()
	if err := db.Export(context.Background(), func(kv.Export) error { t.Error("it ran"); return nil }); err == nil {
		t.Error("a flipped byte was not found")
	}
}
