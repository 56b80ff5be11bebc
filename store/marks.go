package store

import (
	"bytes"

	"keypact/encoding"
	"keypact/store/kv"
)

// A sorted set that is used as a queue leaves the tombstones of what was taken
// off its end where every later walk begins. So its meta record notes the first
// and the last place that may be taken, the water marks, and walks over its
// order stay between them.

// markBytes is how long a water mark may be.
const markBytes = 72

// markEvery is how often, in changes, a sorted set without a tree looks for its
// ends. One with a tree looks whenever it loses an end.
const markEvery = 16

// setMark notes the first place in the order, or the last.
func (r *record) setMark(name []byte, last bool) {
	switch {
	case !last:
		// A beginning of the name lies before it, which is just as true.
		r.meta.LowWater = bytes.Clone(name[:min(len(name), markBytes)])
	case len(name) <= markBytes:
		r.meta.HighWater = bytes.Clone(name)
	default:
		r.meta.HighWater = nil
	}
}

// widenMarks makes room for a name between the marks.
func (r *record) widenMarks(name []byte) {
	if r.meta.LowWater != nil && bytes.Compare(name, r.meta.LowWater) < 0 {
		r.setMark(name, false)
	}
	if r.meta.HighWater != nil && bytes.Compare(name, r.meta.HighWater) > 0 {
		r.setMark(name, true)
	}
}

// withinMarks cuts a range of names down to what lies between the marks.
func (r *record) withinMarks(within kv.Range) kv.Range {
	if low := r.meta.LowWater; low != nil && bytes.Compare(within.Lower, low) < 0 {
		within.Lower = low
	}
	if high := r.meta.HighWater; high != nil && (within.Upper == nil || bytes.Compare(within.Upper, high) > 0) {
		within.Upper = behind(high)
	}
	return within
}

// settleMarks looks for the ends of a sorted set without a tree, now and then.
func (r *record) settleMarks() error {
	if !r.dropped || !r.exists || r.meta.TreeRoot != 0 || r.meta.Changes%markEvery != 0 {
		return nil
	}
	for _, last := range [2]bool{false, true} {
		if err := r.eachNameOf(encoding.FamilyScore, kv.Range{Reverse: last, Limit: 1}, func(name []byte) error {
			r.setMark(name, last)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
