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
	err = combine(how, sets, func(member []byte) error {
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

// sets opens the sets under keys, to be read as they are now.
func (tx *Tx) sets(keys [][]byte) ([]*Set, error) {
	sets := make([]*Set, len(keys))
	for i, key := range keys {
		set, err := tx.Set(key)
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", key, err)
		}
		sets[i] = &Set{handle{set.r.snapshotOf()}}
	}
	return sets, nil
}

func combine(how Algebra, sets []*Set, visit func(member []byte) error) error {
	if len(sets) == 0 {
		return nil
	}
	switch how {
	case Union:
		return union(sets, visit)
	case Intersection:
		sets = slices.Clone(sets)
		slices.SortStableFunc(sets, func(a, b *Set) int { return cmp.Compare(a.Count(), b.Count()) })
		return filter(sets, true, visit)
	}
	return filter(sets, false, visit)
}

// filter visits those members of the first set that all the others hold, or
// that none of them holds.
func filter(sets []*Set, held bool, visit func(member []byte) error) error {
	walks := make([]*members, len(sets))
	for i, set := range sets {
		var err error
		if walks[i], err = walkMembers(set); err != nil {
			return err
		}
	}
	for first := walks[0]; ; {
		member, ok := first.head()
		if !ok {
			return nil
		}
		keep, err := agree(walks[1:], member, held)
		if err != nil {
			return err
		}
		if keep {
			if err := visit(member); err != nil {
				return err
			}
		}
		if err := first.next(); err != nil {
			return err
		}
	}
}

// agree reports whether a member is in all of the sets, or in none of them.
func agree(walks []*members, member []byte, held bool) (bool, error) {
	for _, walk := range walks {
		found, err := walk.seek(member)
		if err != nil || found != held {
			return false, err
		}
	}
	return true, nil
}

// union visits the members of all sets, each once.
func union(sets []*Set, visit func(member []byte) error) error {
	queue := make(walkQueue, 0, len(sets))
	for _, set := range sets {
		walk, err := walkMembers(set)
		if err != nil {
			return err
		}
		if _, ok := walk.head(); ok {
			queue = append(queue, walk)
		}
	}
	heap.Init(&queue)
	var last []byte
	for fresh := true; len(queue) > 0; fresh = false {
		walk := queue[0]
		member, _ := walk.head()
		if fresh || !bytes.Equal(member, last) {
			if err := visit(member); err != nil {
				return err
			}
			last = member
		}
		if err := walk.next(); err != nil {
			return err
		}
		if _, ok := walk.head(); ok {
			heap.Fix(&queue, 0)
		} else {
			heap.Pop(&queue)
		}
	}
	return nil
}

// walkQueue is a heap of walks that have not ended; the least head comes first.
type walkQueue []*members

func (q walkQueue) Len() int      { return len(q) }
func (q walkQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q walkQueue) Less(i, j int) bool {
	a, _ := q[i].head()
	b, _ := q[j].head()
	return bytes.Compare(a, b) < 0
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
	err = combine(how, sets, func(member []byte) error {
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
