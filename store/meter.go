package store

import (
	"context"
	"errors"

	"keypact/store/kv"
)

// lightReads is how much a list of operations may read while the line of
// writers waits for it, in records and in further 4 KiB of their values: some
// milliseconds.
const lightReads = 5_000

// patience is how much a draft reads between two looks at its context.
const patience = 1_000

// errHeavy says that a list reads too much to run in the line of writers.
var errHeavy = errors.New("the operations read much")

// meter counts what a list of operations reads. In the line of writers it ends
// a list that reads much, with errHeavy; in a draft one whose context ended.
type meter struct {
	kv.Txn
	tx   *Tx
	left int
	ctx  context.Context // of a draft; nil in the line of writers
}

// metered puts a meter on the transaction.
func (tx *Tx) metered(left int) {
	tx.meter = meter{Txn: tx.w, tx: tx, left: left}
	tx.r, tx.w = &tx.meter, &tx.meter
}

// spend accounts for one record.
func (m *meter) spend(bytes int) error {
	if m.left -= 1 + bytes>>12; m.left >= 0 {
		return nil
	}
	if m.tx.abort == nil {
		m.tx.abort = m.refill()
	}
	return m.tx.abort
}

// refill lets a draft read on unless nobody waits for it any more.
func (m *meter) refill() error {
	if m.ctx == nil {
		return errHeavy
	}
	m.left = patience
	return context.Cause(m.ctx)
}

// Get appends the value of key to dst.
func (m *meter) Get(dst, key []byte) ([]byte, error) {
	if err := m.spend(0); err != nil {
		return dst, err
	}
	value, err := m.Txn.Get(dst, key)
	if err == nil {
		m.left -= (len(value) - len(dst)) >> 12
	}
	return value, err
}

// GetMany visits the records of keys in the order of keys.
func (m *meter) GetMany(keys [][]byte, visit func(i int, value []byte) error) error {
	return m.Txn.GetMany(keys, func(i int, value []byte) error {
		if err := m.spend(len(value)); err != nil {
			return err
		}
		return visit(i, value)
	})
}

// Scan visits the records of r in order.
func (m *meter) Scan(r kv.Range, visit func(key, value []byte) bool) error {
	var spent error
	err := m.Txn.Scan(r, func(key, value []byte) bool {
		if spent = m.spend(len(value)); spent != nil {
			return false
		}
		return visit(key, value)
	})
	if spent != nil {
		return spent
	}
	return err
}
