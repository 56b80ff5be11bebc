package badger

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"keypact/store/kv"
)

// snapshot reads Badger at one timestamp. It implements kv.Reader.
type snapshot struct{ txn *badger.Txn }

// Get appends the value of key to dst.
func (s snapshot) Get(dst, key []byte) ([]byte, error) {
	item, err := s.item(key)
	if err != nil {
		return dst, err
	}
	return s.value(dst, item)
}

func (s snapshot) item(key []byte) (*badger.Item, error) {
	if len(key) == 0 {
		return nil, fmt.Errorf("%w: empty key", kv.ErrInvalid)
	}
	if key[0] == partByte {
		return nil, kv.ErrNotFound
	}
	item, err := s.txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, kv.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read record %x: %w", key, err)
	}
	return item, nil
}

// value appends the item's value to dst, its parts put together.
func (s snapshot) value(dst []byte, item *badger.Item) ([]byte, error) {
	cut := item.UserMeta()&cutMark != 0
	err := item.Value(func(v []byte) (err error) {
		if cut {
			dst, err = s.join(dst, item.Key(), v)
			return err
		}
		if len(v) == 0 {
			return fmt.Errorf("record %x: damaged, its value is empty", item.Key())
		}
		dst = append(dst, v...)
		return nil
	})
	return dst, err
}

// join appends the parts of key's value, whose head record is head.
func (s snapshot) join(dst, key, head []byte) ([]byte, error) {
	n, err := cutHead(key, head)
	if err != nil {
		return dst, err
	}
	var part []byte
	for i := range n {
		part = appendPartKey(part[:0], key, i)
		item, err := s.txn.Get(part)
		if err != nil {
			return dst, fmt.Errorf("record %x: part %d of %d: %w", key, i, n, err)
		}
		if err := item.Value(func(v []byte) error { dst = append(dst, v...); return nil }); err != nil {
			return dst, fmt.Errorf("record %x: part %d of %d: %w", key, i, n, err)
		}
	}
	return dst, nil
}

// GetMany visits the records of keys in the order of keys.
func (s snapshot) GetMany(keys [][]byte, visit func(i int, value []byte) error) error {
	return getMany(s, keys, visit)
}

// getMany is GetMany by way of Get, with one buffer for all.
func getMany(r kv.Reader, keys [][]byte, visit func(i int, value []byte) error) error {
	var buf []byte
	for i, key := range keys {
		value, err := r.Get(buf[:0], key)
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := visit(i, value); err != nil {
			return err
		}
		buf = value
	}
	return nil
}

// Scan visits the records of r in order.
func (s snapshot) Scan(r kv.Range, visit func(key, value []byte) bool) error {
	return merge{below: s}.scan(r, visit)
}

// engineCursor walks Badger's records.
type engineCursor struct {
	it      *badger.Iterator
	r       kv.Range
	current *badger.Item
}

// cursor opens an iterator over r; close must follow. The upper bound keeps
// parts of long values out of sight.
func (s snapshot) cursor(r kv.Range) *engineCursor {
	if r.Upper == nil || r.Upper[0] == partByte {
		r.Upper = []byte{partByte}
	}
	c := &engineCursor{r: r, it: s.txn.NewIterator(badger.IteratorOptions{
		Reverse: r.Reverse,
		Prefix:  rangePrefix(r),
	})}
	if !r.Reverse {
		c.it.Seek(r.Lower)
	} else {
		c.it.Seek(r.Upper)
		// Upper itself is outside, but where the seek lands.
		if c.it.Valid() && bytes.Equal(c.it.Item().Key(), r.Upper) {
			c.it.Next()
		}
	}
	c.settle()
	return c
}

// settle takes the iterator's item if it is within bounds.
func (c *engineCursor) settle() {
	c.current = nil
	if !c.it.Valid() {
		return
	}
	item := c.it.Item()
	if c.r.Reverse && bytes.Compare(item.Key(), c.r.Lower) < 0 ||
		!c.r.Reverse && bytes.Compare(item.Key(), c.r.Upper) >= 0 {
		return
	}
	c.current = item
}

func (c *engineCursor) key() []byte {
	if c.current == nil {
		return nil
	}
	return c.current.Key()
}

func (c *engineCursor) next() {
	c.it.Next()
	c.settle()
}

func (c *engineCursor) close() { c.it.Close() }

// rangePrefix returns a prefix of every key in r, as long as it can see: with
// it Badger opens only the tables that can hold such keys.
func rangePrefix(r kv.Range) []byte {
	lower, upper := r.Lower, r.Upper
	n := 0
	for n < len(lower) && n < len(upper) && lower[n] == upper[n] {
		n++
	}
	// An upper bound that ends one above lower's next byte, as the end of a
	// prefix does, leaves that byte fixed too. In reverse the prefix must hold
	// for the upper bound as well, where the iterator starts.
	if !r.Reverse && n < len(lower) && n+1 == len(upper) && upper[n] == lower[n]+1 {
		n++
	}
	return lower[:n]
}
