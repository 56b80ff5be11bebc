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

// measureDiscard: deleting and renaming a large hash against a small one.
func measureDiscard(ctx context.Context, s settings, doc *report) (err error) {
	l, err := openLocal(ctx, s, "discard", unsynced, store.Options{Sweep: -1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	sides := []struct {
		name            string
		fields          int
		deletes, rename []float64
	}{{name: "small", fields: fewFields}, {name: "large", fields: s.sizes.fields}}
	for i := range s.sizes.discards + 1 { // the last one is renamed
		for _, side := range sides {
			if err := l.fillHash(ctx, fmt.Sprint(side.name, "-", i), side.fields); err != nil {
				return err
			}
		}
	}
	if err := l.settle(ctx, s); err != nil {
		return err
	}
	for i := range s.sizes.discards {
		for j := range renames {
			for side := range sides {
				from, to := fmt.Sprint(sides[side].name, "-", s.sizes.discards), sides[side].name+"-moved"
				if (i*renames+j)%2 == 1 {
					from, to = to, from
				}
				took, err := l.timed(ctx, &service.KeyRename{Key: service.Bytes(from), Destination: service.Bytes(to)})
				if err != nil {
					return err
				}
				sides[side].rename = append(sides[side].rename, float64(took))
			}
		}
		for turn := range sides {
			side := &sides[(turn+i)%len(sides)]
			took, err := l.timed(ctx, &service.HashDelete{Key: service.Bytes(fmt.Sprint(side.name, "-", i))})
			if err != nil {
				return err
			}
			side.deletes = append(side.deletes, float64(took))
		}
	}
	doc.section("Deleting and renaming", fmt.Sprintf("A hash of %s fields beside one of %d, in turns: medians of %d deletes and of %d renames each, `--durability none`, so\nthat no sync hides the work. Asked for: at most 2 times.",
		thousands(float64(s.sizes.fields)), fewFields, s.sizes.discards, s.sizes.discards*renames))
	small, large := &sides[0], &sides[1]
	doc.table([]string{"", fmt.Sprint(fewFields, " fields"), thousands(float64(s.sizes.fields)) + " fields", "ratio", "required"}, [][]string{
		{"delete", micros(median(small.deletes)), micros(median(large.deletes)), "**" + ratio(median(large.deletes), median(small.deletes)) + "**", "2"},
		{"rename", micros(median(small.rename)), micros(median(large.rename)), "**" + ratio(median(large.rename), median(small.rename)) + "**", "2"},
	})
	return nil
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
		if err := firstError(l.fillHash(ctx, "large", s.sizes.fields), l.settle(ctx, s)); err != nil {
			return err
		}
		discard := func() error {
			if err := l.do(ctx, &service.HashDelete{Key: service.Bytes("large")}); err != nil {
				return err
			}
			return l.awaitBacklog(ctx)
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

// awaitBacklog waits until the worker has found something dead, for at most
// three of its pauses: it may be done between two looks.
func (l *local) awaitBacklog(ctx context.Context) error {
	for begin := time.Now(); l.store.Backlog() == 0 && time.Since(begin) < 3*time.Second; {
		if err := pause(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// awaitReclaimed waits until nothing dead is left.
func (l *local) awaitReclaimed(ctx context.Context) error {
	for l.store.Backlog() > 0 {
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
