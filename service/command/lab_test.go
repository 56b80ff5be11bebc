package command

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"keypact/contracts"
	"keypact/service"
	"keypact/store"
	"keypact/store/kv/badger"
)

// lab runs commands on a store in memory whose clock stands still.
type lab struct {
	t     testing.TB
	once  Once
	host  *Host
	store *store.Store

	mu     sync.Mutex
	events []string // names and keys of what the store told
}

func openLab(t testing.TB, yaml string, limits service.Limits) *lab {
	t.Helper()
	l := &lab{t: t}
	clock := func() time.Time { return time.UnixMilli(1_800_000_000_000) }
	db, err := badger.Open(badger.Options{InMemory: true, MinFreeBytes: -1, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	set := contracts.Empty()
	if yaml != "" {
		if set, err = contracts.Parse(contracts.Source{Name: "test.yaml", Data: []byte(yaml)}); err != nil {
			t.Fatal(err)
		}
	}
	l.store, err = store.Open(t.Context(), db, store.Options{
		Contracts: set, Sweep: -1, Limits: limits.Store(), Notify: l.hear,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.store.Close)
	svc, err := service.New(l.store, service.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	l.host = New(svc, Options{})
	l.once = l.host.Once("test")
	return l
}

func (l *lab) hear(events []store.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range events {
		l.events = append(l.events, e.Name+" "+e.Key)
	}
}

// heard takes what was told since the last call.
func (l *lab) heard() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := strings.Join(l.events, ", ")
	l.events = nil
	return out
}

// run runs a command of words without blanks; "" is the empty word.
func (l *lab) run(line string) Reply {
	l.t.Helper()
	var words [][]byte
	for _, word := range strings.Fields(line) {
		words = append(words, []byte(strings.Trim(word, `"`)))
	}
	return l.words(words...)
}

func (l *lab) words(words ...[]byte) Reply {
	l.t.Helper()
	return l.once.Run(l.t.Context(), [][][]byte{words}, time.Second)[0]
}

// must is run for commands that must not fail.
func (l *lab) must(lines ...string) (last Reply) {
	l.t.Helper()
	for _, line := range lines {
		last = l.run(line)
		if e, failed := last.(Error); failed {
			l.t.Fatalf("%s: %s", line, e)
		}
	}
	return last
}

// state is the revision of a key and when it expires.
func (l *lab) state(key string) string {
	l.t.Helper()
	var state string
	op := &act{calls: []store.Call{look("EXISTS", []byte(key))}, apply: func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key([]byte(key))
		if err != nil {
			return nil, err
		}
		state = fmt.Sprint(k.Revision(), k.Expires())
		return OK, nil
	}}
	if _, err := l.host.service.Do(l.t.Context(), op); err != nil {
		l.t.Fatal(err)
	}
	return state
}
