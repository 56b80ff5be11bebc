package store

import "sync"

// A hash or set whose elements come and go leaves tombstones between those that
// live, and a walk over it passes them all until the engine merges them away. So
// the store counts in memory what was taken out of each generation, and a write
// to a small collection that lost far more than it holds writes it anew: under a
// new version, where there are no tombstones. The counts are hints. They are
// forgotten at a restart, and a key may lose its place to another.

// churnShape says when a collection is written anew.
type churnShape struct {
	drops uint64 // elements taken out of a generation, at least
	times uint64 // as many as it holds, at least
	count uint64 // elements it holds, at most
	bytes int    // of their names and values, at most
}

var defaultChurn = churnShape{drops: 1_000, times: 8, count: 500, bytes: 256 << 10}

const churnPlaces = 4096

// churn counts elements taken out, by the versions of their generations. Of two
// that share a place the one that loses more keeps it: J. Misra and D. Gries,
// "Finding repeated elements", 1982.
type churn struct {
	mu     sync.Mutex
	places [churnPlaces]drops
}

// drops is how many elements a generation has lost.
type drops struct{ version, n uint64 }

func (c *churn) note(lost drops) {
	c.mu.Lock()
	defer c.mu.Unlock()
	place := &c.places[lost.version%churnPlaces]
	switch {
	case place.version == lost.version:
		place.n += lost.n
	case place.n < lost.n:
		*place = lost
	default:
		place.n -= lost.n
	}
}

func (c *churn) of(version uint64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if place := c.places[version%churnPlaces]; place.version == version {
		return place.n
	}
	return 0
}

// freshen writes a small collection anew that has lost far more than it holds,
// as part of an operation that takes elements out of it anyway. It never makes
// an operation fail: where all has to go into one transaction it does nothing.
func (r *record) freshen() error {
	shape, m := r.tx.s.churning, &r.meta
	if r.lost == 0 || !r.exists || m.Version != r.onDisk.Version {
		return nil
	}
	lost := r.lost + r.tx.s.churn.of(m.Version)
	if lost < max(shape.drops, shape.times*m.Count) || m.Count > shape.count || r.tx.bulk != bulkAsks {
		r.tx.op.did.lost = append(r.tx.op.did.lost, drops{m.Version, r.lost})
		return nil
	}
	size := 0
	err := r.eachElement(func(name, value []byte) error {
		if size += len(name) + len(value); size > shape.bytes {
			return errStop
		}
		return nil
	})
	if err != nil || size > shape.bytes {
		return err
	}
	return r.rewrite(m.Count, func([]byte) bool { return true })
}
