package service

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"keypact/store"
)

// TestAlgebraOfLargeSets combines sets that are read in many chunks, some
// dense and some sparse, so that walks both go on and jump.
func TestAlgebraOfLargeSets(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	rapid.Check(t, func(t *rapid.T) {
		m := &model{keys: map[string]*modelValue{}}
		keys := []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "sets")]
		for _, key := range keys {
			step := rapid.SampledFrom([]int{1, 2, 3, 50, 400}).Draw(t, "one in")
			first, n := rapid.IntRange(0, 500).Draw(t, "first"), rapid.IntRange(1, 700).Draw(t, "span")
			v := &modelValue{kind: "set", members: map[string]float64{}}
			op := &SetAdd{Key: Bytes(key)}
			for i := first; i < first+n; i += step {
				member := fmt.Sprintf("%05d", i)
				v.members[member] = 0
				op.Members = append(op.Members, Bytes(member))
			}
			m.keys[key] = v
			l.must(t, &KeysDelete{Keys: texts(key)}, op)
		}
		sources := SetSources{Keys: texts(keys...)}
		for kind, op := range map[string]Op{"union": &SetUnion{sources}, "inter": &SetInter{sources}, "diff": &SetDiff{sources}} {
			want, _ := m.combine(kind, keys)
			if got := l.answer(t, op); got != text(SetResult{Members: texts(want...), Count: uint64(len(want))}) {
				t.Fatalf("%s of %d sets: got %s, want %d members", kind, len(keys), got, len(want))
			}
		}
	})
}
