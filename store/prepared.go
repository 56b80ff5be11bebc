package store

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"keypact/encoding"
	"keypact/store/kv"
)

// A list of operations that reads much does not run in the line of writers. It
// runs as a draft, in its caller's goroutine, on a snapshot; what it wrote is
// then applied in one transaction, if the meta record of each key that it
// looked at is what it was. A meta record changes with every change of its
// value, so nothing the draft saw has changed either.

// attempts is how often a draft is begun anew because what it read has changed.
// Then the list runs in the line of writers, as heavy as it is.
const attempts = 3

// errStale says that what a draft read has changed.
var errStale = errors.New("what was read has changed")

// errBlind says that a draft read what no meta record stands for.
var errBlind = errors.New("what was read cannot be checked")

// do runs a list of operations; see Do.
func (s *Store) do(ctx context.Context, mode Mode, ops []Op) ([]Outcome, error) {
	var out []Outcome
	for {
		done := len(out)
		outs, err := s.stretch(ctx, mode, ops[done:], done)
		var big *bulkError
		for errors.As(err, &big) {
			outs, err = s.around(ctx, ops[done:big.at+1], done)
		}
		if err != nil && (done == 0 || mode == Atomic) {
			return nil, err
		}
		for ; err != nil && len(outs) < len(ops)-done; outs = append(outs, Outcome{Err: err}) {
		}
		if out = append(out, outs...); len(out) == len(ops) {
			return out, nil
		}
	}
}

// around runs the operations before a big one, and then that one alone, staged.
// If one of those before turns out to be big, nothing has run and the error
// says which.
func (s *Store) around(ctx context.Context, ops []Op, base int) ([]Outcome, error) {
	last := len(ops) - 1
	var out []Outcome
	if last > 0 {
		var err error
		if out, err = s.stretch(ctx, Each, ops[:last], base); err != nil {
			return nil, err
		}
	}
	big, err := s.staged(ctx, ops[last], base+last)
	if err != nil {
		big = Outcome{Err: err}
	}
	return append(out, big), nil
}

// stretch runs operations that share a transaction.
func (s *Store) stretch(ctx context.Context, mode Mode, ops []Op, base int) (out []Outcome, err error) {
	err = s.update(ctx, func(tx *Tx) (err error) {
		tx.metered(s.tuning.LightReads)
		tx.start(mode, base)
		out, err = tx.run(mode, ops)
		return err
	})
	if !errors.Is(err, errHeavy) {
		return out, err
	}
	for range attempts {
		d, err := s.draft(ctx, mode, ops, base, nil)
		if err == nil {
			err = s.apply(ctx, d, nil)
		}
		if errors.Is(err, errBlind) {
			break
		}
		if !errors.Is(err, errStale) {
			return d.out, err
		}
	}
	err = s.update(ctx, func(tx *Tx) (err error) {
		tx.start(mode, base)
		out, err = tx.run(mode, ops)
		return err
	})
	return out, err
}

// start says where in the request a list stands and what may become of its big
// operations.
func (tx *Tx) start(mode Mode, base int) {
	tx.base = base
	if mode == Each {
		tx.bulk = bulkAsks
	}
}

// draft is a list of operations that has run beside the line of writers.
type draft struct {
	tx     *Tx
	out    []Outcome
	writes []kv.Write
}

// draft runs a list of operations on a snapshot. With a stage, new generations
// of values go there.
func (s *Store) draft(ctx context.Context, mode Mode, ops []Op, base int, st *stage) (*draft, error) {
	d := new(draft)
	glance := s.spaces.glance()
	writes, err := s.db.Draft(ctx, func(w kv.Txn) error {
		tx, err := s.begin(w)
		if err != nil {
			return err
		}
		if tx.ids, err = s.spaces.visible(w, glance); err != nil {
			return err
		}
		tx.began, tx.stamps = tx.ids, make(map[string][]byte)
		tx.start(mode, base)
		if st != nil {
			tx.bulk, tx.stage = bulkStages, st
			tx.w = &diverted{Txn: w, stage: st}
		}
		tx.metered(patience)
		tx.meter.ctx = ctx
		d.tx = tx
		d.out, err = tx.run(mode, ops)
		if err == nil {
			err = tx.abort
		}
		if err == nil && tx.blind {
			err = errBlind
		}
		return err
	})
	d.writes = writes
	return d, err
}

// apply writes what a draft wrote, and what also adds, in one transaction. It
// fails with errStale if anything the draft relied on has changed.
func (s *Store) apply(ctx context.Context, d *draft, also func(kv.Txn) error) error {
	if len(d.writes) == 0 && also == nil {
		return nil
	}
	return s.db.Update(ctx, func(w kv.Txn) error {
		tx, err := s.begin(w)
		if err != nil {
			return err
		}
		if err := tx.holds(d.tx); err != nil {
			return err
		}
		for _, write := range d.writes {
			if write.Value == nil {
				err = w.Delete(write.Key)
			} else {
				err = w.Set(write.Key, write.Value)
			}
			if err != nil {
				return err
			}
		}
		if also != nil {
			if err := also(w); err != nil {
				return err
			}
		}
		tx.done = d.tx.done
		return tx.finish()
	})
}

// holds checks that what a draft read is still so, and that none of it expired
// since.
func (tx *Tx) holds(d *Tx) error {
	if tx.set != d.set || !slices.Equal(tx.ids, d.began) {
		return errStale
	}
	for key, was := range d.stamps {
		raw, err := tx.r.Get(nil, []byte(key))
		if err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		if !bytes.Equal(raw, was) {
			return errStale
		}
		if was == nil {
			continue
		}
		var meta encoding.Meta
		if err := encoding.ParseMeta(was, &meta); err != nil {
			return err
		}
		if meta.Expires > d.now && meta.Expires <= tx.now {
			return errStale
		}
	}
	return nil
}

// stamp notes a meta record that a draft reads, by its engine key, as it was
// before the draft wrote to it; nil is an absent one.
func (tx *Tx) stamp(key, raw []byte) {
	if tx.stamps == nil {
		return
	}
	if _, known := tx.stamps[string(key)]; !known {
		tx.stamps[string(key)] = raw
	}
}
