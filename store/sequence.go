package store

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"keypact/encoding"
	"keypact/store/kv"
)

// leaseBlock is how many versions a store takes from the sequence at a time.
// Versions that a process leased and did not use are never used.
const leaseBlock = 1 << 20

// lease hands out versions, each once in the life of a store, whatever the
// wall clock says and however the process ends: the end of the block in use is
// on disk before any version of it is.
type lease struct {
	next atomic.Uint64
	end  atomic.Uint64 // end of the durable lease
}

// open starts behind everything that any process may have handed out.
func (l *lease) open(w kv.Txn) error {
	start := uint64(1)
	raw, err := w.Get(nil, encoding.SequenceKey())
	switch {
	case err == nil:
		if start, err = encoding.ParseSequence(raw); err != nil {
			return err
		}
	case !errors.Is(err, kv.ErrNotFound):
		return err
	}
	l.next.Store(start)
	l.end.Store(start)
	return l.extend(w)
}

// renew writes a longer lease when half of the present one is used up, so that
// it is durable long before it is needed.
func (l *lease) renew(w kv.Txn) error {
	if next, end := l.next.Load(), l.end.Load(); next < end && end-next > leaseBlock/2 {
		return nil
	}
	return l.extend(w)
}

func (l *lease) extend(w kv.Txn) error {
	end := l.next.Load() + leaseBlock
	if err := w.Set(encoding.SequenceKey(), encoding.AppendSequence(nil, end)); err != nil {
		return err
	}
	w.Published(func() {
		if end > l.end.Load() {
			l.end.Store(end)
		}
	})
	return nil
}

// take returns a version that was never returned before.
func (l *lease) take() (uint64, error) {
	for next := l.next.Load(); next < l.end.Load(); next = l.next.Load() {
		if l.next.CompareAndSwap(next, next+1) {
			return next, nil
		}
	}
	return 0, fmt.Errorf("no version left in the lease: %w", kv.ErrConflict)
}

// nextEpoch counts the times the store was opened: what was staged in a former
// one is dead.
func nextEpoch(w kv.Txn) (uint64, error) {
	epoch := uint64(0)
	raw, err := w.Get(nil, encoding.EpochKey())
	switch {
	case err == nil:
		if epoch, err = encoding.ParseSequence(raw); err != nil {
			return 0, err
		}
	case !errors.Is(err, kv.ErrNotFound):
		return 0, err
	}
	return epoch + 1, w.Set(encoding.EpochKey(), encoding.AppendSequence(nil, epoch+1))
}

// clock is the time of the store in ms since the epoch. It never decreases,
// not even across restarts: each transaction that writes also writes the
// high-water mark, and what expired stays expired when the wall clock steps
// back.
type clock struct {
	wall func() (time.Time, error)
	high atomic.Int64
}

func (c *clock) open(w kv.Txn, wall func() (time.Time, error)) error {
	c.wall = wall
	raw, err := w.Get(nil, encoding.ClockKey())
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	high, err := encoding.ParseSequence(raw)
	if err != nil {
		return err
	}
	c.high.Store(int64(high))
	return nil
}

// now reads the clock.
func (c *clock) now() (int64, error) {
	t, err := c.wall()
	if err != nil {
		return 0, fmt.Errorf("reading the clock: %w", err)
	}
	for ms := t.UnixMilli(); ; {
		high := c.high.Load()
		if ms <= high {
			return high, nil
		}
		if c.high.CompareAndSwap(high, ms) {
			return ms, nil
		}
	}
}

// mark reads the clock and writes the high-water mark: reads see keys expire
// and write nothing.
func (c *clock) mark(w kv.Txn) error {
	now, err := c.now()
	if err != nil {
		return err
	}
	return c.save(w, now)
}

// save writes the high-water mark.
func (c *clock) save(w kv.Txn, now int64) error {
	return w.Set(encoding.ClockKey(), encoding.AppendSequence(nil, uint64(now)))
}
