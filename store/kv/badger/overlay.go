package badger

import (
	"bytes"
	"unsafe"

	"github.com/tidwall/btree"
)

// entry is one pending record. It never changes once it is in an overlay, so
// that scans may hold on to it; a nil value is a deletion.
type entry struct {
	key, value []byte
	owner      uint32 // number of the transaction that wrote it, within its group
}

// overlay holds the pending records of one group. Point reads use the map; the
// ordered tree is built at the first scan and kept up from then on, so that
// groups without scans do not pay for it.
type overlay struct {
	entries map[string]*entry
	tree    *btree.BTreeG[*entry]
}

func newOverlay() *overlay { return &overlay{entries: map[string]*entry{}} }

// get returns the pending record of key, or nil. A nil overlay is empty.
func (o *overlay) get(key []byte) *entry {
	if o == nil {
		return nil
	}
	return o.entries[string(key)]
}

// put stores e in the place of whatever its key had.
func (o *overlay) put(e *entry) {
	// The map's key shares the bytes of e.key, which nobody changes.
	o.entries[unsafe.String(unsafe.SliceData(e.key), len(e.key))] = e
	if o.tree != nil {
		o.tree.Set(e)
	}
}

// restore puts key back to what it was before: e, or nothing.
func (o *overlay) restore(key []byte, e *entry) {
	if e != nil {
		o.put(e)
		return
	}
	delete(o.entries, string(key))
	if o.tree != nil {
		o.tree.Delete(&entry{key: key})
	}
}

// sorted returns the overlay's ordered tree.
func (o *overlay) sorted() *btree.BTreeG[*entry] {
	if o.tree == nil {
		o.tree = btree.NewBTreeGOptions(
			func(a, b *entry) bool { return bytes.Compare(a.key, b.key) < 0 },
			btree.Options{NoLocks: true})
		for _, e := range o.entries {
			o.tree.Set(e)
		}
	}
	return o.tree
}
