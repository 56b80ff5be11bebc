package store

import (
	"errors"
	"fmt"

	"keypact/encoding"
	"keypact/store/kv"
)

// An operation that takes elements out deletes their records one by one as long
// as those are few. Where more goes than stays, or more than one transaction
// holds, what stays is written into a new generation, in steps if it is much,
// and the former one is given to the reclaimer as a whole. No client sees which
// way was taken.

// removalShape says when elements are taken out in place.
type removalShape struct {
	few     uint64 // elements that hold up nobody
	records uint64 // records that one transaction deletes, at most
}

var defaultRemovals = removalShape{few: 2_000, records: 39_000}

// recordsEach is how many records an element has, its share of a tree included
// where removals lie far apart.
func recordsEach(t encoding.Type) uint64 {
	switch t {
	case encoding.TypeZSet:
		return 3
	case encoding.TypeSet, encoding.TypeList:
		return 2
	}
	return 1
}

// rewriteCheaper reports whether taking elements out is better done by writing
// those that remain into a new generation: few are taken out in place, and so
// are many of far more, as long as one transaction holds them. Where all has to
// go into one transaction, the way that writes less is taken.
func (r *record) rewriteCheaper(removed, remaining uint64) bool {
	shape := r.tx.s.removals
	switch {
	case removed <= shape.few:
		return false
	case r.tx.bulk == bulkRuns:
		return remaining < removed
	}
	return remaining <= 8*removed || removed*recordsEach(r.meta.Type) > shape.records
}

// takeOut takes a number of elements out, in place or by writing those that
// remain anew; the last one takes the key with it.
func (r *record) takeOut(removed uint64, inPlace, anew func() error) error {
	switch {
	case removed == 0:
		return nil
	case r.wholesale(removed):
		return r.remove()
	case r.rewriteCheaper(removed, r.meta.Count-removed):
		return anew()
	}
	return r.orAnew(inPlace, anew)
}

// orAnew changes a value in place or, if one transaction does not hold that, by
// writing it anew. Only an operation that is staged has the choice; elsewhere
// the refusal leads to its being staged.
func (r *record) orAnew(inPlace, anew func() error) error {
	meta, found, mark := r.meta, len(r.tx.op.found), r.tx.w.Mark()
	err := inPlace()
	if r.tx.stage == nil || !errors.Is(err, kv.ErrTooBig) {
		return err
	}
	r.tx.w.Undo(mark)
	r.tx.op.found = r.tx.op.found[:found]
	r.meta, r.counted, r.dropped, r.lost = meta, nil, false, 0
	return anew()
}

// rewrite writes the elements of a hash, set or sorted set that stay into a new
// generation. size is their number; stays is asked for the name of each, which
// is its member, behind its score in a sorted set.
func (r *record) rewrite(size uint64, stays func(name []byte) bool) error {
	if err := r.tx.bulky(size); err != nil {
		return err
	}
	former := r.snapshotOf()
	if err := r.regenerate(); err != nil {
		return err
	}
	family := encoding.FamilyMember
	if r.meta.Type == encoding.TypeZSet {
		family = encoding.FamilyScore
	}
	r.fill(family)
	err := former.scan(family, kv.Range{KeysOnly: r.meta.Type != encoding.TypeHash}, func(name, value []byte) error {
		if stays(name) {
			return r.carry(name, value)
		}
		r.state.remember(name, true)
		return nil
	})
	if err == nil && r.meta.Count != size {
		err = fmt.Errorf("key %q: %w: %d elements stay, not %d", r.key, encoding.ErrCorrupt, r.meta.Count, size)
	}
	if err != nil {
		return err
	}
	return r.filled()
}

// dropNames takes the fields or members with some names out and returns how
// many were there. drop takes out one.
func (r *record) dropNames(names [][]byte, drop func(name []byte) (bool, error)) (removed uint64, err error) {
	if !r.exists {
		return 0, nil
	}
	var gone map[string]struct{}
	anew := func() (err error) {
		if gone == nil {
			gone, err = r.present(names)
		}
		if removed = uint64(len(gone)); err != nil || removed == 0 {
			return err
		}
		if r.wholesale(removed) {
			return r.remove()
		}
		return r.rewrite(r.meta.Count-removed, r.outside(gone))
	}
	if uint64(len(names)) > r.tx.s.removals.few {
		if gone, err = r.present(names); err != nil {
			return 0, err
		}
		if n := uint64(len(gone)); r.wholesale(n) || r.rewriteCheaper(n, r.meta.Count-n) {
			err = anew()
			return removed, err
		}
	}
	err = r.orAnew(func() error {
		removed = 0
		for _, name := range names {
			dropped, err := drop(name)
			if err != nil {
				return err
			}
			if dropped {
				removed++
			}
		}
		return nil
	}, anew)
	return removed, err
}

// present are those of some fields or members that are there.
func (r *record) present(names [][]byte) (map[string]struct{}, error) {
	found := make(map[string]struct{}, len(names))
	for _, name := range names {
		if _, known := found[string(name)]; known {
			continue
		}
		_, there, err := r.member(name)
		if err != nil {
			return nil, err
		}
		if there {
			found[string(name)] = struct{}{}
		}
	}
	return found, nil
}

// outside accepts the names of all elements but some.
func (r *record) outside(gone map[string]struct{}) func(name []byte) bool {
	return func(name []byte) bool {
		_, goes := gone[string(r.identity(name))]
		return !goes
	}
}

// identity is the member within the name of an element.
func (r *record) identity(name []byte) []byte {
	if r.meta.Type == encoding.TypeZSet {
		return name[min(8, len(name)):]
	}
	return name
}
