package verify_test

import (
	"bytes"
	"testing"

	"keypact/encoding"
	"keypact/store/kv"
)

// allRecords copies a store.
func allRecords(t *testing.T, db kv.DB) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := db.View(t.Context(), func(r kv.Reader) error {
		return r.Scan(kv.Range{}, func(key, value []byte) bool {
			all[string(key)] = string(value)
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRich wants the store to have all that mutations are made of.
func TestRich(t *testing.T) {
	records := allRecords(t, rich(t))
	report := walk(t, records)
	if !report.Clean || report.Trees < 6 || report.Reclaim != 4 || report.Stages != 1 || report.Dead < 10 {
		t.Errorf("%+v", report)
	}
	seen := map[encoding.Family]int{}
	uneven := 0
	for key, value := range records {
		seen[encoding.Family(key[0])]++
		var m encoding.Meta
		if encoding.Family(key[0]) == encoding.FamilyMeta && encoding.ParseMeta([]byte(value), &m) == nil && m.Uneven != 0 {
			uneven++
		}
	}
	if len(seen) != 14 || uneven != 1 {
		t.Errorf("families %v, %d uneven lists", seen, uneven)
	}
}

// TestDropped: whichever record is missing, that is found, but for the last of
// the namespaces, if it is empty: a store makes it when it is opened.
func TestDropped(t *testing.T) {
	sound := shelve(allRecords(t, rich(t)))
	for _, key := range sound.keys {
		if unseen(key) {
			continue
		}
		if key != string(encoding.AppendNamespaceKey(nil, "15")) && sound.without(key).clean(t) {
			t.Errorf("without record %x of %s nothing is found", key, encoding.Family(key[0]))
		}
	}
}

// unseen reports whether nobody can miss a record, or read it: data that waits
// to be deleted or that is being filled. It may be gone in part at any time. The
// namespace 1 was flushed, and so its counter does not count.
func unseen(key string) bool {
	if ns, _, err := encoding.ParseCounterKey([]byte(key)); err == nil && ns == 1 {
		return true
	}
	_, ns, home, version, _, err := encoding.ParseDataPrefix([]byte(key))
	if err != nil || encoding.Family(key[0]) == encoding.FamilyStage {
		n, _, err := encoding.ParseMetaKey([]byte(key))
		return err == nil && n == 1
	}
	if ns == 1 || string(home) == "dead" || version == 500_000 {
		return true
	}
	_, _, _, index, err := encoding.ParseListKey([]byte(key))
	return err == nil && string(home) == "l" && (index < encoding.ListMiddle+3<<16 || index >= encoding.ListMiddle+6<<16)
}

// TestFlipped: whichever bit of a value is wrong, that is found, but where the
// value means another thing that is just as possible; see possible.
func TestFlipped(t *testing.T) {
	sound := shelve(allRecords(t, rich(t)))
	found, left := 0, 0
	for _, key := range sound.keys {
		value := sound.records[key]
		if unseen(key) {
			continue
		}
		for i := range value {
			flipped := []byte(value)
			flipped[i] ^= 1 << (i % 8)
			switch {
			case !sound.with(key, string(flipped)).clean(t):
				found++
			case possible(key, []byte(value), flipped):
				left++
			default:
				t.Errorf("record %x of %s: %x is as good as %x", key, encoding.Family(key[0]), flipped, value)
			}
		}
	}
	if found < 2*left {
		t.Errorf("%d flips were found, %d could not be", found, left)
	}
}

// possible reports whether another value of a record means something that only
// who wrote it can tell to be wrong. The engine's checksums are there for that.
//
//   - What users store, and when it was written, as long as that is not in the
//     future.
//   - Sequences that are further on, the store's own random number, the hash
//     and the revision of a contract.
//   - How often a key changed, whether it was found to conform to its contract
//     (without the contracts), the strictness of what a tree or a water mark
//     says: a bound between the same two elements, a mark further out.
//   - That a list is uneven, though it need not be.
//   - The type of a dead value or of one that is being filled, when it was
//     queued, and parts of a list that are larger than they were.
func possible(key string, old, flipped []byte) bool {
	switch encoding.Family(key[0]) {
	case encoding.FamilySequence, encoding.FamilyContract, encoding.FamilyReclaim, encoding.FamilyStage:
		return true
	case encoding.FamilyMeta:
		var a, b encoding.Meta
		if encoding.ParseMeta(old, &a) != nil || encoding.ParseMeta(flipped, &b) != nil {
			return false
		}
		for _, m := range []*encoding.Meta{&a, &b} {
			m.Changes, m.Created, m.Value, m.MediaType, m.Bytes, m.Conformant, m.LowWater, m.HighWater, m.Uneven = 0, 0, nil, "", 0, false, nil, nil, 0
		}
		return bytes.Equal(encoding.AppendMeta(nil, &a), encoding.AppendMeta(nil, &b))
	case encoding.FamilyMember, encoding.FamilyList:
		var a, b encoding.Data
		return encoding.ParseData(old, &a) == nil && encoding.ParseData(flipped, &b) == nil && len(a.Value) == len(b.Value)
	case encoding.FamilyTree:
		var a, b encoding.TreeNode
		if encoding.ParseTreeNode(old, &a) != nil || encoding.ParseTreeNode(flipped, &b) != nil || len(a.Entries) != len(b.Entries) {
			return false
		}
		for i := range a.Entries {
			if a.Entries[i].Count != b.Entries[i].Count || a.Entries[i].Child != b.Entries[i].Child {
				return false
			}
		}
		return a.Least == b.Least && a.Greatest == b.Greatest && a.Level == b.Level && a.Root == b.Root && b.NextNode >= a.NextNode
	}
	return false
}

// TestAdded: whichever record is there once more under another key, that is
// found, unless it says nothing of anything that is there: a contract under
// another name, a value that is being filled or waits to be deleted and has no
// data, a part of no list.
func TestAdded(t *testing.T) {
	sound := shelve(allRecords(t, rich(t)))
	records := sound.records
	for _, key := range sound.keys {
		f := encoding.Family(key[0])
		if unseen(key) || f == encoding.FamilyStage || f == encoding.FamilyContract {
			continue
		}
		for i := 1; i < len(key); i++ {
			added := []byte(key)
			added[i] ^= 1 << (i % 8)
			if _, there := records[string(added)]; there || unseen(string(added)) || alsoPart(records[key], f) {
				continue
			}
			if sound.with(string(added), records[key]).clean(t) {
				t.Errorf("with %x beside record %x of %s nothing is found", added, key, f)
			}
		}
	}
}

func alsoPart(value string, f encoding.Family) bool {
	var rec encoding.Reclaim
	return f == encoding.FamilyReclaim && encoding.ParseReclaim([]byte(value), &rec) == nil && rec.Part()
}

// TestMovedToAnotherFamily: a record under another family is found too. One in
// four stands for all.
func TestMovedToAnotherFamily(t *testing.T) {
	sound := shelve(allRecords(t, rich(t)))
	for i, key := range sound.keys {
		value := sound.records[key]
		if i%4 != 0 || unseen(key) {
			continue
		}
		for f := range encoding.FamilyToken + 2 {
			moved := string(append([]byte{byte(f)}, key[1:]...))
			if _, there := sound.records[moved]; there || unseen(moved) || f == encoding.FamilyContract {
				continue
			}
			if sound.with(moved, value).clean(t) {
				t.Errorf("record %x of %s as one of %s: nothing is found", key, encoding.Family(key[0]), f)
			}
		}
	}
}
