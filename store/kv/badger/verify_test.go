package badger

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"keypact/store/kv"
)

// A flipped byte in a table is found by Verify.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	db := open(t, Options{Dir: dir})
	for i := range 10 {
		err := db.Update(background, func(tx kv.Txn) error {
			for n := range 1000 {
				if err := tx.Set(fmt.Appendf(nil, "key%d%03d", i, n), fmt.Appendf(nil, "value%d", i*n*n)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil { // makes a table of the records
		t.Fatal(err)
	}
	db = open(t, Options{Dir: dir})
	if err := db.Verify(); err != nil {
		t.Errorf("sound tables: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("tables: %v, %v", tables, err)
	}
	flip(t, tables[0], 5000)
	db = open(t, Options{Dir: dir})
	defer db.Close()
	if err := db.Verify(); err == nil {
		t.Error("a flipped byte was not found")
	}
}

func flip(t *testing.T, path string, at int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[at] ^= 0x40
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
