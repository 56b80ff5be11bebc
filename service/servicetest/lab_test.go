package servicetest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"keypact/contracts"
	"keypact/service"
	"keypact/store"
	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/storetest"
)

// noon is where clocks start: 2027-01-15T08:00:00Z.
const noon = 1_800_000_000_000

// tester is what *testing.T and *rapid.T have in common here.
type tester interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// lab is a service on a small store whose clock is moved by hand.
type lab struct {
	db     kv.DB
	store  *store.Store
	svc    *service.Service
	clock  *wall
	tuning store.Tuning
}

// wall is a clock that stands still until it is moved. Several labs may share
// one.
type wall struct {
	ms   atomic.Int64
	seen int64 // the latest that a store has read
}

func newWall() *wall {
	w := new(wall)
	w.ms.Store(noon)
	return w
}

func (w *wall) read() time.Time { return time.UnixMilli(w.ms.Load()) }

// now is what a store reads now: its clock never goes back.
func (w *wall) now() int64 {
	w.seen = max(w.seen, w.ms.Load())
	return w.seen
}

// engine is a store in memory, or in a directory, that takes little of either.
func engine(o badger.Options) badger.Options {
	o.InMemory = o.Dir == ""
	o.MinFreeBytes = -1
	o.MemTableBytes, o.MaxTxnBytes, o.MaxTxnWrites = 2<<20, 128<<10, 1000
	return o
}

// calm lets operations run as they do by default, restless makes every one take
// the ways of those that read and write much.
var (
	calm     = store.Tuning{}
	restless = store.Tuning{LightReads: 2, StageFrom: 1, TreeFrom: 2, TreeRun: 2, TreeNode: 3, ListShift: 1, ListCut: 1, DropFew: 1, DropMost: 2}
)

func openLab(t tester, clock *wall, set *contracts.Set, tuning store.Tuning) *lab {
	t.Helper()
	db, err := badger.Open(engine(badger.Options{Clock: clock.read}))
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{db: db, clock: clock, tuning: tuning}
	l.start(t, set)
	return l
}

// start puts a store and a service on the engine.
func (l *lab) start(t tester, set *contracts.Set) {
	t.Helper()
	var err error
	if l.store, err = store.Open(context.Background(), l.db, store.Options{Contracts: set, Sweep: -1, Random: middle, Tuning: l.tuning}); err != nil {
		t.Fatal(err)
	}
	if l.svc, err = service.New(l.store, service.Options{}); err != nil {
		t.Fatal(err)
	}
	l.clock.now()
}

func (l *lab) close(t tester) {
	t.Helper()
	l.store.Close()
	if err := l.db.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// middle takes chance out of the operations that use it.
func middle(n uint64) uint64 { return n / 2 }

// look is all there is in a lab at one moment.
type look struct {
	now    int64
	set    *contracts.Set
	dump   map[string]string
	values map[string]storetest.Value
}

// look reads the records past the service and checks that they fit together.
func (l *lab) look(t tester) look {
	t.Helper()
	now := look{now: l.clock.now(), set: l.store.Contracts()}
	err := l.db.View(context.Background(), func(r kv.Reader) error {
		for _, fault := range storetest.CheckContracts(r, now.now, now.set) {
			t.Errorf("records: %s", fault)
		}
		var err, failed error
		now.dump, err = storetest.Dump(r)
		now.values, failed = storetest.Read(r, now.now)
		return errors.Join(err, failed)
	})
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// how is a way in which a list of operations runs.
type how string

const (
	single   how = "single"   // one by one
	batch    how = "batch"    // all or nothing
	pipeline how = "pipeline" // one by one, in one request
)

// run runs a list. In a batch that fails all results carry its error.
func (l *lab) run(t tester, way how, list []entry) []service.Result {
	t.Helper()
	ops := make([]service.Op, len(list))
	for i, e := range list {
		ops[i] = e.op(t)
	}
	ctx := context.Background()
	results := make([]service.Result, len(ops))
	var err error
	switch way {
	case batch:
		if results, err = l.svc.Batch(ctx, ops); err != nil {
			results = make([]service.Result, len(ops))
			for i := range results {
				results[i].Err = err
			}
		}
	case pipeline:
		if results, err = l.svc.Pipeline(ctx, ops); err != nil {
			t.Fatalf("pipeline: %v", err)
		}
	default:
		for i, op := range ops {
			if results[i], err = l.svc.Do(ctx, op); err != nil {
				results[i].Err = err
			}
		}
	}
	l.clock.now()
	return results
}

// failure is the *service.Error of a result, nil if it succeeded.
func failure(t tester, r service.Result) *service.Error {
	t.Helper()
	if r.Err == nil {
		return nil
	}
	var failed *service.Error
	if !errors.As(r.Err, &failed) || failed.Kind == service.KindInternal {
		t.Errorf("an error that no client may get: %v", r.Err)
		return &service.Error{Kind: service.KindInternal}
	}
	return failed
}
