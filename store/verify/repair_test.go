package verify_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"keypact/encoding"
	"keypact/store"
	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/storetest"
	"keypact/store/verify"
)

// tester is what *testing.T and *rapid.T have in common here.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// load puts records into an engine; the caller closes it.
func load(t tester, records map[string]string) *badger.DB {
	t.Helper()
	db, err := badger.Open(badger.Options{
		InMemory: true, MemTableBytes: 1 << 20, MaxTxnBytes: 64 << 10, MaxTxnWrites: 500,
		Clock: func() time.Time { return time.UnixMilli(noon) },
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(background, func(tx kv.Txn) (err error) {
		for key, value := range records {
			err = errors.Join(err, tx.Set([]byte(key), []byte(value)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func mended(t tester, db kv.DB) *verify.Report {
	t.Helper()
	report, err := verify.Repair(background, db, verify.Options{Now: noon, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	if report.Repairable > 0 {
		t.Errorf("after a repair %v", report.Faults)
	}
	return report
}

// values is what readers of a store see.
func values(t tester, db kv.DB) (all map[string]storetest.Value) {
	t.Helper()
	err := db.View(background, func(r kv.Reader) (err error) {
		all, err = storetest.Read(r, noon)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ownerOf is the key that a record belongs to, "" if it is of none.
func ownerOf(key string) string {
	switch f := encoding.Family(key[0]); f {
	case encoding.FamilyContract:
		return "c:1"
	case encoding.FamilyMeta:
		_, user, _ := encoding.ParseMetaKey([]byte(key))
		return string(user)
	default:
		_, _, home, _, _, _ := encoding.ParseDataPrefix([]byte(key))
		if renamed := map[string]string{"old": "new", "ho": "hash"}[string(home)]; renamed != "" {
			return renamed
		}
		return string(home)
	}
}

// derived reports whether all that a record says is said elsewhere too.
func derived(key string) bool {
	switch encoding.Family(key[0]) {
	case encoding.FamilyMeta, encoding.FamilyList, encoding.FamilyContract:
		return false
	case encoding.FamilyMember:
		return slices.Contains([]string{"z", "new"}, ownerOf(key))
	}
	return true
}

// TestRepairDropped: whichever record is missing, a repaired store is clean and
// goes on. Where the record says nothing that others do not, nothing is lost;
// else nothing of another key is.
func TestRepairDropped(t *testing.T) {
	sound := shelve(allRecords(t, rich(t)))
	before := load(t, sound.records)
	want := values(t, before)
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	for _, key := range sound.keys {
		if unseen(key) || flushes(sound.records[key]) {
			continue
		}
		db := load(t, sound.without(key).records)
		if report := mended(t, db); !report.Clean {
			t.Errorf("without %x: %v", key, report.Faults)
		}
		expected, got := maps.Clone(want), values(t, db)
		if !derived(key) {
			delete(expected, ownerOf(key))
			delete(got, ownerOf(key))
		}
		compare(t, key, expected, got)
		goOn(t, key, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// flushes reports whether a record says that a whole namespace is dead. Without
// it nothing tells keys that were flushed from keys whose namespace lost its
// name, so they are left.
func flushes(value string) bool {
	var rec encoding.Reclaim
	return encoding.ParseReclaim([]byte(value), &rec) == nil && rec.WholeNamespace
}

// compare looks at what readers see, contracts aside.
func compare(t tester, key string, want, got map[string]storetest.Value) {
	t.Helper()
	same := maps.EqualFunc(want, got, func(a, b storetest.Value) bool { return a.Same(b) && a.Version == b.Version })
	if !same {
		t.Errorf("record %x of %s: the store holds %v, want %v", key, encoding.Family(key[0]), got, want)
	}
}

// goOn runs a store on repaired records and changes every collection, which
// builds trees where they are missing.
func goOn(t tester, key string, db kv.DB) {
	t.Helper()
	st, err := store.Open(background, db, store.Options{
		Sweep: -1, Tuning: store.Tuning{TreeFrom: 4, TreeRun: 2, TreeNode: 3, ListShift: 1, ListCut: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for name, value := range values(t, db) {
		change := map[encoding.Type]write{
			encoding.TypeString: expiring(name), encoding.TypeHash: hash(name), encoding.TypeSet: more(name), encoding.TypeZSet: again(name),
			encoding.TypeList: pushed(name, 2),
		}[value.Type]
		if out, err := st.Do(background, store.Each, []store.Op{change}); err != nil || out[0].Err != nil {
			t.Errorf("record %x: change of %q: %v, %v", key, name, err, out[0].Err)
		}
	}
	if err := st.Sweep(background); err != nil {
		t.Errorf("record %x: %v", key, err)
	}
	report, err := verify.Run(background, db, verify.Options{Now: noon, Exact: true})
	if err != nil || !report.Clean || report.Reclaim > 0 {
		t.Errorf("record %x: after changes %+v, %v", key, report, err)
	}
}

func more(key string) write {
	return write{[]string{key}, func(tx *store.Tx) error {
		s, err := tx.Set([]byte(key))
		_, add := s.Add([]byte("more"))
		return errors.Join(err, add)
	}}
}

func again(key string) write {
	return write{[]string{key}, func(tx *store.Tx) error {
		z, err := tx.ZSet([]byte(key))
		_, put := z.Put([]byte("more"), 1.25, store.When{})
		_, drop := z.Drop(member(0))
		return errors.Join(err, put, drop)
	}}
}

// TestRepairDamaged: however several records are damaged, a repair ends, leaves
// nothing that could be mended, and mends nothing the next time. Keys of which
// no record was damaged are as they were.
func TestRepairDamaged(t *testing.T) {
	sound := shelve(allRecords(t, rich(t)))
	before := load(t, sound.records)
	want := values(t, before)
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		records, hurt := maps.Clone(sound.records), map[string]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "records") {
			key := rapid.SampledFrom(sound.keys).Draw(t, "key")
			hurt[ownerOf(key)] = true
			if encoding.Family(key[0]) == encoding.FamilyNamespace {
				continue // which says of all keys where they are
			}
			if value := []byte(records[key]); len(value) > 0 && rapid.Bool().Draw(t, "flip") {
				value[rapid.IntRange(0, len(value)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
				records[key] = string(value)
			} else {
				delete(records, key)
			}
		}
		db := load(t, records)
		defer db.Close()
		first, err := verify.Repair(background, db, verify.Options{Now: noon, Exact: true})
		if err != nil {
			return // of another format
		}
		second := mended(t, db)
		if first.Repairable > 0 || len(second.Repaired) > 0 || first.Found != second.Found {
			t.Errorf("mended %v, which left %v; then %v, which left %v", first.Repaired, first.Faults, second.Repaired, second.Faults)
		}
		err = db.View(background, func(r kv.Reader) error {
			got, err := storetest.Read(r, 0)
			for key, value := range want {
				if err == nil && !hurt[key] && !got[key].Same(value) {
					t.Errorf("key %q holds %v, want %v", key, got[key], value)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
