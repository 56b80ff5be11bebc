package store

import (
	"keypact/encoding"
	"keypact/store/kv"
)

// worthwhile is how many members are passed by one by one rather than by a walk
// down the tree.
const worthwhile = 64

// counted gives the tree that counts the members of a section, and the section
// as a range of its names; nil if there is none. The order of scores is that of
// members too where all have the same score.
func (z *ZSet) counted(s Section) (*tree, kv.Range, error) {
	t := z.r.tree(encoding.FamilyScore)
	if !t.exists() || s.family == encoding.FamilyScore {
		if !t.exists() {
			t = nil
		}
		return t, s.within, nil
	}
	root, err := t.root()
	if err != nil || root.Least != root.Greatest {
		return nil, kv.Range{}, err
	}
	within := kv.Range{Lower: scoreName(root.Least, s.within.Lower)}
	if s.within.Upper != nil {
		within.Upper = scoreName(root.Least, s.within.Upper)
	}
	return t, within, nil
}

// skip leaves out the first offset members of a section, or the last ones if
// reverse is set, as far as the tree can; what remains to be passed by is
// returned.
func (z *ZSet) skip(s Section, reverse bool, offset uint64) (Section, uint64, error) {
	if !z.r.exists || s.family == 0 || offset < worthwhile {
		return s, offset, nil
	}
	t, within, err := z.counted(s)
	if err != nil || t == nil {
		return s, offset, err
	}
	first, end, err := t.ranks(within)
	if err != nil {
		return s, 0, err
	}
	if first+offset >= end {
		return Section{}, 0, nil
	}
	rank := first + offset
	if reverse {
		rank = end - 1 - offset
	}
	name, err := t.at(rank)
	if err != nil {
		return s, 0, err
	}
	if s.family == encoding.FamilyMember {
		if _, name, err = encoding.CutFloat(name); err != nil {
			return s, 0, err
		}
	}
	if reverse {
		s.within.Upper = behind(name)
	} else {
		s.within.Lower = name
	}
	return s, 0, nil
}

// ranks are the ranks that a range of names covers, [first, end).
func (t *tree) ranks(within kv.Range) (first, end uint64, err error) {
	end = t.r.meta.Count
	if within.Upper != nil {
		if end, err = t.rank(within.Upper); err != nil {
			return 0, 0, err
		}
	}
	if within.Lower != nil {
		first, err = t.rank(within.Lower)
	}
	return first, max(first, end), err
}
