package service

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"keypact/contracts"
	"keypact/store"
	"keypact/store/kv/badger"
)

// wall is a clock that stands still until it is moved.
type wall struct{ ms atomic.Int64 }

// someMoment is where the clocks of tests start: 2027-01-15T08:00:00Z.
const someMoment = 1_800_000_000_000

func (w *wall) now() time.Time       { return time.UnixMilli(w.ms.Load()) }
func (w *wall) step(d time.Duration) { w.ms.Add(d.Milliseconds()) }

// fixture is a service on a store in memory.
type fixture struct {
	t *testing.T
	*Service
	clock *wall
}

func newFixture(t *testing.T, yaml string, limits ...Limits) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: new(wall)}
	f.clock.ms.Store(someMoment)
	db, err := badger.Open(badger.Options{InMemory: true, MinFreeBytes: -1, Clock: f.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	opts := Options{}
	for _, l := range limits {
		opts.Limits = l
	}
	st, err := store.Open(t.Context(), db, store.Options{
		Contracts: parseContracts(t, yaml), Sweep: -1, Limits: opts.Limits.Store(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	if f.Service, err = New(st, opts); err != nil {
		t.Fatal(err)
	}
	return f
}

func parseContracts(t *testing.T, yaml string) *contracts.Set {
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

// op makes an operation of a Redis command and the members of a batch's entry.
func (f *fixture) op(command, members string) Op {
	f.t.Helper()
	op, _, ok := NewOp(command)
	if !ok {
		f.t.Fatalf("no command %s", command)
	}
	if err := json.Unmarshal([]byte("{"+members+"}"), op, json.RejectUnknownMembers(true)); err != nil {
		f.t.Fatalf("%s {%s}: %v", command, members, err)
	}
	if err := CheckVerb(op, command); err != nil {
		f.t.Fatalf("%s {%s}: %v", command, members, err)
	}
	return op
}

// do runs a command and answers as a door would: the body as JSON, or "-" for
// none, or the kind and code of the error.
func (f *fixture) do(command, members string) string {
	f.t.Helper()
	result, err := f.Do(context.Background(), f.op(command, members))
	return f.answer(result, err)
}

func (f *fixture) answer(result Result, err error) string {
	f.t.Helper()
	var failed *Error
	if errors.As(err, &failed) {
		return string(failed.Kind) + " " + failed.Code
	}
	if err != nil {
		f.t.Fatalf("an error that is no *Error: %v", err)
	}
	if result.Empty {
		return "waited in vain"
	}
	if result.Value == nil {
		if result.Created {
			return "created"
		}
		return "-"
	}
	var out bytes.Buffer
	if err := json.MarshalWrite(&out, result.Value); err != nil {
		f.t.Fatalf("answer %#v: %v", result.Value, err)
	}
	return out.String()
}

// step is one command with its answer.
type step struct{ command, members, want string }

// play runs commands one after the other and compares their answers.
func (f *fixture) play(steps ...step) {
	f.t.Helper()
	for i, s := range steps {
		if got := f.do(s.command, s.members); got != s.want {
			f.t.Errorf("step %d: %s {%s}: %s, want %s", i, s.command, s.members, got, s.want)
		}
	}
}

// long is a JSON string of n letters.
func long(n int) string { return `"` + strings.Repeat("x", n) + `"` }
