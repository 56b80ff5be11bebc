package badger

import (
	"errors"
	"time"
)

// How much of the tables must be dead before they are rewritten, as a part of
// all: while records are being deleted, and when that has ended. Rewriting a
// store that is dead to a fifth writes about five bytes for each it gives back.
const (
	deadWhileBusy  = 5
	deadWhileQuiet = 50
)

// deadAtLeast is the least dead data, in memtables, worth a round.
const deadAtLeast = 2

// longestRest bounds how long a round rests after one step.
const longestRest = 200 * time.Millisecond

// A Round is one time that space was given back.
type Round struct {
	Took          time.Duration
	Before, After int64 // bytes of tables
	Steps         int   // compactions
	Whole         bool  // false if it was cut short: more rounds follow if need be
}

// maintainer gives back the space of deleted records while the store is in use.
//
// A deletion is a record of its own, a tombstone, that hides what lies below it.
// What it hides is on the disk until compaction has taken the tombstone down to
// the last level. Overwritten records press their level down by their own
// weight, but tombstones weigh little: a thousand of them may hide gigabytes,
// and Badger never looks at that. So the maintainer counts them and, when what
// they hide is worth it, lets Badger take all levels down to the last
// (DB.Flatten), one table after the other.
type maintainer struct {
	db    *DB
	rests func(time.Duration) bool // waits; false if the store closes meanwhile

	settled int64 // deletions that an earlier round has dealt with
	seen    int64 // deletions at the last look
	traffic int64 // groups and views at the last step
}

func newMaintainer(db *DB) *maintainer {
	m := &maintainer{db: db}
	m.rests = func(d time.Duration) bool {
		if d == 0 {
			select {
			case <-db.stop:
				return false
			default:
				return true
			}
		}
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-db.stop:
			return false
		case <-timer.C:
			return true
		}
	}
	return m
}

// loop looks every interval until the store closes.
func (m *maintainer) loop(interval time.Duration) {
	for m.rests(interval) {
		if err := m.look(); err != nil {
			if m.db.failure() != nil {
				return
			}
			m.db.options.Logger.Error("giving space back", "error", err)
		}
	}
}

// look runs a round if enough of the store is dead.
func (m *maintainer) look() error {
	deletes := m.db.deletes.all.Load()
	quiet := deletes == m.seen
	m.seen = deletes
	if !m.due(quiet) || m.db.room() == roomNone {
		return nil
	}
	return m.round()
}

// due reports whether a round is worth its work.
func (m *maintainer) due(quiet bool) bool {
	dead, total := m.dead()
	part := total / deadWhileBusy
	if quiet {
		part = total / deadWhileQuiet
	}
	return dead >= max(part, deadAtLeast*m.db.options.MemTableBytes)
}

// dead estimates how many bytes of the tables deletions hide, and returns the
// bytes of all tables beside it. Deletions of former processes are known by the
// size of their tombstones in the levels between the first and the last.
func (m *maintainer) dead() (dead, total int64) {
	stale := int64(0)
	levels := m.db.engine.Levels()
	for _, l := range levels {
		total += l.Size
		if l.Level < len(levels)-1 {
			stale += l.StaleDatSize
		}
	}
	records := int64(0)
	for _, t := range m.db.engine.Tables() {
		records += int64(t.KeyCount)
	}
	tombstones := max(m.db.deletes.all.Load()-m.settled, stale/m.db.deletes.tombstone())
	return total / max(records, 1) * min(tombstones, records), total
}

// round takes all tombstones down to the last level, as far as they go.
func (m *maintainer) round() error {
	db := m.db
	db.giving.Store(true)
	defer db.giving.Store(false)
	begin := time.Now()
	deletes := db.deletes.all.Load()
	if err := m.rotate(); err != nil {
		return err
	}
	db.engine.SetDiscardTs(db.epochs.oldest())
	before := tableBytes(db.engine.Levels())
	steps, whole, err := m.flatten()
	if whole {
		m.settled = deletes
	}
	r := Round{Took: time.Since(begin), Before: before, After: tableBytes(db.engine.Levels()), Steps: steps, Whole: whole}
	db.rounds.add(r)
	db.options.Logger.Debug("space given back", "before", r.Before, "after", r.After, "steps", steps, "whole", whole, "took", r.Took)
	if db.options.OnRound != nil {
		db.options.OnRound(r)
	}
	return err
}

// errEnough ends Badger's Flatten between two steps.
var errEnough = errors.New("enough")

// flatten runs Badger's Flatten, which stops the compactors of its own and
// takes table after table down, level 0 first whenever it has any: writers wait
// no more than at other times. It returns how many steps there were, and whether
// nothing is left to do.
//
// Flatten has no way to be stopped. But it tells the logger, on the caller's
// goroutine and with no lock held, before each step: there a round rests while
// there is traffic, and there a panic ends it when the store closes, or when
// writers bring more than it takes away. Its deferred call restarts the
// compactors.
func (m *maintainer) flatten() (steps int, whole bool, err error) {
	most := 50 // twice what is there and some, as writes go on
	levels := m.db.engine.Levels()
	for _, l := range levels[:len(levels)-1] {
		most += 2 * l.NumTables
	}
	last := time.Now()
	step := func() {
		rest := time.Duration(0)
		if traffic := m.db.commits.Load() + m.db.views.Load(); traffic != m.traffic && steps > 0 {
			m.traffic = traffic
			rest = min(time.Since(last), longestRest)
		}
		if steps >= most || !m.rests(rest) {
			panic(errEnough)
		}
		steps++
		last = time.Now()
	}
	m.db.step.Store(&step)
	defer m.db.step.Store(nil)
	defer func() {
		if v := recover(); v != nil && v != errEnough {
			panic(v)
		}
	}()
	err = m.db.engine.Flatten(1)
	return steps, err == nil, err
}
