package verify

import (
	"bytes"
	"fmt"
	"iter"

	"keypact/encoding"
)

// mergedFamilies have the records of keys, which sort alike behind the family.
// The first is that of the keys themselves.
var mergedFamilies = [...]encoding.Family{
	encoding.FamilyMeta, encoding.FamilyMember, encoding.FamilyList, encoding.FamilyScore, encoding.FamilyTree, encoding.FamilyAlias,
}

// cursor stands on one record of a family. It pulls records out of a scan, so
// that several scans can go on in step.
type cursor struct {
	w      *walk
	family encoding.Family
	pull   func() (key, value []byte, ok bool)
	stop   func()

	ok         bool
	key, value []byte // of the record, valid until the next one
	base       []byte // of key: namespace and escaped user key
	rest       []byte // of key: what follows the base; of data it begins with the version
}

func (w *walk) open(f encoding.Family) *cursor {
	c := &cursor{w: w, family: f}
	c.pull, c.stop = iter.Pull2(func(yield func(key, value []byte) bool) { w.records(familyRange(f), yield) })
	c.next()
	return c
}

// next moves to the next record whose key can be read.
func (c *cursor) next() {
	for {
		if c.key, c.value, c.ok = c.pull(); !c.ok {
			return
		}
		if err := c.cut(); err == nil {
			return
		} else {
			c.w.corrupt(nil, c.key, err)
		}
	}
}

// cut finds the parts of the key.
func (c *cursor) cut() error {
	const head = 1 + 4 // family and namespace
	if len(c.key) < head {
		return fmt.Errorf("%w: key: short", encoding.ErrCorrupt)
	}
	_, rest, err := encoding.CutEscaped(c.key[head:])
	if err != nil {
		return err
	}
	if c.family == encoding.FamilyMeta && len(rest) > 0 || c.family != encoding.FamilyMeta && len(rest) < versionBytes {
		return fmt.Errorf("%w: key: %d bytes behind the user key", encoding.ErrCorrupt, len(rest))
	}
	c.base, c.rest = c.key[1:len(c.key)-len(rest)], rest
	return nil
}

const versionBytes = 8

// place is base and version: what all data of one value starts with behind the
// family.
func (c *cursor) place() []byte { return c.key[1 : 1+len(c.base)+versionBytes] }

// at reports whether the cursor stands on data of a place.
func (c *cursor) at(place string) bool {
	return c.ok && len(c.key) > len(place) && string(c.key[1:1+len(place)]) == place
}

// name is what follows the place.
func (c *cursor) name() []byte { return c.rest[versionBytes:] }

// homes moves over all records of keys, one user key after the other: the key
// itself and all data that lies under it.
func (w *walk) homes() {
	for _, f := range mergedFamilies {
		c := w.open(f)
		defer c.stop()
		w.merged = append(w.merged, c)
	}
	var base []byte
	for w.err == nil {
		least := w.least()
		if least == nil {
			return
		}
		base = append(base[:0], least...)
		w.home(base)
	}
}

// least is the least base a cursor stands on, nil at the end.
func (w *walk) least() (least []byte) {
	for _, c := range w.merged {
		if c.ok && (least == nil || bytes.Compare(c.base, least) < 0) {
			least = c.base
		}
	}
	return least
}

// home judges one user key and the data under it.
func (w *walk) home(base []byte) {
	var own *entry
	readable := true
	if meta := w.merged[0]; meta.ok && bytes.Equal(meta.base, base) {
		own = w.metaRecord(meta.key, meta.value)
		readable = own != nil
		meta.next()
	}
	for w.err == nil {
		place := w.leastPlace(base)
		if place == "" {
			break
		}
		w.place(place, base, own, readable)
	}
	if own != nil && !own.met && !own.m.HasHome && w.err == nil {
		w.finishEntry(own)
	}
}

// leastPlace is the next place under a base, "" if there is none.
func (w *walk) leastPlace(base []byte) string {
	var least []byte
	for _, c := range w.merged[1:] {
		if c.ok && bytes.Equal(c.base, base) && (least == nil || bytes.Compare(c.place(), least) < 0) {
			least = c.place()
		}
	}
	return string(least)
}
