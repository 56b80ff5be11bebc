package store

import (
	"context"
	"errors"
	"testing"

	"keypact/store/kv/badger"
)

func TestAWriteMustBeDeclared(t *testing.T) {
	s, _ := newStore(t, "")
	for _, calls := range [][]Call{nil, {call("HSET", "other")}, {{Verb: "HGET", Key: []byte("k"), Read: true}}} {
		out := one(t, s, act{calls, hset("k", "f", "v").(act).do})
		if !errors.Is(out.Err, ErrDenied) {
			t.Errorf("calls %v: %v, want ErrDenied", calls, out.Err)
		}
	}
	if n := count(t, s, "k"); n != -1 {
		t.Errorf("the refused writes left %d fields", n)
	}
}

func TestEachUnwindsTheFailingOperationAlone(t *testing.T) {
	s, _ := newStore(t, "")
	boom := errors.New("boom")
	fail := act{[]Call{call("HSET", "k")}, func(tx *Tx) (any, error) {
		if _, err := hset("k", "half", "v").Apply(tx); err != nil {
			return nil, err
		}
		return nil, boom
	}}
	out, err := s.Do(context.Background(), Each, []Op{hset("k", "a", "1"), fail, hset("k", "b", "2")})
	if err != nil {
		t.Fatal(err)
	}
	if out[0].Err != nil || !errors.Is(out[1].Err, boom) || out[2].Err != nil {
		t.Errorf("errors %v, %v, %v", out[0].Err, out[1].Err, out[2].Err)
	}
	if n := count(t, s, "k"); n != 2 {
		t.Errorf("%d fields, want 2", n)
	}
	if out[2].Revision.Changes != 2 || out[2].Revision.Version != out[0].Revision.Version {
		t.Errorf("revisions %v then %v", out[0].Revision, out[2].Revision)
	}
}

func TestAtomicUndoesEverythingAndKeepsNoTrace(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	_, err := s.Do(context.Background(), Atomic, []Op{hset("k", "a", "1"), hdel("absent", "x"), hset("k", "b", "2")})
	var failed *OperationError
	if !errors.As(err, &failed) || failed.Operation != 1 || !errors.Is(err, ErrNotFound) {
		t.Fatalf("error %v", err)
	}
	if left := dump(t, db); len(left) != 0 {
		t.Errorf("records left: %v", left)
	}
	if n, _ := s.Keys(context.Background()); n != 0 {
		t.Errorf("%d keys counted", n)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, profile)
	out, err := s.DryRun(context.Background(), hset("p:1", "level", "11"))
	if err != nil {
		t.Fatal(err)
	}
	wantCodes(t, out.Err, "0 number.maximum [fields level]", "0 field.missing [fields]")
	if out, err = s.DryRun(context.Background(), hset("free", "f", "v")); err != nil || out.Err != nil {
		t.Error(err, out.Err)
	}
	if left := dump(t, db); len(left) != 0 {
		t.Errorf("records left: %v", left)
	}
}
