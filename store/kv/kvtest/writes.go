package kvtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"keypact/store/kv"
)

func testRecordsAreCopied(t *testing.T, db kv.DB) {
	update(t, db, func(tx kv.Txn) error {
		key, value := []byte("key"), []byte("value")
		if err := tx.Set(key, value); err != nil {
			return err
		}
		copy(key, "xxx")
		copy(value, "xxxxx")
		key = []byte("gone")
		if err := set(tx, "gone=1"); err != nil {
			return err
		}
		if err := tx.Delete(key); err != nil {
			return err
		}
		copy(key, "key!")
		return nil
	})
	holds(t, db, "key=value")
}

func testEmptyRefused(t *testing.T, db kv.DB) {
	refused := []func(tx kv.Txn) error{
		func(tx kv.Txn) error { return tx.Set(nil, []byte("v")) },
		func(tx kv.Txn) error { return tx.Set([]byte("k"), nil) },
		func(tx kv.Txn) error { return tx.Set([]byte("k"), []byte{}) },
		func(tx kv.Txn) error { return tx.Delete(nil) },
		func(tx kv.Txn) error { return tx.Touch(nil) },
	}
	for i, fn := range refused {
		if err := db.Update(context.Background(), fn); !errors.Is(err, kv.ErrInvalid) {
			t.Errorf("case %d: %v, want %v", i, err, kv.ErrInvalid)
		}
	}
	holds(t, db)
}

func testRefusalFailsWhole(t *testing.T, db kv.DB) {
	// Whoever drops the error of a write still gets it.
	update(t, db, func(tx kv.Txn) error {
		_ = tx.Set([]byte("k"), nil)
		return set(tx, "a=1")
	}, kv.ErrInvalid)
	holds(t, db)
	// But not if the write was undone.
	update(t, db, func(tx kv.Txn) error {
		mark := tx.Mark()
		_ = tx.Set([]byte("k"), nil)
		tx.Undo(mark)
		return set(tx, "a=1")
	})
	holds(t, db, "a=1")
	// A mark set after the refusal does not help.
	update(t, db, func(tx kv.Txn) error {
		_ = tx.Set([]byte("k"), nil)
		tx.Undo(tx.Mark())
		return set(tx, "b=1")
	}, kv.ErrInvalid)
	holds(t, db, "a=1")
}

func testFailureLeavesNothing(t *testing.T, db kv.DB) {
	put(t, db, "a=1", "b=2")
	failed := errors.New("failed")
	err := db.Update(context.Background(), func(tx kv.Txn) error {
		if err := set(tx, "a=x", "b=", "c=x"); err != nil {
			return err
		}
		return failed
	})
	if err != failed {
		t.Errorf("update returned %v, want the function's own error", err)
	}
	holds(t, db, "a=1", "b=2")
	update(t, db, func(tx kv.Txn) error {
		if got, err := dump(tx, kv.Range{}); err != nil || got != "a=1 b=2" {
			t.Errorf("the next transaction sees %q, %v", got, err)
		}
		return nil
	})
}

func testTooBig(t *testing.T, db kv.DB) {
	put(t, db, "a=1")
	const most = 9 << 20
	write := func(tx kv.Txn) error {
		for n := 0; n < most; n += 1 << 20 {
			if err := tx.Set(fmt.Appendf(nil, "big%d", n), repeat(1<<20)); err != nil {
				return err
			}
		}
		return nil
	}
	update(t, db, write, kv.ErrTooBig)
	update(t, db, func(tx kv.Txn) error { _ = write(tx); return nil }, kv.ErrTooBig)
	holds(t, db, "a=1")
	// One operation that is too big does not spoil the others.
	update(t, db, func(tx kv.Txn) error {
		mark := tx.Mark()
		if err := write(tx); !errors.Is(err, kv.ErrTooBig) {
			t.Errorf("write: %v, want %v", err, kv.ErrTooBig)
		}
		tx.Undo(mark)
		return set(tx, "b=2")
	})
	holds(t, db, "a=1", "b=2")
}

func testPanic(t *testing.T, db kv.DB) {
	cause := errors.New("cause")
	err := db.Update(context.Background(), func(tx kv.Txn) error {
		if err := set(tx, "a=1"); err != nil {
			return err
		}
		panic(cause)
	})
	var panicked *kv.PanicError
	if !errors.As(err, &panicked) || !errors.Is(err, cause) || len(panicked.Stack) == 0 {
		t.Errorf("update returned %v, want the panic", err)
	}
	holds(t, db)
	put(t, db, "b=2")
	holds(t, db, "b=2")
}

func testEndedTxn(t *testing.T, db kv.DB) {
	var kept kv.Txn
	update(t, db, func(tx kv.Txn) error { kept = tx; return set(tx, "a=1") })
	if err := kept.Set([]byte("b"), []byte("2")); err == nil {
		t.Error("an ended transaction accepts a write")
	}
	if _, err := kept.Get(nil, []byte("a")); err == nil {
		t.Error("an ended transaction reads")
	}
	kept.Undo(0)
	holds(t, db, "a=1")
}

func testCancelled(t *testing.T, db kv.DB) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ran := false
	err := db.Update(ctx, func(kv.Txn) error { ran = true; return nil })
	if !errors.Is(err, context.Canceled) || ran {
		t.Errorf("update with an ended context: %v, ran %v", err, ran)
	}
	if err := db.View(ctx, func(kv.Reader) error { ran = true; return nil }); !errors.Is(err, context.Canceled) || ran {
		t.Errorf("view with an ended context: %v, ran %v", err, ran)
	}
	testCancelledInLine(t, db)
}

// A context that ends while the function waits behind another keeps it from
// running; one that ends while it runs does not.
func testCancelledInLine(t *testing.T, db kv.DB) {
	busy, free, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	first, stop := context.WithCancel(context.Background())
	go func() {
		entered := false
		done <- db.Update(first, func(tx kv.Txn) error {
			if !entered {
				entered = true
				close(busy)
			}
			<-free
			return set(tx, "first=1")
		})
	}()
	<-busy
	stop()
	second, cancel := context.WithCancel(context.Background())
	waiting := make(chan error, 1)
	go func() { waiting <- db.Update(second, func(tx kv.Txn) error { return set(tx, "second=1") }) }()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("update that waited: %v", err)
	}
	close(free)
	if err := <-done; err != nil {
		t.Errorf("update that ran: %v", err)
	}
	holds(t, db, "first=1")
}

func testDeleteOfNothing(t *testing.T, db kv.DB) {
	update(t, db, func(tx kv.Txn) error { return set(tx, "a=", "b=") })
	update(t, db, func(tx kv.Txn) error { return set(tx, "c=1", "c=") })
	holds(t, db)
}

func testClosed(t *testing.T, db kv.DB) {
	put(t, db, "a=1")
	if err := db.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	ctx := context.Background()
	if err := db.Update(ctx, func(kv.Txn) error { return nil }); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("update of a closed store: %v", err)
	}
	if err := db.View(ctx, func(kv.Reader) error { return nil }); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("view of a closed store: %v", err)
	}
}
