package badger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"keypact/store/kv"
)

// A group that takes several Badger transactions.
func largeGroup(generation int) []Record {
	var group []Record
	for i := range 3000 {
		group = append(group, Record{Key: fmt.Appendf(nil, "k%05d", i), Value: bytes.Repeat([]byte{byte(generation), byte(i)}, 500)})
	}
	return append(group, Record{Key: []byte("long"), Value: bytes.Repeat([]byte{byte(generation)}, 3<<20)}, Record{Key: []byte("gone")})
}

func holdsGroup(t *testing.T, db *DB, generation int) {
	t.Helper()
	err := db.View(background, func(r kv.Reader) error {
		for _, want := range largeGroup(generation) {
			got, err := r.Get(nil, want.Key)
			if want.Value == nil && errors.Is(err, kv.ErrNotFound) {
				continue
			}
			if err != nil || !bytes.Equal(got, want.Value) {
				return fmt.Errorf("record %s: %d bytes, %w", want.Key, len(got), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestLargeTransaction(t *testing.T) {
	for name, options := range places {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			o.MemTableBytes = 4 << 20
			db := open(t, o)
			defer db.Close()
			put(t, db, "gone", []byte("1"))
			for generation := range 2 {
				err := db.Update(background, func(tx kv.Txn) error {
					for _, r := range largeGroup(generation) {
						if r.Value == nil {
							if err := tx.Delete(r.Key); err != nil {
								return err
							}
						} else if err := tx.Set(r.Key, r.Value); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				holdsGroup(t, db, generation)
			}
			if o.Dir != "" && fileExists(filepath.Join(o.Dir, redoName)) {
				t.Error("the redo file is left")
			}
		})
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A process may end before, between and behind the transactions of a large
// group: it is whole afterwards, or not there at all.
func TestRedo(t *testing.T) {
	whole := func(t *testing.T, f redoFile, ts uint64) {
		if err := f.save(ts, largeGroup(1)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name    string
		leave   func(t *testing.T, db *DB, f redoFile)
		want    int // generation
		newer   bool
		applied bool
	}{
		{name: "cut off before the file is whole", leave: func(t *testing.T, db *DB, f redoFile) {
			whole(t, f, db.ts+1)
			info, err := os.Stat(f.path())
			if err == nil {
				err = os.Truncate(f.path(), info.Size()/2)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, want: 0},
		{name: "cut off before the first transaction", leave: func(t *testing.T, db *DB, f redoFile) { whole(t, f, db.ts+1) }, want: 1},
		{name: "cut off between two", leave: func(t *testing.T, db *DB, f redoFile) {
			whole(t, f, db.ts+1)
			if _, err := db.inner.apply(db.ts+1, largeGroup(1)[:1000]); err != nil {
				t.Fatal(err)
			}
		}, want: 1},
		{name: "cut off behind the last", leave: func(t *testing.T, db *DB, f redoFile) {
			whole(t, f, db.ts+1)
			if _, err := db.inner.apply(db.ts+1, largeGroup(1)); err != nil {
				t.Fatal(err)
			}
		}, want: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := Options{Dir: t.TempDir(), MemTableBytes: 4 << 20}
			db := open(t, o)
			ts := db.ts + 1
			if err := db.inner.Write(ts, largeGroup(0)); err != nil {
				t.Fatal(err)
			}
			db.ts = ts
			db.epochs.publish(ts)
			test.leave(t, db, db.inner.redo)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = open(t, o)
			defer db.Close()
			holdsGroup(t, db, test.want)
			if fileExists(db.inner.redo.path()) {
				t.Error("the redo file is left")
			}
			put(t, db, "after", []byte("1"))
		})
	}
}

// The memtable's log of a larger setting is read back whole.
func TestSmallerMemtableThanBefore(t *testing.T) {
	dir := t.TempDir()
	db := open(t, Options{Dir: dir, MemTableBytes: 32 << 20})
	for i := range 20 {
		put(t, db, fmt.Sprint("k", i), bytes.Repeat([]byte{byte(i)}, 1<<20))
	}
	// What a killed process leaves is its log as it was.
	killed := t.TempDir()
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, Options{Dir: killed, MemTableBytes: 4 << 20})
	defer db.Close()
	if db.options.MemTableBytes != 32<<20 {
		t.Errorf("memtables of %d bytes", db.options.MemTableBytes)
	}
	for i := range 20 {
		if !has(t, db, fmt.Sprint("k", i)) {
			t.Errorf("record %d is lost", i)
		}
	}
}

func FuzzRedo(f *testing.F) {
	dir := f.TempDir()
	file := redoFile{dir: dir, sync: syncFile}
	if err := file.save(7, []Record{{Key: []byte("a"), Value: []byte("1")}, {Key: []byte("b")}}); err != nil {
		f.Fatal(err)
	}
	seed, err := os.ReadFile(file.path())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(seed[:len(seed)-1])
	f.Fuzz(func(t *testing.T, data []byte) {
		_, group, ok := parseRedo(data)
		if ok != (len(group) > 0) {
			t.Errorf("%d records, whole: %v", len(group), ok)
		}
		if ok && !bytes.HasPrefix(data, []byte(redoMagic)) {
			t.Error("a file of another kind is taken")
		}
	})
}
