package store

import (
	"bytes"
	"cmp"
	"container/heap"
	"fmt"
	"slices"

	"keypact/encoding"
)

// Algebra is one way to make a set out of several.
type Algebra int

// The three ways. Difference takes from the first set what any other holds.
const (
	Union Algebra = iota
	Intersection
	Difference
)

// Combine computes a set out of the sets under keys and gives its members in
// their order. Absent keys are empty sets; a key of another type is
// ErrWrongType. It stops at limit members; 0 is no limit. More than
// Limits.Result of them are ErrTooBig, and the contracts of keys may allow
// less. It walks the sets side by side and keeps only the result in memory.
func (tx *Tx) Combine(how Algebra, keys [][]byte, limit int) ([][]byte, error) {
	sets, err := tx.sets(keys)
	if err != nil {
		return nil, err
	}
	var result [][]byte
	err = combine(how, sets, Sum, func(member []byte, _ float64) error {
		result = append(result, member)
		if len(result) == limit || len(result) > tx.s.limits.Result {
			return errStop
		}
		return nil
	})
	if err != nil && err != errStop {
		return nil, err
	}
	return result, tx.JudgeResult(keys, len(result))
}

// CountCombined counts the members that Combine would give, up to a limit; 0 is
// no limit. Nothing is kept, so no limit on results applies.
func (tx *Tx) CountCombined(how Algebra, keys [][]byte, limit uint64) (uint64, error) {
	sets, err := tx.sets(keys)
	if err != nil {
		return 0, err
	}
	return countCombined(how, sets, limit)
}

func countCombined(how Algebra, sources []source, limit uint64) (n uint64, err error) {
	err = combine(how, sources, Sum, func([]byte, float64) error {
		if n++; n == limit {
			return errStop
		}
		return nil
	})
	if err == errStop {
		err = nil
	}
	return n, err
}

// source is a set or a sorted set that others are made of.
type source struct {
	r      *record
	weight float64 // its scores are multiplied by it
}

// sets opens the sets under keys, to be read as they are now.
func (tx *Tx) sets(keys [][]byte) ([]source, error) {
	sources := make([]source, len(keys))
	for i, key := range keys {
		r, err := tx.open(key, encoding.TypeSet)
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", key, err)
		}
		sources[i] = source{r.snapshotOf(), 1}
	}
	return sources, nil
}

// combine visits the members of the result in their order, with the scores that
// come of those in the sources.
func combine(how Algebra, sources []source, scores Aggregate, visit func(member []byte, score float64) error) error {
	if len(sources) == 0 {
		return nil
	}
	if how != Difference {
		sources = slices.Clone(sources)
		slices.SortStableFunc(sources, func(a, b source) int { return cmp.Compare(handle{a.r}.Count(), handle{b.r}.Count()) })
	}
	walks := make([]*members, len(sources))
	for i, source := range sources {
		var err error
		if walks[i], err = walkMembers(source, i); err != nil {
			return err
		}
	}
	if how == Union {
		return union(walks, scores, visit)
	}
	return filter(walks, how == Intersection, scores, visit)
}

// filter visits those members of the first walk that all the others hold, or
// that none of them holds.
func filter(walks []*members, held bool, scores Aggregate, visit func(member []byte, score float64) error) error {
	for first := walks[0]; ; {
		member, ok := first.head()
		if !ok {
			return nil
		}
		score, keep, err := agree(walks, member, held, scores)
		if err != nil {
			return err
		}
		if keep {
			if err := visit(member, score); err != nil {
				return err
			}
		}
		if err := first.next(); err != nil {
			return err
		}
	}
}

// agree reports whether a member of the first walk is in all of the others, or
// in none of them, and which score comes of it.
func agree(walks []*members, member []byte, held bool, scores Aggregate) (score float64, ok bool, err error) {
	score = walks[0].score()
	for _, walk := range walks[1:] {
		found, err := walk.seek(member)
		if err != nil || found != held {
			return 0, false, err
		}
		if held {
			score = scores.of(score, walk.score())
		}
	}
	return score, true, nil
}

// union visits the members of all walks, each once.
func union(walks []*members, scores Aggregate, visit func(member []byte, score float64) error) error {
	queue := make(walkQueue, 0, len(walks))
	for _, walk := range walks {
		if _, ok := walk.head(); ok {
			queue = append(queue, walk)
		}
	}
	heap.Init(&queue)
	for len(queue) > 0 {
		member, _ := queue[0].head()
		score := queue[0].score()
		if err := queue.next(); err != nil {
			return err
		}
		for len(queue) > 0 {
			other, _ := queue[0].head()
			if !bytes.Equal(other, member) {
				break
			}
			score = scores.of(score, queue[0].score())
			if err := queue.next(); err != nil {
				return err
			}
		}
		if err := visit(member, score); err != nil {
			return err
		}
	}
	return nil
}

// walkQueue is a heap of walks that have not ended; the least head comes first,
// of equal ones that of the walk that came first.
type walkQueue []*members

// next goes on with the walk at the front.
func (q *walkQueue) next() error {
	walk := (*q)[0]
	if err := walk.next(); err != nil {
		return err
	}
	if _, ok := walk.head(); ok {
		heap.Fix(q, 0)
	} else {
		heap.Pop(q)
	}
	return nil
}

func (q walkQueue) Len() int      { return len(q) }
func (q walkQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q walkQueue) Less(i, j int) bool {
	a, _ := q[i].head()
	b, _ := q[j].head()
	return cmp.Or(bytes.Compare(a, b), cmp.Compare(q[i].place, q[j].place)) < 0
}

// Push is part of heap.Interface; no walk joins later.
func (q *walkQueue) Push(x any) { *q = append(*q, x.(*members)) }

// Pop is part of heap.Interface.
func (q *walkQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// StoreCombined makes a key the set that Combine would give, without a time to
// live and whatever it held, and returns how many members it has. It may be one
// of keys. Without members the key is removed. Limits.Result does not apply, for
// nothing is kept in memory; the contracts of keys may allow less.
func (tx *Tx) StoreCombined(key []byte, how Algebra, keys [][]byte, limit int) (n uint64, err error) {
	sets, err := tx.sets(keys)
	if err != nil {
		return 0, err
	}
	dst, err := tx.peek(key)
	if err != nil {
		return 0, err
	}
	defer tx.resulting(len(tx.op.found))
	err = combine(how, sets, Sum, func(member []byte, _ float64) error {
		if n == 0 {
			if err := dst.replace(TypeSet); err != nil {
				return err
			}
			dst.fill(encoding.FamilyMember)
		}
		n++
		if err := tx.bulky(n); err != nil {
			return err
		}
		if err := dst.putMember(member); err != nil || n != uint64(limit) {
			return err
		}
		return errStop
	})
	if err != nil && err != errStop {
		return 0, err
	}
	if n == 0 {
		err = dst.remove()
	} else {
		err = dst.filled()
	}
	if err != nil {
		return 0, err
	}
	return n, tx.judgeSize(keys, n)
}
