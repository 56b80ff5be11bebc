package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"keypact/contracts"
	"keypact/store/kv"
)

// errStop ends a walk early; it never leaves the package.
var errStop = errors.New("stop")

// Do runs a list of operations in one transaction and returns when it is
// durable. In mode Each every operation has its own outcome and error. In mode
// Atomic the error is the list's: a *ContractError with every violation, or an
// *OperationError. In mode Exec every operation has its own outcome and error,
// and a *ContractError says that the list as a whole breaks a rule on a whole
// value. In every mode an error made by Abort is the list's.
//
// A list that reads much is prepared beside the line of writers, so that it
// holds nobody up, and an operation of mode Each that writes much fills its new
// value in steps that nobody sees; see prepared.go and staged.go. In mode Each
// such an operation, and what comes before and behind it, take effect one after
// the other.
func (s *Store) Do(ctx context.Context, mode Mode, ops []Op) ([]Outcome, error) {
	out, err := s.do(ctx, mode, ops)
	s.tell(out, err)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// View runs reading operations on one snapshot, each with its own outcome. An
// error made by Abort is that of all.
func (s *Store) View(ctx context.Context, ops []Op) ([]Outcome, error) {
	out := make([]Outcome, len(ops))
	err := s.view(ctx, func(tx *Tx) error {
		for i, op := range ops {
			out[i] = tx.read(i, op)
			if tx.abort != nil {
				return tx.abort
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.tell(out, nil)
	return out, nil
}

// DryRun judges an operation as Do would and writes nothing, wakes nobody and
// counts nothing.
func (s *Store) DryRun(ctx context.Context, op Op) (Outcome, error) {
	d, err := s.draft(ctx, Each, []Op{op}, 0, nil)
	var big *bulkError
	if errors.As(err, &big) {
		st := newStage(ctx, s)
		st.dry = true
		d, err = s.draft(ctx, Each, []Op{op}, 0, st)
	}
	if err != nil && !errors.Is(err, errBlind) {
		return Outcome{}, err
	}
	return d.out[0], nil
}

// tell reports the violations of answered operations.
func (s *Store) tell(out []Outcome, err error) {
	var refused *ContractError
	if errors.As(err, &refused) {
		s.report(refused.Violations)
	}
	for i := range out {
		if errors.As(out[i].Err, &refused) {
			s.report(refused.Violations)
		}
		for _, also := range [][]Violation{out[i].nested, out[i].Warnings} {
			if len(also) > 0 {
				s.report(also)
			}
		}
	}
}

func (tx *Tx) run(mode Mode, ops []Op) ([]Outcome, error) {
	switch mode {
	case Atomic:
		return tx.atomic(ops)
	case Exec:
		return tx.exec(ops)
	}
	return tx.each(ops)
}

// each runs operations that fail alone.
func (tx *Tx) each(ops []Op) ([]Outcome, error) {
	out := make([]Outcome, len(ops))
	for i, op := range ops {
		mark := tx.w.Mark()
		value, err := tx.step(tx.frameOf(tx.base+i, op), op)
		if tx.abort != nil {
			return nil, tx.abort
		}
		if tx.bulk == bulkAsks && errors.Is(err, kv.ErrTooBig) {
			return nil, &bulkError{at: tx.op.index} // alone it may fit, or take another way
		}
		if err == nil {
			err = tx.judgeWhole()
		}
		if tx.abort != nil {
			return nil, tx.abort
		}
		enforced, warned := split(tx.op.found)
		if err = verdict(err, enforced); err != nil {
			tx.undo(mark)
			out[i].Err, out[i].nested = err, tx.op.nested
			continue
		}
		out[i] = tx.outcome(value, warned)
		tx.settle()
	}
	return out, nil
}

// atomic runs operations that fail together.
func (tx *Tx) atomic(ops []Op) ([]Outcome, error) {
	out := make([]Outcome, len(ops))
	var enforced []Violation
	for i, op := range ops {
		value, err := tx.step(tx.frameOf(tx.base+i, op), op)
		if tx.abort != nil {
			return nil, tx.abort
		}
		refused, warned := split(tx.op.found)
		if denied(refused) {
			err = nil
		}
		if err != nil {
			return nil, &OperationError{Operation: i, Err: err}
		}
		enforced = append(enforced, refused...)
		out[i] = tx.outcome(value, warned)
		tx.settle()
	}
	return out, tx.judgeTogether(out, enforced)
}

// judgeTogether judges the rules on whole values at the end of a list. enforced
// are the violations that the list has found already.
func (tx *Tx) judgeTogether(out []Outcome, enforced []Violation) error {
	tx.op = frame{ids: tx.ids}
	if err := tx.judgeWhole(); err != nil {
		return err
	}
	if tx.abort != nil {
		return tx.abort
	}
	refused, warned := split(tx.op.found)
	if enforced = append(enforced, refused...); len(enforced) > 0 {
		return newContractError(enforced)
	}
	tx.settle()
	for _, v := range warned {
		out[v.Operation].Warnings = append(out[v.Operation].Warnings, v)
	}
	return nil
}

// frameOf is the frame of an operation that is about to run.
func (tx *Tx) frameOf(index int, op Op) frame {
	return frame{index: index, calls: op.Calls(), ids: tx.ids, ordered: len(tx.order)}
}

// step permits, applies and flushes one operation.
func (tx *Tx) step(f frame, op Op) (any, error) {
	tx.op = f
	tx.permit()
	value, err := op.Apply(tx)
	if err != nil {
		tx.heed(err)
		return nil, err
	}
	return value, tx.flush()
}

// read runs one operation on a snapshot.
func (tx *Tx) read(i int, op Op) Outcome {
	value, err := tx.step(tx.frameOf(i, op), op)
	enforced, warned := split(tx.op.found)
	if err = verdict(err, enforced); err != nil {
		return Outcome{Err: err, nested: tx.op.nested}
	}
	return tx.outcome(value, warned)
}

// permit judges the operation's commands and arguments.
func (tx *Tx) permit() {
	for _, call := range tx.op.calls {
		c := tx.set.Match(call.Key)
		for _, v := range c.CheckOperation(call.contractCall()) {
			path := call.keyPath()
			if v.Code == contracts.CodeArgumentRange {
				path = argumentPath(call, v)
			}
			tx.violate([]contracts.Violation{v}, call, call.Key, path)
		}
	}
}

// argumentPath is the member that holds the argument out of range.
func argumentPath(call Call, v contracts.Violation) []string {
	if strings.Contains(v.Rule, "/count") {
		return []string{"count"}
	}
	return []string{"wait"}
}

// outcome is what a successful operation answers.
func (tx *Tx) outcome(value any, warned []Violation) Outcome {
	out := Outcome{Value: value, Warnings: warned, nested: tx.op.nested}
	if len(tx.op.calls) == 0 {
		return out
	}
	space := tx.callSpace(tx.op.calls[0])
	if space < 0 {
		return out
	}
	key := tx.op.calls[0].Key
	r, was := tx.op.find(tx.ids[space], key), summary{}
	if r != nil {
		was = r.loaded
	}
	if i := slices.IndexFunc(tx.op.left, func(l *record) bool { return l.space == space && string(l.key) == string(key) }); i >= 0 {
		was = tx.op.left[i].loaded
		r, _ = tx.peekIn(space, key)
	}
	if r != nil {
		out.Revision = r.revision()
		out.Created = r.exists && !was.exists
	}
	return out
}

// settle keeps what a successful operation did beside its writes.
func (tx *Tx) settle() { tx.done.add(tx.op.did) }

// undo takes back all that the running operation did.
func (tx *Tx) undo(mark int) {
	tx.w.Undo(mark)
	tx.ids = tx.op.ids
	tx.restoreStates()
}

// split parts violations that reject the write from those that only warn.
func split(found []Violation) (enforced, warned []Violation) {
	for _, v := range found {
		if v.Mode == contracts.Warn {
			warned = append(warned, v)
		} else {
			enforced = append(enforced, v)
		}
	}
	return enforced, warned
}

// denied reports whether the command itself is not allowed on its key; then
// nothing else about the operation matters.
func denied(found []Violation) bool {
	return slices.ContainsFunc(found, func(v Violation) bool {
		return v.Code == contracts.CodeOperationDenied || v.Code == contracts.CodeArgumentRange
	})
}

// verdict is the error of one operation. An error of its own comes before its
// violations, unless the command is not allowed in the first place.
func verdict(err error, enforced []Violation) error {
	if len(enforced) == 0 || err != nil && !denied(enforced) {
		return err
	}
	return newContractError(enforced)
}

// newContractError puts violations in the order of the request.
func newContractError(found []Violation) *ContractError {
	slices.SortStableFunc(found, func(a, b Violation) int { return a.Operation - b.Operation })
	return &ContractError{Violations: found}
}
