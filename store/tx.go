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
	w   kv.Txn   // nil in a view
	ids []uint32 // of the namespaces, by their number; replaced as a whole, never changed
	now int64    // ms since the epoch
	set *contracts.Set

	listens bool // someone wants to hear of events

	base   int               // place of the first operation in the request's list
	meter  meter             // what may be read before the list is too heavy
	abort  error             // ends the whole list: it is to run in another way
	bulk   bulk              // what becomes of an operation that writes much
	began  []uint32          // ids as the list found them
	stamps map[string][]byte // of a draft: the meta records it read, by engine key, as they were
	blind  bool              // the draft read what no stamp covers
	stage  *stage            // of a staged operation: where new generations go

	op    frame
	keys  map[idKey]*keyState // keys to judge: of the operation (Each) or of the list (Atomic, Exec)
	order []*keyState         // the same, in the order they were touched
	done  effects             // of the finished operations
}

// idKey is a key under the id of its namespace.
type idKey struct {
	ns  uint32
	key string
}

// spaceKey is a key under the number of its namespace.
type spaceKey struct {
	space int
	key   string
}

// effects are what operations do beside the records of their keys.
type effects struct {
	wrote   bool
	keys    keyDeltas  // keys gained
	fed     []spaceKey // lists and sorted sets that gained elements, in the order in which they did
	swapped []int      // namespaces that were swapped
	changes uint64     // keys changed
	expired int64      // keys found expired and replaced
	events  []Event
	lost    []drops // elements taken out of generations
}

// add puts what happened later behind.
func (e *effects) add(later effects) {
	e.wrote = e.wrote || later.wrote
	for _, d := range later.keys {
		e.keys.add(d.ns, d.n)
	}
	e.fed = append(e.fed, later.fed...)
	e.swapped = append(e.swapped, later.swapped...)
	e.changes += later.changes
	e.expired += later.expired
	e.events = append(e.events, later.events...)
	e.lost = append(e.lost, later.lost...)
}

// frame is what belongs to the operation that runs now.
type frame struct {
	index   int
	space   int    // number of the namespace of keys that name none
	outer   *frame // of the operation that called this one; nil if the list did
	calls   []Call
	byKey   map[spaceKey]int // of calls, built when there are many
	records []*record
	opened  map[idKey]*record // of records, built when there are many
	place   Place
	found   []Violation
	did     effects
	left    []*record   // records that it let go of before it ended
	nested  []Violation // that rejected operations it called

	ids     []uint32     // of the namespaces when it began
	saved   []savedState // key states that it changed, as they were
	ordered int          // how many key states there were
}

// few is how many keys an operation may have before look-ups use a map.
const few = 8

// view runs fn on a snapshot.
func (s *Store) view(ctx context.Context, fn func(*Tx) error) error {
	s.traffic.Add(1)
	glance := s.spaces.glance()
	return s.db.View(ctx, func(r kv.Reader) error {
		ids, err := s.spaces.visible(r, glance)
		if err != nil {
			return err
		}
		now, err := s.clock.now()
		if err != nil {
			return err
		}
		return fn(&Tx{s: s, r: r, ids: ids, now: now, set: s.set.Load()})
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
	return &Tx{
		s: s, r: w, w: w, ids: s.spaces.next, began: s.spaces.next, now: now, set: s.set.Load(), listens: s.notifying.Load(),
	}, nil
}

// finish writes what the list's changes imply for the store as a whole and
// lets waiting operations at what it fed.
func (tx *Tx) finish() error {
	if err := tx.finishRecords(); err != nil {
		return err
	}
	if &tx.ids[0] != &tx.began[0] {
		tx.s.spaces.install(tx.w, tx.ids)
	}
	tx.serveLater()
	return nil
}

// finishRecords brings the records that belong to the whole store up to date.
func (tx *Tx) finishRecords() error {
	if !tx.done.wrote {
		return nil
	}
	for _, lost := range tx.done.lost {
		tx.s.churn.note(lost)
	}
	for _, d := range tx.done.keys {
		if err := addKeys(tx.w, d.ns, d.n); err != nil {
			return err
		}
	}
	tx.tellPublished()
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

// callSpace is the number of the namespace of a call's key; -1 if there is
// none.
func (tx *Tx) callSpace(c Call) int {
	if c.Space == "" {
		return 0 // In fills in any other
	}
	if i, ok := tx.s.spaces.find(c.Space); ok {
		return i
	}
	return -1
}

// about reports whether a call is on a key.
func (tx *Tx) about(c Call, space int, key []byte) bool {
	return string(c.Key) == string(key) && tx.callSpace(c) == space
}

// call returns the operation's declared use of a key.
func (tx *Tx) call(space int, key []byte) (Call, bool) {
	f := &tx.op
	if len(f.calls) <= few {
		for _, c := range f.calls {
			if tx.about(c, space, key) {
				return c, true
			}
		}
		return Call{}, false
	}
	if f.byKey == nil {
		f.byKey = make(map[spaceKey]int, len(f.calls))
		for i := len(f.calls) - 1; i >= 0; i-- {
			c := f.calls[i]
			f.byKey[spaceKey{tx.callSpace(c), string(c.Key)}] = i
		}
	}
	i, ok := f.byKey[spaceKey{space, string(key)}]
	if !ok {
		return Call{}, false
	}
	return f.calls[i], true
}

// writeCall returns the declared write of a key; ErrDenied if there is none.
func (tx *Tx) writeCall(space int, key []byte) (Call, error) {
	if tx.w == nil {
		return Call{}, fmt.Errorf("%w: %w", ErrDenied, kv.ErrReadOnly)
	}
	call, ok := tx.call(space, key)
	if ok && call.Read && len(tx.op.calls) > 1 {
		for _, c := range tx.op.calls {
			if !c.Read && tx.about(c, space, key) {
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
			call, _ := tx.call(tx.op.space, at)
			tx.violate(least.CheckResult(int64(n)), call, at, call.keyPath())
		}
	}
	return nil
}

// metaKey is the engine key of a key's meta record.
func metaKey(ns uint32, key []byte) []byte { return encoding.AppendMetaKey(nil, ns, key) }

// load reads a key's meta record. A missing one is nil.
func (tx *Tx) load(ns uint32, key []byte) (*encoding.Meta, error) {
	at := metaKey(ns, key)
	raw, err := tx.r.Get(nil, at)
	if errors.Is(err, kv.ErrNotFound) {
		tx.stamp(at, nil)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	tx.stamp(at, raw)
	meta := new(encoding.Meta)
	if err := encoding.ParseMeta(raw, meta); err != nil {
		return nil, fmt.Errorf("meta record of key %q: %w", key, err)
	}
	return meta, nil
}
