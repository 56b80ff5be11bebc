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

// picks are n numbers below count, each on its own.
func (tx *Tx) picks(n, count uint64) []uint64 {
	picks := make([]uint64, n)
	for i := range picks {
		picks[i] = tx.Random(count)
	}
	return picks
}

// pick reads what lies at positions in the order given, repeats included. at
// reads it where the positions are sorted and differ.
func pick[T any](positions []uint64, at func([]uint64) ([]T, error)) ([]T, error) {
	sorted := slices.Compact(slices.Sorted(slices.Values(positions)))
	members, err := at(sorted)
	if err != nil {
		return nil, err
	}
	out := make([]T, len(positions))
	for i, position := range positions {
		place, _ := slices.BinarySearch(sorted, position)
		out[i] = members[place]
	}
	return out, nil
}

// at reads the fields or members at positions, which are sorted and differ.
func (r *record) at(positions []uint64) ([][]byte, error) {
	return r.namesAt(encoding.FamilyMember, positions)
}

// Random picks n different members, each choice equally likely, by their scores;
// all of them if there are no more. More than Limits.Result of them are
// ErrTooBig.
func (z *ZSet) Random(n uint64) ([]Scored, error) {
	count := z.Count()
	if n = min(n, count); n == count {
		return z.ByRank(0, n, false)
	}
	if err := z.r.tx.fits(n); err != nil {
		return nil, err
	}
	return z.at(z.r.tx.sample(n, count))
}

// RandomRepeated picks a member n times, each pick on its own, in the order of
// the picks. More than Limits.Result picks are ErrTooBig.
func (z *ZSet) RandomRepeated(n uint64) ([]Scored, error) {
	count := z.Count()
	if err := z.r.tx.fits(n); err != nil || count == 0 {
		return nil, err
	}
	return pick(z.r.tx.picks(n, count), z.at)
}

// at reads the members at ranks, which are sorted and differ.
func (z *ZSet) at(ranks []uint64) ([]Scored, error) {
	names, err := z.r.namesAt(encoding.FamilyScore, ranks)
	if err != nil {
		return nil, err
	}
	out := make([]Scored, len(names))
	for i, name := range names {
		if out[i].Score, out[i].Member, err = encoding.CutFloat(name); err != nil {
			return nil, fmt.Errorf("order of key %q: %w", z.r.key, err)
		}
	}
	return out, nil
}

// namesAt reads the names of a family at positions, which are sorted and differ:
// where there is a tree it leads to each, else in one walk over the names from
// the end that is nearer.
func (r *record) namesAt(f encoding.Family, positions []uint64) ([][]byte, error) {
	if len(positions) == 0 {
		return nil, nil
	}
	if t := r.tree(f); t.exists() {
		names := make([][]byte, 0, len(positions))
		err := t.visit(positions, func(name []byte) error {
			names = append(names, bytes.Clone(name))
			return nil
		})
		return names, err
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
	names := make([][]byte, 0, len(wanted))
	step := uint64(0)
	err := r.eachNameOf(f, kv.Range{Reverse: reverse}, func(name []byte) error {
		if step == wanted[len(names)] {
			names = append(names, bytes.Clone(name))
		}
		if step++; len(names) == len(wanted) {
			return errStop
		}
		return nil
	})
	if err == nil && len(names) != len(wanted) {
		err = fmt.Errorf("%s %q: %w: it has fewer than %d members", r.meta.Type, r.key, encoding.ErrCorrupt, count)
	}
	if reverse {
		slices.Reverse(names)
	}
	return names, err
}
