package verify_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/verify"
)

// shelf is a snapshot in memory. It reads as an engine does: what a visit gets
// is overwritten behind it.
type shelf struct {
	keys    []string // sorted
	records map[string]string
}

func shelve(records map[string]string) shelf {
	return shelf{slices.Sorted(maps.Keys(records)), records}
}

// with is a snapshot that has another record too, or another value.
func (s shelf) with(key, value string) shelf {
	records := maps.Clone(s.records)
	records[key] = value
	keys := s.keys
	if at, there := slices.BinarySearch(keys, key); !there {
		keys = slices.Insert(slices.Clone(keys), at, key)
	}
	return shelf{keys, records}
}

// without is a snapshot that lacks a record.
func (s shelf) without(key string) shelf {
	records := maps.Clone(s.records)
	delete(records, key)
	at, _ := slices.BinarySearch(s.keys, key)
	return shelf{slices.Delete(slices.Clone(s.keys), at, at+1), records}
}

// clean reports whether nothing is found. That a store cannot be verified is
// something.
func (s shelf) clean(t *testing.T) bool {
	t.Helper()
	report, err := verify.Walk(t.Context(), s, verify.Options{Now: noon, Exact: true, Limit: 1})
	return err == nil && report.Clean
}

func (s shelf) Get(dst, key []byte) ([]byte, error) {
	value, found := s.records[string(key)]
	if !found {
		return dst, kv.ErrNotFound
	}
	return append(dst, value...), nil
}

func (s shelf) GetMany(keys [][]byte, visit func(i int, value []byte) error) error {
	for i, key := range keys {
		if value, found := s.records[string(key)]; found {
			if err := visit(i, []byte(value)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s shelf) Scan(r kv.Range, visit func(key, value []byte) bool) error {
	from, _ := slices.BinarySearch(s.keys, string(r.Lower))
	n := 0
	for _, k := range s.keys[from:] {
		if r.Upper != nil && k >= string(r.Upper) || r.Limit > 0 && n == r.Limit {
			return nil
		}
		n++
		key, value := []byte(k), []byte(s.records[k])
		more := visit(key, value)
		for i := range key {
			key[i] = 0xaa
		}
		for i := range value {
			value[i] = 0xaa
		}
		if !more {
			return nil
		}
	}
	return nil
}

// walk verifies records whose store's clock stands at noon.
func walk(t *testing.T, records map[string]string) *verify.Report {
	t.Helper()
	report, err := verify.Walk(t.Context(), shelve(records), verify.Options{Now: noon, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestMemory: a walk over more keys of more elements holds no more.
func TestMemory(t *testing.T) {
	var held []int
	for _, n := range []int{10, 100, 1000} {
		records := bare()
		for i := range n {
			grow(records, i, n)
		}
		records[string(encoding.AppendCounterKey(nil, 1, 0))] = string(encoding.AppendCounter(nil, int64(2*n)))
		if report := walk(t, records); !report.Clean || report.Keys.Total != uint64(2*n) {
			t.Fatalf("%d keys, %v", report.Keys.Total, report.Faults)
		}
		most, err := verify.Held(t.Context(), shelve(records), verify.Options{Now: noon})
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, most)
	}
	if held[0] != held[1] || held[1] != held[2] || held[0] == 0 {
		t.Errorf("it holds %v entries", held)
	}
}

// bare is a store without keys.
func bare() map[string]string {
	records := map[string]string{
		string(encoding.FormatKey()):                  string(encoding.AppendFormat(nil, encoding.Format)),
		string(encoding.AppendNamespaceKey(nil, "0")): string(encoding.AppendNamespace(nil, 1)),
	}
	for key, n := range map[string]uint64{
		string(encoding.SequenceKey()): 1 << 20, string(encoding.ClockKey()): noon, string(encoding.EpochKey()): 1,
		string(encoding.NamespaceSequenceKey()): 2, string(encoding.InstanceKey()): 3,
	} {
		records[key] = string(encoding.AppendSequence(nil, n))
	}
	return records
}

// grow adds a string that expires and a hash of n fields.
func grow(records map[string]string, i, n int) {
	name := []byte{byte(i >> 8), byte(i)}
	text := encoding.Meta{Type: encoding.TypeString, Version: uint64(2*i + 1), Changes: 1, Created: noon, Expires: noon + 1, Value: []byte("v")}
	records[string(encoding.AppendMetaKey(nil, 1, append([]byte("s"), name...)))] = string(encoding.AppendMeta(nil, &text))
	key := append([]byte("s"), name...)
	entry := encoding.AppendExpiryKey(nil, encoding.ExpiryShard(key), noon+1, 1, key, text.Version)
	records[string(entry)] = string(encoding.AppendIndexValue(nil))
	fields := min(n, 20)
	hash := encoding.Meta{Type: encoding.TypeHash, Version: uint64(2*i + 2), Changes: 1, Created: noon, Count: uint64(fields)}
	key = append([]byte("h"), name...)
	records[string(encoding.AppendMetaKey(nil, 1, key))] = string(encoding.AppendMeta(nil, &hash))
	for f := range fields {
		field := bytes.Repeat([]byte("f"), f)
		data := encoding.AppendData(nil, &encoding.Data{Created: noon, Value: []byte("v")})
		records[string(encoding.AppendMemberKey(nil, 1, key, hash.Version, field))] = string(data)
	}
}
