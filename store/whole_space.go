package store

import (
	"context"
	"slices"

	"keypact/encoding"
	"keypact/store/kv"
)

// What an operation does to a namespace as a whole. Contracts are not asked: it
// is an administrator's act. Operations that wait go on waiting.

// KeyCount is the number of keys of a namespace as the running operation finds
// it, without a walk; the empty name is the one it is in. Expired keys count
// until the worker has taken them, as in DBSIZE. A namespace that does not exist
// is ErrNoNamespace.
func (tx *Tx) KeyCount(space string) (int64, error) {
	i, err := tx.number(space)
	if err != nil {
		return 0, err
	}
	tx.blind = true
	if err := tx.detach(); err != nil {
		return 0, err
	}
	n, err := countKeys(tx.r, tx.ids[i])
	if err != nil {
		return 0, err
	}
	n += tx.done.keys.of(tx.ids[i]) + tx.op.did.keys.of(tx.ids[i])
	for f := tx.op.outer; f != nil; f = f.outer {
		n += f.did.keys.of(tx.ids[i])
	}
	return n, nil
}

// Flush removes every key of a namespace in one step, however many there are;
// the data is given to the reclaimer. The empty name is the namespace that the
// operation is in. What follows in the list finds it empty at once. It returns
// how many keys there were, expired ones that waited for the worker included.
// Handles that the operation opened before are of no use after it. A namespace
// that does not exist is ErrNoNamespace.
func (tx *Tx) Flush(space string) (removed int64, err error) {
	if tx.w == nil {
		return 0, kv.ErrReadOnly
	}
	i, err := tx.number(space)
	if err != nil {
		return 0, err
	}
	removed, err = tx.KeyCount(spaceName(i))
	if err != nil {
		return 0, err
	}
	id, err := newNamespace(tx.w, spaceName(i))
	if err != nil {
		return 0, err
	}
	if err := tx.s.queueReclaim(tx.w, encoding.Reclaim{NS: tx.ids[i], WholeNamespace: true}); err != nil {
		return 0, err
	}
	ids := slices.Clone(tx.ids)
	ids[i] = id
	tx.ids, tx.op.did.wrote = ids, true
	tx.op.did.changes += uint64(removed)
	return removed, nil
}

// FlushAll is Flush of every namespace that holds keys.
func (tx *Tx) FlushAll() (removed int64, err error) {
	for i := range tx.ids {
		n, err := tx.KeyCount(spaceName(i))
		if err == nil && n > 0 {
			_, err = tx.Flush(spaceName(i))
		}
		if err != nil {
			return 0, err
		}
		removed += n
	}
	return removed, nil
}

// Swap exchanges all keys of two namespaces in one step. What follows in the
// list finds them exchanged. Operations that wait stay with the names they came
// for and are let at what is there now. Handles that the operation opened before
// are of no use after it. A namespace that does not exist is ErrNoNamespace.
func (tx *Tx) Swap(a, b string) error {
	if tx.w == nil {
		return kv.ErrReadOnly
	}
	i, err := tx.number(a)
	if err != nil {
		return err
	}
	j, err := tx.number(b)
	if err != nil || i == j {
		return err
	}
	if err := tx.detach(); err != nil {
		return err
	}
	ids := slices.Clone(tx.ids)
	ids[i], ids[j] = ids[j], ids[i]
	for _, n := range [2]int{i, j} {
		if err := setNamespace(tx.w, spaceName(n), ids[n]); err != nil {
			return err
		}
	}
	// A draft knows which ids it began with, but not what they stand for.
	tx.blind = true
	tx.ids, tx.op.did.wrote = ids, true
	tx.op.did.changes++
	tx.op.did.swapped = append(tx.op.did.swapped, i, j)
	return nil
}

// Flush removes every key of the default namespace in one step; see Tx.Flush.
func (s *Store) Flush(ctx context.Context) (removed int64, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		tx.op = frame{ids: tx.ids}
		if removed, err = tx.Flush(DefaultNamespace); err == nil {
			tx.settle()
		}
		return err
	})
	return removed, err
}
