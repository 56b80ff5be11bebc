package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"keypact/service"
	"keypact/store"
)

// fewFields is the size of the hash that a large one is compared with.
const fewFields = 10

// renames of each hash in one round of deletes.
const renames = 50

// hashes are one side of a comparison: hashes of one size, of which the last
// is renamed and the others are deleted.
type hashes struct {
	name            string
	fields, count   int
	moved           bool // the last one has its other name
	deletes, rename []float64
}

func (h *hashes) key(i int) service.Bytes { return fmt.Append(nil, h.name, "-", i) }

// delete deletes hash i.
func (h *hashes) delete(ctx context.Context, l *local, i int) error {
	took, err := l.timed(ctx, &service.HashDelete{Key: h.key(i)})
	h.deletes = append(h.deletes, float64(took))
	return err
}

// move renames the last hash, there or back.
func (h *hashes) move(ctx context.Context, l *local) error {
	from, to := h.key(h.count-1), h.key(h.count)
	if h.moved {
		from, to = to, from
	}
	h.moved = !h.moved
	took, err := l.timed(ctx, &service.KeyRename{Key: from, Destination: to})
	h.rename = append(h.rename, float64(took))
	return err
}

// measureDiscard: deleting and renaming a large hash against a small one.
func measureDiscard(ctx context.Context, s settings, doc *report) (err error) {
	l, err := openLocal(ctx, s, "discard", unsynced, store.Options{Sweep: -1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	count := s.sizes.discards + 1
	small := &hashes{name: "small", fields: fewFields, count: count}
	large := &hashes{name: "large", fields: s.sizes.fields, count: count}
	sides := []*hashes{small, large}
	for i := range count {
		if err := firstError(l.fillHash(ctx, small.key(i), small.fields), l.fillHash(ctx, large.key(i), large.fields)); err != nil {
			return err
		}
	}
	if err := l.settle(ctx, s); err != nil {
		return err
	}
	for i := range s.sizes.discards {
		for range renames {
			if err := firstError(small.move(ctx, l), large.move(ctx, l)); err != nil {
				return err
			}
		}
		first, second := sides[i%2], sides[1-i%2]
		if err := firstError(first.delete(ctx, l, i), second.delete(ctx, l, i)); err != nil {
			return err
		}
	}
	discardTable(s, doc, small, large)
	return nil
}

func discardTable(s settings, doc *report, small, large *hashes) {
	doc.section("Deleting and renaming", fmt.Sprintf("A hash of %s fields beside one of %d, in turns: medians of %d deletes and of %d renames each, `--durability none`, so\nthat no sync hides the work. Asked for: at most 2 times.",
		thousands(float64(large.fields)), small.fields, len(large.deletes), len(large.rename)))
	row := func(name string, small, large float64) []string {
		return []string{name, micros(small), micros(large), "**" + ratio(large, small) + "**", "2"}
	}
	doc.table([]string{"", fmt.Sprint(small.fields, " fields"), thousands(float64(large.fields)) + " fields", "ratio", "required"}, [][]string{
		row("delete", median(small.deletes), median(large.deletes)), row("rename", median(small.rename), median(large.rename)),
	})
}

// measureReclaim: other requests while the worker reclaims a large hash.
func measureReclaim(ctx context.Context, s settings, doc *report) (err error) {
	l, err := openLocal(ctx, s, "reclaim", synced, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if err := l.prepareTraffic(ctx); err != nil {
		return err
	}
	var seen beside
	for range s.rounds {
		if err := firstError(l.fillHash(ctx, service.Bytes("large"), s.sizes.fields), l.settle(ctx, s)); err != nil {
			return err
		}
		discard := func() error {
			before, err := l.store.Reclaiming(ctx)
			if err != nil {
				return err
			}
			if err := l.do(ctx, &service.HashDelete{Key: service.Bytes("large")}); err != nil {
				return err
			}
			return l.awaitWorker(ctx, before.Reclaimed)
		}
		if err := seen.add(ctx, s, l, discard, func() error { return l.awaitReclaimed(ctx) }); err != nil {
			return err
		}
	}
	doc.section("Others while a large value is reclaimed", trafficText(s)+fmt.Sprintf("\nA hash of %s fields was deleted and the worker reclaims it, in %.1f s at the median. Asked for: at most 2 times.",
		thousands(float64(s.sizes.fields)), seen.lasted().Seconds()))
	doc.table(besideHead, seen.rows("", "2", "2"))
	return nil
}

// awaitWorker waits until the worker has deleted more records than before, for
// at most three of its pauses.
func (l *local) awaitWorker(ctx context.Context, before int64) error {
	for begin := time.Now(); time.Since(begin) < 3*time.Second; {
		now, err := l.store.Reclaiming(ctx)
		if err != nil || now.Reclaimed > before {
			return err
		}
		if err := pause(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// awaitReclaimed waits until nothing dead is left.
func (l *local) awaitReclaimed(ctx context.Context) error {
	for {
		now, err := l.store.Reclaiming(ctx)
		if err != nil || now.Backlog == 0 {
			return err
		}
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}
