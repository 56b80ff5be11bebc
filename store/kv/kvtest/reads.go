package kvtest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"keypact/store/kv"
)

func testGetAppends(t *testing.T, db kv.DB) {
	put(t, db, "a=1")
	check := func(r kv.Reader, key, want string) {
		t.Helper()
		dst := append(make([]byte, 0, 64), "head "...)
		got, err := r.Get(dst, []byte(key))
		if err != nil || string(got) != "head "+want || &got[0] != &dst[0] {
			t.Errorf("get %s = %q, %v; want it appended to what was there", key, got, err)
		}
		if _, err := r.Get(nil, []byte("missing")); !errors.Is(err, kv.ErrNotFound) {
			t.Errorf("get of a missing key: %v", err)
		}
	}
	view(t, db, func(r kv.Reader) error { check(r, "a", "1"); return nil })
	update(t, db, func(tx kv.Txn) error {
		if err := set(tx, "b=2"); err != nil {
			return err
		}
		check(tx, "a", "1")
		check(tx, "b", "2")
		return nil
	})
}

func testGetMany(t *testing.T, db kv.DB) {
	put(t, db, "a=1", "c=3", "d=4")
	keys := [][]byte{[]byte("d"), []byte("b"), []byte("a"), []byte("d"), []byte("e")}
	list := func(r kv.Reader) string {
		var out []string
		err := r.GetMany(keys, func(i int, value []byte) error {
			out = append(out, fmt.Sprintf("%d=%s", i, value))
			return nil
		})
		return fmt.Sprint(strings.Join(out, " "), err)
	}
	view(t, db, func(r kv.Reader) error {
		if got := list(r); got != "0=4 2=1 3=4<nil>" {
			t.Errorf("get many in a view: %s", got)
		}
		stop := errors.New("stop")
		if err := r.GetMany(keys, func(int, []byte) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("get many passed %v on", err)
		}
		return nil
	})
	update(t, db, func(tx kv.Txn) error {
		if err := set(tx, "d=", "e=5"); err != nil {
			return err
		}
		if got := list(tx); got != "2=1 4=5<nil>" {
			t.Errorf("get many over pending writes: %s", got)
		}
		return nil
	})
}

// Ranges over the records a=1 ab=2 b=3 c=4 d=5.
var scans = []struct {
	name string
	in   kv.Range
	want string
}{
	{"all", kv.Range{}, "a=1 ab=2 b=3 c=4 d=5"},
	{"all, reverse", kv.Range{Reverse: true}, "d=5 c=4 b=3 ab=2 a=1"},
	{"from a key", kv.Range{Lower: []byte("b")}, "b=3 c=4 d=5"},
	{"from between", kv.Range{Lower: []byte("aa")}, "ab=2 b=3 c=4 d=5"},
	{"upper is outside", kv.Range{Upper: []byte("c")}, "a=1 ab=2 b=3"},
	{"upper is outside, reverse", kv.Range{Upper: []byte("c"), Reverse: true}, "b=3 ab=2 a=1"},
	{"both", kv.Range{Lower: []byte("ab"), Upper: []byte("d")}, "ab=2 b=3 c=4"},
	{"both, reverse", kv.Range{Lower: []byte("ab"), Upper: []byte("d"), Reverse: true}, "c=4 b=3 ab=2"},
	{"a prefix", kv.Range{Lower: []byte("a"), Upper: []byte("b")}, "a=1 ab=2"},
	{"a prefix whose end exists, reverse", kv.Range{Lower: []byte("a"), Upper: []byte("b"), Reverse: true}, "ab=2 a=1"},
	{"past the end, reverse", kv.Range{Lower: []byte("c"), Upper: []byte("x"), Reverse: true}, "d=5 c=4"},
	{"from past the end", kv.Range{Lower: []byte("x")}, ""},
	{"before the start", kv.Range{Upper: []byte("a")}, ""},
	{"empty", kv.Range{Lower: []byte("c"), Upper: []byte("c")}, ""},
	{"upside down", kv.Range{Lower: []byte("d"), Upper: []byte("b")}, ""},
	{"empty upper", kv.Range{Upper: []byte{}}, ""},
	{"limit", kv.Range{Limit: 2}, "a=1 ab=2"},
	{"limit, reverse", kv.Range{Limit: 2, Reverse: true}, "d=5 c=4"},
	{"limit from a key", kv.Range{Lower: []byte("b"), Limit: 1}, "b=3"},
	{"limit past the end", kv.Range{Limit: 9}, "a=1 ab=2 b=3 c=4 d=5"},
	{"keys only", kv.Range{KeysOnly: true, Limit: 3}, "a= ab= b="},
	{"keys only, reverse", kv.Range{KeysOnly: true, Reverse: true, Upper: []byte("b")}, "ab= a="},
}

// The same records, from the engine, from pending writes, and from both with
// pending values and deletions over stored ones.
var scanSources = []struct{ name, stored, pending string }{
	{"stored", "a=1 ab=2 b=3 c=4 d=5", ""},
	{"pending", "", "a=1 ab=2 b=3 c=4 d=5"},
	{"interleaved", "a=1 b=3 d=5", "ab=2 c=4"},
	{"overwritten", "a=old ab=2 b=old c=4 d=old", "a=1 b=3 d=5"},
	{"hidden", "a=1 a0=x ab=2 b=3 b0=x c=4 d=5 d0=x e=x", "a0= b0= d0= e= f="},
	{"deleted and back", "a=x b=3 c=x", "a= c= d=x d= a=1 ab=2 c=4 d=5"},
}

func testScanRanges(t *testing.T, db kv.DB) {
	for _, source := range scanSources {
		update(t, db, clear)
		put(t, db, strings.Fields(source.stored)...)
		update(t, db, func(tx kv.Txn) error {
			mark := tx.Mark()
			defer tx.Undo(mark)
			if err := set(tx, strings.Fields(source.pending)...); err != nil {
				return err
			}
			return checkScans(t, "pending/"+source.name, tx)
		})
		put(t, db, strings.Fields(source.pending)...)
		view(t, db, func(r kv.Reader) error { return checkScans(t, "view/"+source.name, r) })
	}
}

func checkScans(t *testing.T, source string, r kv.Reader) error {
	t.Helper()
	for _, s := range scans {
		got, err := dump(r, s.in)
		if err != nil || got != s.want {
			t.Errorf("%s/%s: scan gave %q, %v; want %q", source, s.name, got, err, s.want)
		}
		visits := 0
		err = r.Scan(s.in, func(key, value []byte) bool {
			visits++
			if s.in.KeysOnly && value != nil {
				t.Errorf("%s/%s: value %q in a scan of keys", source, s.name, value)
			}
			return false
		})
		if want := min(1, len(strings.Fields(s.want))); err != nil || visits != want {
			t.Errorf("%s/%s: %d visits though the first one stopped it, %v", source, s.name, visits, err)
		}
	}
	return nil
}

// clear deletes every record.
func clear(tx kv.Txn) error {
	var failed error
	err := tx.Scan(kv.Range{KeysOnly: true}, func(key, _ []byte) bool {
		failed = tx.Delete(key)
		return failed == nil
	})
	return errors.Join(err, failed)
}

func testScanWhileWriting(t *testing.T, db kv.DB) {
	put(t, db, "a=1", "b=2", "c=3")
	for _, reverse := range []bool{false, true} {
		update(t, db, func(tx kv.Txn) error {
			if err := set(tx, "b=two", "d=4"); err != nil {
				return err
			}
			var seen []string
			err := tx.Scan(kv.Range{Reverse: reverse}, func(key, value []byte) bool {
				seen = append(seen, string(key)+"="+string(value))
				// Every record is changed, one is deleted, others come in between.
				err := set(tx, string(key)+"=changed", string(key)+"0=new", "b=")
				return err == nil && len(seen) < 50
			})
			if err != nil {
				return err
			}
			first := 0
			if reverse {
				first = len(seen) - 1
			}
			if len(seen) < 4 || len(seen) >= 50 || seen[first] != "a=1" {
				t.Errorf("reverse %v: scan beside its own writes saw %v", reverse, seen)
			}
			if got := get(tx, "a"); got != "changed" {
				t.Errorf("a write during a scan is lost: %q", got)
			}
			return errUndone
		}, errUndone)
	}
	holds(t, db, "a=1", "b=2", "c=3")
}

func testLongValues(t *testing.T, db kv.DB) {
	sizes := []int{1, 1 << 16, 512<<10 - 1, 512 << 10, 512<<10 + 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3 << 20}
	for _, n := range append(sizes, 1, 2<<20, 1<<20) {
		update(t, db, func(tx kv.Txn) error {
			if err := tx.Set([]byte("long"), repeat(n)); err != nil {
				return err
			}
			return checkLong(tx, n)
		})
		view(t, db, func(r kv.Reader) error { return checkLong(r, n) })
	}
	update(t, db, func(tx kv.Txn) error { return tx.Delete([]byte("long")) })
	holds(t, db)
}

func checkLong(r kv.Reader, n int) error {
	got, err := r.Get([]byte("x"), []byte("long"))
	if err != nil || !bytes.Equal(got[1:], repeat(n)) {
		return fmt.Errorf("value of %d bytes came back with %d, %v", n, len(got)-1, err)
	}
	visits := 0
	err = r.Scan(kv.Range{}, func(key, value []byte) bool {
		visits++
		if string(key) != "long" || !bytes.Equal(value, repeat(n)) {
			visits = 100
		}
		return true
	})
	if err != nil || visits != 1 {
		return fmt.Errorf("scan of a value of %d bytes: %d visits, %v", n, visits, err)
	}
	return nil
}
