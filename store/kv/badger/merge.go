package badger

import (
	"bytes"

	"github.com/tidwall/btree"

	"keypact/store/kv"
)

// merge scans pending records over a snapshot. An overlay wins over those
// after it and over the snapshot; its deletions hide.
type merge struct {
	over  []*btree.BTreeG[*entry] // newest first; nobody changes them during the scan
	below snapshot
}

// scan visits the records of r in order until visit returns false.
func (m merge) scan(r kv.Range, visit func(key, value []byte) bool) error {
	if r.Upper != nil && bytes.Compare(r.Lower, r.Upper) >= 0 {
		return nil
	}
	engine, cursors := m.below.cursor(r), m.cursors(r)
	defer engine.close()
	var buf []byte
	for seen := 0; r.Limit <= 0 || seen < r.Limit; {
		e, fromEngine := pick(cursors, engine, r.Reverse)
		if e == nil && !fromEngine {
			return nil
		}
		if fromEngine {
			if !r.KeysOnly {
				var err error
				if buf, err = m.below.value(buf[:0], engine.current); err != nil {
					return err
				}
			}
			if !visit(engine.key(), buf) {
				return nil
			}
			seen++
			engine.next()
			continue
		}
		if e.value != nil {
			if !visit(e.key, e.shown(r.KeysOnly)) {
				return nil
			}
			seen++
		}
		pass(cursors, engine, e.key)
	}
	return nil
}

// cursors opens one cursor on each overlay that has records in r.
func (m merge) cursors(r kv.Range) []*treeCursor {
	cursors := make([]*treeCursor, 0, len(m.over))
	for _, tree := range m.over {
		if c := newTreeCursor(tree, r); c.current != nil {
			cursors = append(cursors, c)
		}
	}
	return cursors
}

// shown is the value that a scan visits.
func (e *entry) shown(keysOnly bool) []byte {
	if keysOnly {
		return nil
	}
	return e.value
}

// pick returns the next record: of the newest source that has the first key.
func pick(cursors []*treeCursor, engine *engineCursor, reverse bool) (e *entry, fromEngine bool) {
	for _, c := range cursors {
		if c.current != nil && (e == nil || before(c.current.key, e.key, reverse)) {
			e = c.current
		}
	}
	key := engine.key()
	if key != nil && (e == nil || before(key, e.key, reverse)) {
		return nil, true
	}
	return e, false
}

// pass moves every source that stands at key on.
func pass(cursors []*treeCursor, engine *engineCursor, key []byte) {
	for _, c := range cursors {
		if c.current != nil && bytes.Equal(c.current.key, key) {
			c.next()
		}
	}
	if at := engine.key(); at != nil && bytes.Equal(at, key) {
		engine.next()
	}
}

func before(a, b []byte, reverse bool) bool {
	if reverse {
		return bytes.Compare(a, b) > 0
	}
	return bytes.Compare(a, b) < 0
}

// treeCursor walks the records of one overlay.
type treeCursor struct {
	it      btree.IterG[*entry]
	r       kv.Range
	current *entry
}

func newTreeCursor(tree *btree.BTreeG[*entry], r kv.Range) *treeCursor {
	c := &treeCursor{it: tree.Iter(), r: r}
	var ok bool
	switch {
	case !r.Reverse:
		ok = c.it.Seek(&entry{key: r.Lower})
	case r.Upper == nil:
		ok = c.it.Last()
	case c.it.Seek(&entry{key: r.Upper}):
		ok = c.it.Prev()
	default:
		ok = c.it.Last()
	}
	c.settle(ok)
	return c
}

func (c *treeCursor) settle(ok bool) {
	c.current = nil
	if !ok {
		return
	}
	e := c.it.Item()
	if c.r.Reverse && bytes.Compare(e.key, c.r.Lower) < 0 ||
		!c.r.Reverse && c.r.Upper != nil && bytes.Compare(e.key, c.r.Upper) >= 0 {
		return
	}
	c.current = e
}

func (c *treeCursor) next() {
	if c.r.Reverse {
		c.settle(c.it.Prev())
	} else {
		c.settle(c.it.Next())
	}
}
