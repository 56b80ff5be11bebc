package service

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"keypact/encoding"
	"keypact/store/kv"
)

// checkRecords compares every key's meta record with its data records: as many
// elements as it counts, a list without gaps between its bounds, the two
// indexes of a sorted set in agreement, and no data record that belongs to
// nobody but the reclaimer.
func (l *lab) checkRecords(t testingT) {
	t.Helper()
	err := l.db.View(context.Background(), func(r kv.Reader) error {
		owned, err := ownedRecords(r)
		if err != nil {
			return err
		}
		dead, err := reclaimed(r)
		if err != nil {
			return err
		}
		for _, f := range []encoding.Family{encoding.FamilyMember, encoding.FamilyList, encoding.FamilyScore} {
			if err := eachRecord(r, encoding.AppendPrefix(nil, f, 0)[:1], func(key, _ []byte) error {
				if owned[string(key)] {
					return nil
				}
				name, err := generationOf(key)
				if err == nil && !dead[name] {
					err = fmt.Errorf("record %x belongs to no key", key)
				}
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("records: %v", err)
	}
}

func eachRecord(r kv.Reader, prefix []byte, visit func(key, value []byte) error) error {
	var failed error
	err := r.Scan(kv.Range{Lower: prefix, Upper: encoding.PrefixEnd(prefix)}, func(key, value []byte) bool {
		failed = visit(key, value)
		return failed == nil
	})
	return errors.Join(err, failed)
}

// ownedRecords are the data records of all live keys, each key checked.
func ownedRecords(r kv.Reader) (map[string]bool, error) {
	owned := make(map[string]bool)
	err := eachRecord(r, []byte{byte(encoding.FamilyMeta)}, func(raw, value []byte) error {
		ns, key, err := encoding.ParseMetaKey(raw)
		if err != nil {
			return err
		}
		var meta encoding.Meta
		if err := encoding.ParseMeta(value, &meta); err != nil {
			return err
		}
		home := key
		if meta.HasHome {
			home = meta.Home
		}
		prefix := func(f encoding.Family) []byte { return encoding.AppendDataPrefix(nil, f, ns, home, meta.Version) }
		if err := checkKey(r, meta, prefix, owned); err != nil {
			return fmt.Errorf("key %q (%s): %w", key, meta.Type, err)
		}
		return nil
	})
	return owned, err
}

func checkKey(r kv.Reader, meta encoding.Meta, prefix func(encoding.Family) []byte, owned map[string]bool) error {
	var members, scores, items []string
	collect := func(f encoding.Family, each func(rest string, value []byte) string) (out []string, err error) {
		p := prefix(f)
		err = eachRecord(r, p, func(key, value []byte) error {
			owned[string(key)] = true
			out = append(out, each(string(key[len(p):]), value))
			return nil
		})
		return out, err
	}
	name := func(rest string, _ []byte) string { return rest }
	var err error
	if members, err = collect(encoding.FamilyMember, dataText); err != nil {
		return err
	}
	if scores, err = collect(encoding.FamilyScore, name); err != nil {
		return err
	}
	if items, err = collect(encoding.FamilyList, name); err != nil {
		return err
	}
	counted := map[encoding.Type]int{encoding.TypeHash: len(members), encoding.TypeSet: len(members), encoding.TypeZSet: len(members), encoding.TypeList: len(items)}
	if n, ok := counted[meta.Type]; ok && (uint64(n) != meta.Count || n == 0) {
		return fmt.Errorf("it counts %d elements and has %d", meta.Count, n)
	}
	switch meta.Type {
	case encoding.TypeZSet:
		slices.Sort(members)
		if !slices.Equal(members, scores) {
			return fmt.Errorf("members with their scores %q, order %q", members, scores)
		}
	case encoding.TypeList:
		return checkBounds(meta, items)
	}
	return nil
}

// dataText is a data record's value and then the rest of its key: for a sorted
// set what its order has.
func dataText(rest string, raw []byte) string {
	var d encoding.Data
	if err := encoding.ParseData(raw, &d); err != nil {
		return "broken: " + err.Error()
	}
	return string(d.Value) + rest
}

func checkBounds(meta encoding.Meta, items []string) error {
	if meta.Right-meta.Left != meta.Count {
		return fmt.Errorf("bounds %d and %d, %d elements", meta.Left, meta.Right, meta.Count)
	}
	for i, item := range items {
		index, _, err := encoding.CutIndex([]byte(item))
		if err != nil || index != meta.Left+uint64(i) {
			return fmt.Errorf("element %d has index %d, the list starts at %d (%v)", i, index, meta.Left, err)
		}
	}
	return nil
}

// reclaimed are the generations that the reclaimer knows of.
func reclaimed(r kv.Reader) (map[string]bool, error) {
	dead := make(map[string]bool)
	err := eachRecord(r, []byte{byte(encoding.FamilyReclaim)}, func(_, value []byte) error {
		var rec encoding.Reclaim
		if err := encoding.ParseReclaim(value, &rec); err != nil {
			return err
		}
		dead[generation(rec.Home, rec.Version)] = true
		return nil
	})
	return dead, err
}

func generation(home []byte, version uint64) string { return fmt.Sprintf("%x %d", home, version) }

// generationOf is the generation that a data record belongs to.
func generationOf(key []byte) (string, error) {
	var home []byte
	var version uint64
	var err error
	switch encoding.Family(key[0]) {
	case encoding.FamilyMember:
		_, home, version, _, err = encoding.ParseMemberKey(key)
	case encoding.FamilyList:
		_, home, version, _, err = encoding.ParseListKey(key)
	default:
		_, home, version, _, _, err = encoding.ParseScoreKey(key)
	}
	return generation(home, version), err
}
