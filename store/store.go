// Package store keeps Redis's five data types in an ordered key-value engine.
//
// Each key has one meta record; each element of a collection has a record of
// its own whose key holds the version that the meta record names. An operation
// runs in one transaction of the engine. Contracts are judged here, inside the
// transaction, below every door: nothing else in the program can write.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/store/kv"
)

// Limits are the sizes a store accepts. Zero fields take the defaults.
type Limits struct {
	KeyBytes     int // of a key; default 1024
	ElementBytes int // of a field or member; default 4096
	ValueBytes   int // of a value or list element; default 8 MiB less 64 KiB
	Result       int // elements one answer may hold; default 100,000
}

// WithDefaults fills in what is zero.
func (l Limits) WithDefaults() Limits {
	fill := func(n *int, fallback int) {
		if *n == 0 {
			*n = fallback
		}
	}
	fill(&l.KeyBytes, 1024)
	fill(&l.ElementBytes, 4096)
	fill(&l.ValueBytes, 8<<20-64<<10)
	fill(&l.Result, 100_000)
	return l
}

// Tuning are the points at which operations take another way, which no client
// sees but by how long others wait. Zero fields take the defaults; tests set
// them low.
type Tuning struct {
	LightReads int    // records a list may read in the line of writers; default 5,000
	StageFrom  uint64 // records of a new generation from which on it is staged; default 2,000
	TreeFrom   uint64 // elements beyond which a set or sorted set has a counted tree; default 256
	TreeRun    uint64 // elements that one entry of the tree counts at most; default 256
	TreeNode   int    // entries of one node of the tree at most; default 32
	ListShift  uint64 // list elements a change moves at most to leave the list regular; default 128
	ListCut    uint64 // list records that a cut at an end deletes itself at most; default 256
	DropFew    uint64 // elements taken out in place whatever remains; default 2,000
	DropMost   uint64 // records of elements taken out in place at most; default 39,000
}

func (t Tuning) withDefaults() Tuning {
	if t.LightReads == 0 {
		t.LightReads = lightReads
	}
	if t.StageFrom == 0 {
		t.StageFrom = stageFrom
	}
	if t.TreeFrom == 0 {
		t.TreeFrom = defaultTree.from
	}
	if t.TreeRun == 0 {
		t.TreeRun = defaultTree.run
	}
	if t.TreeNode == 0 {
		t.TreeNode = defaultTree.node
	}
	if t.ListShift == 0 {
		t.ListShift = defaultLists.shift
	}
	if t.ListCut == 0 {
		t.ListCut = defaultLists.part
	}
	if t.DropFew == 0 {
		t.DropFew = defaultRemovals.few
	}
	if t.DropMost == 0 {
		t.DropMost = defaultRemovals.records
	}
	return t
}

// Options of a store. Every field may be zero.
type Options struct {
	Contracts *contracts.Set        // nil is the empty set
	Random    func(n uint64) uint64 // uniform in [0, n); nil is math/rand
	Logger    *slog.Logger          // nil discards
	Limits    Limits                // zero fields take the defaults
	Tuning    Tuning                // zero fields take the defaults
	Report    func(v []Violation)   // called with the violations of each answered operation, rejected or warned
	// Notify is called with the events of each published list of operations, one
	// list after the other, while SetNotify is on. It must neither block nor use
	// the store. Nil is nobody.
	Notify     func(events []Event)
	NoTrees    bool          // large collections get no counted tree; to measure what the trees cost
	Namespaces int           // how many there are; 0 is DefaultNamespaces
	Sweep      time.Duration // pause of the background worker when idle; 0 is a second, negative starts no worker
}

// Store is an open store. Its methods may be called concurrently.
type Store struct {
	db       kv.DB
	log      *slog.Logger
	random   func(n uint64) uint64
	limits   Limits
	tuning   Tuning
	lists    listShape
	removals removalShape
	churning churnShape
	churn    churn
	report   func([]Violation)
	notify   func([]Event)
	spaces   spaces
	epoch    uint64 // counts the times the store was opened

	trees   treeShape
	noTrees bool

	set       atomic.Pointer[contracts.Set]
	clock     clock
	lease     lease
	waiters   waitRoom
	stages    stages
	notifying atomic.Bool
	changes   atomic.Uint64 // see Changes
	traffic   atomic.Uint64 // lists of operations begun; the worker yields to them
	sweeper   sweeper
}

// DefaultNamespace is the name of the namespace that requests without one use.
const DefaultNamespace = "0"

// Open prepares a store on an engine: it checks or writes the format record,
// finds the namespaces or makes them, and starts the worker that reclaims dead data.
// A store of another format is ErrFormat. The engine stays the caller's to
// close, after Close.
func Open(ctx context.Context, db kv.DB, opts Options) (*Store, error) {
	s := &Store{
		db:     db,
		log:    opts.Logger,
		random: opts.Random,
		limits: opts.Limits.WithDefaults(),
		tuning: opts.Tuning.withDefaults(),
		lists:  defaultLists,
		report: opts.Report,
		notify: opts.Notify,

		noTrees: opts.NoTrees,
	}
	s.lists.shift, s.lists.part = s.tuning.ListShift, s.tuning.ListCut
	s.churning = defaultChurn
	s.churning.count = min(s.churning.count, s.tuning.StageFrom)
	s.removals = removalShape{few: s.tuning.DropFew, records: s.tuning.DropMost}
	if s.tuning.ListShift < s.lists.few {
		s.lists.few = s.tuning.ListShift
	}
	s.trees = treeShape{from: s.tuning.TreeFrom, run: s.tuning.TreeRun, node: s.tuning.TreeNode}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.random == nil {
		s.random = func(n uint64) uint64 { return rand.Uint64N(n) }
	}
	if s.report == nil {
		s.report = func([]Violation) {}
	}
	s.set.Store(contracts.Empty())
	s.waiters.init()
	namespaces := opts.Namespaces
	if namespaces == 0 {
		namespaces = DefaultNamespaces
	}
	if err := s.prepare(ctx, namespaces); err != nil {
		return nil, err
	}
	set := opts.Contracts
	if set == nil {
		set = contracts.Empty()
	}
	if err := s.SetContracts(ctx, set); err != nil {
		return nil, err
	}
	s.startSweeper(opts.Sweep)
	return s, nil
}

// Close stops the background worker and notes the time, so that what expired
// stays expired in a process whose clock is behind. Waiting operations are
// answered with kv.ErrClosed.
func (s *Store) Close() {
	s.stopSweeper()
	s.waiters.close()
	err := s.db.Update(context.Background(), func(w kv.Txn) error { return s.clock.mark(w) })
	if err != nil && !errors.Is(err, kv.ErrClosed) && !errors.Is(err, kv.ErrFull) {
		s.log.Warn("noting the time at close", "error", err)
	}
}

// Limits returns the limits in force.
func (s *Store) Limits() Limits { return s.limits }

// prepare brings the system records into shape.
func (s *Store) prepare(ctx context.Context, namespaces int) error {
	return s.db.Update(ctx, func(w kv.Txn) error {
		if err := identify(w); err != nil {
			return err
		}
		ids, err := openNamespaces(w, namespaces)
		if err != nil {
			return err
		}
		s.spaces.open(ids)
		if s.epoch, err = nextEpoch(w); err != nil {
			return err
		}
		if err := s.clock.open(w, func() (time.Time, error) { return s.db.Now(context.Background()) }); err != nil {
			return err
		}
		if err := s.clock.mark(w); err != nil {
			return err
		}
		return s.lease.open(w)
	})
}

// Identify checks the format of the store in db, as Open does, and gives it an
// instance id if it has none. Open does that too; this is for who only copies.
func Identify(ctx context.Context, db kv.DB) error { return db.Update(ctx, identify) }

func identify(w kv.Txn) error {
	if err := checkFormat(w); err != nil {
		return err
	}
	_, err := w.Get(nil, encoding.InstanceKey())
	if errors.Is(err, kv.ErrNotFound) {
		return w.Set(encoding.InstanceKey(), encoding.AppendSequence(nil, rand.Uint64()))
	}
	return err
}

// checkFormat writes the format record into an empty engine and refuses any
// other that lacks it or holds another number.
func checkFormat(w kv.Txn) error {
	raw, err := w.Get(nil, encoding.FormatKey())
	switch {
	case err == nil:
		format, err := encoding.ParseFormat(raw)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
		if format != encoding.Format {
			return fmt.Errorf("%w: the store has format %d, this program reads format %d", ErrFormat, format, encoding.Format)
		}
		return nil
	case !errors.Is(err, kv.ErrNotFound):
		return err
	}
	foreign := false
	if err := w.Scan(kv.Range{KeysOnly: true, Limit: 1}, func(_, _ []byte) bool {
		foreign = true
		return false
	}); err != nil {
		return err
	}
	if foreign {
		return fmt.Errorf("%w: the directory holds records but no format number", ErrFormat)
	}
	return w.Set(encoding.FormatKey(), encoding.AppendFormat(nil, encoding.Format))
}

func itoa(n int) string { return strconv.Itoa(n) }
