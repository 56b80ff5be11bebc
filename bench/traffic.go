package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"keypact/service"
	"keypact/store"
)

// The clients that a large operation must not hold up: how many, and how often
// each asks. Together they keep the machine's cores far from busy, so that what
// is measured is waiting for others, not for each other.
const (
	trafficKeys = 10_000
	getClients  = 4
	setClients  = 4
	getEvery    = 2 * time.Millisecond
	setEvery    = 10 * time.Millisecond
	shortest    = 5 * setEvery // time in which every client asks a few times
	trafficName = "other-"
)

// latencies of one kind of request.
type latencies struct {
	fromDue   []time.Duration // from when the request was due to its answer: waiting for a core and a turn included
	inService []time.Duration // from when the service got it to its answer
}

// traffic is what clients of a store saw.
type traffic struct {
	gets, sets latencies
	took       time.Duration
}

// prepareTraffic stores the keys that clients ask for.
func (l *local) prepareTraffic(ctx context.Context) error {
	return l.fillStrings(ctx, trafficName, trafficKeys, never)
}

// observe lets clients read and write, each at its own times, while during
// runs, and returns what they saw.
func (l *local) observe(ctx context.Context, during func() error) (traffic, error) {
	var seen traffic
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	var end atomic.Pointer[time.Time]
	start := func(to *latencies, every, offset time.Duration, ask func() store.Op) {
		all.Go(func() {
			got, err := l.client(ctx, &end, every, offset, ask)
			mu.Lock()
			defer mu.Unlock()
			to.fromDue = append(to.fromDue, got.fromDue...)
			to.inService = append(to.inService, got.inService...)
			failed = errors.Join(failed, err)
		})
	}
	for i := range getClients {
		start(&seen.gets, getEvery, getEvery*time.Duration(i)/getClients, askGet)
	}
	for i := range setClients {
		start(&seen.sets, setEvery, setEvery*time.Duration(i)/setClients, askSet)
	}
	begin := time.Now()
	err := during()
	if short := shortest - time.Since(begin); err == nil && short > 0 {
		err = pause(ctx, short)
	}
	now := time.Now()
	seen.took = now.Sub(begin)
	end.Store(&now)
	all.Wait()
	return seen, errors.Join(err, failed)
}

func askGet() store.Op {
	return &service.StringGet{Key: stringKey(trafficName, rand.IntN(trafficKeys))}
}

func askSet() store.Op {
	i := rand.IntN(trafficKeys)
	return &service.StringSet{Key: stringKey(trafficName, i), Value: content(i)}
}

// client asks at its times. Once the end is known it still asks what was due
// before, so that nothing that had to wait is left out.
func (l *local) client(ctx context.Context, end *atomic.Pointer[time.Time], every, offset time.Duration, ask func() store.Op) (seen latencies, err error) {
	clock, err := newArrivals(every, offset)
	if err != nil {
		return seen, err
	}
	defer func() { err = errors.Join(err, clock.close()) }()
	for {
		due, err := clock.next()
		if err != nil {
			return seen, err
		}
		if at := end.Load(); at != nil && due.After(*at) {
			return seen, nil
		}
		begin := time.Now()
		if _, err := l.service.Do(ctx, ask()); err != nil {
			return seen, err
		}
		answered := time.Now()
		seen.fromDue = append(seen.fromDue, answered.Sub(due))
		seen.inService = append(seen.inService, answered.Sub(begin))
	}
}

// p99 is the 99th percentile.
func p99(all []time.Duration) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return float64(sorted[len(sorted)*99/100])
}

// beside gathers the rounds of one comparison: clients on an idle store and
// clients while something large happens.
type beside struct {
	idle, busy []traffic
}

// add runs one round. begin starts what happens in the background, if
// anything; during ends when the work is done.
func (b *beside) add(ctx context.Context, s settings, l *local, begin, during func() error) error {
	idle, err := l.observe(ctx, func() error { return pause(ctx, s.length) })
	if err != nil {
		return err
	}
	if err := begin(); err != nil {
		return err
	}
	busy, err := l.observe(ctx, during)
	if err != nil {
		return err
	}
	b.idle, b.busy = append(b.idle, idle), append(b.busy, busy)
	return nil
}

// lasted is how long the work took, at the median.
func (b *beside) lasted() time.Duration {
	var took []float64
	for i := range b.busy {
		took = append(took, float64(b.busy[i].took))
	}
	return time.Duration(median(took))
}

var besideHead = []string{"other requests", "p99 idle", "p99 meanwhile", "ratio", "required", "p99 in the service: idle", "meanwhile", "ratio", "requests meanwhile"}

// rows are the medians over the rounds of each round's 99th percentile. reads
// and writes say what is asked of the two ratios.
func (b *beside) rows(what, reads, writes string) [][]string {
	row := func(kind, required string, of func(*traffic) *latencies) []string {
		var due, busyDue, service, busyService, asked []float64
		for i := range b.idle {
			idle, busy := of(&b.idle[i]), of(&b.busy[i])
			due, busyDue = append(due, p99(idle.fromDue)), append(busyDue, p99(busy.fromDue))
			service, busyService = append(service, p99(idle.inService)), append(busyService, p99(busy.inService))
			asked = append(asked, float64(len(busy.fromDue)))
		}
		return []string{what + kind,
			millis(time.Duration(median(due))), millis(time.Duration(median(busyDue))), "**" + ratio(median(busyDue), median(due)) + "**", required,
			millis(time.Duration(median(service))), millis(time.Duration(median(busyService))), ratio(median(busyService), median(service)),
			thousands(median(asked))}
	}
	return [][]string{
		row("GET", reads, func(t *traffic) *latencies { return &t.gets }),
		row("SET, synced", writes, func(t *traffic) *latencies { return &t.sets }),
	}
}

// trafficText says what the clients do.
func trafficText(s settings) string {
	return fmt.Sprintf("Other requests come from %d clients that each GET every %v and %d that each SET every %v with `--durability always`,\nof %s keys, in the bench's own process. A latency counts from when the request was due, so waiting for a core\nand for its turn are in it; the columns behind count from when the service got it. Medians of %d rounds of\n%v idle, then the work; each round has its own p99.",
		getClients, getEvery, setClients, setEvery, thousands(trafficKeys), s.rounds, s.length)
}
