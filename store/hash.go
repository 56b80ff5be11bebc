package store

import (
	"bytes"

	"keypact/encoding"
)

// Hash is a hash as the running operation sees it. An absent key is a hash
// without fields.
type Hash struct{ handle }

// Pair is a field with its value.
type Pair struct{ Field, Value []byte }

// Hash opens a key as a hash. A key of another type is ErrWrongType.
func (tx *Tx) Hash(key []byte) (*Hash, error) {
	r, err := tx.open(key, encoding.TypeHash)
	if err != nil {
		return nil, err
	}
	return &Hash{handle{r}}, nil
}

// Field reads the value of a field. A field that is there has a value that is
// not nil.
func (h *Hash) Field(field []byte) (value []byte, found bool, err error) {
	value, found, err = h.r.member(field)
	if found && value == nil {
		value = []byte{}
	}
	return value, found, err
}

// Put gives a field a value and creates the hash if it is absent. added says
// that the field is new, updated that it had another value.
func (h *Hash) Put(field, value []byte) (added, updated bool, err error) {
	old, found, err := h.r.member(field)
	if err != nil {
		return false, false, err
	}
	if found && bytes.Equal(old, value) {
		return false, false, h.r.touch()
	}
	if err := h.r.ensure(encoding.TypeHash); err != nil {
		return false, false, err
	}
	return !found, found, h.r.putField(field, value, found)
}

// Edit is Put for a value that was computed from what is stored: violations
// lie in the result.
func (h *Hash) Edit(field, value []byte) error {
	defer h.r.tx.resulting(len(h.r.tx.op.found))
	_, _, err := h.Put(field, value)
	return err
}

// Drop removes a field. dropped is false if it was not there.
func (h *Hash) Drop(field []byte) (dropped bool, err error) {
	_, found, err := h.r.member(field)
	if err != nil || !found {
		return false, err
	}
	return true, h.r.dropField(field)
}

// DropAll removes fields and returns how many of them were there.
func (h *Hash) DropAll(fields [][]byte) (removed uint64, err error) {
	return h.r.dropNames(fields, h.Drop)
}

// All reads the whole hash in the order of its fields. More than Limits.Result
// of them are ErrTooBig.
func (h *Hash) All() ([]Pair, error) {
	if err := h.r.tx.fits(h.Count()); err != nil {
		return nil, err
	}
	pairs := make([]Pair, 0, h.Count())
	err := h.r.eachElement(func(field, value []byte) error {
		pairs = append(pairs, clonePair(field, value))
		return nil
	})
	return pairs, err
}

// Page reads up to limit fields in their order, of those whose name match
// accepts; a nil match accepts all. It starts behind the field after, or at the
// front if that is nil, and looks at up to scanned fields, so that a page may
// be short or empty before the end. next is what to pass as after to go on; nil
// says that the end is reached.
func (h *Hash) Page(after []byte, limit, scanned int, match func(field []byte) bool) (page []Pair, next []byte, err error) {
	if !h.r.exists {
		return nil, nil, nil
	}
	next, err = h.r.page(after, limit, scanned, func(field, value []byte) (bool, error) {
		if match != nil && !match(field) {
			return false, nil
		}
		page = append(page, clonePair(field, value))
		return true, nil
	})
	return page, next, err
}

// clonePair keeps a field past the visit; neither part becomes nil.
func clonePair(field, value []byte) Pair {
	return Pair{Field: append([]byte{}, field...), Value: append([]byte{}, value...)}
}
