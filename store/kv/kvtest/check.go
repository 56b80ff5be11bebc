package kvtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"keypact/store/kv"
)

// Checking is an engine that checks what it keeps.
type Checking interface {
	kv.DB
	kv.Checker
}

// RunCheck tests what an engine says of a sound store: nothing while it is
// open, and nothing of damage when it cannot look.
func RunCheck(t *testing.T, open func(t *testing.T) Checking) {
	t.Helper()
	db := open(t)
	expect := func(ctx context.Context, want error) {
		t.Helper()
		if err := db.CheckStorage(ctx); !errors.Is(err, want) || errors.Is(err, kv.ErrDamaged) {
			t.Errorf("check: %v, want %v", err, want)
		}
	}
	expect(context.Background(), nil)
	for i := range 20 {
		put(t, db, fmt.Sprintf("k%d=%s", i, repeat(100_000)))
	}
	expect(context.Background(), nil)
	ended, end := context.WithCancel(context.Background())
	end()
	expect(ended, context.Canceled)
	if err := db.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	expect(context.Background(), kv.ErrClosed)
}
