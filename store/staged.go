package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"keypact/encoding"
	"keypact/store/kv"
)

// An operation that makes a new value of many elements runs as a draft whose
// new generation is not kept for one transaction at the end but written in
// steps, under a version that no meta record names yet. A stage record says so
// from the first step on; what becomes of it is decided by the transaction that
// writes the meta record: it takes the stage record away, if what was read is
// still so. A stage that comes to nothing is handed to the reclaimer, by the
// worker if the process died meanwhile.

const (
	stageFrom    = 2_000     // records of a new generation from which on it is staged
	stageRecords = 256       // of one step
	stageBytes   = 256 << 10 // of one step
)

// bulk is what becomes of an operation that writes a big new generation.
type bulk byte

const (
	bulkRuns   bulk = iota // it runs as others do, and may be too big for one transaction
	bulkAsks               // it is run again, staged
	bulkStages             // it is staged
)

// bulkError says that the operation at a place of the request asks to be staged.
type bulkError struct{ at int }

func (e *bulkError) Error() string { return fmt.Sprintf("operation %d writes much", e.at) }

// bulky says that the running operation writes at least n records of a new
// generation. An error must be passed on: the operation is then run again,
// staged.
func (tx *Tx) bulky(n uint64) error {
	if tx.bulk != bulkAsks || n <= tx.s.tuning.StageFrom {
		return nil
	}
	if tx.abort == nil {
		tx.abort = &bulkError{at: tx.op.index}
	}
	return tx.abort
}

// stage is where the new generations of one operation are written.
type stage struct {
	s       *Store
	ctx     context.Context
	dry     bool // nothing is written: a dry run
	begun   []generation
	known   int               // of begun, how many have their stage record
	pending []kv.Write        // of the next step
	latest  map[string][]byte // of pending, by key
	bytes   int
}

// generation is one version of a key's data.
type generation struct {
	ns      uint32
	home    []byte
	version uint64
	typ     encoding.Type
	suffix  []byte // what the engine keys of its data have behind the family
}

func newStage(ctx context.Context, s *Store) *stage {
	return &stage{s: s, ctx: ctx, latest: make(map[string][]byte)}
}

// staged runs one operation whose new value goes in steps.
func (s *Store) staged(ctx context.Context, op Op, base int) (Outcome, error) {
	for range attempts {
		st := newStage(ctx, s)
		out, err := st.run(op, base)
		if err != nil || out.Err != nil {
			st.cancel()
		}
		s.stages.leave(st.begun)
		if !errors.Is(err, errStale) {
			return out, err
		}
	}
	return s.inTurn(ctx, op, base)
}

// inTurn runs an operation that lost the race again and again in the line of
// writers, within one transaction.
func (s *Store) inTurn(ctx context.Context, op Op, base int) (out Outcome, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		tx.start(Each, base)
		tx.bulk = bulkRuns
		outs, err := tx.each([]Op{op})
		if err == nil {
			out = outs[0]
		}
		return err
	})
	if err == nil && errors.Is(out.Err, kv.ErrTooBig) {
		err = fmt.Errorf("%w: the keys changed while the operation ran, %d times over", ErrConflict, attempts)
	}
	return out, err
}

func (st *stage) run(op Op, base int) (Outcome, error) {
	d, err := st.s.draft(st.ctx, Each, []Op{op}, base, st)
	if err == nil && d.out[0].Err == nil {
		if err = st.send(); err == nil {
			err = st.s.apply(st.ctx, d, st.unmark)
		}
	}
	if err != nil {
		return Outcome{}, err
	}
	return d.out[0], nil
}

// begin registers a new generation, whose data is staged from now on.
func (st *stage) begin(g generation) {
	g.home = bytes.Clone(g.home)
	g.suffix = encoding.AppendDataPrefix(nil, encoding.FamilyMember, g.ns, g.home, g.version)[1:]
	st.begun = append(st.begun, g)
	if !st.dry {
		st.s.stages.enter(g)
	}
}

// stages knows the generations that are being filled, by their versions.
type stages struct {
	mu       sync.Mutex
	versions map[uint64]struct{}
}

func (s *stages) enter(g generation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.versions == nil {
		s.versions = make(map[uint64]struct{})
	}
	s.versions[g.version] = struct{}{}
}

func (s *stages) leave(begun []generation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range begun {
		delete(s.versions, g.version)
	}
}

func (s *stages) filling(version uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, filling := s.versions[version]
	return filling
}

// holds reports whether an engine key belongs to data that is staged.
func (st *stage) holds(key []byte) bool {
	switch encoding.Family(key[0]) {
	case encoding.FamilyMember, encoding.FamilyList, encoding.FamilyScore, encoding.FamilyTree:
		for i := range st.begun {
			if bytes.HasPrefix(key[1:], st.begun[i].suffix) {
				return true
			}
		}
	}
	return false
}

// put takes one record; a nil value deletes it.
func (st *stage) put(key, value []byte) error {
	if st.dry {
		return nil
	}
	key = bytes.Clone(key)
	st.pending = append(st.pending, kv.Write{Key: key, Value: value})
	st.latest[string(key)] = value
	st.bytes += len(key) + len(value)
	if len(st.pending) < stageRecords && st.bytes < stageBytes {
		return nil
	}
	return st.send()
}

// send writes what waits, in a transaction of its own.
func (st *stage) send() error {
	if len(st.pending) == 0 {
		return nil
	}
	err := st.s.db.Update(st.ctx, func(w kv.Txn) error {
		if err := st.mark(w); err != nil {
			return err
		}
		for _, write := range st.pending {
			var err error
			if write.Value == nil {
				err = w.Delete(write.Key)
			} else {
				err = w.Set(write.Key, write.Value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	st.known = len(st.begun)
	clear(st.latest)
	st.pending, st.bytes = st.pending[:0], 0
	return nil
}

// mark writes the stage records that are not there yet.
func (st *stage) mark(w kv.Txn) error {
	now, err := st.s.clock.now()
	if err != nil {
		return err
	}
	for _, g := range st.begun[st.known:] {
		rec := encoding.Stage{Type: g.typ, Epoch: st.s.epoch, Created: now}
		if err := w.Set(encoding.AppendStageKey(nil, g.ns, g.home, g.version), encoding.AppendStage(nil, &rec)); err != nil {
			return err
		}
	}
	return nil
}

// unmark takes the stage records away.
func (st *stage) unmark(w kv.Txn) error {
	for _, g := range st.begun[:st.known] {
		if err := w.Delete(encoding.AppendStageKey(nil, g.ns, g.home, g.version)); err != nil {
			return err
		}
	}
	return nil
}

// cancel hands what was written to the reclaimer. Where that fails, the worker
// finds the stage record.
func (st *stage) cancel() {
	if st.known == 0 {
		return
	}
	err := st.s.db.Update(context.WithoutCancel(st.ctx), func(w kv.Txn) error {
		for _, g := range st.begun[:st.known] {
			if err := st.s.abandon(w, g.ns, g.home, g.version, g.typ); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		st.s.log.Warn("giving up staged data: the worker will find it", "error", err)
	}
}

// abandon turns a stage into dead data.
func (s *Store) abandon(w kv.Txn, ns uint32, home []byte, version uint64, t encoding.Type) error {
	if err := w.Delete(encoding.AppendStageKey(nil, ns, home, version)); err != nil {
		return err
	}
	return s.queueReclaim(w, encoding.Reclaim{NS: ns, Home: home, Version: version, Type: t})
}

// diverted is a draft's transaction whose staged data goes elsewhere.
type diverted struct {
	kv.Txn
	stage *stage
}

// Set writes a record.
func (d *diverted) Set(key, value []byte) error {
	if len(key) == 0 || len(value) == 0 || !d.stage.holds(key) {
		return d.Txn.Set(key, value)
	}
	return d.stage.put(key, bytes.Clone(value))
}

// Delete removes a record.
func (d *diverted) Delete(key []byte) error {
	if len(key) == 0 || !d.stage.holds(key) {
		return d.Txn.Delete(key)
	}
	return d.stage.put(key, nil)
}

// Get reads a record, of what is staged the newest.
func (d *diverted) Get(dst, key []byte) ([]byte, error) {
	if len(key) == 0 || !d.stage.holds(key) {
		return d.Txn.Get(dst, key)
	}
	if value, waits := d.stage.latest[string(key)]; waits {
		if value == nil {
			return dst, kv.ErrNotFound
		}
		return append(dst, value...), nil
	}
	err := d.stage.s.db.View(d.stage.ctx, func(r kv.Reader) (err error) {
		dst, err = r.Get(dst, key)
		return err
	})
	return dst, err
}

// GetMany reads records of one kind, staged or not.
func (d *diverted) GetMany(keys [][]byte, visit func(i int, value []byte) error) error {
	for i, key := range keys {
		value, err := d.Get(nil, key)
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := visit(i, value); err != nil {
			return err
		}
	}
	return nil
}

// Scan visits records of one kind, staged or not; no range holds both.
func (d *diverted) Scan(r kv.Range, visit func(key, value []byte) bool) error {
	if len(r.Lower) == 0 || !d.stage.holds(r.Lower) {
		return d.Txn.Scan(r, visit)
	}
	if err := d.stage.send(); err != nil {
		return err
	}
	return d.stage.s.db.View(d.stage.ctx, func(snapshot kv.Reader) error { return snapshot.Scan(r, visit) })
}
