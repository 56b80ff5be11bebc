package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestRandomFields(t *testing.T) {
	s, _ := newStore(t, "")
	pick := func(key string, choose func(h *Hash) ([]Pair, error)) ([]Pair, error) {
		out := one(t, s, act{[]Call{{Verb: "HRANDFIELD", Key: []byte(key), Read: true}}, func(tx *Tx) (any, error) {
			h, err := tx.Hash([]byte(key))
			if err != nil {
				return nil, err
			}
			return choose(h)
		}})
		pairs, _ := out.Value.([]Pair)
		return pairs, out.Err
	}
	for i := range 10 {
		must(t, s, hset("h", fmt.Sprint(i), fmt.Sprint("v", i)))
	}
	for _, n := range []uint64{0, 1, 4, 9, 10, 1 << 60} {
		pairs, err := pick("h", func(h *Hash) ([]Pair, error) { return h.Random(n) })
		fields := names(pairs)
		if err != nil || uint64(len(pairs)) != min(n, 10) || len(slices.Compact(slices.Sorted(slices.Values(fields)))) != len(pairs) {
			t.Errorf("%d different fields are %v, %v", n, fields, err)
		}
		for _, p := range pairs {
			if string(p.Value) != "v"+string(p.Field) {
				t.Errorf("%s has %s", p.Field, p.Value)
			}
		}
	}
	seen := map[string]int{}
	pairs, err := pick("h", func(h *Hash) ([]Pair, error) { return h.RandomRepeated(1000) })
	for _, name := range names(pairs) {
		seen[name]++
	}
	// A field that is left out 1,000 times has a chance of 0.9^1000.
	if err != nil || len(pairs) != 1000 || len(seen) != 10 {
		t.Errorf("%d picks of %d fields: %v", len(pairs), len(seen), err)
	}
	if pairs, err := pick("none", func(h *Hash) ([]Pair, error) { return h.RandomRepeated(5) }); err != nil || len(pairs) != 0 {
		t.Errorf("an absent hash gave %v, %v", pairs, err)
	}
	if _, err := pick("h", func(h *Hash) ([]Pair, error) { return h.RandomRepeated(1 << 62) }); !errors.Is(err, ErrTooBig) {
		t.Errorf("too many picks: %v", err)
	}
}

func names(pairs []Pair) (out []string) {
	for _, p := range pairs {
		out = append(out, string(p.Field))
	}
	return out
}
