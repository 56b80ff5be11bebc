package kvtest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"keypact/store/kv"
)

func testMarksNest(t *testing.T, db kv.DB) {
	put(t, db, "a=0", "b=0")
	update(t, db, func(tx kv.Txn) error {
		see := func(want string) {
			t.Helper()
			if got, err := dump(tx, kv.Range{}); err != nil || got != want {
				t.Errorf("transaction sees %q, %v; want %q", got, err, want)
			}
		}
		steps := [][]string{{"a=1", "c=1"}, {"a=2", "b=", "c="}, {"a=", "b=3", "d=3"}}
		var marks []int
		for _, step := range steps {
			marks = append(marks, tx.Mark())
			if err := set(tx, step...); err != nil {
				return err
			}
		}
		see("b=3 d=3")
		tx.Undo(marks[2])
		see("a=2")
		tx.Undo(marks[2]) // again: nothing happened since
		see("a=2")
		if err := set(tx, "e=4"); err != nil {
			return err
		}
		see("a=2 e=4")
		tx.Undo(marks[2])
		see("a=2")
		tx.Undo(marks[1])
		see("a=1 b=0 c=1")
		return nil
	})
	holds(t, db, "a=1", "b=0", "c=1")
}

func testUndoTakesBackEverything(t *testing.T, db kv.DB) {
	var ran []string
	note := func(s string) { ran = append(ran, s) }
	update(t, db, func(tx kv.Txn) error {
		ran = nil
		after := func(name string) {
			tx.After(func(tx kv.Txn) error { return set(tx, name+"=1") })
			tx.Published(func() { note(name) })
		}
		after("kept")
		mark := tx.Mark()
		after("undone")
		if err := set(tx, "x=1"); err != nil {
			return err
		}
		tx.Undo(mark)
		after("last")
		return nil
	})
	holds(t, db, "kept=1", "last=1")
	if want := []string{"kept", "last"}; !slices.Equal(ran, want) {
		t.Errorf("published callbacks ran: %v, want %v", ran, want)
	}
}

func testSize(t *testing.T, db kv.DB) {
	put(t, db, "stored=value")
	update(t, db, func(tx kv.Txn) error {
		size := func(bytes, records int) {
			t.Helper()
			if b, n := tx.Size(); b != bytes || n != records {
				t.Errorf("size is %d bytes in %d records, want %d in %d", b, n, bytes, records)
			}
		}
		size(0, 0)
		must := func(pairs ...string) {
			t.Helper()
			if err := set(tx, pairs...); err != nil {
				t.Errorf("set: %v", err)
			}
		}
		must("ab=123")
		size(5, 1)
		mark := tx.Mark()
		must("ab=1", "cd=12345", "stored=")
		size(3+7+6, 3)
		tx.Undo(mark)
		size(5, 1)
		return nil
	})
	update(t, db, func(tx kv.Txn) error {
		if b, n := tx.Size(); b != 0 || n != 0 {
			t.Errorf("a new transaction has %d bytes in %d records", b, n)
		}
		return nil
	})
}

func testAfterOrder(t *testing.T, db kv.DB) {
	// Each function appends its name to one record, so that the record tells
	// the order, also of functions that ran again.
	trace := func(tx kv.Txn, name string) error {
		return tx.Set([]byte("trace"), []byte(get(tx, "trace")+name+" "))
	}
	leaf := func(name string) func(kv.Txn) error {
		return func(tx kv.Txn) error { return trace(tx, name) }
	}
	update(t, db, func(tx kv.Txn) error {
		tx.After(func(tx kv.Txn) error {
			tx.After(leaf("a1"))
			tx.After(leaf("a2"))
			return trace(tx, "a")
		})
		tx.After(leaf("b"))
		return trace(tx, "first")
	})
	holds(t, db, "trace=first a a1 a2 b ")
}

func testAfterFailsAlone(t *testing.T, db kv.DB) {
	var published []string
	update(t, db, func(tx kv.Txn) error {
		published = nil
		tx.After(func(tx kv.Txn) error {
			tx.After(func(tx kv.Txn) error { return set(tx, "child=1") })
			tx.Published(func() { published = append(published, "failed") })
			if err := set(tx, "a=2", "b=2"); err != nil {
				return err
			}
			return errors.New("failed")
		})
		tx.After(func(kv.Txn) error { panic("after") })
		tx.After(func(tx kv.Txn) error {
			tx.Published(func() { published = append(published, "last") })
			mark := tx.Mark()
			if err := set(tx, "a=3"); err != nil {
				return err
			}
			tx.Undo(mark)
			return set(tx, "c="+get(tx, "a"))
		})
		return set(tx, "a=1")
	})
	holds(t, db, "a=1", "c=1")
	if fmt.Sprint(published) != "[last]" {
		t.Errorf("published: %v", published)
	}
}

func testAfterDropped(t *testing.T, db kv.DB) {
	update(t, db, func(tx kv.Txn) error {
		tx.After(func(tx kv.Txn) error { return set(tx, "after=1") })
		return errUndone
	}, errUndone)
	put(t, db, "a=1")
	holds(t, db, "a=1")
}

// testUndone keeps a list outside the engine in step with it: whatever a
// transaction added goes again if the transaction does.
func testUndone(t *testing.T, db kv.DB) {
	var list []string
	add := func(tx kv.Txn, name string) {
		list = append(list, name)
		tx.Undone(func() {
			if last := len(list) - 1; last < 0 || list[last] != name {
				t.Errorf("undone: %s is not the latest in %v", name, list)
			} else {
				list = list[:last]
			}
		})
	}
	update(t, db, func(tx kv.Txn) error {
		add(tx, "kept")
		mark := tx.Mark()
		add(tx, "undone1")
		add(tx, "undone2")
		tx.Undo(mark)
		tx.After(func(tx kv.Txn) error { add(tx, "after"); return nil })
		tx.After(func(tx kv.Txn) error { add(tx, "failed after"); return errUndone })
		return set(tx, "a=1")
	})
	update(t, db, func(tx kv.Txn) error { add(tx, "failed"); return errUndone }, errUndone)
	update(t, db, func(tx kv.Txn) error {
		add(tx, "refused")
		_ = tx.Set([]byte("k"), nil)
		return nil
	}, kv.ErrInvalid)
	if want := []string{"kept", "after"}; !slices.Equal(list, want) {
		t.Errorf("what stays is %v, want %v", list, want)
	}
}

func testPublishedWhenVisible(t *testing.T, db kv.DB) {
	published, seen := make(chan struct{}), make(chan string)
	go func() {
		<-published
		var got string
		view(t, db, func(r kv.Reader) error { got = get(r, "a") + get(r, "b"); return nil })
		seen <- got
	}()
	ran := false
	update(t, db, func(tx kv.Txn) error {
		tx.Published(func() { ran = true; close(published) })
		tx.After(func(tx kv.Txn) error { return set(tx, "b=2") })
		return set(tx, "a=1")
	})
	if !ran {
		t.Error("update returned before its published callback ran")
	}
	if got := <-seen; got != "12" {
		t.Errorf("when told that it is published, a view saw %q", got)
	}
	update(t, db, func(tx kv.Txn) error {
		tx.Published(func() { ran = false })
		return nil
	})
	if ran {
		t.Error("no published callback without writes")
	}
}

func testPublishedDropped(t *testing.T, db kv.DB) {
	update(t, db, func(tx kv.Txn) error {
		tx.Published(func() { t.Error("published, though it failed") })
		return errUndone
	}, errUndone)
}
