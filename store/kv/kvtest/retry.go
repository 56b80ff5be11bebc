package kvtest

import (
	"context"

	"keypact/store/kv"
)

// Retry returns db with a first commit that fails each time: every function of
// a transaction runs, is undone, and runs again. Whoever works on it is safe
// on an engine that retries.
func Retry(db kv.DB) kv.DB { return retrying{db} }

type retrying struct{ kv.DB }

func (r retrying) Update(ctx context.Context, fn func(kv.Txn) error) error {
	return r.DB.Update(ctx, twice(fn))
}

// twice runs fn, undoes it whatever its outcome, and runs it again.
func twice(fn func(kv.Txn) error) func(kv.Txn) error {
	return func(tx kv.Txn) error {
		mark := tx.Mark()
		_ = fn(retryingTxn{tx}) // the outcome that counts is the second one's
		tx.Undo(mark)
		return fn(retryingTxn{tx})
	}
}

// retryingTxn does the same to functions that are queued with After.
type retryingTxn struct{ kv.Txn }

func (t retryingTxn) After(fn func(kv.Txn) error) { t.Txn.After(twice(fn)) }
