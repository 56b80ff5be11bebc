package command

import (
	"container/list"
	"encoding/binary"
	"hash/maphash"
	"sync"
)

// A cursor of SCAN and its kin is a number, while a place in an ordered
// collection is an element of up to some thousand bytes. cursors maps the one to
// the other. It knows a bounded number of places and forgets those not asked
// for longest. A cursor that it does not know, or that belongs to another key,
// stands for the beginning: so no element that was there all along is lost, but
// elements may come again. The same place has the same cursor while it is known.
//
// A cursor without a table could hold but a few bytes of a place, and keys that
// begin alike would never get past it.
type cursors struct {
	mu     sync.Mutex
	seed   maphash.Seed
	places map[uint64]*list.Element // of recent
	recent *list.List               // of *place, the last one asked for in front
	bytes  int                      // of all places
	most   int                      // places
	room   int                      // bytes of places
}

// place is where a scan goes on: behind an element of a key, or behind a key.
type place struct {
	cursor uint64
	spot   spot
	after  string
}

// spot is what is scanned: the keys of a namespace, or the elements of a key.
type spot struct {
	space string
	kind  byte // 'k' for keys, 'h', 's' or 'z' for elements
	key   string
}

// Bounds of the table of cursors: some dozen MiB at most.
const (
	cursorPlaces = 100_000
	cursorBytes  = 16 << 20
	cursorBits   = 53 // so that clients which read numbers as doubles can take them
)

func newCursors(most, room int) *cursors {
	return &cursors{seed: maphash.MakeSeed(), places: make(map[uint64]*list.Element), recent: list.New(), most: most, room: room}
}

func (p *place) size() int { return len(p.spot.space) + len(p.spot.key) + len(p.after) }

// find returns the place that a cursor stands for; nil if it is not known.
func (c *cursors) find(cursor uint64) *place {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.places[cursor]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*place)
}

// enter returns the cursor for the place behind an element, never 0.
func (c *cursors) enter(at spot, after []byte) uint64 {
	p := &place{spot: at, after: string(after)}
	c.mu.Lock()
	defer c.mu.Unlock()
	for p.cursor = c.number(p); ; p.cursor = p.cursor%(1<<cursorBits-1) + 1 {
		e := c.places[p.cursor]
		if e == nil {
			break
		}
		if known := e.Value.(*place); known.spot == p.spot && known.after == p.after {
			c.recent.MoveToFront(e)
			return p.cursor
		}
	}
	c.places[p.cursor] = c.recent.PushFront(p)
	for c.bytes += p.size(); c.recent.Len() > c.most || c.bytes > c.room && c.recent.Len() > 1; {
		old := c.recent.Remove(c.recent.Back()).(*place)
		delete(c.places, old.cursor)
		c.bytes -= old.size()
	}
	return p.cursor
}

// number is the cursor that a place has unless another place has it already.
func (c *cursors) number(p *place) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, part := range []string{p.spot.space, string(p.spot.kind), p.spot.key, p.after} {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(part)))
		_, _ = h.Write(length[:])
		_, _ = h.WriteString(part)
	}
	return h.Sum64()%(1<<cursorBits-1) + 1
}
