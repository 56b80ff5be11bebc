package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"keypact/encoding"
	"keypact/store/kv"
)

// How many records one transaction of the worker touches, beside traffic and
// without any.
const (
	busyStep = 128
	idleStep = 1024
)

// longestPause bounds how long the worker yields to traffic after one step.
const longestPause = 200 * time.Millisecond

// sweeper is the background worker that takes expired keys and dead data off
// the disk. Each step is one small transaction, so a crash loses no work and
// traffic passes between steps.
type sweeper struct {
	cancel context.CancelFunc
	done   chan struct{}

	turn  sync.Mutex // held by the one sweep that runs
	marks marks      // guarded by turn

	front     atomic.Uint64 // marks.queue, for who looks at the queue meanwhile
	reclaimed atomic.Int64
	expired   atomic.Int64
}

// Reclaiming says how far the background worker has got.
type Reclaiming struct {
	Backlog   int64         // dead values that wait; it counts up to 10,000
	Oldest    time.Duration // how long the oldest of them has waited; 0 if none does
	Reclaimed int64         // records of dead values deleted since the store was opened
	Expired   int64         // keys taken out because their time was over, since then
}

// Reclaiming counts what waits for the worker now and reads what it has done.
func (s *Store) Reclaiming(ctx context.Context) (Reclaiming, error) {
	out := Reclaiming{Reclaimed: s.sweeper.reclaimed.Load(), Expired: s.sweeper.expired.Load()}
	now, err := s.clock.now()
	if err != nil {
		return Reclaiming{}, err
	}
	err = s.db.View(ctx, func(r kv.Reader) error {
		var oldest []byte
		err := r.Scan(s.queue(s.sweeper.front.Load()), func(key, _ []byte) bool {
			if out.Backlog == 0 {
				oldest = bytes.Clone(key)
			}
			out.Backlog++
			return true
		})
		if err != nil || oldest == nil {
			return err
		}
		raw, err := r.Get(nil, oldest)
		if err != nil {
			return err
		}
		var rec encoding.Reclaim
		if err := encoding.ParseReclaim(raw, &rec); err != nil {
			return fmt.Errorf("reclaim record %x: %w", oldest, err)
		}
		out.Oldest = time.Duration(max(0, now-rec.Queued)) * time.Millisecond
		return nil
	})
	return out, err
}

// queue is where the reclaim records from a number on lie.
func (s *Store) queue(from uint64) kv.Range {
	return kv.Range{
		Lower: encoding.AppendReclaimKey(nil, from), Upper: encoding.PrefixEnd([]byte{byte(encoding.FamilyReclaim)}),
		KeysOnly: true, Limit: backlogMost,
	}
}

func (s *Store) startSweeper(pause time.Duration) {
	s.sweeper.done = make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	s.sweeper.cancel = cancel
	if pause < 0 {
		close(s.sweeper.done)
		return
	}
	if pause == 0 {
		pause = time.Second
	}
	go s.sweepForever(ctx, pause)
}

func (s *Store) stopSweeper() {
	s.sweeper.cancel()
	<-s.sweeper.done
}

func (s *Store) sweepForever(ctx context.Context, pause time.Duration) {
	defer close(s.sweeper.done)
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		err := s.Sweep(ctx)
		switch {
		case err == nil, errors.Is(err, context.Canceled), errors.Is(err, kv.ErrFull):
		case errors.Is(err, kv.ErrClosed):
			return
		default:
			s.log.Error("reclaiming dead data", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep removes all keys that are due and all dead data, step by step. Beside
// traffic it takes small steps and rests after each for as long as it took. The
// background worker calls it regularly.
func (s *Store) Sweep(ctx context.Context) error {
	s.sweeper.turn.Lock()
	defer s.sweeper.turn.Unlock()
	now, err := s.clock.now()
	if err != nil {
		return err
	}
	if err := s.dropStages(ctx); err != nil {
		return err
	}
	round := s.sweeper.marks.begin(now, s.lease.next.Load())
	s.sweeper.front.Store(s.sweeper.marks.queue)
	for seen := s.traffic.Load(); ; {
		step := idleStep
		traffic := s.traffic.Load()
		if traffic != seen {
			step = busyStep
		}
		seen = traffic
		started := time.Now()
		expired, err := fitting(round, step, func(step int) (bool, error) { return s.expireStep(ctx, round, step) })
		if err != nil {
			return err
		}
		reclaimed, err := fitting(round, step, func(step int) (bool, error) { return s.reclaimStep(ctx, round, step) })
		if err != nil {
			return err
		}
		if !expired && !reclaimed {
			s.sweeper.marks.end(round)
			s.sweeper.front.Store(s.sweeper.marks.queue)
			return nil
		}
		if err := s.yield(ctx, s.traffic.Load() != seen, time.Since(started)); err != nil {
			return err
		}
	}
}

// fitting takes one step of a round, half as long as often as the engine says
// that one transaction does not hold it.
func fitting(round *round, step int, take func(step int) (bool, error)) (bool, error) {
	for {
		before := *round
		took, err := take(step)
		if !errors.Is(err, kv.ErrTooBig) || step == 1 {
			return took, err
		}
		*round, step = before, step/2
	}
}

// yield leaves the engine to the traffic for as long as the worker had it.
func (s *Store) yield(ctx context.Context, busy bool, took time.Duration) error {
	if !busy {
		return ctx.Err()
	}
	timer := time.NewTimer(min(took, longestPause))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// marks let a round begin behind what former rounds took away, whose tombstones
// a scan would have to pass one by one. They may leave behind an entry that was
// on its way for long; reads never depend on it, and now and then a round
// begins at the very front.
type marks struct {
	swept   int64  // everything due by then is gone; ms since the epoch
	queue   uint64 // no reclaim record has a lesser number
	noted   int64  // when note was taken
	note    uint64 // number of the next reclaim record then
	restart int64  // when a round last began at the front
}

const (
	onTheWay    = 5_000   // ms after which a transaction that began is taken to have ended
	fromTheTop  = 600_000 // ms between two rounds that begin at the front
	backlogMost = 10_000  // how far the backlog is counted
)

// round is one sweep: where the scans of the expiry index and of the queue go on.
type round struct {
	now    int64
	next   uint64 // number of the next reclaim record when the round began
	expiry [encoding.ExpiryShards][]byte
	queue  []byte
}

func (m *marks) begin(now int64, next uint64) *round {
	if now-m.restart >= fromTheTop {
		*m = marks{restart: now}
	}
	r := &round{now: now, next: next, queue: encoding.AppendReclaimKey(nil, m.queue)}
	for shard := range r.expiry {
		r.expiry[shard] = encoding.AppendExpiryBound(nil, encoding.FamilyExpiry, byte(shard), max(0, m.swept-onTheWay))
	}
	return r
}

// end notes that everything the round was to take away is gone.
func (m *marks) end(r *round) {
	m.swept = r.now
	if r.now-m.noted >= onTheWay {
		m.queue = m.note
		m.noted, m.note = r.now, r.next
	}
}
