package store

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"keypact/encoding"
	"keypact/store/kv"
)

// Section is the part of a sorted set between two scores, or between two
// members. The zero Section is empty.
type Section struct {
	family encoding.Family
	within kv.Range // relative to the family's prefix
	all    bool
}

// ScoreEnd is one end of a section of scores.
type ScoreEnd struct {
	Score float64 // never NaN
	Open  bool    // the score itself lies outside
}

// ByScore is the section of the scores between two ends.
func ByScore(least, most ScoreEnd) Section {
	lower := encoding.AppendFloat(nil, least.Score)
	if least.Open {
		lower = encoding.PrefixEnd(lower)
	}
	upper := encoding.AppendFloat(nil, most.Score)
	if !most.Open {
		upper = encoding.PrefixEnd(upper)
	}
	all := least == ScoreEnd{Score: math.Inf(-1)} && most == ScoreEnd{Score: math.Inf(1)}
	return Section{family: encoding.FamilyScore, within: kv.Range{Lower: lower, Upper: upper}, all: all}
}

// MemberEnd is one end of a section of members.
type MemberEnd struct {
	Member   []byte
	Open     bool // the member itself lies outside
	Infinite int  // -1 is before all members, 1 behind all of them, 0 at Member
}

// ByMember is the section of the members between two ends, in the order of
// their bytes, whatever their scores are.
func ByMember(least, most MemberEnd) Section {
	if least.Infinite > 0 || most.Infinite < 0 {
		return Section{}
	}
	s := Section{family: encoding.FamilyMember, all: least.Infinite < 0 && most.Infinite > 0}
	if least.Infinite == 0 {
		s.within.Lower = bytes.Clone(least.Member)
		if least.Open {
			s.within.Lower = behind(least.Member)
		}
	}
	if most.Infinite == 0 {
		s.within.Upper = append([]byte{}, most.Member...)
		if !most.Open {
			s.within.Upper = behind(most.Member)
		}
	}
	return s
}

// walk visits a section in its order, or from its end. The member is valid
// only during the visit; errStop ends the walk.
func (z *ZSet) walk(s Section, reverse bool, visit func(member []byte, score float64) error) error {
	if !z.r.exists || s.family == 0 {
		return nil
	}
	within := s.within
	within.Reverse = reverse
	if s.family == encoding.FamilyMember {
		return z.r.scan(s.family, within, func(member, value []byte) error {
			score, _, err := encoding.CutFloat(value)
			if err != nil {
				return fmt.Errorf("score in key %q: %w", z.r.key, err)
			}
			return visit(member, score)
		})
	}
	within.KeysOnly = true
	return z.r.scan(s.family, within, func(name, _ []byte) error {
		score, member, err := encoding.CutFloat(name)
		if err != nil {
			return fmt.Errorf("order of key %q: %w", z.r.key, err)
		}
		return visit(member, score)
	})
}

// Select reads a section in its order, or from its end, past the first offset
// members and up to limit of them; a negative limit is none. More than
// Limits.Result of them are ErrTooBig.
func (z *ZSet) Select(s Section, reverse bool, offset uint64, limit int64) ([]Scored, error) {
	if limit == 0 {
		return nil, nil
	}
	s, offset, err := z.skip(s, reverse, offset)
	if err != nil {
		return nil, err
	}
	var out []Scored
	err = z.walk(s, reverse, func(member []byte, score float64) error {
		if offset > 0 {
			offset--
			return nil
		}
		out = append(out, Scored{bytes.Clone(member), score})
		if err := z.r.tx.fits(uint64(len(out))); err != nil {
			return err
		}
		if int64(len(out)) == limit {
			return errStop
		}
		return nil
	})
	return out, err
}

// ByRank reads the members whose ranks are in [from, to), the least score
// having rank 0, or the greatest if reverse is set; at most to the last. More
// than Limits.Result of them are ErrTooBig.
func (z *ZSet) ByRank(from, to uint64, reverse bool) ([]Scored, error) {
	count := z.Count()
	to = min(to, count)
	if from >= to {
		return nil, nil
	}
	if err := z.r.tx.fits(to - from); err != nil {
		return nil, err
	}
	far := from > count-to && !z.r.tree(encoding.FamilyScore).exists()
	skip := from
	if far {
		skip = count - to
	}
	out, err := z.Select(everything, reverse != far, skip, int64(to-from))
	if far {
		slices.Reverse(out)
	}
	return out, err
}

// everything is all members in the order of their scores.
var everything = ByScore(ScoreEnd{Score: math.Inf(-1)}, ScoreEnd{Score: math.Inf(1)})

// CountIn counts the members of a section.
func (z *ZSet) CountIn(s Section) (n uint64, err error) {
	if s.all || !z.r.exists || s.family == 0 {
		if s.family == 0 {
			return 0, nil
		}
		return z.Count(), nil
	}
	if t, within, err := z.counted(s); err != nil || t != nil {
		if err != nil {
			return 0, err
		}
		return t.between(within.Lower, within.Upper)
	}
	return z.r.countNames(s.family, s.within)
}

// holds reports whether a member lies in the section, by its name in the order
// of scores.
func (s Section) holds(name []byte) bool {
	if s.family == encoding.FamilyMember {
		name = name[min(8, len(name)):]
	}
	return bytes.Compare(name, s.within.Lower) >= 0 && (s.within.Upper == nil || bytes.Compare(name, s.within.Upper) < 0)
}

// DropIn takes the members of a section out and returns how many. If none
// stays, the key is removed in one step.
func (z *ZSet) DropIn(s Section) (removed uint64, err error) {
	n, err := z.CountIn(s)
	if err != nil || n == 0 {
		return 0, err
	}
	return n, z.r.takeOut(n, func() error { return z.walk(s, false, z.r.dropScore) }, func() error {
		return z.r.rewrite(z.Count()-n, func(name []byte) bool { return !s.holds(name) })
	})
}

// DropRanks takes the members with the ranks [from, to) out, the least score
// having rank 0, and returns how many. If none stays, the key is removed in one
// step.
func (z *ZSet) DropRanks(from, to uint64) (removed uint64, err error) {
	count := z.Count()
	to = min(to, count)
	if from >= to {
		return 0, nil
	}
	return to - from, z.takeRanks(from, to, func() error { return z.dropRanks(from, to) })
}

// dropRanks is DropRanks in place.
func (z *ZSet) dropRanks(from, to uint64) error {
	count := z.Count()
	reverse := from > count-to
	skip, left := from, to-from
	if reverse {
		skip = count - to
	}
	s, skip, err := z.skip(everything, reverse, skip)
	if err != nil {
		return err
	}
	return z.walk(s, reverse, func(member []byte, score float64) error {
		if skip > 0 {
			skip--
			return nil
		}
		if left == 0 {
			return errStop
		}
		left--
		return z.r.dropScore(member, score)
	})
}

// Rank counts the members before one in the order of scores, and behind it.
// found is false if it is absent.
func (z *ZSet) Rank(member []byte) (score float64, before, behind uint64, found bool, err error) {
	score, found, err = z.Score(member)
	if err != nil || !found {
		return 0, 0, 0, false, err
	}
	count := z.Count()
	own := scoreName(score, member)
	if t := z.r.tree(encoding.FamilyScore); t.exists() {
		before, err = t.rank(own)
		return score, before, count - 1 - before, err == nil, err
	}
	half := count / 2
	before, err = z.r.countNames(encoding.FamilyScore, kv.Range{Upper: own, Limit: int(half) + 1})
	if err != nil {
		return 0, 0, 0, false, err
	}
	if before <= half {
		return score, before, count - 1 - before, true, nil
	}
	after := append(own, 0)
	behind, err = z.r.countNames(encoding.FamilyScore, kv.Range{Lower: after})
	return score, count - 1 - behind, behind, err == nil, err
}

// Page reads up to limit members in the order of their bytes, of those that
// match accepts; see Set.Page.
func (z *ZSet) Page(after []byte, limit, scanned int, match func(member []byte) bool) (page []Scored, next []byte, err error) {
	if !z.r.exists {
		return nil, nil, nil
	}
	next, err = z.r.page(after, limit, scanned, func(member, value []byte) (bool, error) {
		if match != nil && !match(member) {
			return false, nil
		}
		score, _, err := encoding.CutFloat(value)
		page = append(page, Scored{bytes.Clone(member), score})
		return err == nil, err
	})
	return page, next, err
}
