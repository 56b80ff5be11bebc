package store

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

func sadd(key string, members ...string) Op {
	return act{[]Call{call("SADD", key)}, func(tx *Tx) (any, error) {
		s, err := tx.Set([]byte(key))
		if err != nil {
			return nil, err
		}
		for _, member := range members {
			if _, err := s.Add([]byte(member)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}}
}

func numbers(from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprintf("%06d", i))
	}
	return out
}

// copyKey copies; between is called once the copy is written and not published.
func copyKey(from, to string, between func()) Op {
	return act{[]Call{call("COPY", to), {Verb: "COPY", Key: []byte(from), Read: true}}, func(tx *Tx) (any, error) {
		k, err := tx.Key([]byte(from))
		if err != nil {
			return nil, err
		}
		if err := k.CopyTo([]byte(to)); err != nil {
			return nil, err
		}
		if tx.stage != nil {
			between()
		}
		return nil, nil
	}}
}

func membersOf(t *testing.T, s *Store, key string) []string {
	t.Helper()
	var out []string
	must(t, s, act{[]Call{{Verb: "SMEMBERS", Key: []byte(key), Read: true}}, func(tx *Tx) (any, error) {
		set, err := tx.Set([]byte(key))
		if err != nil {
			return nil, err
		}
		all, err := set.Members()
		out = nil
		for _, member := range all {
			out = append(out, string(member))
		}
		return nil, err
	}})
	return out
}

// A big copy is invisible until it is whole; meanwhile others read what the
// destination was, and write.
func TestBigCopyAppearsWhole(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openTuned(t, db, Tuning{StageFrom: 100})
	const n = 3*stageRecords + 7
	must(t, s, sadd("source", numbers(0, n)...))
	must(t, s, sadd("copy", "old"))
	looked := 0
	must(t, s, copyKey("source", "copy", func() {
		looked++
		if got := membersOf(t, s, "copy"); len(got) != 1 || got[0] != "old" {
			t.Errorf("before the end the copy has %d members", len(got))
		}
		must(t, s, sadd("other", "x"))
		if left := dump(t, db); left[encoding.FamilyStage] != 1 {
			t.Errorf("records while it is staged: %v", left)
		}
	}))
	if got := membersOf(t, s, "copy"); len(got) != n || looked != 1 {
		t.Errorf("the copy has %d members of %d, after %d looks", len(got), n, looked)
	}
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, db); left[encoding.FamilyStage] != 0 || left[encoding.FamilyMember] != 2*n+1 || left[encoding.FamilyReclaim] != 0 {
		t.Errorf("records left: %v", left)
	}
}

// A copy whose source changes meanwhile is made again. Whoever loses the race
// again and again gets a turn in the line of writers, if one transaction holds
// the copy.
func TestStagedCopyLosesTheRace(t *testing.T) {
	db := openDB(t, badger.Options{MaxTxnWrites: 5 * stageRecords})
	s := openTuned(t, db, Tuning{StageFrom: 100})
	const n = 2 * stageRecords
	must(t, s, sadd("source", numbers(0, n)...))
	runs := 0
	must(t, s, copyKey("source", "copy", func() {
		if runs++; runs == 1 {
			must(t, s, sadd("source", "more"))
		}
	}))
	if got := membersOf(t, s, "copy"); runs != 2 || len(got) != n+1 {
		t.Errorf("%d runs, %d members", runs, len(got))
	}
	lose := func(fewest int) func() {
		return func() {
			must(t, s, sadd("source", numbers(n+runs*fewest, n+(runs+1)*fewest)...))
			runs++
		}
	}
	must(t, s, copyKey("source", "again", lose(1)))
	if got, want := count(t, s, "again"), count(t, s, "source"); got != want || runs != 2+attempts {
		t.Errorf("a race lost %d times: %d members, want %d", runs-2, got, want)
	}
	out := one(t, s, copyKey("source", "never", lose(2*stageRecords)))
	if !errors.Is(out.Err, ErrConflict) || count(t, s, "never") != -1 {
		t.Errorf("a race that is always lost: %v", out.Err)
	}
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, db); left[encoding.FamilyStage] != 0 || left[encoding.FamilyReclaim] != 0 {
		t.Errorf("records left: %v", left)
	}
}

// In a pipeline what stands before and behind a big operation keeps its place.
func TestBigOperationsWithinAPipeline(t *testing.T) {
	s := openTuned(t, openDB(t, badger.Options{}), Tuning{StageFrom: 100})
	const n = 300
	out, err := s.Do(context.Background(), Each, []Op{
		sadd("a", numbers(0, n)...),
		copyKey("a", "b", func() {}),
		sadd("a", "later"),
		copyKey("absent", "c", func() {}),
		copyKey("a", "c", func() {}),
		copyKey("c", "d", func() {}),
		sadd("d", "last"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range out {
		if want := i == 3; errors.Is(o.Err, ErrNotFound) != want || !want && o.Err != nil {
			t.Errorf("operation %d: %v", i, o.Err)
		}
	}
	for key, want := range map[string]int{"a": n + 1, "b": n, "c": n + 1, "d": n + 2} {
		if got := len(membersOf(t, s, key)); got != want {
			t.Errorf("%s has %d members, want %d", key, got, want)
		}
	}
}

// A process that dies while it stages leaves nothing behind.
func TestStageOfADeadProcessIsReclaimed(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openTuned(t, db, Tuning{StageFrom: 100})
	must(t, s, sadd("source", numbers(0, 2*stageRecords)...))
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	st := newStage(ctx, s)
	if _, err := s.draft(ctx, Each, []Op{copyKey("source", "copy", func() {})}, 0, st); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, db); left[encoding.FamilyStage] != 1 || left[encoding.FamilyMember] <= 2*stageRecords {
		t.Fatalf("nothing was staged: %v", left)
	}
	if err := s.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, db); left[encoding.FamilyStage] != 1 {
		t.Errorf("a stage in use was taken: %v", left)
	}
	again := openTuned(t, db, Tuning{}) // as the next process does
	if err := again.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, db); left[encoding.FamilyStage] != 0 || left[encoding.FamilyMember] != 2*stageRecords || left[encoding.FamilyReclaim] != 0 {
		t.Errorf("records left: %v", left)
	}
}

// A dry run of a big operation judges and writes nothing.
func TestDryRunOfABigOperation(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openTuned(t, db, Tuning{StageFrom: 100})
	must(t, s, sadd("source", numbers(0, 1000)...))
	before := dump(t, db)
	out, err := s.DryRun(context.Background(), copyKey("source", "copy", func() {}))
	if err != nil || out.Err != nil || !out.Created && out.Revision.Changes != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	if after := dump(t, db); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("records before %v, after %v", before, after)
	}
}

// In an atomic list nothing is staged: it is one transaction or none.
func TestBigOperationInAnAtomicList(t *testing.T) {
	db := openDB(t, badger.Options{MaxTxnWrites: 1000})
	s := openTuned(t, db, Tuning{StageFrom: 100})
	must(t, s, sadd("source", numbers(0, 900)...))
	if _, err := s.Do(context.Background(), Atomic, []Op{copyKey("source", "copy", func() { t.Error("it was staged") })}); err != nil {
		t.Error(err)
	}
	must(t, s, sadd("source", numbers(900, 1100)...))
	_, err := s.Do(context.Background(), Atomic, []Op{copyKey("source", "big", func() {})})
	if !errors.Is(err, kv.ErrTooBig) || count(t, s, "big") != -1 {
		t.Errorf("got %v", err)
	}
}
