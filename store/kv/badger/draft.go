package badger

import (
	"context"

	"keypact/store/kv"
)

// Draft runs fn over the published state, in the caller's goroutine, and
// returns what it wrote. A panic in fn comes back as *kv.PanicError.
func (db *DB) Draft(ctx context.Context, fn func(kv.Txn) error) ([]kv.Write, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	g, err := db.newGroup(nil)
	if err != nil {
		return nil, err
	}
	defer db.epochs.release(g.epoch)
	defer g.snapshot.txn.Discard()
	t := &txn{group: g}
	err = call(fn, t)
	if err == nil {
		err = t.failed
	}
	t.ended = true
	if err != nil {
		return nil, err
	}
	writes := make([]kv.Write, 0, len(g.overlay.entries))
	g.overlay.sorted().Scan(func(e *entry) bool {
		writes = append(writes, kv.Write{Key: e.key, Value: e.value})
		return true
	})
	return writes, nil
}
