package badger

import (
	"bytes"
	"context"

	"github.com/dgraph-io/badger/v4"

	"keypact/store/kv"
)

var _ kv.Exporter = (*DB)(nil)

// Export runs fn on the newest published state. It reads every table once
// before that, since an iterator goes on behind a damaged block without an
// error, and a backup must not leave out what it could not read.
//
// A stamp is Badger's timestamp. A start goes on behind the highest one it
// finds, so none comes twice as long as the newest commit before the start left
// a record: one that only deletes may be compacted away.
func (db *DB) Export(ctx context.Context, fn func(kv.Export) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	e, err := db.epochs.acquire()
	if err != nil {
		return err
	}
	defer db.epochs.release(e)
	if db.options.Durability != Always {
		if err := db.sync(); err != nil {
			return err
		}
	}
	if err := db.Verify(); err != nil {
		return err
	}
	t := db.engine.NewTransactionAt(e.ts, false)
	defer t.Discard()
	return fn(export{snapshot: snapshot{txn: t}, stamp: e.ts, ctx: ctx})
}

// export implements kv.Export.
type export struct {
	snapshot
	stamp uint64
	ctx   context.Context // of Export, which outlives this
}

// Stamp is the timestamp that the snapshot reads at.
func (x export) Stamp() uint64 { return x.stamp }

// exportPause is how many records are visited between two looks at the context.
const exportPause = 1024

// Records visits all records but parts of long values, which come joined.
func (x export) Records(visit func(key, value []byte, stamp uint64) error) error {
	it := x.txn.NewIterator(badger.IteratorOptions{})
	defer it.Close()
	var value []byte
	n := 0
	for it.Rewind(); it.Valid(); it.Next() {
		if n%exportPause == 0 {
			if err := context.Cause(x.ctx); err != nil {
				return err
			}
		}
		n++
		item := it.Item()
		if bytes.HasPrefix(item.Key(), []byte{partByte}) {
			return nil // the last family
		}
		var err error
		if value, err = x.value(value[:0], item); err != nil {
			return err
		}
		if err := visit(item.Key(), value, item.Version()); err != nil {
			return err
		}
	}
	return nil
}
