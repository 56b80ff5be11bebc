package service

import (
	"context"

	"keypact/store"
)

// Pipeline runs operations one after the other, each with its own fate: a
// failure is in its Result and the rest goes on. Operations that follow each
// other share a transaction, but one that waits parts the list in two. The
// error, an *Error, means that nothing is known of any operation.
func (s *Service) Pipeline(ctx context.Context, ops []Op) ([]Result, error) {
	if err := s.checkCount(len(ops)); err != nil {
		return nil, err
	}
	results := make([]Result, len(ops))
	for start := 0; start < len(ops); {
		end := start
		for end < len(ops) && !waits(ops[end]) {
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
		if err := s.runEach(ctx, ops[start:end], results[start:end]); err != nil {
			return nil, err
		}
		start = end
	}
	return results, nil
}

func waits(op Op) bool {
	calls := op.Calls()
	return len(calls) > 0 && calls[0].Wait != nil
}

// runEach runs a part of a pipeline in which nothing waits.
func (s *Service) runEach(ctx context.Context, ops []Op, results []Result) error {
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
	outs, err := s.store.Do(ctx, store.Each, sound)
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
