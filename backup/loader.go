package backup

import (
	"context"
	"errors"
	"sync"

	"keypact/store/kv"
)

// Bounds of one batch. Half of what a transaction takes by default, so that two
// batches can share a commit.
const (
	batchBytes   = 1 << 20
	batchRecords = 20_000
)

// loader writes records in batches, one while the next is gathered. Each key
// may come once, in any order.
type loader struct {
	db      kv.DB
	batch   []kv.Write
	bytes   int
	batches chan []kv.Write
	work    sync.WaitGroup
	stopped context.Context // with the first failure
	stop    context.CancelCauseFunc
}

// loaders is how many batches are on their way at once: one is written while
// the engine takes in the other.
const loaders = 2

// startLoader starts the goroutines that write; end must follow.
func startLoader(ctx context.Context, db kv.DB) *loader {
	l := &loader{db: db, batches: make(chan []kv.Write)}
	l.stopped, l.stop = context.WithCancelCause(ctx)
	for range loaders {
		l.work.Go(func() {
			for batch := range l.batches {
				if err := l.write(batch); err != nil {
					l.stop(err)
				}
			}
		})
	}
	return l
}

// put writes a record, drop deletes one. Both copy.
func (l *loader) put(key, value []byte) error { return l.add(key, value) }
func (l *loader) drop(key []byte) error       { return l.add(key, nil) }

func (l *loader) add(key, value []byte) error {
	size := len(key) + len(value)
	if len(l.batch) == batchRecords || len(l.batch) > 0 && l.bytes+size > batchBytes {
		if err := l.flush(); err != nil {
			return err
		}
	}
	both := append(append(make([]byte, 0, size), key...), value...)
	w := kv.Write{Key: both[:len(key):len(key)]}
	if value != nil {
		w.Value = both[len(key):]
	}
	l.batch = append(l.batch, w)
	l.bytes += size
	return nil
}

// flush hands the batch over.
func (l *loader) flush() error {
	if len(l.batch) == 0 {
		return nil
	}
	select {
	case l.batches <- l.batch:
	case <-l.stopped.Done():
		return context.Cause(l.stopped)
	}
	l.batch, l.bytes = make([]kv.Write, 0, len(l.batch)), 0
	return nil
}

// write writes a batch in one transaction, or in several if the engine takes
// less in one.
func (l *loader) write(batch []kv.Write) error {
	err := l.db.Update(l.stopped, func(tx kv.Txn) error {
		for _, w := range batch {
			var err error
			if w.Value == nil {
				err = tx.Delete(w.Key)
			} else {
				err = tx.Set(w.Key, w.Value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if half := len(batch) / 2; half > 0 && errors.Is(err, kv.ErrTooBig) {
		if err := l.write(batch[:half]); err != nil {
			return err
		}
		return l.write(batch[half:])
	}
	return err
}

// end writes what is left, waits, and returns the first failure of a write.
func (l *loader) end() error {
	_ = l.flush() // fails only with what stopped knows
	close(l.batches)
	l.work.Wait()
	err := context.Cause(l.stopped)
	l.stop(nil)
	return err
}
