// Package badger is the kv engine on Badger, for one machine.
//
// Badger runs in managed mode under one committer. Updates line up; the
// committer runs as many as wait, each over the pending records of those before
// it, and the group's final state becomes one Badger transaction with one sync.
// While a group is on its way to the disk the next one runs over it. Only then
// its timestamp is published and its Updates are answered. Views read at the
// published timestamp and wait for nobody.
package badger

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"

	"keypact/store/kv"
)

// DB is an open store. It implements kv.DB.
type DB struct {
	options Options
	limits  limits
	engine  *badger.DB
	files   *memtableLogs
	log     Log
	inner   *engineLog // under log
	epochs  *epochs
	queue   *queue
	ts      uint64 // last written; of the flying goroutine

	launches chan *flight  // from the committer to the disk, at most one
	chores   chan chore    // for the goroutine that writes, between groups
	landed   chan struct{} // back to the committer
	flown    chan struct{} // closed when both are done
	stop     chan struct{} // ends background work
	work     sync.WaitGroup
	unsynced atomic.Bool

	broken   atomic.Pointer[error]
	breaking sync.Once
	closing  sync.Once
	closed   error

	commits, requests, records, bytes, syncs, syncTime, views atomic.Int64

	deletes deletes
	rounds  rounds
	giving  atomic.Bool             // space is being given back
	step    *atomic.Pointer[func()] // called before each step of Badger's Flatten
}

var _ kv.DB = (*DB)(nil)

// View runs fn on the newest published state. It never waits for a commit.
func (db *DB) View(ctx context.Context, fn func(kv.Reader) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	e, err := db.epochs.acquire()
	if err != nil {
		return err
	}
	defer db.epochs.release(e)
	db.views.Add(1)
	t := db.engine.NewTransactionAt(e.ts, false)
	defer t.Discard()
	return fn(snapshot{txn: t})
}

// Update runs fn in a transaction. A panic in fn comes back as *kv.PanicError.
func (db *DB) Update(ctx context.Context, fn func(kv.Txn) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	r := newRequest(fn)
	if err := db.queue.push(r); err != nil {
		return err
	}
	return r.wait(ctx)
}

// Now is the process's clock, or the one of Options.
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	return db.options.Clock(), context.Cause(ctx)
}

// Close refuses new calls, finishes what is queued, syncs, waits for Views that
// run, and closes. Further calls return the first outcome.
func (db *DB) Close() error {
	db.closing.Do(func() { db.closed = db.shut() })
	return db.closed
}

func (db *DB) shut() error {
	db.queue.close(fmt.Errorf("%w", kv.ErrClosed))
	<-db.flown
	close(db.stop)
	db.work.Wait()
	err := db.failure()
	if err == nil {
		err = db.sync()
	}
	db.epochs.close(fmt.Errorf("%w", kv.ErrClosed))
	<-db.epochs.idle
	if closed := db.release(); err == nil && closed != nil {
		err = fmt.Errorf("close engine: %w", closed)
	}
	return err
}

// release gives back what open took.
func (db *DB) release() error {
	db.files.close()
	return db.engine.Close()
}

// fail stops the engine for good and returns what everyone gets from now on.
func (db *DB) fail(cause error) error {
	db.breaking.Do(func() {
		err := fmt.Errorf("%w: stopped: %w", kv.ErrClosed, cause)
		db.broken.Store(&err)
		db.queue.close(err)
		db.epochs.close(err)
		db.options.Logger.Error("storage engine stopped", "error", cause)
		if db.options.OnFatal != nil {
			go db.options.OnFatal(err)
		}
	})
	return db.failure()
}

// failure is the error that stopped the engine, or nil.
func (db *DB) failure() error {
	if err := db.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// newGroup begins a group over the published state and f's pending records.
func (db *DB) newGroup(f *flight) (*group, error) {
	e, err := db.epochs.acquire()
	if err != nil {
		return nil, err
	}
	g := &group{
		limits:    db.limits,
		epoch:     e,
		snapshot:  snapshot{txn: db.engine.NewTransactionAt(e.ts, false)},
		overlay:   newOverlay(),
		room:      db.room(),
		essential: db.options.Essential,
		onPanic:   db.callbackPanicked,
	}
	if f != nil {
		g.inFlight = f.group.overlay
	}
	return g, nil
}

func (db *DB) callbackPanicked(v any) {
	db.options.Logger.Error("callback of a transaction panicked", "panic", v)
}
