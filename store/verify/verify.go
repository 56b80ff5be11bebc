package verify

import (
	"context"
	"errors"
	"time"

	"keypact/contracts"
	"keypact/store/kv"
)

// DefaultLimit is how many faults a report lists if nothing else is said.
const DefaultLimit = 1000

// Options of a verification. Every field may be zero.
type Options struct {
	Now      int64          // the wall clock, ms since the epoch
	Exact    bool           // Now is the store's own time, so its clock must not be ahead of it
	Limit    int            // faults to list; the counts go on; 0 is DefaultLimit, negative none
	Set      *contracts.Set // contracts to hold the keys against; nil is none
	Unmarked bool           // a key that breaks its contract is a fault even if it is not marked as conforming
	Expected uint64         // records there will be, for Progress; 0 is not known
	Progress func(Progress) // called now and then
}

// Progress says how far a walk is.
type Progress struct {
	Family   string // whose records are read
	Records  uint64 // read so far
	Expected uint64 // about how many there are; 0 is not known
}

// Run verifies a store while it is used: the engine's checksums first, then one
// snapshot. An error says that it could not be verified; faults are in the
// report.
func Run(ctx context.Context, db kv.DB, o Options) (rep *Report, err error) {
	return verify(ctx, db, o, false)
}

// Repair verifies a store that nothing else uses and mends what follows from
// other records: counts, indexes, trees, counters, marks and sequences are made
// anew, data without a key is deleted. What is lost is left, and
// so is everything if the engine's checksums are wrong: a damaged block hides
// records, and what is derived from the rest would seal the loss. The report is
// that of a last walk behind all repairs.
func Repair(ctx context.Context, db kv.DB, o Options) (rep *Report, err error) {
	return verify(ctx, db, o, true)
}

// rounds is how often Repair walks at most: a repair may bring to light what
// depends on it.
const rounds = 5

func verify(ctx context.Context, db kv.DB, o Options, repair bool) (rep *Report, err error) {
	started := time.Now()
	damage, err := checksums(ctx, db)
	if err != nil {
		return nil, err
	}
	repaired := map[Code]uint64{}
	buries := false
	for round := range rounds {
		err := db.View(ctx, func(r kv.Reader) (err error) {
			w := newWalk(ctx, r, o)
			if damage != nil {
				// An engine may stumble over what is damaged; the report then ends there.
				defer func() {
					if v := recover(); v != nil {
						rep, err = w.sum(), nil
					}
				}()
			}
			if repair && damage == nil && round < rounds-1 {
				w.mender = &mender{ctx: ctx, db: db, r: r, done: repaired, buries: buries}
			}
			if damage != nil {
				w.fault(CodeChecksum, nil, nil, "%v", damage)
			}
			if rep, err = w.run(); err != nil || w.mender == nil {
				return err
			}
			if err := w.mender.flush(); err != nil {
				return err
			}
			buries = w.mender.steps == 0 && !w.misses()
			repair = w.mender.steps > 0 || w.mender.postponed && buries
			return nil
		})
		if err != nil {
			return nil, err
		}
		if !repair || damage != nil {
			break
		}
	}
	rep.Repaired = tallies(repaired)
	rep.Seconds = time.Since(started).Seconds()
	return rep, nil
}

// checksums asks the engine what it finds damaged.
func checksums(ctx context.Context, db kv.DB) (damage, err error) {
	checker, ok := db.(kv.Checker)
	if !ok {
		return nil, nil
	}
	if err = checker.CheckStorage(ctx); errors.Is(err, kv.ErrDamaged) {
		return err, nil
	}
	return nil, err
}

// Walk verifies what a snapshot holds.
func Walk(ctx context.Context, r kv.Reader, o Options) (*Report, error) {
	started := time.Now()
	rep, err := newWalk(ctx, r, o).run()
	if err == nil {
		rep.Seconds = time.Since(started).Seconds()
	}
	return rep, err
}

// Unopened is the report of a store that is too damaged to be opened, or that
// would lose something if it were.
func Unopened(code Code, damage error) *Report {
	w := newWalk(context.Background(), nil, Options{})
	w.fault(code, nil, nil, "%v; nothing else was looked at", damage)
	return w.sum()
}
