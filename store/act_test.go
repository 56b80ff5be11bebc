package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// act is an operation made of a function, to try the core without any type.
type act struct {
	calls []Call
	do    func(tx *Tx) (any, error)
}

func (a act) Calls() []Call             { return a.calls }
func (a act) Apply(tx *Tx) (any, error) { return a.do(tx) }

func call(verb, key string) Call {
	return Call{Verb: verb, Key: []byte(key), DataAt: "fields"}
}

// hset sets one field, always as a change.
func hset(key, field, value string) Op {
	return act{[]Call{call("HSET", key)}, func(tx *Tx) (any, error) {
		r, err := tx.open([]byte(key), encoding.TypeHash)
		if err != nil {
			return nil, err
		}
		if err := r.ensure(encoding.TypeHash); err != nil {
			return nil, err
		}
		_, found, err := r.member([]byte(field))
		if err != nil {
			return nil, err
		}
		tx.At(Place{List: "fields", Name: []byte(field)})
		return nil, r.putField([]byte(field), []byte(value), found)
	}}
}

func hdel(key, field string) Op {
	return act{[]Call{call("HDEL", key)}, func(tx *Tx) (any, error) {
		r, err := tx.open([]byte(key), encoding.TypeHash)
		if err != nil || !r.exists {
			return nil, errors.Join(err, ErrNotFound)
		}
		return nil, r.dropField([]byte(field))
	}}
}

func del(key string) Op {
	return act{[]Call{call("DEL", key)}, func(tx *Tx) (any, error) {
		r, err := tx.peek([]byte(key))
		if err != nil {
			return nil, err
		}
		return nil, r.remove()
	}}
}

func expireAt(key string, ms int64) Op {
	return act{[]Call{call("EXPIRE", key)}, func(tx *Tx) (any, error) {
		r, err := tx.peek([]byte(key))
		if err != nil {
			return nil, err
		}
		if !r.exists {
			return nil, ErrNotFound
		}
		return nil, r.setExpiry(ms)
	}}
}

// count reads how many elements a key has; -1 is an absent key.
func count(t *testing.T, s *Store, key string) int64 {
	t.Helper()
	n := int64(-1)
	one(t, s, act{[]Call{{Verb: "HLEN", Key: []byte(key), Read: true}}, func(tx *Tx) (any, error) {
		r, err := tx.peek([]byte(key))
		if err == nil && r.exists {
			n = int64(r.meta.Count)
		}
		return nil, err
	}})
	return n
}

type wallClock struct{ ms atomic.Int64 }

func (c *wallClock) now() time.Time       { return time.UnixMilli(c.ms.Load()) }
func (c *wallClock) step(d time.Duration) { c.ms.Add(d.Milliseconds()) }

func newClock() *wallClock {
	c := new(wallClock)
	c.ms.Store(1_800_000_000_000)
	return c
}

func openDB(t *testing.T, o badger.Options) *badger.DB {
	t.Helper()
	o.InMemory = o.Dir == ""
	o.MinFreeBytes = -1
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func openStore(t *testing.T, db kv.DB, yaml string) *Store {
	t.Helper()
	s, err := Open(context.Background(), db, Options{Contracts: parse(t, yaml), Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func newStore(t *testing.T, yaml string) (*Store, *wallClock) {
	t.Helper()
	clock := newClock()
	return openStore(t, openDB(t, badger.Options{Clock: clock.now}), yaml), clock
}

func parse(t *testing.T, yaml string) *contracts.Set {
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

func one(t *testing.T, s *Store, op Op) Outcome {
	t.Helper()
	out, err := s.Do(context.Background(), Each, []Op{op})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func must(t *testing.T, s *Store, op Op) Outcome {
	t.Helper()
	out := one(t, s, op)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	return out
}

// codes are the codes of the violations in err, with their paths.
func codes(err error) []string {
	var refused *ContractError
	if !errors.As(err, &refused) {
		return nil
	}
	var out []string
	for _, v := range refused.Violations {
		out = append(out, fmt.Sprintf("%d %s %v", v.Operation, v.Code, v.Path))
	}
	return out
}

func wantCodes(t *testing.T, err error, want ...string) {
	t.Helper()
	if got := codes(err); !slices.Equal(got, want) {
		t.Errorf("violations %q, want %q (error %v)", got, want, err)
	}
}

// dump lists the families of all records on disk that hold user data.
func dump(t *testing.T, db kv.DB) map[encoding.Family]int {
	t.Helper()
	out := make(map[encoding.Family]int)
	err := db.View(context.Background(), func(r kv.Reader) error {
		return r.Scan(kv.Range{Lower: []byte{byte(encoding.FamilyMeta)}, KeysOnly: true}, func(key, _ []byte) bool {
			out[encoding.Family(key[0])]++
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
