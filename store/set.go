package store

import (
	"bytes"

	"keypact/encoding"
	"keypact/store/kv"
)

// Set is a set as the running operation sees it. An absent key is an empty set.
type Set struct{ handle }

// Set opens a key as a set. A key of another type is ErrWrongType.
func (tx *Tx) Set(key []byte) (*Set, error) {
	r, err := tx.open(key, encoding.TypeSet)
	if err != nil {
		return nil, err
	}
	return &Set{handle{r}}, nil
}

// NewSet makes a key a new, empty set without a time to live, whatever it held;
// its content is given to the reclaimer. A set that stays empty is removed.
func (tx *Tx) NewSet(key []byte) (*Set, error) {
	r, err := tx.peek(key)
	if err != nil {
		return nil, err
	}
	if err := r.replace(encoding.TypeSet); err != nil {
		return nil, err
	}
	return &Set{handle{r}}, nil
}

// Has reports whether a member is in the set.
func (s *Set) Has(member []byte) (bool, error) {
	_, found, err := s.r.member(member)
	return found, err
}

// Add puts a member into the set, which it creates if it is absent. added is
// false if it was there; then nothing changes.
func (s *Set) Add(member []byte) (added bool, err error) {
	if found, err := s.Has(member); err != nil || found {
		return false, err
	}
	if err := s.r.ensure(encoding.TypeSet); err != nil {
		return false, err
	}
	return true, s.r.putMember(member)
}

// Drop takes a member out of the set. dropped is false if it was not there.
func (s *Set) Drop(member []byte) (dropped bool, err error) {
	if found, err := s.Has(member); err != nil || !found {
		return false, err
	}
	return true, s.r.dropMember(member)
}

// DropAll takes members out of the set and returns how many of them were there.
func (s *Set) DropAll(members [][]byte) (removed uint64, err error) {
	return s.r.dropNames(members, s.Drop)
}

// Members reads the whole set in the order of its members. More than
// Limits.Result of them are ErrTooBig.
func (s *Set) Members() ([][]byte, error) {
	if err := s.r.tx.fits(s.Count()); err != nil {
		return nil, err
	}
	members := make([][]byte, 0, s.Count())
	err := s.r.eachName(kv.Range{}, func(member []byte) error {
		members = append(members, bytes.Clone(member))
		return nil
	})
	return members, err
}

// Page reads up to limit members in their order, of those that match accepts;
// a nil match accepts all. It starts behind the member after, or at the front
// if that is nil, and looks at up to scanned members, so that a page may be
// short or empty before the end. next is what to pass as after to go on; nil
// says that the end is reached.
func (s *Set) Page(after []byte, limit, scanned int, match func(member []byte) bool) (page [][]byte, next []byte, err error) {
	if !s.r.exists {
		return nil, nil, nil
	}
	next, err = s.r.page(after, limit, scanned, func(member, _ []byte) (bool, error) {
		if match != nil && !match(member) {
			return false, nil
		}
		page = append(page, bytes.Clone(member))
		return true, nil
	})
	return page, next, err
}

// Random picks n different members, each choice equally likely, in their
// order; all of them if the set has no more. More than Limits.Result of them
// are ErrTooBig.
func (s *Set) Random(n uint64) ([][]byte, error) {
	count := s.Count()
	if n = min(n, count); n == count {
		return s.Members()
	}
	if err := s.r.tx.fits(n); err != nil {
		return nil, err
	}
	return s.at(s.r.tx.sample(n, count))
}

// RandomRepeated picks a member n times, each pick on its own, in the order of
// the picks. More than Limits.Result picks are ErrTooBig.
func (s *Set) RandomRepeated(n uint64) ([][]byte, error) {
	count := s.Count()
	if err := s.r.tx.fits(n); err != nil || count == 0 {
		return nil, err
	}
	picks := make([]uint64, n)
	for i := range picks {
		picks[i] = s.r.tx.Random(count)
	}
	return s.pick(picks)
}

// Pop takes n different members out of the set, each choice equally likely, in
// their order; all of them if the set has no more. More than Limits.Result of
// them are ErrTooBig.
func (s *Set) Pop(n uint64) ([][]byte, error) {
	members, err := s.Random(n)
	if err != nil || len(members) == 0 {
		return nil, err
	}
	popped := uint64(len(members))
	err = s.r.takeOut(popped, func() error {
		for _, member := range members {
			if err := s.r.dropMember(member); err != nil {
				return err
			}
		}
		return nil
	}, func() error {
		gone := make(map[string]struct{}, popped)
		for _, member := range members {
			gone[string(member)] = struct{}{}
		}
		return s.r.rewrite(s.Count()-popped, s.r.outside(gone))
	})
	return members, err
}
