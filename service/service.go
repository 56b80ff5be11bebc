package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"keypact/store"
)

// Options of a service. Every field may be zero.
type Options struct {
	Limits Limits       // zero fields take the defaults
	Logger *slog.Logger // gets what clients must not see; nil discards
}

// Service runs operations. Its methods may be called concurrently.
type Service struct {
	store  *store.Store
	limits Limits
	log    *slog.Logger
	shape  *shape
}

// New makes a service on an open store, which stays the caller's to close.
func New(st *store.Store, opts Options) (*Service, error) {
	s := &Service{store: st, limits: opts.Limits.WithDefaults(), log: opts.Logger}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	var err error
	s.shape, err = newShape(s.limits)
	return s, err
}

// Limits returns the limits in force.
func (s *Service) Limits() Limits { return s.limits }

// Result is the answer to one operation.
type Result struct {
	Value    any               // the body; nil if the answer has none
	Created  bool              // the key, or the element that was put, is new
	Empty    bool              // the operation waited in vain
	ETag     store.Revision    // of the primary key after the operation; zero is an absent key
	Warnings []store.Violation // of contracts in mode warn
	Err      error             // an *Error; in a pipeline only
}

// Nothing is the answer, in a batch, of a read that finds nothing.
type Nothing struct {
	Absent bool `json:"absent"` // always true
}

// Stored is what Apply returns for an operation that puts one value and has no
// body to answer with.
type Stored struct{ Created bool }

// Do runs one operation. One that waits blocks until there is something for it
// or its time is over. The error is an *Error.
func (s *Service) Do(ctx context.Context, op Op) (Result, error) {
	if err := s.prepare(op); err != nil {
		return Result{}, s.report(ctx, op, err)
	}
	out, waited, err := s.run(ctx, op)
	if err == nil {
		err = out.Err
	}
	if err != nil {
		return Result{}, s.report(ctx, op, err)
	}
	if waited {
		return Result{Empty: true}, nil
	}
	return result(out), nil
}

// run picks the way an operation takes through the store.
func (s *Service) run(ctx context.Context, op Op) (out store.Outcome, waited bool, err error) {
	if wait := waitOf(op); wait != nil {
		out, ok, err := s.store.Wait(ctx, op, *wait)
		return out, !ok, err
	}
	var outs []store.Outcome
	if onlyReads(op) {
		outs, err = s.store.View(ctx, []Op{op})
	} else {
		outs, err = s.store.Do(ctx, store.Each, []Op{op})
	}
	if err != nil {
		return store.Outcome{}, false, err
	}
	return outs[0], false, nil
}

// prepare fills in defaults and checks the shape.
func (s *Service) prepare(op Op) error {
	s.fillIn(op)
	return s.shape.check(op)
}

// fillIn gives an operation its defaults.
func (s *Service) fillIn(op Op) {
	if d, ok := bare(op).(defaulter); ok {
		d.defaults(s.limits)
	}
}

// Batch runs operations in one transaction, all or nothing. A read that finds
// nothing answers Nothing and fails nobody. An operation that would wait is
// refused. The error is an *Error whose paths start with the operation's place
// in the request.
func (s *Service) Batch(ctx context.Context, ops []Op) ([]Result, error) {
	if err := s.checkCount(len(ops)); err != nil {
		return nil, err
	}
	if err := s.prepareAll(ops); err != nil {
		return nil, s.report(ctx, nil, err)
	}
	tolerant := make([]Op, len(ops))
	for i, op := range ops {
		tolerant[i] = op
		if onlyReads(op) {
			tolerant[i] = tolerantRead{op}
		}
	}
	outs, err := s.store.Do(ctx, store.Atomic, tolerant)
	if err != nil {
		var failed *store.OperationError
		if errors.As(err, &failed) {
			return nil, placed(s.report(ctx, ops[failed.Operation], failed.Err), failed.Operation)
		}
		return nil, s.report(ctx, nil, err)
	}
	results := make([]Result, len(outs))
	for i := range outs {
		results[i] = result(outs[i])
	}
	return results, nil
}

func (s *Service) checkCount(n int) error {
	if n <= s.limits.BatchOperations {
		return nil
	}
	return &Error{
		Kind: KindTooLarge, Code: "too-large",
		Detail: fmt.Sprintf("The request holds %d operations, the limit is %d.", n, s.limits.BatchOperations),
	}
}

// prepareAll prepares a batch and gathers what is wrong with all of it.
func (s *Service) prepareAll(ops []Op) error {
	var issues []Issue
	for i, op := range ops {
		s.fillIn(op)
		found, err := s.shape.issues(op)
		if err != nil {
			return err
		}
		if waitOf(op) != nil {
			found = append(found, Issue{Path: []string{"wait"}, Detail: "cannot be given in a batch: nothing waits inside a transaction"})
		}
		for _, issue := range found {
			issue.Path = batchPath(i, issue.Path)
			issues = append(issues, issue)
		}
	}
	if len(issues) == 0 {
		return nil
	}
	return shapeError(issues)
}

// batchPath is where a member of operation i stands in a batch.
func batchPath(i int, path []string) []string {
	return append([]string{"operations", strconv.Itoa(i)}, path...)
}

// placed says which operation of a batch an error is about.
func placed(err *Error, i int) *Error {
	out := *err
	if len(out.Errors) == 0 {
		out.Errors = []Issue{{Path: batchPath(i, nil), Detail: out.Detail}}
		return &out
	}
	out.Errors = make([]Issue, len(err.Errors))
	for j, issue := range err.Errors {
		issue.Path = batchPath(i, issue.Path)
		out.Errors[j] = issue
	}
	return &out
}

// tolerantRead is a read to which absence is an answer.
type tolerantRead struct{ Op }

// Apply runs the read.
func (op tolerantRead) Apply(tx *store.Tx) (any, error) {
	value, err := op.Op.Apply(tx)
	if errors.Is(err, store.ErrNotFound) {
		return Nothing{Absent: true}, nil
	}
	return value, err
}

// result is an outcome as doors take it.
func result(out store.Outcome) Result {
	r := Result{Value: out.Value, Created: out.Created, ETag: out.Revision, Warnings: out.Warnings}
	switch value := out.Value.(type) {
	case Stored:
		r.Value, r.Created = nil, value.Created
	case StringsStored:
		r.Created = value.Created > 0
	}
	return r
}

// report makes an error an *Error and logs what the client is not told. op may
// be nil.
func (s *Service) report(ctx context.Context, op Op, err error) *Error {
	out := classify(err)
	if out.Kind == KindInternal {
		s.log.ErrorContext(ctx, "operation failed", "operation", fmt.Sprintf("%T", op), "error", err)
	}
	return out
}
