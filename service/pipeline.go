package service

import (
	"context"
	"slices"
	"time"

	"keypact/store"
)

// Pipeline runs operations one after the other, each with its own fate: a
// failure is in its Result and the rest goes on. Operations that follow each
// other share a transaction, or a snapshot if none of them changes anything, but
// one that waits parts the list in two. The error, an *Error, means that nothing
// is known of any operation.
func (s *Service) Pipeline(ctx context.Context, ops []Op) ([]Result, error) {
	if err := s.checkCount(len(ops)); err != nil {
		return nil, err
	}
	results := make([]Result, len(ops))
	for start := 0; start < len(ops); {
		end := start
		for end < len(ops) && waitOf(ops[end]) == nil {
			end++
		}
		if end == start {
			result, err := s.Do(ctx, ops[start])
			if err != nil {
				result.Err = err
			}
			results[start] = result
			start++
			continue
		}
		if err := s.runList(ctx, store.Each, ops[start:end], results[start:end]); err != nil {
			return nil, err
		}
		start = end
	}
	return results, nil
}

// Exec runs operations in one transaction, as MULTI and EXEC do: a failure is in
// its Result and undoes no other operation. Contracts judge counts, lifetimes and
// required fields on the state at the end. Nothing waits: an operation that finds
// nothing is KindNotFound. The error is an *Error and means that nothing was
// written: of KindContract if the end breaks a contract, of KindPrecondition if
// a watched key has changed.
func (s *Service) Exec(ctx context.Context, ops []Op) ([]Result, error) {
	if err := s.checkCount(len(ops)); err != nil {
		return nil, err
	}
	results := make([]Result, len(ops))
	if err := s.runList(ctx, store.Exec, ops, results); err != nil {
		return nil, err
	}
	return results, nil
}

// waitOf is how long an operation waits; nil if it does not. Zero is for ever.
func waitOf(op Op) *time.Duration {
	for _, call := range op.Calls() {
		if call.Wait != nil {
			return call.Wait
		}
	}
	return nil
}

// runList runs operations of which none waits and each fails alone.
func (s *Service) runList(ctx context.Context, mode store.Mode, ops []Op, results []Result) error {
	var sound []Op
	var at []int
	for i, op := range ops {
		if err := s.prepare(op); err != nil {
			results[i] = Result{Err: s.report(ctx, op, err)}
			continue
		}
		sound, at = append(sound, op), append(at, i)
	}
	if len(sound) == 0 {
		return nil
	}
	var outs []store.Outcome
	var err error
	if slices.ContainsFunc(sound, func(op Op) bool { return !onlyReads(op) }) {
		outs, err = s.store.Do(ctx, mode, sound)
	} else {
		outs, err = s.store.View(ctx, sound)
	}
	if err != nil {
		return s.report(ctx, nil, err)
	}
	for i, out := range outs {
		results[at[i]] = result(out)
		if out.Err != nil {
			results[at[i]] = Result{Err: s.report(ctx, sound[i], out.Err)}
		}
	}
	return nil
}
