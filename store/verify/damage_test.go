package verify_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/verify"
)

// TestDamagedTable flips bytes all over a table of many blocks. Each time the
// store either cannot be opened, which says damaged, or the checksum is found
// to be wrong; nothing is mended, whatever else does not fit.
func TestDamagedTable(t *testing.T) {
	dir := t.TempDir()
	records := bare()
	for i := range 500 {
		grow(records, i, 500)
	}
	records[string(encoding.AppendCounterKey(nil, 1, 0))] = string(encoding.AppendCounter(nil, 1000))
	fill(t, dir, records)
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	whole, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	if report, err := reopened(t, dir); err != nil || !report.Clean || report.Keys.Total != 1000 {
		t.Fatalf("a sound store: %+v, %v", report, err)
	}
	opened := 0
	for part := range 16 {
		damaged := append([]byte{}, whole...)
		damaged[part*len(whole)/16+7] ^= 0x20
		if err := os.WriteFile(tables[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := reopened(t, dir)
		switch {
		case errors.Is(err, kv.ErrDamaged):
		case err != nil:
			t.Errorf("part %d: %v", part, err)
		case report.Clean || report.Faults[0].Code != verify.CodeChecksum || len(report.Repaired) > 0:
			t.Errorf("part %d: %v, mended %v", part, report.Faults, report.Repaired)
		default:
			opened++
		}
	}
	if opened < 4 {
		t.Errorf("only %d damaged tables could be opened", opened)
	}
}

func fill(t *testing.T, dir string, records map[string]string) {
	t.Helper()
	db, err := badger.Open(badger.Options{Dir: dir, MinFreeBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(tx kv.Txn) (err error) {
		for key, value := range records {
			err = errors.Join(err, tx.Set([]byte(key), []byte(value)))
		}
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// reopened opens a store and repairs it.
func reopened(t *testing.T, dir string) (report *verify.Report, err error) {
	t.Helper()
	db, err := badger.Open(badger.Options{Dir: dir, MinFreeBytes: -1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if report, err = verify.Repair(t.Context(), db, verify.Options{Now: noon}); err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	return report, nil
}
