package store

import "errors"

// Abort makes an error that ends the whole list of operations, whatever its
// mode: nothing of it is written, and Do returns err itself. An operation
// returns it from Apply; from a nested operation it ends the list as well. Of a
// list in mode Each whose big operations were written one after the other, those
// before stay.
func Abort(err error) error { return &abortError{err} }

type abortError struct{ err error }

// Error is the error's own.
func (e *abortError) Error() string { return e.err.Error() }

// Unwrap returns the error.
func (e *abortError) Unwrap() error { return e.err }

// heed ends the list if an operation says so.
func (tx *Tx) heed(err error) {
	var ends *abortError
	if tx.abort == nil && errors.As(err, &ends) {
		tx.abort = ends.err
	}
}

// Watch is an operation that ends its list with ErrWatched unless the key
// has the revision it is said to have; the zero revision is an absent key, and
// an expired one is absent. It changes nothing.
type Watch struct {
	Space    string // name of the key's namespace; empty is the operation's own
	Key      []byte
	Revision Revision
}

// Calls is nothing: contracts have no say in it.
func (u Watch) Calls() []Call { return nil }

// Apply compares.
func (u Watch) Apply(tx *Tx) (any, error) {
	k, err := tx.KeyIn(u.Space, u.Key)
	if err != nil {
		return nil, err
	}
	if k.Revision() != u.Revision {
		return nil, Abort(ErrWatched)
	}
	return nil, nil
}

// exec runs operations that fail alone and are judged as a whole together.
func (tx *Tx) exec(ops []Op) ([]Outcome, error) {
	out := make([]Outcome, len(ops))
	for i, op := range ops {
		out[i] = tx.inline(tx.frameOf(tx.base+i, op), op)
		if tx.abort != nil {
			return nil, tx.abort
		}
		if out[i].Err == nil {
			tx.settle()
		}
	}
	return out, tx.judgeTogether(out, nil)
}

// inline runs one operation that is undone alone if it fails. Rules on whole
// values are left to be judged later.
func (tx *Tx) inline(f frame, op Op) Outcome {
	mark := 0
	if tx.w != nil {
		mark = tx.w.Mark()
	}
	value, err := tx.step(f, op)
	if tx.abort != nil {
		return Outcome{Err: tx.abort}
	}
	enforced, warned := split(tx.op.found)
	if err = verdict(err, enforced); err == nil {
		return tx.outcome(value, warned)
	}
	if tx.w != nil {
		tx.undo(mark)
	}
	return Outcome{Err: err, nested: tx.op.nested}
}

// Call runs another operation inside the running one, as mode Exec runs those of
// a list: it has its own declared keys, its own error and violations, and if it
// fails all that it did is undone and the running operation goes on. Rules on
// whole values are judged at the end of the running operation in mode Each,
// where a violation fails that, and at the end of the list in the other modes.
// An operation that finds nothing to wait for is ErrNotFound, and one that
// writes more than the transaction may hold ErrTooBig of the engine.
//
// The operation runs in the default namespace unless In places it, whichever the
// running one is in. Handles that the running operation opened before are of no
// use after it.
func (tx *Tx) Call(op Op) Outcome {
	if tx.abort != nil {
		return Outcome{Err: tx.abort}
	}
	if err := tx.detach(); err != nil {
		return Outcome{Err: err}
	}
	outer, stage, bulk := tx.op, tx.stage, tx.bulk
	tx.stage, tx.bulk = nil, bulkRuns
	f := tx.frameOf(outer.index, op)
	f.outer = &outer
	out := tx.inline(f, op)
	inner := tx.op
	tx.op, tx.stage, tx.bulk = outer, stage, bulk
	var refused *ContractError
	if errors.As(out.Err, &refused) {
		tx.op.nested = append(tx.op.nested, refused.Violations...)
	}
	tx.op.nested = append(tx.op.nested, inner.nested...)
	if out.Err != nil {
		return out
	}
	tx.op.did.add(inner.did)
	tx.op.saved = append(tx.op.saved, inner.saved...)
	tx.op.found = append(tx.op.found, out.Warnings...)
	return out
}
