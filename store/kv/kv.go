// Package kv is the engine port: what Keypact asks of an ordered, transactional
// key-value engine, and nothing more. Bytes in, bytes out; time to live, types
// and contracts live above it.
//
// Every engine passes the one suite in kvtest.
package kv

import (
	"context"
	"errors"
	"time"
)

// Errors an engine may return. They arrive wrapped; compare with errors.Is.
var (
	// ErrNotFound says that a key has no record.
	ErrNotFound = errors.New("kv: key not found")
	// ErrConflict says that another transaction won and that retrying did not
	// help in time. Nothing was written.
	ErrConflict = errors.New("kv: conflict")
	// ErrTooBig says that one transaction holds more than its limits allow.
	// Nothing was written.
	ErrTooBig = errors.New("kv: transaction too big")
	// ErrOutcomeUnknown says that the engine cannot tell whether a write landed.
	ErrOutcomeUnknown = errors.New("kv: outcome unknown")
	// ErrReadOnly says that the engine was opened without the right to write.
	ErrReadOnly = errors.New("kv: read only")
	// ErrFull says that free space is below the watermark: writes are refused
	// while reads go on.
	ErrFull = errors.New("kv: storage full")
	// ErrClosed says that the engine is closed or stopped after a failed sync.
	ErrClosed = errors.New("kv: closed")
)

// DB is one open store.
type DB interface {
	// View runs fn on one snapshot: the newest state that is published.
	View(ctx context.Context, fn func(Reader) error) error

	// Update runs fn in a transaction and returns when its writes are durable
	// (as the durability mode says) and visible. An error from fn undoes all of
	// its writes and is returned as it is. fn may run again, so it must have no
	// effect outside the transaction but through After and Published.
	//
	// A context that ends while fn still waits for its turn keeps fn from
	// running. Once fn has run, Update waits for the outcome.
	Update(ctx context.Context, fn func(Txn) error) error

	// Draft runs fn beside the line of writers, in a transaction of its own over
	// the newest state that is published, and returns what it wrote, in the order
	// of the keys, instead of writing it. Long work is done in a draft and handed
	// to an Update, which must check that what fn read still holds. What fn queued
	// with After and Published is forgotten; its Undone calls do not run. An error
	// from fn is returned as it is.
	Draft(ctx context.Context, fn func(Txn) error) ([]Write, error)

	// Now is the engine's clock.
	Now(ctx context.Context) (time.Time, error)

	// Close finishes what is queued, syncs and closes.
	Close() error
}

// Range is the half-open interval [Lower, Upper). A nil Upper has no end.
type Range struct {
	Lower, Upper []byte
	Reverse      bool // from the end of the interval to its start
	KeysOnly     bool // visit with nil values
	Limit        int  // records visited at most; 0 is no limit
}

// Write is one record that a transaction wrote; a nil Value is a deletion.
type Write struct{ Key, Value []byte }

// Reader reads one consistent state.
type Reader interface {
	// Get appends the record's value to dst and returns the result.
	// A missing key is ErrNotFound.
	Get(dst, key []byte) ([]byte, error)

	// GetMany calls visit once for each key that has a record, in the order of
	// keys. The value is valid only during the call.
	GetMany(keys [][]byte, visit func(i int, value []byte) error) error

	// Scan visits the records of r in order until visit returns false. Key and
	// value are valid only during the call. Inside a Txn it sees the
	// transaction's own writes made before the scan started; visit may write
	// through the Txn, which the running scan need not notice.
	Scan(r Range, visit func(key, value []byte) bool) error
}

// Txn is a Reader that also writes. It sees its own writes and those of every
// transaction before it.
type Txn interface {
	Reader

	// Touch makes this transaction conflict with any other that writes or
	// touches key. An operation touches its own meta keys, never shared ones.
	Touch(key []byte) error

	// Set writes a record. Neither key nor value is empty; both are copied.
	// Past the transaction's limits it returns ErrTooBig.
	Set(key, value []byte) error

	// Delete removes a record. A missing key is no error.
	Delete(key []byte) error

	// Mark notes the present state, Undo returns to a mark: writes, After and
	// Published calls made since then are forgotten, Undone calls run. Marks nest.
	Mark() int
	Undo(mark int)

	// Size is what the transaction has written since it began (bytes of keys
	// and values, and number of records), undone writes excluded.
	Size() (bytes, records int)

	// After queues fn to run in the same group right behind this transaction,
	// as a transaction of its own, if this one succeeds. An error from fn undoes
	// fn's own writes and goes no further.
	After(fn func(Txn) error)

	// Undone queues fn to run if the writes made so far are taken back, by Undo
	// or because the transaction fails or runs again: it puts right what an
	// After function did outside the engine. Latest first; it must not block.
	Undone(fn func())

	// Published queues fn to run once the transaction is durable and visible,
	// before Update returns. It must not block and must not call the DB.
	Published(fn func())
}
