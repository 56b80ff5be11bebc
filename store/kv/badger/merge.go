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
	engine := m.below.cursor(r)
	defer engine.close()
	cursors := make([]*treeCursor, 0, len(m.over))
	for _, tree := range m.over {
		if c := newTreeCursor(tree, r); c.key() != nil {
			cursors = append(cursors, c)
		}
	}
	var buf []byte
	for seen := 0; r.Limit <= 0 || seen < r.Limit; {
		e, fromEngine := pick(cursors, engine, r.Reverse)
		switch {
		case fromEngine:
			var value []byte
			if !r.KeysOnly {
				var err error
				if value, err = m.below.value(buf[:0], engine.current); err != nil {
					return err
				}
				buf = value
			}
			if !visit(engine.key(), value) {
				return nil
			}
			engine.next()
			seen++
		case e == nil:
			return nil
		case e.value != nil:
			value := e.value
			if r.KeysOnly {
				value = nil
			}
			if !visit(e.key, value) {
				return nil
			}
			seen++
		}
		if e != nil {
			pass(cursors, engine, e.key)
		}
	}
	return nil
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

func (c *treeCursor) key() []byte {
	if c.current == nil {
		return nil
	}
	return c.current.key
}

func (c *treeCursor) next() {
	if c.r.Reverse {
		c.settle(c.it.Prev())
	} else {
		c.settle(c.it.Next())
	}
}
