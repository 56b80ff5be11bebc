package store

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"keypact/encoding"
)

// Aggregate is what becomes of the scores that a member has in several sorted
// sets.
type Aggregate int

// The three ways.
const (
	Sum Aggregate = iota
	Least
	Greatest
)

// of joins two scores. inf plus -inf is 0.
func (a Aggregate) of(x, y float64) float64 {
	switch a {
	case Least:
		return min(x, y)
	case Greatest:
		return max(x, y)
	}
	return number(x + y)
}

// number is 0 for what is not a number.
func number(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return f
}

// Source is a key that a sorted set is made of: a sorted set, or a set, whose
// members have the score 1. Absent keys are empty.
type Source struct {
	Key    []byte
	Weight float64 // the scores are multiplied by it; inf times 0 is 0
}

// CombineScored computes a sorted set out of others and gives its members by
// their scores, then by their bytes. Difference keeps the scores of the first
// source. A key that is neither a set nor a sorted set is ErrWrongType. More
// than Limits.Result members are ErrTooBig, and the contracts of keys may allow
// less. It walks the sources side by side and keeps only the result in memory.
func (tx *Tx) CombineScored(how Algebra, sources []Source, scores Aggregate) ([]Scored, error) {
	opened, keys, err := tx.sources(sources)
	if err != nil {
		return nil, err
	}
	var result []Scored
	err = combine(how, opened, scores, func(member []byte, score float64) error {
		result = append(result, Scored{member, score + 0}) // -0 becomes 0
		if len(result) > tx.s.limits.Result {
			return errStop
		}
		return nil
	})
	if err != nil && err != errStop {
		return nil, err
	}
	slices.SortFunc(result, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), bytes.Compare(a.Member, b.Member))
	})
	return result, tx.JudgeResult(keys, len(result))
}

// CountScored counts the members that CombineScored would give, up to a limit;
// 0 is no limit. Nothing is kept, so no limit on results applies.
func (tx *Tx) CountScored(how Algebra, sources []Source, limit uint64) (uint64, error) {
	opened, _, err := tx.sources(sources)
	if err != nil {
		return 0, err
	}
	return countCombined(how, opened, limit)
}

// StoreScored makes a key the sorted set that CombineScored would give, without
// a time to live and whatever it held, and returns how many members it has. It
// may be one of the sources. Without members the key is removed. Limits.Result
// does not apply, for nothing is kept in memory; the contracts of the sources
// may allow less.
func (tx *Tx) StoreScored(key []byte, how Algebra, sources []Source, scores Aggregate) (uint64, error) {
	opened, keys, err := tx.sources(sources)
	if err != nil {
		return 0, err
	}
	return tx.storeScores(key, keys, func(put func(member []byte, score float64) error) error {
		return combine(how, opened, scores, put)
	})
}

// StoreSection makes a key the sorted set of the members that Select would give
// of another, as StoreScored does. The other may be the same key.
func (tx *Tx) StoreSection(key []byte, of *ZSet, s Section, reverse bool, offset uint64, limit int64) (uint64, error) {
	former := &ZSet{handle{of.r.snapshotOf()}}
	s, offset, err := former.skip(s, reverse, offset)
	if err != nil {
		return 0, err
	}
	return tx.storeScores(key, [][]byte{of.r.key}, func(put func(member []byte, score float64) error) error {
		left := limit
		if left == 0 {
			return nil
		}
		return former.walk(s, reverse, func(member []byte, score float64) error {
			if offset > 0 {
				offset--
				return nil
			}
			if err := put(member, score); err != nil {
				return err
			}
			if left--; left == 0 {
				return errStop
			}
			return nil
		})
	})
}

// storeScores makes a key the sorted set of what fill puts. The result is judged
// by the contracts of sources.
func (tx *Tx) storeScores(key []byte, sources [][]byte, fill func(put func(member []byte, score float64) error) error) (n uint64, err error) {
	dst, err := tx.peek(key)
	if err != nil {
		return 0, err
	}
	defer tx.resulting(len(tx.op.found))
	err = fill(func(member []byte, score float64) error {
		if n == 0 {
			if err := dst.replace(encoding.TypeZSet); err != nil {
				return err
			}
		}
		n++
		if err := tx.bulky(2 * n); err != nil {
			return err
		}
		return dst.putScore(member, score+0, nil)
	})
	if err != nil {
		return 0, err
	}
	if n == 0 {
		if err := dst.remove(); err != nil {
			return 0, err
		}
	}
	return n, tx.judgeSize(sources, n)
}

// sources opens sets and sorted sets, to be read as they are now.
func (tx *Tx) sources(list []Source) (opened []source, keys [][]byte, err error) {
	for _, s := range list {
		r, err := tx.peek(s.Key)
		if err != nil {
			return nil, nil, err
		}
		if r.exists && r.meta.Type != encoding.TypeZSet && r.meta.Type != encoding.TypeSet {
			return nil, nil, fmt.Errorf("key %q: %w: it is a %s", s.Key, ErrWrongType, r.meta.Type)
		}
		opened, keys = append(opened, source{r.snapshotOf(), s.Weight}), append(keys, s.Key)
	}
	return opened, keys, nil
}
