package storetest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/store"
	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/storetest"
)

const noon = 1_800_000_000_000

// write is an operation made of a function.
type write struct {
	keys []string
	do   func(tx *store.Tx) error
}

func (w write) Calls() (calls []store.Call) {
	for _, key := range w.keys {
		calls = append(calls, store.Call{Verb: "SET", Key: []byte(key)})
	}
	return calls
}

func (w write) Apply(tx *store.Tx) (any, error) { return nil, w.do(tx) }

// sample fills a store with one key of each type, one that expires, one that
// was renamed, and one that was deleted.
func sample(t *testing.T) kv.DB {
	t.Helper()
	db, err := badger.Open(badger.Options{
		InMemory: true, MemTableBytes: 1 << 20, MaxTxnBytes: 64 << 10, MaxTxnWrites: 500,
		Clock: func() time.Time { return time.UnixMilli(noon) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	set, err := contracts.Parse(contracts.Source{Name: "c", Data: []byte("format: 1\ncontracts: {c: {key: 'c:{id}', type: string, ttl: optional}}")})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), db, store.Options{Contracts: set, Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	for _, w := range sampleWrites() {
		if out, err := st.Do(t.Context(), store.Each, []store.Op{w}); err != nil || out[0].Err != nil {
			t.Fatal(err, out[0].Err)
		}
	}
	return db
}

func sampleWrites() []write {
	fill := func(tx *store.Tx, key string) error {
		z, err := tx.ZSet([]byte(key))
		for i, member := range []string{"a", "b", "c"} {
			if err == nil {
				_, err = z.Put([]byte(member), float64(i), store.When{})
			}
		}
		return err
	}
	return []write{
		{[]string{"c:1"}, func(tx *store.Tx) error {
			k, err := tx.Key([]byte("c:1"))
			return errors.Join(err, k.PutString([]byte("v"), "", noon+1000, false))
		}},
		{[]string{"h"}, func(tx *store.Tx) error {
			h, err := tx.Hash([]byte("h"))
			_, _, put := h.Put([]byte("f"), []byte("v"))
			return errors.Join(err, put)
		}},
		{[]string{"l"}, func(tx *store.Tx) error {
			l, err := tx.List([]byte("l"))
			return errors.Join(err, l.Push(store.Right, []byte("x")), l.Push(store.Left, []byte("y")), l.Push(store.Left, []byte("z")))
		}},
		{[]string{"s"}, func(tx *store.Tx) error {
			s, err := tx.Set([]byte("s"))
			_, add := s.Add([]byte("m"))
			return errors.Join(err, add)
		}},
		{[]string{"z"}, func(tx *store.Tx) error { return fill(tx, "z") }},
		{[]string{"old"}, func(tx *store.Tx) error { return fill(tx, "old") }},
		{[]string{"old", "new"}, func(tx *store.Tx) error {
			k, err := tx.Key([]byte("old"))
			return errors.Join(err, k.Rename([]byte("new")))
		}},
		{[]string{"dead"}, func(tx *store.Tx) error { return fill(tx, "dead") }},
		{[]string{"dead"}, func(tx *store.Tx) error {
			k, err := tx.Key([]byte("dead"))
			return errors.Join(err, k.Remove())
		}},
	}
}

func check(t *testing.T, db kv.DB) (faults []string) {
	t.Helper()
	if err := db.View(t.Context(), func(r kv.Reader) error {
		faults = storetest.Check(r, noon)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return faults
}

// records finds the keys of one family, in their order.
func records(t *testing.T, db kv.DB, f encoding.Family) (keys [][]byte) {
	t.Helper()
	prefix := []byte{byte(f)}
	if err := db.View(t.Context(), func(r kv.Reader) error {
		return r.Scan(kv.Range{Lower: prefix, Upper: encoding.PrefixEnd(prefix)}, func(key, _ []byte) bool {
			keys = append(keys, append([]byte{}, key...))
			return true
		})
	}); err != nil {
		t.Fatal(err)
	}
	return keys
}

func metaKey(key string) []byte { return encoding.AppendMetaKey(nil, 1, []byte(key)) }

// edit changes the meta record of a key.
func edit(key string, change func(m *encoding.Meta)) func(*testing.T, kv.DB, kv.Txn) error {
	return func(_ *testing.T, _ kv.DB, w kv.Txn) error {
		raw, err := w.Get(nil, metaKey(key))
		if err != nil {
			return err
		}
		var m encoding.Meta
		if err := encoding.ParseMeta(raw, &m); err != nil {
			return err
		}
		change(&m)
		return w.Set(metaKey(key), encoding.AppendMeta(nil, &m))
	}
}

// drop deletes the nth record of a family.
func drop(f encoding.Family, nth int) func(*testing.T, kv.DB, kv.Txn) error {
	return func(t *testing.T, db kv.DB, w kv.Txn) error { return w.Delete(records(t, db, f)[nth]) }
}

func put(key, value []byte) func(*testing.T, kv.DB, kv.Txn) error {
	return func(_ *testing.T, _ kv.DB, w kv.Txn) error { return w.Set(key, value) }
}

// TestCheck damages one record at a time.
func TestCheck(t *testing.T) {
	data := encoding.AppendData(nil, &encoding.Data{Created: noon})
	for _, test := range []struct {
		name   string
		damage func(*testing.T, kv.DB, kv.Txn) error
		want   string // part of a fault; empty is none
	}{
		{"a sound store", func(*testing.T, kv.DB, kv.Txn) error { return nil }, ""},
		{"no format", drop(encoding.FamilyFormat, 0), "format record is missing"},
		{"no counter", drop(encoding.FamilyCounter, 0), "counts 0 keys and has 6"},
		{"no namespace", drop(encoding.FamilyNamespace, 0), "which has no name"},
		{"no contract", drop(encoding.FamilyContract, 0), "names contract 1"},
		{"no meta of a hash", drop(encoding.FamilyMeta, 1), "belongs to no key"},
		{"no meta of a string", drop(encoding.FamilyMeta, 0), "key \"c:1\" is absent"},
		{"a field too few", drop(encoding.FamilyMember, 3), "counts 1 elements and has 0"},
		{"no list element", drop(encoding.FamilyList, 1), "has index"},
		{"no score", drop(encoding.FamilyScore, 5), "in the order"},
		{"no alias", drop(encoding.FamilyAlias, 0), "without an alias"},
		{"no expiry", drop(encoding.FamilyExpiry, 0), "has 0 entries in the index"},
		{"no reclaim record", drop(encoding.FamilyReclaim, 0), "is not reclaimed"},
		{"count", edit("h", func(m *encoding.Meta) { m.Count = 2 }), "counts 2 elements and has 1"},
		{"empty", edit("s", func(m *encoding.Meta) { m.Count = 0 }), "counts 0 elements and has 1"},
		{"bounds", edit("l", func(m *encoding.Meta) { m.Right++ }), "a list from"},
		{"left bound", edit("l", func(m *encoding.Meta) { m.Left--; m.Right-- }), "has index"},
		{"expiry", edit("c:1", func(m *encoding.Meta) { m.Expires++ }), "expiry index"},
		{"version", edit("s", func(m *encoding.Meta) { m.Version++ }), "is in use for"},
		{"version to come", edit("s", func(m *encoding.Meta) { m.Version = 1 << 40 }), "the next one is"},
		{"type", edit("s", func(m *encoding.Meta) { m.Type = encoding.TypeList }), "is a list and has record"},
		{"no change", edit("h", func(m *encoding.Meta) { m.Changes = 0 }), "has no change"},
		{"contract", edit("c:1", func(m *encoding.Meta) { m.ContractRevision = 9 }), "revision 9"},
		{"conformant", edit("h", func(m *encoding.Meta) { m.Conformant = true }), "conforms to no contract"},
		{"home", edit("new", func(m *encoding.Meta) { m.HasHome, m.Home = false, nil }), "does not have it as its home"},
		{"from the future", edit("h", func(m *encoding.Meta) { m.Created = noon + 1 }), "a record is from"},
		{"orphan", put(encoding.AppendMemberKey(nil, 1, []byte("h"), 77, []byte("f")), data), "belongs to no key"},
		{"foreign score", put(encoding.AppendScoreKey(nil, 1, []byte("h"), 1, 0, []byte("f")), encoding.AppendIndexValue(nil)), ""},
		{"value of a member", func(t *testing.T, db kv.DB, w kv.Txn) error {
			return w.Set(memberOf(t, db, "s"), encoding.AppendData(nil, &encoding.Data{Created: noon, Value: []byte("x")}))
		}, "of a set has a value"},
		{"garbage", put(metaKey("new key"), []byte("?")), "of meta"},
		{"unknown family", put([]byte{0x23, 1}, []byte("?")), "nothing writes that yet"},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := sample(t)
			if err := db.Update(context.Background(), func(w kv.Txn) error { return test.damage(t, db, w) }); err != nil {
				t.Fatal(err)
			}
			faults := strings.Join(check(t, db), "\n")
			if test.want == "" && test.name == "a sound store" && faults != "" || !strings.Contains(faults, test.want) {
				t.Errorf("faults %q, want %q among them", faults, test.want)
			}
			if test.name != "a sound store" && faults == "" {
				t.Error("no fault is found")
			}
		})
	}
}

// memberOf finds the record of a key's first member.
func memberOf(t *testing.T, db kv.DB, key string) []byte {
	t.Helper()
	for _, k := range records(t, db, encoding.FamilyMember) {
		if _, home, _, _, err := encoding.ParseMemberKey(k); err == nil && string(home) == key {
			return k
		}
	}
	t.Fatalf("no member of %q", key)
	return nil
}
