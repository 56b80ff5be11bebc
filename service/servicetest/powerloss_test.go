package servicetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"keypact/contracts"
	"keypact/service"
	"keypact/store/kv/badger"
	"keypact/store/kv/powerloss"
	"keypact/store/storetest"
)

// eager is an engine that answers early: it syncs before the next write what
// it should have synced after the last.
type eager struct{ badger.Log }

func (e eager) Sync() error { return nil }

func (e eager) Write(ts uint64, group []badger.Record) error {
	if err := e.Log.Sync(); err != nil {
		return err
	}
	return e.Log.Write(ts, group)
}

// TestPowerLoss runs random operations of several clients, takes the power
// away, and looks at what a restart finds: records that fit together, and all
// that was acknowledged. Engines that acknowledge too early must be found out.
func TestPowerLoss(t *testing.T) {
	seed := rand.IntN(1 << 30)
	t.Logf("seed %d", seed)
	for _, test := range []struct {
		name       string
		durability badger.Durability
		early      bool
		loses      bool
	}{
		{"always", badger.Always, false, false},
		{"none", badger.None, false, true},
		{"always, but answered early", badger.Always, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var lost []string
			for round := range 6 {
				o := &outage{T: t, clock: newWall(), disk: powerloss.NewDisk(), seed: seed + 100_000*round, cutAfter: 20 + 25*round}
				lost = append(lost, o.run(test.durability, test.early)...)
			}
			if loses := len(lost) > 0; loses != test.loses {
				t.Errorf("loss expected: %v; lost:\n%s", test.loses, strings.Join(lost, "\n"))
			}
		})
	}
}

// outage is one run until the power goes.
type outage struct {
	*testing.T
	clock    *wall
	disk     *powerloss.Disk
	seed     int
	cutAfter int
	answered atomic.Int64
}

// client writes under keys of its own. A second store that keeps its power gets
// the same operations and shows what the client's keys ought to be.
type client struct {
	prefix       string
	steps        []clientStep
	known, maybe map[string]storetest.Value // after the last answer, and with what was under way
}

type clientStep struct {
	way  how
	list []entry
}

// run returns what was lost.
func (o *outage) run(durability badger.Durability, early bool) (lost []string) {
	o.Helper()
	l := o.open(durability, early)
	shadow := openLab(o, o.clock, contracts.Empty(), calm)
	defer shadow.close(o)
	clients := make([]*client, 6)
	var running sync.WaitGroup
	for i := range clients {
		clients[i] = o.client(i)
	}
	answers := make([]int, len(clients))
	for i, c := range clients {
		running.Go(func() { answers[i] = o.work(l, c) })
	}
	running.Wait()
	l.store.Close()
	_ = l.db.Close() // it says that the power is gone
	for i, c := range clients {
		c.replay(o, shadow, answers[i])
	}
	return o.survey(clients)
}

func (o *outage) open(durability badger.Durability, early bool) *lab {
	o.Helper()
	db, err := badger.Open(engine(badger.Options{
		Clock: o.clock.read, Durability: durability, SyncInterval: time.Hour,
		WrapLog: func(log badger.Log) badger.Log {
			if log = o.disk.Wrap(log); early {
				return eager{log}
			}
			return log
		},
	}))
	if err != nil {
		o.Fatal(err)
	}
	l := &lab{db: db, clock: o.clock}
	l.start(o, contracts.Empty())
	return l
}

// client draws what a client does.
func (o *outage) client(i int) *client {
	c := &client{prefix: fmt.Sprintf("client%d:", i)}
	draws := anyEntry(noon, "")
	for n := range 80 {
		step := clientStep{way: []how{single, batch, pipeline}[n%3]}
		for k := range 1 + n%3 {
			if step.way == single && k > 0 {
				break
			}
			step.list = append(step.list, draws.Example(o.seed+1000*i+10*n+k).under(c.prefix))
		}
		c.steps = append(c.steps, step)
	}
	return c
}

// work runs the client's steps until the power is gone, and says how many were
// answered. Whoever gets the last answer takes the power away.
func (o *outage) work(l *lab, c *client) (answers int) {
	for _, step := range c.steps {
		if !o.send(l, step) {
			return answers
		}
		answers++
		if o.answered.Add(1) == int64(o.cutAfter) {
			o.disk.Cut()
		}
	}
	return answers
}

// send runs one step; false is the power loss.
func (o *outage) send(l *lab, step clientStep) bool {
	ops := make([]service.Op, len(step.list))
	for i, e := range step.list {
		ops[i] = e.op(o)
	}
	var err error
	switch step.way {
	case batch:
		_, err = l.svc.Batch(context.Background(), ops)
	case pipeline:
		_, err = l.svc.Pipeline(context.Background(), ops)
	default:
		_, err = l.svc.Do(context.Background(), ops[0])
	}
	if err == nil {
		return true
	}
	var failed *service.Error
	if !errors.As(err, &failed) {
		o.Errorf("%v of %v", err, step)
		return false
	}
	if failed.Kind == service.KindInternal && failed.Code != "outcome-unknown" {
		o.Errorf("%v of %v", err, step)
	}
	return failed.Code != "closing" && failed.Code != "outcome-unknown"
}

// replay runs in the shadow what was answered, and then what was under way.
func (c *client) replay(t tester, shadow *lab, answers int) {
	for i, step := range c.steps[:min(answers+1, len(c.steps))] {
		if i == answers {
			c.known = c.own(shadow.look(t).values)
		}
		shadow.run(t, step.way, step.list)
	}
	c.maybe = c.own(shadow.look(t).values)
	if c.known == nil {
		c.known = c.maybe
	}
}

// own picks the client's keys.
func (c *client) own(all map[string]storetest.Value) map[string]storetest.Value {
	all = maps.Clone(all)
	maps.DeleteFunc(all, func(key string, _ storetest.Value) bool { return !strings.HasPrefix(key, c.prefix) })
	return all
}

// survey opens what survived.
func (o *outage) survey(clients []*client) (lost []string) {
	o.Helper()
	db, err := badger.Open(engine(badger.Options{Clock: o.clock.read}))
	if err != nil {
		o.Fatal(err)
	}
	if err := o.disk.Restore(context.Background(), db); err != nil {
		o.Fatal(err)
	}
	l := &lab{db: db, clock: o.clock}
	l.start(o, contracts.Empty())
	defer l.close(o)
	values := l.look(o).values // says so if records do not fit together
	for _, c := range clients {
		found := c.own(values)
		if !maps.EqualFunc(found, c.known, storetest.Value.Same) && !maps.EqualFunc(found, c.maybe, storetest.Value.Same) {
			lost = append(lost, fmt.Sprintf("%s found %+v\nwant %+v\nor %+v", c.prefix, found, c.known, c.maybe))
		}
	}
	return lost
}
