package store

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"keypact/store/kv/badger"
)

// calling is an operation that runs others and then do.
func calling(do func(tx *Tx, outs []Outcome) error, ops ...Op) Op {
	return act{nil, func(tx *Tx) (any, error) {
		var outs []Outcome
		for _, op := range ops {
			outs = append(outs, tx.Call(op))
		}
		return nil, do(tx, outs)
	}}
}

func fails(key, field string) Op {
	return act{[]Call{call("HSET", key)}, func(tx *Tx) (any, error) {
		if _, err := hset(key, field, "v").Apply(tx); err != nil {
			return nil, err
		}
		return nil, ErrRange
	}}
}

func TestExecKeepsErrorsInlineAndJudgesTheEnd(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, profile)
	ctx := context.Background()
	out, err := s.Do(ctx, Exec, []Op{
		hset("p:1", "level", "1"), fails("p:1", "age"), hset("p:1", "level", "11"), hset("p:1", "name", "ada"), fails("free", "f"),
	})
	if err != nil {
		t.Fatal(err)
	}
	wantCodes(t, out[2].Err, "2 number.maximum [fields level]")
	if out[0].Err != nil || !errors.Is(out[1].Err, ErrRange) || out[3].Err != nil || count(t, s, "p:1") != 2 || count(t, s, "free") != -1 {
		t.Errorf("outcomes %+v", out)
	}
	before := dump(t, db)
	_, err = s.Do(ctx, Exec, []Op{hset("other", "f", "v"), hset("p:1", "age", "1"), fails("p:1", "x"), flushOp("1")})
	wantCodes(t, err, "1 items.max [fields]")
	if after := dump(t, db); fmt.Sprint(after) != fmt.Sprint(before) || count(t, s, "other") != -1 || keysOf(t, s) != 1 {
		t.Errorf("records %v, before %v", after, before)
	}
}

// What an operation noted of a key that others of the list touch is forgotten
// with it: a fresh key, a lifetime, a required field.
func TestAnUndoneOperationLeavesNoNote(t *testing.T) {
	s, _ := newStore(t, "")
	for _, field := range []string{"x", "y", "z"} {
		must(t, s, hset("p:1", field, "v"))
	}
	if err := s.SetContracts(context.Background(), parse(t, profile)); err != nil {
		t.Fatal(err)
	}
	replaceAndFail := act{[]Call{call("HSET", "p:1")}, func(tx *Tx) (any, error) {
		if _, err := del("p:1").Apply(tx); err != nil {
			return nil, err
		}
		if _, err := hset("p:1", "name", "bob").Apply(tx); err != nil {
			return nil, err
		}
		return nil, ErrRange
	}}
	// Three unknown fields and no name are tolerated as long as the key is not
	// taken for a new one.
	for _, ops := range [][]Op{
		{hdel("p:1", "x"), replaceAndFail},
		{replaceAndFail, hdel("p:1", "y")},
		{calling(func(*Tx, []Outcome) error { return nil }, replaceAndFail, hset("p:1", "name", "eve"), replaceAndFail, hdel("p:1", "name"))},
	} {
		if _, err := s.Do(context.Background(), Exec, ops); err != nil {
			t.Error(err)
		}
	}
	if n := count(t, s, "p:1"); n != 1 {
		t.Errorf("%d fields", n)
	}
}

func TestCall(t *testing.T) {
	s, _ := newStore(t, profile)
	boom := errors.New("boom")
	op := calling(func(tx *Tx, outs []Outcome) error {
		if outs[0].Err != nil || !outs[0].Created || outs[0].Revision.Changes != 1 || !errors.Is(outs[1].Err, ErrRange) || outs[2].Err != nil {
			t.Errorf("outcomes %+v", outs)
		}
		wantCodes(t, outs[3].Err, "0 number.maximum [fields level]")
		return nil
	}, hset("k", "a", "v"), fails("k", "b"), In("2", hset("k", "c", "v")), hset("p:1", "level", "11"))
	must(t, s, In("1", op))
	if count(t, s, "k") != 1 || countIn(t, s, "2", "k") != 1 || countIn(t, s, "1", "k") != -1 || keysOf(t, s) != 1 {
		t.Error("the nested operations did something else")
	}
	// A rule on a whole value fails the outer operation, and with it all.
	out, err := s.Do(context.Background(), Each, []Op{
		calling(func(*Tx, []Outcome) error { return nil }, hset("k", "d", "v"), hset("p:1", "level", "1")),
		calling(func(*Tx, []Outcome) error { return boom }, hset("k", "e", "v"), swapOp("0", "2")),
		calling(func(*Tx, []Outcome) error { return nil }, hset("p:1", "level", "1"), hset("p:1", "name", "ada")),
	})
	if err != nil {
		t.Fatal(err)
	}
	wantCodes(t, out[0].Err, "0 field.missing [fields]")
	if !errors.Is(out[1].Err, boom) || out[2].Err != nil || count(t, s, "k") != 1 || count(t, s, "p:1") != 2 {
		t.Errorf("outcomes %+v", out)
	}
}

// The running operation goes on with what those it called left, and a handle
// from before writes nothing.
func TestCallBetweenWritesOfTheSameKey(t *testing.T) {
	s, _ := newStore(t, "")
	out := must(t, s, act{[]Call{call("HSET", "k")}, func(tx *Tx) (any, error) {
		if _, err := hset("k", "a", "v").Apply(tx); err != nil {
			return nil, err
		}
		old, err := tx.Key([]byte("k"))
		if err != nil {
			return nil, err
		}
		if out := tx.Call(hset("k", "b", "v")); out.Err != nil {
			return nil, out.Err
		}
		if err := old.Remove(); !errors.Is(err, ErrDenied) {
			t.Errorf("a handle from before: %v", err)
		}
		return hset("k", "c", "v").Apply(tx)
	}})
	if n := count(t, s, "k"); n != 3 || keysOf(t, s) != 1 || !out.Created || out.Revision.Changes != 3 {
		t.Errorf("%d fields, outcome %+v", n, out)
	}
}

func TestAbortEndsTheList(t *testing.T) {
	s, clock := newStore(t, "")
	boom := errors.New("boom")
	abort := act{nil, func(*Tx) (any, error) { return nil, Abort(boom) }}
	nested := calling(func(*Tx, []Outcome) error { return nil }, abort)
	for _, mode := range []Mode{Each, Atomic, Exec} {
		for _, last := range []Op{abort, nested} {
			if out, err := s.Do(context.Background(), mode, []Op{hset("k", "a", "v"), last}); err != boom || out != nil {
				t.Errorf("mode %d: %v, %v", mode, out, err)
			}
		}
	}
	if _, err := s.View(context.Background(), []Op{abort}); err != boom {
		t.Errorf("view: %v", err)
	}
	revision := must(t, s, hset("k", "a", "v")).Revision
	must(t, s, In("1", hset("k", "a", "v")))
	must(t, s, expireAt("k", clock.ms.Load()+1000))
	revision.Changes++
	watch := func(w Watch) error {
		_, err := s.Do(context.Background(), Exec, []Op{w, In("4", hset("seen", "f", "v"))})
		return err
	}
	for i, test := range []struct {
		watch Watch
		want  error
	}{
		{Watch{Key: []byte("k"), Revision: revision}, nil},
		{Watch{Key: []byte("k")}, ErrWatched},
		{Watch{Key: []byte("absent")}, nil},
		{Watch{Space: "1", Key: []byte("k"), Revision: revision}, ErrWatched},
	} {
		if err := watch(test.watch); err != test.want {
			t.Errorf("watch %d: %v, want %v", i, err, test.want)
		}
	}
	clock.step(2e9)
	if err := watch(Watch{Key: []byte("k"), Revision: revision}); err != ErrWatched {
		t.Errorf("an expired key: %v", err)
	}
	if err := watch(Watch{Key: []byte("k")}); err != nil {
		t.Errorf("an expired key is absent: %v", err)
	}
}
