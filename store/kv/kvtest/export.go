package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"keypact/store/kv"
)

// Exporting is an engine that can be backed up.
type Exporting interface {
	kv.DB
	kv.Exporter
}

// RunExport tests what an engine hands out for backups. Each call of open must
// give an empty store; the suite closes what it opens.
func RunExport(t *testing.T, open func(t *testing.T) Exporting) {
	t.Helper()
	for name, test := range map[string]func(t *testing.T, db Exporting){
		"records have stamps":      testExportStamps,
		"a snapshot beside writes": testExportBesideWrites,
		"long values are joined":   testExportLongValues,
		"it ends with its caller":  testExportEnds,
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			defer func() {
				if err := db.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			test(t, db)
		})
	}
}

// export lists what a snapshot hands out as "key=value", with a star behind
// what is newer than since, and returns its stamp.
func export(t *testing.T, db Exporting, since uint64) (listed string, stamp uint64) {
	t.Helper()
	err := db.Export(context.Background(), func(x kv.Export) error {
		stamp = x.Stamp()
		return x.Records(func(key, value []byte, at uint64) error {
			listed += fmt.Sprintf("%s=%s", key, value)
			if at > since {
				listed += "*"
			}
			if at == 0 || at > stamp {
				t.Errorf("the stamp of %s is %d, that of the snapshot %d", key, at, stamp)
			}
			listed += " "
			return nil
		})
	})
	if err != nil {
		t.Fatalf("export: %v", err)
	}
	return listed, stamp
}

func testExportStamps(t *testing.T, db Exporting) {
	put(t, db, "a=1", "b=2", "c=3", "d=4")
	first, stamp := export(t, db, 0)
	if want := "a=1* b=2* c=3* d=4* "; first != want || stamp == 0 {
		t.Errorf("%q at %d, want %q", first, stamp, want)
	}
	put(t, db, "b=5", "c=", "e=6")
	second, next := export(t, db, stamp)
	if want := "a=1 b=5* d=4 e=6* "; second != want || next <= stamp {
		t.Errorf("%q at %d, want %q behind %d", second, next, want, stamp)
	}
	if third, _ := export(t, db, next); third != "a=1 b=5 d=4 e=6 " {
		t.Errorf("without a write in between: %q", third)
	}
}

func testExportBesideWrites(t *testing.T, db Exporting) {
	put(t, db, "a=1", "b=1", "c=1")
	var listed []string
	err := db.Export(context.Background(), func(x kv.Export) error {
		return x.Records(func(key, value []byte, _ uint64) error {
			listed = append(listed, string(key)+string(value))
			if string(key) == "a" {
				put(t, db, "a=", "b=2", "bb=2", "c=2")
			}
			return nil
		})
	})
	if err != nil || fmt.Sprint(listed) != "[a1 b1 c1]" {
		t.Errorf("%v, %v", listed, err)
	}
	holds(t, db, "b=2", "bb=2", "c=2")
}

func testExportLongValues(t *testing.T, db Exporting) {
	long := bytes.Repeat([]byte("0123456789abcdef"), 150_000)
	update(t, db, func(tx kv.Txn) error {
		return errors.Join(tx.Set([]byte("a"), long), tx.Set([]byte("b"), []byte("short")))
	})
	found := 0
	err := db.Export(context.Background(), func(x kv.Export) error {
		return x.Records(func(key, value []byte, _ uint64) error {
			found++
			if string(key) == "a" && !bytes.Equal(value, long) {
				t.Errorf("the long value came as %d bytes", len(value))
			}
			return nil
		})
	})
	if err != nil || found != 2 {
		t.Errorf("%d records, %v", found, err)
	}
}

func testExportEnds(t *testing.T, db Exporting) {
	put(t, db, "a=1", "b=2")
	ctx, cancel := context.WithCancel(context.Background())
	err := db.Export(ctx, func(x kv.Export) error {
		cancel()
		return x.Records(func(_, _ []byte, _ uint64) error { return nil })
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled in between: %v", err)
	}
	if err := db.Export(ctx, func(kv.Export) error { t.Error("it ran"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	err = db.Export(context.Background(), func(x kv.Export) error {
		return x.Records(func(_, _ []byte, _ uint64) error { return errUndone })
	})
	if !errors.Is(err, errUndone) {
		t.Errorf("an error of visit comes back as %v", err)
	}
	holds(t, db, "a=1", "b=2")
}
