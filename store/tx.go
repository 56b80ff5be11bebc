package store

import (
	"context"
	"errors"
	"fmt"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/store/kv"
)

// Tx is the state that a list of operations sees and changes: one snapshot or
// one transaction, one reading of the clock, one set of contracts.
type Tx struct {
	s   *Store
	r   kv.Reader
	w   kv.Txn // nil in a view
	ns  uint32
	now int64 // ms since the epoch
	set *contracts.Set

	base   int               // place of the first operation in the request's list
	meter  meter             // what may be read before the list is too heavy
	abort  error             // ends the whole list: it is to run in another way
	bulk   bulk              // what becomes of an operation that writes much
	stamps map[string][]byte // of a draft: the meta records it read, by key, as they were
	blind  bool              // the draft read what no stamp covers
	stage  *stage            // of a staged operation: where new generations go

	op    frame
	keys  map[string]*keyState // keys to judge: of the operation (Each) or of the list (Atomic)
	order []*keyState          // the same, in the order they were touched
	fed   [][]byte             // lists that gained elements
	delta int64                // keys gained by finished operations
	lost  []drops              // of finished operations
	wrote bool
}

// frame is what belongs to the operation that runs now.
type frame struct {
	index   int
	calls   []Call
	byKey   map[string]int // of calls, built when there are many
	records []*record
	opened  map[string]*record // of records, built when there are many
	place   Place
	found   []Violation
	fed     [][]byte
	delta   int64
	lost    []drops
	wrote   bool
}

// few is how many keys an operation may have before look-ups use a map.
const few = 8

// view runs fn on a snapshot.
func (s *Store) view(ctx context.Context, fn func(*Tx) error) error {
	s.traffic.Add(1)
	return s.db.View(ctx, func(r kv.Reader) error {
		now, err := s.clock.now()
		if err != nil {
			return err
		}
		return fn(&Tx{s: s, r: r, ns: s.space.visible(), now: now, set: s.set.Load()})
	})
}

// update runs fn in a transaction.
func (s *Store) update(ctx context.Context, fn func(*Tx) error) error {
	s.traffic.Add(1)
	return s.db.Update(ctx, func(w kv.Txn) error {
		tx, err := s.begin(w)
		if err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		if tx.abort != nil {
			return tx.abort
		}
		return tx.finish()
	})
}

// begin starts a list of operations in an engine's transaction.
func (s *Store) begin(w kv.Txn) (*Tx, error) {
	now, err := s.clock.now()
	if err != nil {
		return nil, err
	}
	return &Tx{s: s, r: w, w: w, ns: s.space.next, now: now, set: s.set.Load()}, nil
}

// finish writes what the list's changes imply for the store as a whole and
// lets waiting operations at what it fed.
func (tx *Tx) finish() error {
	if err := tx.finishRecords(); err != nil {
		return err
	}
	for _, key := range tx.fed {
		tx.s.serveLater(tx.w, key)
	}
	return nil
}

// finishRecords brings the records that belong to the whole store up to date.
func (tx *Tx) finishRecords() error {
	if !tx.wrote {
		return nil
	}
	for _, lost := range tx.lost {
		tx.s.churn.note(lost)
	}
	if err := addKeys(tx.w, tx.ns, tx.delta); err != nil {
		return err
	}
	if err := tx.s.clock.save(tx.w, tx.now); err != nil {
		return err
	}
	return tx.s.lease.renew(tx.w)
}

// Now is the list's one reading of the clock, in ms since the epoch.
func (tx *Tx) Now() int64 { return tx.now }

// Limits returns the store's limits.
func (tx *Tx) Limits() Limits { return tx.s.limits }

// Random returns a number in [0, n).
func (tx *Tx) Random(n uint64) uint64 { return tx.s.random(n) }

// At says which members of the request the next writes come from.
func (tx *Tx) At(place Place) { tx.op.place = place }

// call returns the operation's declared use of a key.
func (tx *Tx) call(key []byte) (Call, bool) {
	f := &tx.op
	if len(f.calls) <= few {
		for _, c := range f.calls {
			if string(c.Key) == string(key) {
				return c, true
			}
		}
		return Call{}, false
	}
	if f.byKey == nil {
		f.byKey = make(map[string]int, len(f.calls))
		for i := len(f.calls) - 1; i >= 0; i-- {
			f.byKey[string(f.calls[i].Key)] = i
		}
	}
	i, ok := f.byKey[string(key)]
	if !ok {
		return Call{}, false
	}
	return f.calls[i], true
}

// writeCall returns the declared write of a key; ErrDenied if there is none.
func (tx *Tx) writeCall(key []byte) (Call, error) {
	if tx.w == nil {
		return Call{}, fmt.Errorf("%w: %w", ErrDenied, kv.ErrReadOnly)
	}
	call, ok := tx.call(key)
	if ok && call.Read && len(tx.op.calls) > 1 {
		for _, c := range tx.op.calls {
			if !c.Read && string(c.Key) == string(key) {
				return c, nil
			}
		}
	}
	if !ok || call.Read {
		return Call{}, ErrDenied
	}
	return call, nil
}

// violate notes violations of the running operation.
func (tx *Tx) violate(found []contracts.Violation, call Call, key []byte, path []string) {
	for _, v := range found {
		if v.Path == nil {
			v.Path = path
		}
		tx.op.found = append(tx.op.found, Violation{Violation: v, Operation: tx.op.index, Verb: call.Verb, DataKey: key})
	}
}

// JudgeResult judges the size of a result computed from keys, which must not
// exceed the smallest limit among their contracts that enforce, nor the store's
// own (ErrTooBig). The smallest among those that warn is judged beside it, so
// that neither hides the other.
func (tx *Tx) JudgeResult(keys [][]byte, n int) error {
	if n > tx.s.limits.Result {
		return fmt.Errorf("%w: the result has more than %d elements", ErrTooBig, tx.s.limits.Result)
	}
	return tx.judgeSize(keys, uint64(n))
}

// judgeSize is JudgeResult without the store's own limit.
func (tx *Tx) judgeSize(keys [][]byte, n uint64) error {
	for _, warns := range []bool{false, true} {
		var least *contracts.Contract
		var at []byte
		for _, key := range keys {
			c := tx.set.Match(key)
			limit := c.MaxResult()
			if limit > 0 && (c.Mode == contracts.Warn) == warns && (least == nil || limit < least.MaxResult()) {
				least, at = c, key
			}
		}
		if least != nil {
			call, _ := tx.call(at)
			tx.violate(least.CheckResult(int64(n)), call, at, call.keyPath())
		}
	}
	return nil
}

// metaKey is the engine key of a key's meta record.
func (tx *Tx) metaKey(key []byte) []byte { return encoding.AppendMetaKey(nil, tx.ns, key) }

// load reads a key's meta record. A missing one is nil.
func (tx *Tx) load(key []byte) (*encoding.Meta, error) {
	raw, err := tx.r.Get(nil, tx.metaKey(key))
	if errors.Is(err, kv.ErrNotFound) {
		tx.stamp(key, nil)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	tx.stamp(key, raw)
	meta := new(encoding.Meta)
	if err := encoding.ParseMeta(raw, meta); err != nil {
		return nil, fmt.Errorf("meta record of key %q: %w", key, err)
	}
	return meta, nil
}
