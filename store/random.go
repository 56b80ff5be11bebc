package store

import (
	"bytes"
	"fmt"
	"slices"

	"keypact/encoding"
	"keypact/store/kv"
)

// sample picks n different numbers below count, every choice equally likely,
// and sorts them. Source: Floyd's algorithm, J. Bentley and B. Floyd,
// "Programming pearls: a sample of brilliance", CACM 30 (9), 1987.
func (tx *Tx) sample(n, count uint64) []uint64 {
	chosen := make(map[uint64]struct{}, n)
	picks := make([]uint64, 0, n)
	for top := count - n; top < count; top++ {
		pick := tx.Random(top + 1)
		if _, taken := chosen[pick]; taken {
			pick = top
		}
		chosen[pick] = struct{}{}
		picks = append(picks, pick)
	}
	slices.Sort(picks)
	return picks
}

// pickNames reads the fields or members at positions in the order given, repeats included.
func (r *record) pickNames(positions []uint64) ([][]byte, error) {
	sorted := slices.Compact(slices.Sorted(slices.Values(positions)))
	members, err := r.namesAt(sorted)
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(positions))
	for i, position := range positions {
		at, _ := slices.BinarySearch(sorted, position)
		out[i] = members[at]
	}
	return out, nil
}

// namesAt reads the fields or members at positions, which are sorted and differ: where there
// is a tree it leads to each, else in one walk over the names from the end that
// is nearer.
func (r *record) namesAt(positions []uint64) ([][]byte, error) {
	if len(positions) == 0 {
		return nil, nil
	}
	if t := r.tree(encoding.FamilyMember); t.exists() {
		members := make([][]byte, 0, len(positions))
		err := t.visit(positions, func(member []byte) error {
			members = append(members, bytes.Clone(member))
			return nil
		})
		return members, err
	}
	count := r.meta.Count
	reverse := count-1-positions[0] < positions[len(positions)-1]
	wanted := positions
	if reverse {
		wanted = make([]uint64, 0, len(positions))
		for _, position := range slices.Backward(positions) {
			wanted = append(wanted, count-1-position)
		}
	}
	members := make([][]byte, 0, len(wanted))
	step := uint64(0)
	err := r.eachName(kv.Range{Reverse: reverse}, func(member []byte) error {
		if step == wanted[len(members)] {
			members = append(members, bytes.Clone(member))
		}
		if step++; len(members) == len(wanted) {
			return errStop
		}
		return nil
	})
	if err == nil && len(members) != len(wanted) {
		err = fmt.Errorf("key %q: %w: it has fewer than %d elements", r.key, encoding.ErrCorrupt, count)
	}
	if reverse {
		slices.Reverse(members)
	}
	return members, err
}
