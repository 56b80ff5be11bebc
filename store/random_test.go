package store

import (
	"slices"
	"strings"
	"testing"
)

// Members picked at random differ, or need not; each is picked in the end, with
// a tree or without.
func TestRandomMembersOfASortedSet(t *testing.T) {
	for name, shape := range map[string]treeShape{"tree": smallTree, "no tree": {from: 1 << 20, run: 4, node: 4}} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := treeStore(t, shape)
			const n = 60
			must(t, s, zadds("z", numbers(0, n)...))
			seen := make(map[string]bool)
			pick := func(count uint64, repeated bool) (names []string) {
				t.Helper()
				err := on(s, func(tx *Tx) error {
					z, err := tx.ZSet([]byte("z"))
					if err != nil {
						return err
					}
					random := z.Random
					if repeated {
						random = z.RandomRepeated
					}
					members, err := random(count)
					for _, m := range members {
						if score, found, err := z.Score(m.Member); err != nil || !found || score != m.Score {
							t.Errorf("%s has the score %v, %v, not %v", m.Member, score, found, m.Score)
						}
						names, seen[string(m.Member)] = append(names, string(m.Member)), true
					}
					return err
				}, "z")
				if err != nil {
					t.Fatal(err)
				}
				return names
			}
			for range 40 {
				if got := pick(20, false); len(got) != 20 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != 20 {
					t.Fatalf("20 different members: %s", strings.Join(got, " "))
				}
			}
			if len(seen) != n {
				t.Errorf("%d of %d members were picked at all", len(seen), n)
			}
			if got := pick(2*n, false); len(got) != n {
				t.Errorf("more than there are: %d", len(got))
			}
			if got := pick(2*n, true); len(got) != 2*n || len(slices.Compact(slices.Sorted(slices.Values(got)))) == 2*n {
				t.Errorf("picks that may repeat: %d", len(got))
			}
		})
	}
}
