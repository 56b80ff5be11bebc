package service

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"keypact/contracts"
	"keypact/store"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// lab is a store in memory whose clock stands still until it is told to move.
type lab struct {
	db    kv.DB
	store *store.Store
	clock atomic.Int64
}

func openLab(t testing.TB, yaml string, limits store.Limits) *lab {
	t.Helper()
	l := new(lab)
	l.clock.Store(1_800_000_000_000)
	db, err := badger.Open(badger.Options{
		InMemory: true, MinFreeBytes: -1,
		Clock: func() time.Time { return time.UnixMilli(l.clock.Load()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	l.db = db
	l.store, err = store.Open(context.Background(), db, store.Options{Contracts: contractsOf(t, yaml), Sweep: -1, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.store.Close)
	return l
}

func contractsOf(t testing.TB, yaml string) *contracts.Set {
	t.Helper()
	if yaml == "" {
		return contracts.Empty()
	}
	set, err := contracts.Parse(contracts.Source{Name: "test.yaml", Data: []byte(yaml)})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// do runs one operation; the answer is its JSON or its error.
func (l *lab) do(t testingT, op Op) (store.Outcome, error) {
	t.Helper()
	out, err := l.store.Do(context.Background(), store.Each, []Op{op})
	if err != nil {
		t.Fatal(err)
	}
	return out[0], out[0].Err
}

// must runs operations that have to succeed.
func (l *lab) must(t testingT, ops ...Op) {
	t.Helper()
	for _, op := range ops {
		if _, err := l.do(t, op); err != nil {
			t.Fatalf("%T %s: %v", op, text(op), err)
		}
	}
}

// answer is what an operation answers: JSON, "created" or "stored", or the word
// for its error.
func (l *lab) answer(t testingT, op Op) string {
	t.Helper()
	out, err := l.do(t, op)
	return answer(out.Value, err)
}

func answer(value any, err error) string {
	if err != nil {
		return word(err)
	}
	if stored, ok := value.(Stored); ok {
		if stored.Created {
			return "created"
		}
		return "stored"
	}
	return text(value)
}

// words name the errors of the store in tests.
var words = []struct {
	err  error
	word string
}{
	{store.ErrNotFound, "not found"}, {store.ErrWrongType, "wrong type"}, {store.ErrPrecondition, "precondition"},
	{store.ErrTooBig, "too big"}, {store.ErrNaN, "nan"}, {kv.ErrTooBig, "transaction too big"},
}

func word(err error) string {
	var refused *store.ContractError
	if errors.As(err, &refused) {
		out := "contract:"
		for _, v := range refused.Violations {
			out += fmt.Sprintf(" %s %v", v.Code, v.Path)
		}
		return out
	}
	for _, w := range words {
		if errors.Is(err, w.err) {
			return w.word
		}
	}
	return err.Error()
}

func text(value any) string {
	raw, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func texts(list ...string) []Bytes {
	out := make([]Bytes, len(list))
	for i, s := range list {
		out[i] = Bytes(s)
	}
	return out
}

func bound(text string) Bound { return Bound(text) }

func scored(member string, score float64) ZSetEntry {
	return ZSetEntry{Member: Bytes(member), Score: new(Score(score))}
}
