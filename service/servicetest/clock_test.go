package servicetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"keypact/contracts"
	"keypact/store/kv/badger"
)

// restart is a step of a clock case: the directory is opened anew.
const restart = time.Duration(1) << 62

// lives are writes of each type that end in ten seconds, and a read of each.
var lives = []struct{ kind, write, members, read string }{
	{"string", "SET", `{"value":"v","ttl":"10s"}`, "GET"},
	{"hash", "HSET", `{"fields":{"f":"v"},"ttl":"10s"}`, "HGETALL"},
	{"list", "RPUSH", `{"items":["v"],"ttl":"10s"}`, "LRANGE"},
	{"set", "SADD", `{"members":["v"],"ttl":"10s"}`, "SMEMBERS"},
	{"zset", "ZADD", `{"members":[{"member":"v","score":1}],"ttl":"10s"}`, "ZRANGE"},
	{"renamed", "ZADD", `{"members":[{"member":"v","score":1}],"ttl":"10s"}`, "ZRANGE"},
}

// TestClockResurrectsNothing steps the clock back and forth under keys of every
// type. Between the steps the keys are read, or something else is written, or
// neither; the store is opened anew.
func TestClockResurrectsNothing(t *testing.T) {
	const second = time.Second
	for _, test := range []struct {
		name  string
		steps []time.Duration
		alive bool
	}{
		{"nothing happens", nil, true},
		{"just before the end", []time.Duration{9999 * time.Millisecond}, true},
		{"at the end", []time.Duration{10 * second}, false},
		{"back before the beginning", []time.Duration{-3600 * second}, true},
		{"beyond and back", []time.Duration{10 * second, -10 * second}, false},
		{"beyond and far back", []time.Duration{time.Hour, -2 * time.Hour}, false},
		{"there, back and there again", []time.Duration{5 * second, -5 * second, 5 * second}, true},
		{"a restart", []time.Duration{restart}, true},
		{"a restart beyond the end", []time.Duration{10 * second, restart}, false},
		{"a restart further back", []time.Duration{-3600 * second, restart}, true},
		{"beyond, back, restart", []time.Duration{10 * second, -10 * second, restart}, false},
		{"beyond, restart, back", []time.Duration{10 * second, restart, -10 * second}, false},
		{"beyond, restart while back", []time.Duration{10 * second, -3600 * second, restart, restart}, false},
		{"beyond by a year and back", []time.Duration{365 * 24 * time.Hour, restart, -365 * 24 * time.Hour, restart}, false},
	} {
		for _, between := range []string{"reads", "writes", "sweeps"} {
			t.Run(test.name+" with "+between, func(t *testing.T) {
				c := &clockCase{T: t, dir: t.TempDir(), clock: newWall(), between: between}
				c.open()
				c.begin()
				for _, step := range test.steps {
					c.step(step)
				}
				c.want(test.alive)
				c.lab.close(t)
			})
		}
	}
}

type clockCase struct {
	*testing.T
	*lab
	dir, between string
	clock        *wall
}

func (c *clockCase) open() {
	c.Helper()
	db, err := badger.Open(engine(badger.Options{Dir: c.dir, Clock: c.clock.read}))
	if err != nil {
		c.Fatal(err)
	}
	c.lab = &lab{db: db, clock: c.clock}
	c.start(c, contracts.Empty())
}

// begin writes a key of each type; one is renamed.
func (c *clockCase) begin() {
	c.Helper()
	for _, live := range lives {
		c.must(live.write, live.kind, live.members)
	}
	c.must("RENAME", "renamed", `{"destination":"other"}`)
	c.must("RENAME", "other", `{"destination":"renamed"}`)
}

func (c *clockCase) must(name, key, members string) {
	c.Helper()
	if _, err := c.svc.Do(context.Background(), fromText(c, name, key, members)); err != nil {
		c.Fatalf("%s %s: %v", name, members, err)
	}
}

// step moves the clock or opens the directory anew, and lets the store notice.
func (c *clockCase) step(d time.Duration) {
	c.Helper()
	if d == restart {
		c.lab.close(c)
		c.open()
	} else {
		c.clock.ms.Add(d.Milliseconds())
	}
	switch c.between {
	case "reads":
		for _, live := range lives {
			_, _ = c.svc.Do(context.Background(), fromText(c, live.read, live.kind, "{}"))
		}
	case "writes":
		c.must("INCR", "another", "{}")
	case "sweeps":
		if err := c.store.Sweep(context.Background()); err != nil {
			c.Fatal(err)
		}
	}
	c.clock.now()
}

// want asks for every key, with reads of its type, by name, in a list, and by
// a write that would notice.
func (c *clockCase) want(alive bool) {
	c.Helper()
	now := c.look(c)
	for _, live := range lives {
		_, err := c.svc.Do(context.Background(), fromText(c, live.read, live.kind, "{}"))
		if there := err == nil; there != alive {
			c.Errorf("%s of the %s: %v; alive: %v", live.read, live.kind, err, alive)
		}
		if _, there := now.values[live.kind]; there != alive {
			c.Errorf("the %s is among the records: %v; alive: %v", live.kind, there, alive)
		}
		_, err = c.svc.Do(context.Background(), fromText(c, "SETNX", live.kind, `{"value":"new"}`))
		if vacant := err == nil; vacant == alive {
			c.Errorf("SETNX of the %s: %v; alive: %v", live.kind, err, alive)
		}
	}
	page, err := c.svc.Do(context.Background(), fromText(c, "SCAN", "", "{}"))
	if err != nil || !strings.Contains(shown(page.Value), `"string"`) {
		c.Errorf("keys %s: %v", shown(page.Value), err)
	}
	c.look(c)
}
