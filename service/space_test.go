package service

import (
	"context"
	"errors"
	"testing"
	"time"

	"keypact/store"
)

// ownOp is an operation of a door that checks its own arguments. It is no
// struct, which the shape could not check.
type ownOp func(tx *store.Tx) (any, error)

func (op ownOp) Calls() []store.Call             { return nil }
func (op ownOp) Apply(tx *store.Tx) (any, error) { return op(tx) }
func (op ownOp) Shaped() bool                    { return true }
func (op ownOp) Writes() bool                    { return true }

func (l *lab) service(t testing.TB) *Service {
	t.Helper()
	s, err := New(l.store, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An operation in a namespace gets its defaults, is checked, waits and reads as
// it does without one.
func TestOperationsInNamespaces(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	s, ctx := l.service(t), t.Context()
	in := func(op Op) Op { return store.In("7", op) }
	if _, err := s.Do(ctx, in(push("q", "a", "b"))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Do(ctx, in(&ListPush{Key: Bytes("q")})); classify(err).Kind != KindInvalid {
		t.Errorf("a push of nothing: %v", err)
	}
	if _, err := s.Do(ctx, store.In("16", push("q", "a"))); classify(err).Code != "no-such-namespace" {
		t.Errorf("a namespace that does not exist: %v", err)
	}
	page := &SetMembers{Key: Bytes("none")}
	if _, err := s.Do(ctx, in(page)); classify(err).Kind != KindNotFound || page.Limit == 0 {
		t.Errorf("a page without a limit: %v, limit %d", err, page.Limit)
	}
	if r, err := s.Do(ctx, &ListCount{Key: Bytes("q")}); err != nil || text(r.Value) != `{"count":0}` {
		t.Errorf("the default namespace: %s, %v", text(r.Value), err)
	}
	results, err := s.Pipeline(ctx, []Op{
		in(&ListPop{Key: Bytes("q"), Wait: TTL(time.Minute)}),
		in(&ListPop{Key: Bytes("q2"), Wait: TTL(time.Millisecond)}),
		in(&ListCount{Key: Bytes("q")}),
	})
	if err != nil || text(results[0].Value) != `{"items":["a"],"count":1}` || !results[1].Empty || text(results[2].Value) != `{"count":1}` {
		t.Errorf("pipeline: %+v, %v", results, err)
	}
}

// A list of reads sees one snapshot and writes nothing; one operation that says
// it writes makes it a list of writers.
func TestPipelinesOfReads(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	s := l.service(t)
	l.must(t, push("q", "a"))
	read := func(writes bool) error {
		look := ownOp(func(tx *store.Tx) (any, error) {
			_, err := tx.Flush("0")
			return nil, err
		})
		var op Op = look
		if !writes {
			op = readOnly{look}
		}
		results, err := s.Pipeline(t.Context(), []Op{&ListCount{Key: Bytes("q")}, op})
		return errors.Join(err, results[1].Err)
	}
	if err := read(false); classify(err).Code != "read-only" {
		t.Errorf("a read that writes: %v", err)
	}
	if err := read(true); err != nil {
		t.Error(err)
	}
	if got := l.answer(t, &ListCount{Key: Bytes("q")}); got != `{"count":0}` {
		t.Errorf("left: %s", got)
	}
}

type readOnly struct{ Op }

func (readOnly) Shaped() bool { return true }

func TestExec(t *testing.T) {
	l := openLab(t, `
format: 1
contracts:
  short: {key: 'short:{id}', type: list, ttl: optional, maxItems: 1}
`, store.Limits{})
	s, ctx := l.service(t), context.Background()
	results, err := s.Exec(ctx, []Op{
		push("short:1", "a", "b"), &StringGet{Key: Bytes("short:1")}, &ListPush{Key: Bytes("q")}, &ListPop{Key: Bytes("none"), Wait: TTL(time.Minute)},
		&ListPop{Key: Bytes("short:1")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Kind{"", KindWrongType, KindInvalid, KindNotFound, ""} {
		if got := results[i].Err; (got == nil) != (want == "") || got != nil && classify(got).Kind != want {
			t.Errorf("operation %d: %v, want %q", i, got, want)
		}
	}
	_, err = s.Exec(ctx, []Op{push("q", "a"), push("short:1", "c")})
	var refused *Error
	if !errors.As(err, &refused) || refused.Kind != KindContract || refused.Violations[0].Operation != 1 {
		t.Errorf("a list that breaks a contract at its end: %v", err)
	}
	_, err = s.Exec(ctx, []Op{push("q", "a"), ownOp(store.Watch{Key: []byte("short:1")}.Apply)})
	if !errors.As(err, &refused) || refused.Kind != KindPrecondition || refused.Code != "watched" {
		t.Errorf("a watched key that changed: %v", err)
	}
	if got := l.answer(t, &ListCount{Key: Bytes("q")}); got != `{"count":0}` {
		t.Errorf("left: %s", got)
	}
}
