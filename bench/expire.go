package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"keypact/store"
	"keypact/store/kv/badger"
)

// measureExpire: other requests while very many keys that expired in the same
// second are removed. The store's clock is put forward to that second, so that
// filling may take as long as it likes.
func measureExpire(ctx context.Context, s settings, doc *report) (err error) {
	var ahead atomic.Int64 // of the real clock
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	l, err := openLocal(ctx, s, "expire", badger.Options{Clock: now}, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if err := l.prepareTraffic(ctx); err != nil {
		return err
	}
	const life = 24 * time.Hour
	var seen beside
	for range s.rounds {
		second := now().Add(life).Truncate(time.Second).UnixMilli()
		within := func(i int) int64 { return second + int64(i%1000) }
		if err := firstError(l.fillStrings(ctx, "brief-", s.sizes.expiring, within), l.settle(ctx, s)); err != nil {
			return err
		}
		all := int64(trafficKeys + s.sizes.expiring)
		if n, err := l.store.Keys(ctx); err != nil || n != all {
			return fmt.Errorf("%d keys before any is due, not %d: %w", n, all, err)
		}
		forward := func() error {
			ahead.Add(int64(life + time.Second))
			return l.awaitKeys(ctx, func(n int64) bool { return n < all })
		}
		gone := func() error { return l.awaitKeys(ctx, func(n int64) bool { return n <= trafficKeys }) }
		if err := seen.add(ctx, s, l, forward, gone); err != nil {
			return err
		}
	}
	doc.section("Others while very many keys expire", trafficText(s)+fmt.Sprintf("\n%s keys are due in the same second and the worker removes them, in %.1f s at the median. Asked for: GET at most 2 times.",
		thousands(float64(s.sizes.expiring)), seen.lasted().Seconds()))
	doc.table(besideHead, seen.rows("", "2", ""))
	return nil
}

// awaitKeys waits until the number of keys on disk is as wanted.
func (l *local) awaitKeys(ctx context.Context, wanted func(n int64) bool) error {
	for {
		n, err := l.store.Keys(ctx)
		if err != nil || wanted(n) {
			return err
		}
		if err := pause(ctx, 2*time.Millisecond); err != nil {
			return err
		}
	}
}
