package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// spaceValue is the size of a value in bytes.
const spaceValue = 2 << 10

// Clients of the service meanwhile: how many, how often each asks, and of how
// many keys.
const (
	besideReaders = 2
	besideWriters = 2
	besideRead    = 5 * time.Millisecond
	besideWrite   = 20 * time.Millisecond
	besideKeys    = 1000
)

// measureSpace: what the store takes on the disk after most of it was deleted,
// without a restart.
func measureSpace(ctx context.Context, s settings, doc *report) error {
	args := []string{}
	interval := 30 * time.Second // the default
	if s.length < time.Second {
		interval = time.Second
		args = append(args, "--maintenance-interval", interval.String())
	}
	p, err := startKeypact(s, "space", args...)
	if err != nil {
		return err
	}
	defer p.Kill()
	v := &vacated{stock: newStock(p.URL, s.sizes.emptied, spaceValue), dir: filepath.Join(s.scratch, "space"), quiet: 2*interval + interval/2}
	if err := firstError(v.prepareClients(ctx), v.load(ctx), v.rest(ctx, min(s.length, 5*time.Second))); err != nil {
		return err
	}
	idle, err := v.observe(ctx, func() error { return pause(ctx, 4*s.length) })
	if err != nil {
		return err
	}
	if v.before, err = allocatedBlocks(v.dir); err != nil {
		return err
	}
	busy, err := v.empty(ctx)
	if err != nil {
		return err
	}
	if err := v.checkRest(ctx); err != nil {
		return err
	}
	v.table(doc, idle, busy)
	return p.Stop()
}

// vacated is a store of which nine tenths are deleted.
type vacated struct {
	*stock
	dir    string
	quiet  time.Duration // without a change after which it has settled
	before int64
	seen   []moment
}

// moment is the store at some time after the first deletion.
type moment struct {
	what    string
	at      time.Duration
	blocks  int64
	backlog float64 // collections that wait for the worker
	rounds  float64 // of the maintenance
	running bool    // one is at work
}

// empty deletes nine tenths and watches until the disk has settled. During the
// first round of the maintenance clients read and write; it returns what they
// saw. At other times they would make the worker that reclaims yield to them.
func (v *vacated) empty(ctx context.Context) (busy traffic, err error) {
	begin := time.Now()
	if err := v.remove(ctx); err != nil {
		return busy, err
	}
	var clients chan error // tells when they have ended; nil if they have not begun
	last, changed := int64(0), time.Now()
	for what, due := "deletions answered", time.Duration(0); ; what = "" {
		now, err := v.look(ctx, what, time.Since(begin))
		if err != nil {
			return busy, err
		}
		if now.running && clients == nil {
			clients = make(chan error, 1)
			go func() {
				var err error
				busy, err = v.observe(ctx, func() error { return v.awaitRound(ctx) })
				clients <- err
			}()
		}
		if diff := now.blocks - last; diff > v.before/100 || -diff > v.before/100 || now.backlog > 0 || now.running {
			last, changed = now.blocks, time.Now()
		}
		settled := time.Since(changed) > v.quiet
		if settled {
			now.what = "settled"
		}
		if now.at >= due || settled {
			v.seen = append(v.seen, now)
			due = now.at + max(now.at/4, v.quiet/10)
		}
		if settled || time.Since(begin) > 20*time.Minute {
			break
		}
		if err := pause(ctx, v.quiet/200); err != nil {
			return busy, err
		}
	}
	if clients == nil {
		return busy, errors.New("the maintenance has done nothing")
	}
	return busy, <-clients
}

// awaitRound waits until no round runs.
func (v *vacated) awaitRound(ctx context.Context) error {
	for {
		now, err := v.look(ctx, "", 0)
		if err != nil || !now.running {
			return err
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// look takes the figures of the moment.
func (v *vacated) look(ctx context.Context, what string, at time.Duration) (moment, error) {
	blocks, err := allocatedBlocks(v.dir)
	if err != nil {
		return moment{}, err
	}
	text, err := v.send(ctx, http.MethodGet, "/metrics", nil)
	if err != nil {
		return moment{}, err
	}
	backlog, err := figure(text, "keypact_reclaim_backlog")
	if err != nil {
		return moment{}, err
	}
	rounds, err := figure(text, "keypact_engine_compaction_rounds_total")
	if err != nil {
		return moment{}, err
	}
	running, err := figure(text, "keypact_engine_compaction_running")
	return moment{what, at, blocks, backlog, rounds, running == 1}, err
}

// figure finds the value of a metric without labels.
func figure(metrics []byte, name string) (float64, error) {
	match := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(metrics)
	if match == nil {
		return 0, fmt.Errorf("the service has no metric %s", name)
	}
	return strconv.ParseFloat(string(match[1]), 64)
}

// rest waits until the store has stopped growing and shrinking.
func (v *vacated) rest(ctx context.Context, quiet time.Duration) error {
	last, changed := int64(0), time.Now()
	for time.Since(changed) < quiet {
		now, err := allocatedBlocks(v.dir)
		if err != nil {
			return err
		}
		if now != last {
			last, changed = now, time.Now()
		}
		if err := pause(ctx, quiet/20); err != nil {
			return err
		}
	}
	return nil
}

// checkRest reads some of what is left, and some of what is not.
func (v *vacated) checkRest(ctx context.Context) error {
	for range 500 {
		if err := v.check(ctx); err != nil {
			return err
		}
	}
	for _, path := range []string{"/hash/" + stockHash(1) + "/count", "/string/" + stockString(stockValues)} {
		if text, err := v.send(ctx, http.MethodGet, path, nil); err == nil && strings.TrimSpace(string(text)) != `{"count":0}` {
			return fmt.Errorf("GET %s: %s, although it was deleted", path, text)
		}
	}
	return nil
}

// prepareClients stores what the clients ask for.
func (v *vacated) prepareClients(ctx context.Context) error {
	for i := range besideKeys {
		if err := v.write(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (v *vacated) write(ctx context.Context, i int) error {
	_, err := v.send(ctx, http.MethodPut, "/string/"+besideKey(i), []byte(`{"value":"`+string(content(i))+`"}`))
	return err
}

func besideKey(i int) string { return fmt.Sprint("beside-", i) }

// observe lets clients read and write over HTTP, each at its own times, while
// during runs, and returns how long they waited from when each request was due.
func (v *vacated) observe(ctx context.Context, during func() error) (seen traffic, err error) {
	var all sync.WaitGroup
	var mu sync.Mutex
	var stop atomic.Bool
	start := func(to *[]time.Duration, every, offset time.Duration, ask func() error) {
		all.Go(func() {
			waited, failed := atTimes(&stop, every, offset, ask)
			mu.Lock()
			defer mu.Unlock()
			*to = append(*to, waited...)
			err = errors.Join(err, failed)
		})
	}
	for i := range besideReaders {
		start(&seen.gets.fromDue, besideRead, besideRead*time.Duration(i)/besideReaders, func() error {
			_, err := v.send(ctx, http.MethodGet, "/string/"+besideKey(rand.IntN(besideKeys)), nil)
			return err
		})
	}
	for i := range besideWriters {
		start(&seen.sets.fromDue, besideWrite, besideWrite*time.Duration(i)/besideWriters, func() error {
			return v.write(ctx, rand.IntN(besideKeys))
		})
	}
	begin := time.Now()
	failed := during()
	seen.took = time.Since(begin)
	stop.Store(true)
	all.Wait()
	return seen, errors.Join(failed, err)
}

// atTimes asks at its times until it is stopped.
func atTimes(stop *atomic.Bool, every, offset time.Duration, ask func() error) (waited []time.Duration, err error) {
	clock, err := newArrivals(every, offset)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, clock.close()) }()
	for !stop.Load() {
		due, err := clock.next()
		if err != nil {
			return waited, err
		}
		if err := ask(); err != nil {
			return waited, err
		}
		waited = append(waited, time.Since(due))
	}
	return waited, nil
}

func (v *vacated) table(doc *report, idle, busy traffic) {
	doc.section("Space after deleting", fmt.Sprintf("A service holds %s strings and %s hashes of %s fields, values of %d bytes: %s of values. Nine tenths of both are\ndeleted, and the service goes on running. What the folder takes on the disk: blocks of 512 bytes, as `du` counts. It has\nsettled when nothing dead waits for the worker and nothing has changed by a hundredth for %v. What is left is read\nback and compared. Asked for: at most 25 %% of before.",
		thousands(float64(v.strings)), thousands(float64(v.hashes)), thousands(stockValues), v.size, gigabytes(v.bytes()), v.quiet))
	part := func(blocks int64) string { return fmt.Sprintf("%.1f %%", 100*float64(blocks)/float64(v.before)) }
	rows := [][]string{{"before", "", gigabytes(v.before), "100 %", "", ""}}
	for i, m := range v.seen {
		share := part(m.blocks)
		if i == len(v.seen)-1 {
			share = "**" + share + "**"
		}
		rows = append(rows, []string{m.what, fmt.Sprintf("%.1f s", m.at.Seconds()), gigabytes(m.blocks), share, thousands(m.backlog), thousands(m.rounds)})
	}
	doc.table([]string{"", "after", "on the disk", "of before", "collections to reclaim", "rounds"}, rows)
	doc.say("\nDuring the first round %d clients each GET every %v and %d each PUT every %v over HTTP, for %.1f s; before, on the\nidle store, for %.0f s. Waits count from when a request was due.\n", besideReaders, besideRead, besideWriters, besideWrite, busy.took.Seconds(), idle.took.Seconds())
	row := func(name string, idle, busy []time.Duration) []string {
		return []string{name, millis(time.Duration(p99(idle))), millis(time.Duration(p99(busy))), ratio(p99(busy), p99(idle)), thousands(float64(len(busy)))}
	}
	doc.table([]string{"", "p99 idle", "p99 during a round", "ratio", "requests then"}, [][]string{
		row("GET", idle.gets.fromDue, busy.gets.fromDue), row("PUT, synced", idle.sets.fromDue, busy.sets.fromDue),
	})
}
