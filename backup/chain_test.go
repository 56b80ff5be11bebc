package backup_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"keypact/backup"
	"keypact/encoding"
	"keypact/store"
	"keypact/store/storetest"
)

// TestChains: whatever is written, overwritten and deleted between a full
// backup and increments to it, each beginning of the chain restores to what the
// store held then.
func TestChains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		db := openMemory(t)
		defer func() { _ = db.Close() }()
		if err := store.Identify(background, db); err != nil {
			t.Fatal(err)
		}
		var files [][]byte
		var point backup.Point
		for range rapid.IntRange(1, 4).Draw(t, "backups") {
			for range rapid.IntRange(0, 4).Draw(t, "transactions") {
				change(t, db, drawChange(t))
			}
			w := write(t, db, point)
			files, point = append(files, w.file), w.header.Point
			if diff := storetest.Diff(dump(t, db), restored(t, files...)); diff != "" {
				t.Fatalf("after %d files:\n%s", len(files), diff)
			}
		}
	})
}

// drawChange is a transaction over few keys, so that they meet again.
func drawChange(t *rapid.T) map[string]string {
	keys := rapid.StringOfN(rapid.SampledFrom([]rune{'a', 'b', 'c', 0}), 0, 3, -1)
	values := rapid.OneOf(rapid.Just(""), rapid.Just("v"), rapid.StringN(1, 20, -1),
		rapid.Map(rapid.IntRange(1, 5000), func(n int) string { return strings.Repeat("long", n) }))
	pairs := map[string]string{}
	for key, value := range rapid.MapOfN(keys, values, 0, 30).Draw(t, "pairs") {
		pairs["\x30"+key] = value
	}
	return pairs
}

// TestLongChain has many blocks, values in parts, and runs of what is deleted
// across blocks.
func TestLongChain(t *testing.T) {
	db := newEngine(t)
	for i := range 100 {
		pairs := map[string]string{fmt.Sprintf("\x30long%03d", i): strings.Repeat(fmt.Sprint(i), 1000*i+1)}
		for n := range 1000 {
			pairs[fmt.Sprintf("\x30key%03d%03d", i, n)] = fmt.Sprint(i * n)
		}
		change(t, db, pairs)
	}
	full := write(t, db, backup.Point{})
	if full.end.Records != 100*1001+2 {
		t.Errorf("%d records", full.end.Records)
	}
	for i := range 30 {
		pairs := map[string]string{fmt.Sprintf("\x30long%03d", 3*i): "", fmt.Sprintf("\x30long%03d", 3*i+1): "short"}
		for n := range 1000 {
			pairs[fmt.Sprintf("\x30key%03d%03d", i+20, n)] = ""
		}
		change(t, db, pairs)
	}
	increment := write(t, db, full.header.Point)
	if diff := storetest.Diff(dump(t, db), restored(t, full.file, increment.file)); diff != "" {
		t.Errorf("%.2000s", diff)
	}
	// Marks do not shrink: eight bytes for each of 70,071 kept keys and little else.
	if got, most := len(increment.file), 8*70_071+4000; got > most {
		t.Errorf("the increment has %d bytes, more than %d", got, most)
	}
	idle := write(t, db, increment.header.Point)
	if diff := storetest.Diff(dump(t, db), restored(t, full.file, increment.file, idle.file)); diff != "" {
		t.Errorf("with an increment of nothing: %.2000s", diff)
	}
}

func TestWrongChains(t *testing.T) {
	db, other := newEngine(t), newEngine(t)
	change(t, db, map[string]string{"\x30a": "1", "\x30b": "1"})
	full := write(t, db, backup.Point{})
	change(t, db, map[string]string{"\x30a": "", "\x30c": "2"})
	first := write(t, db, full.header.Point)
	change(t, db, map[string]string{"\x30d": "3"})
	second := write(t, db, first.header.Point)
	alien := write(t, other, backup.Point{})
	for name, files := range map[string][][]byte{
		"none":                  {},
		"an increment alone":    {first.file},
		"one left out":          {full.file, second.file},
		"the wrong way":         {full.file, second.file, first.file},
		"one twice":             {full.file, first.file, first.file},
		"two full ones":         {full.file, full.file},
		"of another store":      {alien.file, first.file},
		"an increment in front": {first.file, full.file},
	} {
		db, err := restoreInto(t, files...)
		_ = db.Close()
		if !errors.Is(err, backup.ErrChain) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := restored(t, full.file, first.file, second.file); len(got) != 4 || got["\x30d"] != "3" {
		t.Errorf("in order: %q", got)
	}
}

// TestSplitHistory: a copy of the directory has the same instance id and goes
// its own way. What an increment from there makes of a backup from here is
// found, not served.
func TestSplitHistory(t *testing.T) {
	here, there := newEngine(t), newEngine(t)
	change(t, there, map[string]string{string(encoding.InstanceKey()): string(encoding.AppendSequence(nil, instance(t, here)))})
	change(t, here, map[string]string{"\x30c": "common"})
	change(t, here, map[string]string{"\x30d": "common"})
	change(t, there, map[string]string{"\x30c": "common", "\x30d": "common"})
	change(t, here, map[string]string{"\x30a": "here"})
	change(t, there, map[string]string{"\x30a": "there"})
	full := write(t, here, backup.Point{})
	change(t, there, map[string]string{"\x30b": "there"})
	increment := write(t, there, full.header.Point)
	db, err := restoreInto(t, full.file, increment.file)
	_ = db.Close()
	if !errors.Is(err, backup.ErrChain) || !strings.Contains(err.Error(), "not what was backed up") {
		t.Errorf("mixed histories: %v", err)
	}
}

func TestPoints(t *testing.T) {
	db := newEngine(t)
	change(t, db, map[string]string{"\x30a": "1"})
	point := write(t, db, backup.Point{}).header.Point
	if got, err := backup.ParsePoint(point.String()); got != point || err != nil {
		t.Errorf("%v reads as %v, %v", point, got, err)
	}
	for _, text := range []string{"", "1-1", "0000000000000001", "0000000000000001-", "0000000000000001-0", "0000000000000001-01", "g000000000000001-1", "0000000000000001-1-1"} {
		if p, err := backup.ParsePoint(text); err == nil {
			t.Errorf("%q reads as %v", text, p)
		}
	}
	for _, since := range []backup.Point{{Instance: point.Instance + 1, Stamp: 1}, {Instance: point.Instance, Stamp: point.Stamp + 1}} {
		var file strings.Builder
		if _, _, err := backup.Write(background, &file, db, since, now()); !errors.Is(err, backup.ErrPoint) || file.Len() > 0 {
			t.Errorf("since %v: %v, %d bytes written", since, err, file.Len())
		}
	}
}
