package store

import (
	"errors"
	"fmt"
	"math"

	"keypact/encoding"
)

// ErrNaN says that a score would not be a number, such as the sum of inf and
// -inf.
var ErrNaN = errors.New("the score would not be a number")

// ZSet is a sorted set as the running operation sees it. Each member has two
// records: one by member, which holds the score, and one by score and member,
// which holds the order. An absent key is an empty sorted set.
type ZSet struct{ handle }

// Scored is a member with its score.
type Scored struct {
	Member []byte
	Score  float64
}

// ZSet opens a key as a sorted set. A key of another type is ErrWrongType.
func (tx *Tx) ZSet(key []byte) (*ZSet, error) {
	r, err := tx.open(key, encoding.TypeZSet)
	if err != nil {
		return nil, err
	}
	return &ZSet{handle{r}}, nil
}

// When says under which conditions a score is written. All must hold.
type When struct {
	Absent  bool // the member is new
	Present bool // the member is there
	Greater bool // a member that is there gets a greater score; new ones pass
	Less    bool // a member that is there gets a lesser score; new ones pass
}

func (w When) allows(score, old float64, found bool) bool {
	if !found {
		return !w.Present
	}
	return !w.Absent && (!w.Greater || score > old) && (!w.Less || score < old)
}

// Change is what became of one member.
type Change int

// The changes. Refused says that a condition does not hold, Unchanged that
// the score was the same before.
const (
	Refused Change = iota
	Unchanged
	Added
	Updated
)

// Score reads the score of a member.
func (z *ZSet) Score(member []byte) (score float64, found bool, err error) {
	raw, found, err := z.r.member(member)
	if err != nil || !found {
		return 0, false, err
	}
	score, _, err = encoding.CutFloat(raw)
	if err != nil {
		return 0, false, fmt.Errorf("score in key %q: %w", z.r.key, err)
	}
	return score, true, nil
}

// Put gives a member a score and creates the sorted set if it is absent. NaN is
// ErrNaN; -0 is 0.
func (z *ZSet) Put(member []byte, score float64, when When) (Change, error) {
	old, found, err := z.Score(member)
	if err != nil {
		return Refused, err
	}
	return z.put(member, score, old, found, when)
}

// Incr adds to the score of a member, which counts as 0 if it is absent, and
// returns the new one. inf less inf is ErrNaN.
func (z *ZSet) Incr(member []byte, by float64, when When) (score float64, change Change, err error) {
	defer z.r.tx.resulting(len(z.r.tx.op.found))
	old, found, err := z.Score(member)
	if err != nil {
		return 0, Refused, err
	}
	change, err = z.put(member, old+by, old, found, when)
	return old + by + 0, change, err
}

func (z *ZSet) put(member []byte, score, old float64, found bool, when When) (Change, error) {
	if math.IsNaN(score) {
		return Refused, ErrNaN
	}
	switch {
	case !when.allows(score, old, found):
		return Refused, nil
	case found && score == old:
		return Unchanged, nil
	}
	if err := z.r.ensure(encoding.TypeZSet); err != nil {
		return Refused, err
	}
	score += 0 // -0 becomes 0
	if !found {
		return Added, z.r.putScore(member, score, nil)
	}
	return Updated, z.r.putScore(member, score, &old)
}

// Drop takes a member out. dropped is false if it was not there.
func (z *ZSet) Drop(member []byte) (dropped bool, err error) {
	score, found, err := z.Score(member)
	if err != nil || !found {
		return false, err
	}
	return true, z.r.dropScore(member, score)
}

// DropAll takes members out and returns how many of them were there.
func (z *ZSet) DropAll(members [][]byte) (removed uint64, err error) {
	return z.r.dropNames(members, z.Drop)
}

// Pop takes up to n members out, those with the least scores first, or those
// with the greatest first if greatest is set. More than Limits.Result of them
// are ErrTooBig.
func (z *ZSet) Pop(greatest bool, n uint64) ([]Scored, error) {
	n = min(n, z.Count())
	popped, err := z.ByRank(0, n, greatest)
	if err != nil || n == 0 {
		return nil, err
	}
	from := uint64(0)
	if greatest {
		from = z.Count() - n
	}
	return popped, z.takeRanks(from, from+n, func() error {
		for _, p := range popped {
			if err := z.r.dropScore(p.Member, p.Score); err != nil {
				return err
			}
		}
		return nil
	})
}

// takeRanks takes the members with the ranks [from, to) out.
func (z *ZSet) takeRanks(from, to uint64, inPlace func() error) error {
	return z.r.takeOut(to-from, inPlace, func() error {
		rank := uint64(0)
		return z.r.rewrite(z.Count()-(to-from), func([]byte) bool {
			rank++
			return rank <= from || rank > to
		})
	})
}
