package badger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"keypact/store/kv"
)

// covered notes the content of each log as of its last sync.
type covered struct {
	mu   sync.Mutex
	logs map[string][]byte
}

func (c *covered) sync(f *os.File) error {
	if err := syncFile(f); err != nil {
		return err
	}
	content, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<40))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logs[filepath.Base(f.Name())] = content
	return err
}

// check compares every log on disk with what was synced of it. A log that
// vanishes meanwhile has become a table.
func (c *covered) check(t *testing.T, dir string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	logs, err := filepath.Glob(filepath.Join(dir, "*"+memtableExt))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range logs {
		now, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || len(now) == 0 { // emptied just before it goes
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		if bytes.Equal(now, c.logs[name]) {
			continue
		}
		// A log may be emptied in the midst of the read.
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			t.Errorf("%s has records that no sync covered", name)
		}
	}
}

// Small memtables rotate often. Whenever everything is said to be durable, each
// log that still exists was synced in its present state, rotated ones included.
func TestSyncCoversRotatedLogs(t *testing.T) {
	for _, durability := range []Durability{Always, Interval} {
		t.Run(durability.String(), func(t *testing.T) {
			dir := t.TempDir()
			db := open(t, Options{Dir: dir, Durability: durability, SyncInterval: time.Hour,
				MemTableBytes: 1 << 20, MaxTxnBytes: 64 << 10, MaxTxnWrites: 500})
			defer db.Close()
			c := &covered{logs: map[string][]byte{}}
			db.files.file = c.sync
			for i := range 120 {
				put(t, db, fmt.Sprint("key", i), bytes.Repeat([]byte{byte(i)}, 60<<10))
				if durability == Always {
					c.check(t, dir)
				} else if i%40 == 39 {
					if err := db.sync(); err != nil {
						t.Fatal(err)
					}
					c.check(t, dir)
				}
			}
			if len(c.logs) < 3 {
				t.Errorf("only %d logs: no rotation was tried", len(c.logs))
			}
		})
	}
}

// What a killed process wrote is made durable before anyone can read it.
func TestOpenSyncsWhatWasLeft(t *testing.T) {
	dir, image := t.TempDir(), t.TempDir()
	db := open(t, Options{Dir: dir, Durability: None})
	put(t, db, "a", []byte("1"))
	// The directory as a killed process leaves it.
	if err := os.CopyFS(image, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, Options{Dir: image})
	defer db.Close()
	if len(db.files.open) != 1 || db.files.renewed {
		t.Errorf("after open, %d logs and the directory (%v) lack a sync", len(db.files.open)-1, db.files.renewed)
	}
	var got []byte
	err := db.View(background, func(r kv.Reader) (err error) { got, err = r.Get(nil, []byte("a")); return err })
	if err != nil || string(got) != "1" {
		t.Errorf("after a kill: %q, %v", got, err)
	}
}
