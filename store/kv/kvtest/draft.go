package kvtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"keypact/store/kv"
)

// draft runs fn as a draft and lists what it wrote as "key=value".
func draft(t *testing.T, db kv.DB, fn func(kv.Txn) error) string {
	t.Helper()
	writes, err := db.Draft(context.Background(), fn)
	if err != nil {
		t.Fatalf("draft: %v", err)
	}
	var out []string
	for _, w := range writes {
		out = append(out, fmt.Sprintf("%s=%s", w.Key, w.Value))
		if w.Value == nil != (len(w.Value) == 0) {
			t.Fatalf("write of %q has an empty value", w.Key)
		}
	}
	return strings.Join(out, " ")
}

func testDraftWritesNothing(t *testing.T, db kv.DB) {
	put(t, db, "a=1", "b=2")
	got := draft(t, db, func(tx kv.Txn) error {
		if err := set(tx, "c=3", "a=", "b=4", "b=5"); err != nil {
			return err
		}
		if seen, err := dump(tx, kv.Range{}); err != nil || seen != "b=5 c=3" {
			return fmt.Errorf("the draft sees %q, %v", seen, err)
		}
		tx.After(func(tx kv.Txn) error { return set(tx, "after=1") })
		tx.Published(func() { t.Error("a draft was published") })
		tx.Undone(func() { t.Error("a draft that stands was undone") })
		return nil
	})
	if want := "a= b=5 c=3"; got != want {
		t.Errorf("draft %q, want %q", got, want)
	}
	holds(t, db, "a=1", "b=2")
}

func testDraftFails(t *testing.T, db kv.DB) {
	for name, fn := range map[string]func(tx kv.Txn) error{
		"its own error": func(tx kv.Txn) error { return errors.Join(set(tx, "a=1"), errUndone) },
		"a refusal":     func(tx kv.Txn) error { _ = tx.Set(nil, []byte("v")); return nil },
		"a panic":       func(kv.Txn) error { panic("on purpose") },
	} {
		if writes, err := db.Draft(context.Background(), fn); err == nil || writes != nil {
			t.Errorf("%s: %v, %v", name, writes, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := db.Draft(ctx, func(kv.Txn) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if got := draft(t, db, func(tx kv.Txn) error {
		mark := tx.Mark()
		if err := set(tx, "a=1"); err != nil {
			return err
		}
		tx.Undo(mark)
		return set(tx, "b=2")
	}); got != "b=2" {
		t.Errorf("after an undo the draft is %q", got)
	}
	holds(t, db)
}

// testDraftBesideTxn has a draft begin and end while a transaction runs.
func testDraftBesideTxn(t *testing.T, db kv.DB) {
	put(t, db, "a=1")
	update(t, db, func(tx kv.Txn) error {
		if err := set(tx, "a=2"); err != nil {
			return err
		}
		if got := draft(t, db, func(tx kv.Txn) error { return set(tx, "seen="+get(tx, "a")) }); got != "seen=1" {
			t.Errorf("beside a transaction the draft is %q", got)
		}
		return nil
	})
	holds(t, db, "a=2")
}
