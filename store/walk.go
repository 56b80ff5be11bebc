package store

import (
	"bytes"

	"keypact/encoding"
	"keypact/store/kv"
)

// piecemeal is up to how many elements are removed one by one although they are
// all there are: it writes less than a record for the reclaimer costs in the
// end, and queues run empty all the time.
const piecemeal = 64

// wholesale says that removing n elements is better done by removing the key.
func (r *record) wholesale(n uint64) bool { return n == r.meta.Count && n > piecemeal }

// eachName visits the names of the member family within a range, without their
// values. A name is valid only during the visit; errStop ends the walk.
func (r *record) eachName(within kv.Range, visit func(name []byte) error) error {
	return r.eachNameOf(encoding.FamilyMember, within, visit)
}

// eachNameOf is eachName for any family: it visits what follows the family's
// prefix in the keys of the records.
func (r *record) eachNameOf(f encoding.Family, within kv.Range, visit func(name []byte) error) error {
	if !r.exists {
		return nil
	}
	within.KeysOnly = true
	return r.scan(f, within, func(name, _ []byte) error { return visit(name) })
}

// countNames counts the records of a family within a range.
func (r *record) countNames(f encoding.Family, within kv.Range) (n uint64, err error) {
	err = r.eachNameOf(f, within, func([]byte) error {
		n++
		return nil
	})
	return n, err
}

// behind is the least name after another: where a walk goes on.
func behind(name []byte) []byte {
	return append(bytes.Clone(name), 0)
}

// page walks the member family from behind the name after (nil is the front)
// until visit has taken limit records or scanned records are seen. next is the
// last name seen, nil if nothing lies behind it.
func (r *record) page(after []byte, limit, scanned int, visit func(name, value []byte) (bool, error)) (next []byte, err error) {
	within := kv.Range{}
	if after != nil {
		within.Lower = behind(after)
	}
	taken, seen, more := 0, 0, false
	last := []byte{} // not nil: the empty name is a name
	err = r.scan(encoding.FamilyMember, within, func(name, value []byte) error {
		if taken == limit || seen == scanned {
			more = true
			return errStop
		}
		seen++
		last = append(last[:0], name...)
		took, err := visit(name, value)
		if took {
			taken++
		}
		return err
	})
	if err != nil || !more {
		return nil, err
	}
	return last, nil
}
