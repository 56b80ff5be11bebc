package store

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"keypact/encoding"
	"keypact/store/kv"
)

// sweepStep is how many records one transaction of the worker touches.
const sweepStep = 256

// sweeper is the background worker that takes expired keys and dead data off
// the disk. Each step is one small transaction, so a crash loses no work and
// traffic passes between steps.
type sweeper struct {
	cancel  context.CancelFunc
	done    chan struct{}
	backlog atomic.Int64
}

// Backlog is the number of dead values that wait to be reclaimed, as of the
// worker's last round.
func (s *Store) Backlog() int64 { return s.sweeper.backlog.Load() }

// Keys is the number of keys on disk, expired ones that still wait for the
// worker included.
func (s *Store) Keys(ctx context.Context) (n int64, err error) {
	err = s.db.View(ctx, func(r kv.Reader) error {
		n, err = countKeys(r, s.ns)
		return err
	})
	return n, err
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

// Sweep removes all keys that are due and all dead data, step by step. The
// background worker calls it regularly.
func (s *Store) Sweep(ctx context.Context) error {
	for {
		expired, err := s.expireStep(ctx)
		if err != nil {
			return err
		}
		reclaimed, err := s.reclaimStep(ctx)
		if err != nil {
			return err
		}
		if !expired && !reclaimed {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// expireStep removes up to sweepStep keys that are due and reports whether
// there were any.
func (s *Store) expireStep(ctx context.Context) (bool, error) {
	var due [][]byte
	err := s.view(ctx, func(tx *Tx) error {
		for shard := range byte(encoding.ExpiryShards) {
			within := kv.Range{
				Lower:    encoding.AppendExpiryBound(nil, encoding.FamilyExpiry, shard, 0),
				Upper:    encoding.AppendExpiryBound(nil, encoding.FamilyExpiry, shard, tx.now+1),
				KeysOnly: true,
				Limit:    sweepStep - len(due),
			}
			if within.Limit == 0 {
				return nil
			}
			if err := tx.r.Scan(within, func(key, _ []byte) bool {
				due = append(due, append([]byte(nil), key...))
				return true
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(due) == 0 {
		return false, err
	}
	return true, s.update(ctx, func(tx *Tx) error {
		for _, key := range due {
			if err := tx.expire(key); err != nil {
				return err
			}
		}
		tx.wrote = true
		return nil
	})
}

// expire follows one entry of the expiry index. An entry that its key has left
// behind is only dropped. Contracts are not asked: time takes a key, no one
// writes it.
func (tx *Tx) expire(entry []byte) error {
	_, ms, ns, key, version, err := encoding.ParseExpiryKey(entry)
	if err != nil {
		return err
	}
	if err := tx.w.Delete(entry); err != nil {
		return err
	}
	metaKey := encoding.AppendMetaKey(nil, ns, key)
	raw, err := tx.w.Get(nil, metaKey)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var meta encoding.Meta
	if err := encoding.ParseMeta(raw, &meta); err != nil {
		return err
	}
	if meta.Version != version || meta.Expires != ms {
		return nil
	}
	if err := discard(tx.w, &tx.s.lease, ns, key, &meta); err != nil {
		return err
	}
	if err := tx.w.Delete(metaKey); err != nil {
		return err
	}
	return addKeys(tx.w, ns, -1)
}

// reclaimStep deletes up to sweepStep records of the oldest dead value and
// reports whether there was one.
func (s *Store) reclaimStep(ctx context.Context) (bool, error) {
	var entry []byte
	var rec encoding.Reclaim
	err := s.db.View(ctx, func(r kv.Reader) error {
		var err error
		entry, err = s.nextReclaim(r, &rec)
		return err
	})
	if err != nil || entry == nil {
		return false, err
	}
	var dead [][]byte
	err = s.db.View(ctx, func(r kv.Reader) error {
		dead, err = deadRecords(r, &rec)
		return err
	})
	if err != nil {
		return false, err
	}
	return true, s.db.Update(ctx, func(w kv.Txn) error {
		for _, key := range dead {
			if err := w.Delete(key); err != nil {
				return err
			}
		}
		if len(dead) < sweepStep {
			return w.Delete(entry)
		}
		rec.Cursor = dead[len(dead)-1]
		return w.Set(entry, encoding.AppendReclaim(nil, &rec))
	})
}

// nextReclaim finds the oldest reclaim record and counts how many there are,
// up to a bound.
func (s *Store) nextReclaim(r kv.Reader, rec *encoding.Reclaim) (entry []byte, err error) {
	n := int64(0)
	first := []byte{byte(encoding.FamilyReclaim)}
	var failed error
	err = r.Scan(kv.Range{Lower: first, Upper: encoding.PrefixEnd(first), Limit: 10_000}, func(key, value []byte) bool {
		if n++; n == 1 {
			entry = append([]byte(nil), key...)
			failed = encoding.ParseReclaim(append([]byte(nil), value...), rec)
		}
		return failed == nil
	})
	s.sweeper.backlog.Store(n)
	return entry, errors.Join(err, failed)
}

// deadRecords lists up to sweepStep data records of a dead value, from where
// the last step ended.
func deadRecords(r kv.Reader, rec *encoding.Reclaim) (dead [][]byte, err error) {
	for _, f := range []encoding.Family{encoding.FamilyMember, encoding.FamilyList, encoding.FamilyScore, encoding.FamilyTree} {
		prefix := encoding.AppendDataPrefix(nil, f, rec.NS, rec.Home, rec.Version)
		within := kv.Range{Lower: prefix, Upper: encoding.PrefixEnd(prefix), KeysOnly: true, Limit: sweepStep - len(dead)}
		if string(rec.Cursor) >= string(within.Upper) {
			continue
		}
		if string(rec.Cursor) > string(within.Lower) {
			within.Lower = rec.Cursor
		}
		if within.Limit == 0 {
			return dead, nil
		}
		if err := r.Scan(within, func(key, _ []byte) bool {
			dead = append(dead, append([]byte(nil), key...))
			return true
		}); err != nil {
			return nil, err
		}
	}
	return dead, nil
}
