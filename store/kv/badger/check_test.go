package badger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"keypact/store/kv"
	"keypact/store/kv/kvtest"
)

func TestCheckSuite(t *testing.T) {
	for name, options := range places {
		t.Run(name, func(t *testing.T) {
			kvtest.RunCheck(t, func(t *testing.T) kvtest.Checking { return open(t, options(t)) })
		})
	}
}

// crashed is a copy of a store as a killed process leaves it: five groups in
// the log of a memtable. It returns the log and where the written part ends.
func crashed(t *testing.T) (dir, log string, end int) {
	t.Helper()
	from := t.TempDir()
	db := open(t, Options{Dir: from, MemTableBytes: 1 << 20, MaxTxnBytes: 64 << 10, MaxTxnWrites: 500})
	defer db.Close()
	for i := range 5 {
		err := db.Update(background, func(tx kv.Txn) error {
			return errors.Join(tx.Set(fmt.Appendf(nil, "a%d", i), []byte("value")), tx.Set(fmt.Appendf(nil, "b%d", i), []byte("value")))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*"+memtableExt))
	if err != nil || len(logs) != 1 {
		t.Fatalf("logs %v, %v", logs, err)
	}
	content, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	return dir, logs[0], len(bytes.TrimRight(content, "\x00"))
}

// TestCheckLogs: a log that ends early is one whose last write did not end,
// wherever that is; a byte that changed before the last end mark is damage.
func TestCheckLogs(t *testing.T) {
	dir, log, end := crashed(t)
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	whole = whole[:end+100]
	for at := logHead; at < end; at++ {
		cut := bytes.Clone(whole)
		clear(cut[at:])
		if _, damaged := damagedIn(cut); damaged {
			t.Errorf("ended at byte %d: it says damaged", at)
		}
	}
	last := bytes.LastIndex(whole, []byte(finKey)) - finHeader
	for at := logHead; at < last; at++ {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 0x10
		if found, damaged := damagedIn(flipped); !damaged || found > at {
			t.Errorf("byte %d flipped: found at %d: %v", at, found, damaged)
		}
	}
	if err := CheckLogs(dir); err != nil {
		t.Errorf("a sound log: %v", err)
	}
	flip(t, log, last-1)
	if err := CheckLogs(dir); !errors.Is(err, kv.ErrDamaged) {
		t.Errorf("a damaged log: %v", err)
	}
}
