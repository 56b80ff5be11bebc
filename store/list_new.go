package store

import "keypact/encoding"

// NewList makes a key a new, empty list without a time to live, whatever it
// held, for n elements to be pushed; what it held is given to the reclaimer. A
// list that stays empty is removed. More elements than one transaction holds are
// written in steps, in mode Each; an error must be passed on.
func (tx *Tx) NewList(key []byte, n uint64) (*List, error) {
	if err := tx.bulky(n); err != nil {
		return nil, err
	}
	r, err := tx.peek(key)
	if err != nil {
		return nil, err
	}
	if err := r.replace(encoding.TypeList); err != nil {
		return nil, err
	}
	return &List{handle{r}}, nil
}
