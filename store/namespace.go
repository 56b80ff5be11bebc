package store

import (
	"context"
	"errors"
	"sync/atomic"

	"keypact/encoding"
	"keypact/store/kv"
)

// space is a namespace: a name, and the id that stands for it. A flush gives
// the name another id.
type space struct {
	name  string
	shown atomic.Uint32 // to readers: that of the newest published flush
	next  uint32        // to transactions; touched only by the one that runs
}

func (s *space) open(name string, id uint32) {
	s.name, s.next = name, id
	s.shown.Store(id)
}

// visible is the id for reading. It is asked for after the snapshot is taken: a
// snapshot that shows less than the id is an empty namespace, while one taken
// behind the id might show what the reclaimer has begun to delete.
func (s *space) visible() uint32 { return s.shown.Load() }

// Flush removes every key of the namespace in one step, however many there are;
// the data is given to the reclaimer. Contracts are not asked: it is an
// administrator's act. Operations that wait go on waiting. It returns how many
// keys there were, expired ones that waited for the worker included.
func (s *Store) Flush(ctx context.Context) (removed int64, err error) {
	err = s.db.Update(ctx, func(w kv.Txn) error {
		tx, err := s.begin(w)
		if err != nil {
			return err
		}
		if removed, err = countKeys(w, tx.ns); err != nil {
			return err
		}
		id, err := nextID(w, encoding.NamespaceSequenceKey())
		if err != nil {
			return err
		}
		if err := w.Set(encoding.AppendNamespaceKey(nil, s.space.name), encoding.AppendNamespace(nil, id)); err != nil {
			return err
		}
		if err := s.queueReclaim(w, encoding.Reclaim{NS: tx.ns, WholeNamespace: true, Queued: tx.now}); err != nil {
			return err
		}
		tx.wrote = true
		w.After(func(w kv.Txn) error {
			former := s.space.next
			s.space.next = id
			w.Undone(func() { s.space.next = former })
			w.Published(func() { s.space.shown.Store(id) })
			return nil
		})
		return tx.finish()
	})
	return removed, err
}

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
