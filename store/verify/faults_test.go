package verify_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/store"
	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/storetest"
	"keypact/store/verify"
)

const noon = 1_800_000_000_000

var background = context.Background()

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

// check verifies a store whose clock stands at noon.
func check(t *testing.T, db kv.DB) *verify.Report {
	t.Helper()
	report, err := verify.Run(t.Context(), db, verify.Options{Now: noon, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	return report
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

// TestFaults damages one record at a time: what is found first, and what is
// left of it after a repair.
func TestFaults(t *testing.T) {
	data := encoding.AppendData(nil, &encoding.Data{Created: noon})
	for _, test := range []struct {
		name   string
		damage func(*testing.T, kv.DB, kv.Txn) error
		want   verify.Code
		left   verify.Code // after a repair; empty is nothing
	}{
		{"no format", drop(encoding.FamilyFormat, 0), verify.CodeFormat, ""},
		{"garbage for a format", put(encoding.FormatKey(), []byte("?")), verify.CodeFormat, verify.CodeFormat},
		{"no sequence of versions", drop(encoding.FamilySequence, 0), verify.CodeSequence, ""},
		{"no clock", drop(encoding.FamilySequence, 1), verify.CodeClock, ""},
		{"no sequence of namespaces", drop(encoding.FamilySequence, 2), verify.CodeSequence, ""},
		{"no sequence of contracts", drop(encoding.FamilySequence, 3), verify.CodeSequence, ""},
		{"no epoch", drop(encoding.FamilySequence, 4), verify.CodeSequence, ""},
		{"no instance", drop(encoding.FamilySequence, 5), verify.CodeSequence, ""},
		{"clock behind", put(encoding.ClockKey(), encoding.AppendSequence(nil, noon-1)), verify.CodeClock, ""},
		{"clock ahead", put(encoding.ClockKey(), encoding.AppendSequence(nil, noon+1)), verify.CodeClock, verify.CodeClock},
		{"sequence behind", put(encoding.SequenceKey(), encoding.AppendSequence(nil, 2)), verify.CodeSequence, ""},
		{"unknown sequence", put([]byte{byte(encoding.FamilySequence), 99}, encoding.AppendSequence(nil, 1)), verify.CodeUnknown, verify.CodeUnknown},
		{"no counter", drop(encoding.FamilyCounter, 0), verify.CodeCounter, ""},
		{"counter of no namespace", put(encoding.AppendCounterKey(nil, 9, 0), encoding.AppendCounter(nil, 1)), verify.CodeCounter, ""},
		{"no namespace", drop(encoding.FamilyNamespace, 0), verify.CodeNamespace, ""},
		{"no empty namespace", drop(encoding.FamilyNamespace, 3), verify.CodeNamespace, ""},
		{"no number", put(encoding.AppendNamespaceKey(nil, "x"), encoding.AppendNamespace(nil, 9)), verify.CodeNamespace, ""},
		{"two names", put(encoding.AppendNamespaceKey(nil, "16"), encoding.AppendNamespace(nil, 1)), verify.CodeNamespace, verify.CodeNamespace},
		{"no contract", drop(encoding.FamilyContract, 0), verify.CodeJudged, ""},
		{"no meta of a hash", drop(encoding.FamilyMeta, 1), verify.CodeOrphan, ""},
		{"no meta of a string", drop(encoding.FamilyMeta, 0), verify.CodeExpiryStray, ""},
		{"no field", drop(encoding.FamilyMember, 3), verify.CodeLost, verify.CodeLost},
		{"no member of a sorted set", drop(encoding.FamilyMember, 5), verify.CodeOrder, ""},
		{"no list element", drop(encoding.FamilyList, 1), verify.CodeCount, ""},
		{"no score", drop(encoding.FamilyScore, 5), verify.CodeOrder, ""},
		{"no alias", drop(encoding.FamilyAlias, 0), verify.CodeAlias, ""},
		{"no expiry", drop(encoding.FamilyExpiry, 0), verify.CodeExpiry, ""},
		{"no reclaim record", drop(encoding.FamilyReclaim, 0), verify.CodeOrphan, ""},
		{"count", edit("h", func(m *encoding.Meta) { m.Count = 2 }), verify.CodeCount, ""},
		{"empty", edit("s", func(m *encoding.Meta) { m.Count = 0 }), verify.CodeCount, ""},
		{"right bound", edit("l", func(m *encoding.Meta) { m.Right++ }), verify.CodeList, ""},
		{"right bound past an element", edit("l", func(m *encoding.Meta) { m.Right -= m.Stride }), verify.CodeCount, ""},
		{"left bound", edit("l", func(m *encoding.Meta) { m.Left--; m.Right-- }), verify.CodeList, ""},
		{"an element outside", put(encoding.AppendListKey(nil, 1, []byte("l"), 3, 5), data), verify.CodeOutside, ""},
		{"expiry", edit("c:1", func(m *encoding.Meta) { m.Expires++ }), verify.CodeExpiry, ""},
		{"version", edit("s", func(m *encoding.Meta) { m.Version++ }), verify.CodeOrphan, verify.CodeLost},
		{"orphans beside a key without elements", edit("s", func(m *encoding.Meta) { m.Version++ }), verify.CodeLost, verify.CodeOrphan},
		{"version to come", edit("c:1", func(m *encoding.Meta) { m.Version = 1 << 40 }), verify.CodeSequence, ""},
		{"type", edit("s", func(m *encoding.Meta) { m.Type = encoding.TypeList }), verify.CodeForeign, verify.CodeForeign},
		{"no change", edit("h", func(m *encoding.Meta) { m.Changes = 0 }), verify.CodeMeta, ""},
		{"contract", edit("c:1", func(m *encoding.Meta) { m.ContractRevision = 9 }), verify.CodeJudged, ""},
		{"conformant", edit("h", func(m *encoding.Meta) { m.Conformant = true }), verify.CodeJudged, ""},
		{"home", edit("new", func(m *encoding.Meta) { m.HasHome, m.Home = false, nil }), verify.CodeMeta, ""},
		{"from the future", edit("h", func(m *encoding.Meta) { m.Created = noon + 1 }), verify.CodeTime, verify.CodeTime},
		{"orphan", put(encoding.AppendMemberKey(nil, 1, []byte("h"), 77, []byte("f")), data), verify.CodeOrphan, ""},
		{"foreign score", put(encoding.AppendScoreKey(nil, 1, []byte("h"), 2, 0, []byte("f")), encoding.AppendIndexValue(nil)), verify.CodeForeign, verify.CodeForeign},
		{"value of a member", func(t *testing.T, db kv.DB, w kv.Txn) error {
			return w.Set(memberOf(t, db, "s"), encoding.AppendData(nil, &encoding.Data{Created: noon, Value: []byte("x")}))
		}, verify.CodeValue, ""},
		{"marks", edit("z", func(m *encoding.Meta) { m.HighWater = []byte{1} }), verify.CodeMarks, ""},
		{"a root without a tree", edit("z", func(m *encoding.Meta) { m.TreeRoot = 1 }), verify.CodeTree, ""},
		{"garbage", put(metaKey("new key"), []byte("?")), verify.CodeCorrupt, verify.CodeCorrupt},
		{"unknown family", put([]byte{0x2f, 1}, []byte("?")), verify.CodeUnknown, verify.CodeUnknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := sample(t)
			if err := db.Update(t.Context(), func(w kv.Txn) error { return test.damage(t, db, w) }); err != nil {
				t.Fatal(err)
			}
			report := check(t, db)
			if !has(report, test.want) || report.Clean {
				t.Errorf("faults %v, want %s among them", report.Faults, test.want)
			}
			after := repair(t, db)
			if test.left == "" && !after.Clean || test.left != "" && !has(after, test.left) || after.Repairable > 0 {
				t.Errorf("of %v a repair leaves %v, want %q", report.Faults, after.Faults, test.left)
			}
		})
	}
}

// TestSound: nothing is found in a sound store, and nothing is mended.
func TestSound(t *testing.T) {
	db := sample(t)
	before := dump(t, db)
	if report := repair(t, db); !report.Clean || len(report.Repaired) > 0 {
		t.Errorf("faults %v, mended %v", report.Faults, report.Repaired)
	}
	if diff := storetest.Diff(before, dump(t, db)); diff != "" {
		t.Error(diff)
	}
}

func has(report *verify.Report, code verify.Code) bool {
	return slices.ContainsFunc(report.Codes, func(t verify.Tally) bool { return t.Code == code })
}

func repair(t *testing.T, db kv.DB) *verify.Report {
	t.Helper()
	report, err := verify.Repair(t.Context(), db, verify.Options{Now: noon, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func dump(t *testing.T, db kv.DB) (all map[string]string) {
	t.Helper()
	err := db.View(t.Context(), func(r kv.Reader) (err error) {
		all, err = storetest.Dump(r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
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
