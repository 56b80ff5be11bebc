package store

import (
	"errors"

	"keypact/encoding"
	"keypact/store/kv"
)

// openNamespace returns the id behind a namespace's name and allocates one for
// a new name. Ids are never used twice.
func openNamespace(w kv.Txn, name string) (uint32, error) {
	key := encoding.AppendNamespaceKey(nil, name)
	raw, err := w.Get(nil, key)
	if err == nil {
		return encoding.ParseNamespace(raw)
	}
	if !errors.Is(err, kv.ErrNotFound) {
		return 0, err
	}
	id, err := nextID(w, encoding.NamespaceSequenceKey())
	if err != nil {
		return 0, err
	}
	return id, w.Set(key, encoding.AppendNamespace(nil, id))
}

// nextID counts up a small sequence of ids that starts at 1.
func nextID(w kv.Txn, key []byte) (uint32, error) {
	next := uint64(1)
	raw, err := w.Get(nil, key)
	switch {
	case err == nil:
		if next, err = encoding.ParseSequence(raw); err != nil {
			return 0, err
		}
	case !errors.Is(err, kv.ErrNotFound):
		return 0, err
	}
	return uint32(next), w.Set(key, encoding.AppendSequence(nil, next+1))
}

// counterShard is the one shard the key counter has on an engine where a
// single committer writes.
const counterShard = 0

// addKeys adds delta to the number of keys of a namespace.
func addKeys(w kv.Txn, ns uint32, delta int64) error {
	if delta == 0 {
		return nil
	}
	n, err := countKeys(w, ns)
	if err != nil {
		return err
	}
	return w.Set(encoding.AppendCounterKey(nil, ns, counterShard), encoding.AppendCounter(nil, n+delta))
}

func countKeys(r kv.Reader, ns uint32) (int64, error) {
	raw, err := r.Get(nil, encoding.AppendCounterKey(nil, ns, counterShard))
	if errors.Is(err, kv.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return encoding.ParseCounter(raw)
}
