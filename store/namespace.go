package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"keypact/encoding"
	"keypact/store/kv"
)

// DefaultNamespaces is how many namespaces a store has unless Options say
// otherwise, as many as Redis has databases.
const DefaultNamespaces = 16

// spaces are the namespaces of a store. Each has a number, which in decimal is
// its name, and an id, under which its records lie. A flush gives the number
// another id, a swap exchanges the ids of two numbers. Lists of ids are by
// number, and replaced as a whole, never changed.
type spaces struct {
	byName map[string]int
	next   []uint32                 // to transactions; touched only by the one that runs
	shown  atomic.Pointer[[]uint32] // to readers: as of the newest published change
	moving atomic.Int64             // changes that have run and may not be published yet
}

func (s *spaces) open(ids []uint32) {
	s.byName = make(map[string]int, len(ids))
	for i := range ids {
		s.byName[strconv.Itoa(i)] = i
	}
	s.next = ids
	s.shown.Store(&ids)
}

// find returns the number of a namespace; false if there is none of that name.
func (s *spaces) find(name string) (int, bool) {
	i, ok := s.byName[name]
	return i, ok
}

// glance is the first look at the ids of a reader that is about to take a
// snapshot; nil says that they are being changed.
func (s *spaces) glance() *[]uint32 {
	if s.moving.Load() != 0 {
		return nil
	}
	return s.shown.Load()
}

// visible returns the ids as of a snapshot that was taken after a glance. If
// nothing was changed between the two and now, those are the ids; a snapshot
// that may lie beside a change is asked for its own rows.
func (s *spaces) visible(r kv.Reader, glance *[]uint32) ([]uint32, error) {
	if still := s.moving.Load() == 0; still && glance != nil && s.shown.Load() == glance {
		return *glance, nil
	}
	ids := make([]uint32, len(s.byName))
	for i := range ids {
		raw, err := r.Get(nil, encoding.AppendNamespaceKey(nil, strconv.Itoa(i)))
		if err != nil {
			return nil, fmt.Errorf("namespace %d: %w", i, err)
		}
		if ids[i], err = encoding.ParseNamespace(raw); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// install makes ids those of all transactions behind w, and of all readers once
// they are published.
func (s *spaces) install(w kv.Txn, ids []uint32) {
	w.After(func(w kv.Txn) error {
		former := s.next
		s.next = ids
		s.moving.Add(1)
		w.Undone(func() {
			s.next = former
			s.moving.Add(-1)
		})
		w.Published(func() {
			s.shown.Store(&ids)
			s.moving.Add(-1)
		})
		return nil
	})
}

// In makes an operation run in a namespace: its calls and its keys are there,
// unless they name another. An operation that is in one already stays there. A
// namespace that does not exist is ErrNoNamespace, when the operation runs.
func In(space string, op Op) Op {
	if _, placed := op.(inSpace); placed || space == DefaultNamespace {
		return op
	}
	return inSpace{op, space}
}

// inSpace is an operation in another namespace than the default one.
type inSpace struct {
	op    Op
	space string
}

// Calls are the operation's, each with its namespace.
func (in inSpace) Calls() []Call {
	calls := slices.Clone(in.op.Calls())
	for i := range calls {
		if calls[i].Space == "" {
			calls[i].Space = in.space
		}
	}
	return calls
}

// Apply runs the operation in its namespace.
func (in inSpace) Apply(tx *Tx) (any, error) {
	space, err := tx.number(in.space)
	if err != nil {
		return nil, err
	}
	outer := tx.op.space
	tx.op.space = space
	defer func() { tx.op.space = outer }()
	return in.op.Apply(tx)
}

// Unwrap returns the operation as it is without its namespace.
func (in inSpace) Unwrap() Op { return in.op }

// Space is the name of the namespace.
func (in inSpace) Space() string { return in.space }

// number finds a namespace by its name; the empty name is the one that the
// running operation is in.
func (tx *Tx) number(space string) (int, error) {
	if space == "" {
		return tx.op.space, nil
	}
	i, ok := tx.s.spaces.find(space)
	if !ok {
		return 0, fmt.Errorf("%w: %q", ErrNoNamespace, space)
	}
	return i, nil
}

// ns is the id of the namespace that the running operation is in.
func (tx *Tx) ns() uint32 { return tx.ids[tx.op.space] }

// spaceName is the name of a namespace.
func spaceName(number int) string { return strconv.Itoa(number) }

// Namespaces is how many namespaces the store has. Their names are the decimal
// numbers from 0 on.
func (s *Store) Namespaces() int { return len(s.spaces.byName) }

// openNamespaces returns the ids of the namespaces from 0 up to n, and
// allocates those that are missing.
func openNamespaces(w kv.Txn, n int) ([]uint32, error) {
	ids := make([]uint32, n)
	for i := range ids {
		var err error
		if ids[i], err = openNamespace(w, spaceName(i)); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// openNamespace returns the id behind a namespace's name and allocates one for
// a new name. Ids are never used twice.
func openNamespace(w kv.Txn, name string) (uint32, error) {
	key := encoding.AppendNamespaceKey(nil, name)
	raw, err := w.Get(nil, key)
	if err == nil {
		return encoding.ParseNamespace(raw)
	}
	if !errors.Is(err, kv.ErrNotFound) {
		return 0, err
	}
	return newNamespace(w, name)
}

// newNamespace puts a new id, with no keys, behind a namespace's name.
func newNamespace(w kv.Txn, name string) (uint32, error) {
	id, err := nextID(w, encoding.NamespaceSequenceKey())
	if err != nil {
		return 0, err
	}
	return id, setNamespace(w, name, id)
}

func setNamespace(w kv.Txn, name string, id uint32) error {
	return w.Set(encoding.AppendNamespaceKey(nil, name), encoding.AppendNamespace(nil, id))
}

// nextID counts up a small sequence of ids that starts at 1.
func nextID(w kv.Txn, key []byte) (uint32, error) {
	next := uint64(1)
	raw, err := w.Get(nil, key)
	switch {
	case err == nil:
		if next, err = encoding.ParseSequence(raw); err != nil {
			return 0, err
		}
	case !errors.Is(err, kv.ErrNotFound):
		return 0, err
	}
	return uint32(next), w.Set(key, encoding.AppendSequence(nil, next+1))
}

// counterShard is the one shard the key counter has on an engine where a
// single committer writes.
const counterShard = 0

// keyDeltas are changes of the numbers of keys, by the ids of namespaces.
type keyDeltas []keyDelta

type keyDelta struct {
	ns uint32
	n  int64
}

func (d *keyDeltas) add(ns uint32, n int64) {
	for i := range *d {
		if (*d)[i].ns == ns {
			(*d)[i].n += n
			return
		}
	}
	*d = append(*d, keyDelta{ns, n})
}

func (d keyDeltas) of(ns uint32) int64 {
	for _, one := range d {
		if one.ns == ns {
			return one.n
		}
	}
	return 0
}

// addKeys adds delta to the number of keys of a namespace.
func addKeys(w kv.Txn, ns uint32, delta int64) error {
	if delta == 0 {
		return nil
	}
	n, err := countKeys(w, ns)
	if err != nil {
		return err
	}
	return w.Set(encoding.AppendCounterKey(nil, ns, counterShard), encoding.AppendCounter(nil, n+delta))
}

func countKeys(r kv.Reader, ns uint32) (int64, error) {
	raw, err := r.Get(nil, encoding.AppendCounterKey(nil, ns, counterShard))
	if errors.Is(err, kv.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return encoding.ParseCounter(raw)
}

// KeysIn is the number of keys of a namespace on disk, expired ones that still
// wait for the worker included. A namespace that does not exist is
// ErrNoNamespace.
func (s *Store) KeysIn(ctx context.Context, space string) (n int64, err error) {
	err = s.view(ctx, func(tx *Tx) (err error) {
		n, err = tx.KeyCount(space)
		return err
	})
	return n, err
}

// Keys is KeysIn for the default namespace.
func (s *Store) Keys(ctx context.Context) (int64, error) { return s.KeysIn(ctx, DefaultNamespace) }
