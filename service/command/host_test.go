package command

import (
	"context"
	"testing"

	"keypact/contracts"
	"keypact/service"
	"keypact/store"
	"keypact/store/kv/badger"
)

// newHost makes a host on an empty store in memory, under contracts.
func newHost(t *testing.T, yaml string) *Host {
	t.Helper()
	return newHostWith(t, yaml, Options{})
}

func newHostWith(t *testing.T, yaml string, opts Options) *Host {
	t.Helper()
	set := contracts.Empty()
	if yaml != "" {
		var err error
		if set, err = contracts.Parse(contracts.Source{Name: "test.yaml", Data: []byte(yaml)}); err != nil {
			t.Fatal(err)
		}
	}
	db, err := badger.Open(badger.Options{InMemory: true, MinFreeBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	st, err := store.Open(context.Background(), db, store.Options{Contracts: set, Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	svc, err := service.New(st, service.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return New(svc, opts)
}

// ask runs one command.
func ask(t *testing.T, h *Host, words ...string) Reply {
	t.Helper()
	list := make([][]byte, len(words))
	for i, word := range words {
		list[i] = []byte(word)
	}
	c := new(collector)
	s := h.Session(c)
	defer s.End()
	s.Run(context.Background(), [][][]byte{list})
	if len(c.replies) != 1 {
		t.Fatalf("%q has %d replies", words, len(c.replies))
	}
	return c.replies[0]
}

// want runs commands whose replies are not errors.
func want(t *testing.T, h *Host, commands ...[]string) {
	t.Helper()
	for _, words := range commands {
		if reply, failed := ask(t, h, words...).(Error); failed {
			t.Fatalf("%q: %s", words, reply)
		}
	}
}
