package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"keypact/backup"
)

// small is a full backup and an increment, each of a few hundred bytes.
func small(t *testing.T) (full, increment []byte) {
	t.Helper()
	db := newEngine(t)
	change(t, db, map[string]string{"\x30a": "1", "\x30b": "2", "\x30c": "3"})
	first := write(t, db, backup.Point{})
	change(t, db, map[string]string{"\x30b": "", "\x30d": "4"})
	return first.file, write(t, db, first.header.Point).file
}

// readAll restores files and checks the last; both must agree on whether it is
// whole.
func readAll(t *testing.T, files ...[]byte) error {
	t.Helper()
	_, _, checked := backup.Check(bytes.NewReader(files[len(files)-1]))
	db, err := restoreInto(t, files...)
	_ = db.Close()
	if (checked == nil) != (err == nil) {
		t.Fatalf("Check says %v, Restore says %v", checked, err)
	}
	return err
}

// TestFlips: there is no bit whose change goes unnoticed.
func TestFlips(t *testing.T) {
	full, increment := small(t)
	if err := readAll(t, full, increment); err != nil {
		t.Fatal(err)
	}
	for at := range increment {
		bad := bytes.Clone(increment)
		bad[at] ^= 1 << (at % 8)
		if err := readAll(t, full, bad); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
}

// TestCuts: no beginning of a file passes for a file, nor does a longer one,
// and the error says where it ends.
func TestCuts(t *testing.T) {
	full, _ := small(t)
	for size := range full {
		err := readAll(t, full[:size])
		where := fmt.Sprintf("at byte %d:", size)
		if !errors.Is(err, backup.ErrDamaged) || !bytes.Contains([]byte(err.Error()), []byte(where)) {
			t.Errorf("%d bytes: %v", size, err)
		}
		if _, _, err := backup.Ends(bytes.NewReader(full), int64(size)); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("the ends of %d bytes: %v", size, err)
		}
	}
	if err := readAll(t, append(bytes.Clone(full), 0)); !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("one byte more: %v", err)
	}
}

func TestEnds(t *testing.T) {
	db := newEngine(t)
	change(t, db, map[string]string{"\x30a": "1"})
	w := write(t, db, backup.Point{})
	h, end, err := backup.Ends(bytes.NewReader(w.file), int64(len(w.file)))
	if err != nil || h != w.header || end != w.end || !h.Full() || end.Records != 3 {
		t.Errorf("%+v, %+v, %v", h, end, err)
	}
	if !h.Created.Equal(now()) {
		t.Errorf("created %v", h.Created)
	}
}

// TestForeignFiles: what is no backup, or one of the future, is said.
func TestForeignFiles(t *testing.T) {
	full, _ := small(t)
	future := bytes.Clone(full)
	future[15] = 2
	for name, test := range map[string]struct {
		file []byte
		says string
	}{
		"text":    {bytes.Repeat([]byte("hello "), 20), "no backup of Keypact"},
		"version": {future, "version 2"},
	} {
		if err := readAll(t, test.file); err == nil || !bytes.Contains([]byte(err.Error()), []byte(test.says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFailures: an error of the file, below or above, comes back as it is.
func TestFailures(t *testing.T) {
	db := newEngine(t)
	change(t, db, map[string]string{"\x30a": "1"})
	broken := errors.New("broken pipe")
	if _, _, err := backup.Write(background, brokenWriter{broken}, db, backup.Point{}, now()); !errors.Is(err, broken) {
		t.Errorf("write: %v", err)
	}
	file := write(t, db, backup.Point{}).file
	target := openMemory(t)
	defer target.Close()
	source := backup.Source{Name: "f", Reader: io.MultiReader(bytes.NewReader(file[:len(file)/2]), brokenReader{broken})}
	if _, _, err := backup.Restore(background, target, []backup.Source{source}); !errors.Is(err, broken) || errors.Is(err, backup.ErrDamaged) {
		t.Errorf("restore: %v", err)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }

// TestCancelledRestore ends in the middle and says why.
func TestCancelledRestore(t *testing.T) {
	db := newEngine(t)
	for i := range 100 {
		pairs := map[string]string{}
		for n := range 1000 {
			pairs[fmt.Sprintf("\x30key%03d%03d", i, n)] = fmt.Sprint(i * n)
		}
		change(t, db, pairs)
	}
	file := write(t, db, backup.Point{}).file
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(background)
	target := openMemory(t)
	defer target.Close()
	half := io.MultiReader(bytes.NewReader(file[:len(file)/2]), hook(func() { cancel(why) }), bytes.NewReader(file[len(file)/2:]))
	if _, _, err := backup.Restore(ctx, target, []backup.Source{{Name: "f", Reader: half}}); !errors.Is(err, why) {
		t.Errorf("restore: %v", err)
	}
	if _, _, err := backup.Write(ctx, io.Discard, db, backup.Point{}, now()); !errors.Is(err, why) {
		t.Errorf("write: %v", err)
	}
}

// hook runs when it is read and is empty.
type hook func()

func (h hook) Read([]byte) (int, error) { h(); return 0, io.EOF }

func TestRestoreNeedsAnEmptyStore(t *testing.T) {
	full, _ := small(t)
	db := newEngine(t)
	if _, _, err := backup.Restore(background, db, sources(full)); err == nil || len(dump(t, db)) != 1 {
		t.Errorf("%v, %q", err, dump(t, db))
	}
}
