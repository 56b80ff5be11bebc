package servicetest

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"keypact/encoding"
	"keypact/service"
	"keypact/store/storetest"
)

// trial is one run of random operations under random contracts on two stores.
// The second gets the same operations, but each one alone where the first gets
// a pipeline.
type trial struct {
	*rapid.T
	clock         *wall
	first, second *lab
	yaml, focus   string
	states        map[string]storetest.Value // by key and revision
}

// TestRandomOperations runs random operations of all kinds, alone, in batches
// and in pipelines, while contracts change, the clock steps back and forth, the
// reclaimer works and the store is opened anew. After each step it looks at
// every record.
func TestRandomOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := newWall()
		c := &trial{T: t, clock: clock, yaml: drawContracts(t, anyWording), focus: drawFocus(t), states: map[string]storetest.Value{}}
		c.first, c.second = openLab(t, clock, parse(t, c.yaml), calm), openLab(t, clock, parse(t, c.yaml), calm)
		defer c.first.close(t)
		defer c.second.close(t)
		before := c.first.look(t)
		for range 1 + below(40).Draw(t, "steps") {
			before = c.step(before)
		}
		c.compareReads(before)
	})
}

// step does one thing and returns what there is afterwards.
func (c *trial) step(before look) look {
	switch below(20).Draw(c.T, "step") {
	case 0, 5:
		c.yaml = drawContracts(c.T, anyWording)
		return c.quietly(before, "other contracts", func(l *lab) error {
			return l.store.SetContracts(context.Background(), parse(c, c.yaml))
		})
	case 1:
		return c.quietly(before, "a sweep", func(l *lab) error { return l.store.Sweep(context.Background()) })
	case 2:
		return c.quietly(before, "a restart", func(l *lab) error {
			l.store.Close()
			l.start(c, parse(c, c.yaml))
			return nil
		})
	case 3, 4:
		d := &draw{T: c.T}
		c.clock.ms.Add(pick[int64](d, 1, 2_000, 10_000, 60_000, -5_000, -100_000))
		return c.quietly(before, "time", func(*lab) error { return nil })
	}
	return c.operate(before)
}

// quietly does what readers must not notice, time apart.
func (c *trial) quietly(before look, what string, do func(l *lab) error) look {
	for _, l := range []*lab{c.first, c.second} {
		if err := do(l); err != nil {
			c.Fatalf("%s: %v", what, err)
		}
	}
	after := c.settle()
	for key, old := range before.values {
		present, is := after.values[key]
		if expired := old.Expires != 0 && old.Expires <= after.now; expired == is || is && !old.Same(present) {
			c.Errorf("%s: key %q was %+v and is %+v", what, key, old, present)
		}
	}
	for key := range after.values {
		if _, was := before.values[key]; !was {
			c.Errorf("%s: key %q is back", what, key)
		}
	}
	return after
}

// operate runs a list of operations and judges what they did.
func (c *trial) operate(before look) look {
	way := pick(&draw{T: c.T}, single, single, batch, batch, pipeline)
	most := 6
	if way == single {
		most = 1
	}
	list := make([]entry, 1+below(most).Draw(c.T, "length"))
	for i := range list {
		list[i] = drawEntry(c.T, before.now, c.focus)
	}
	results := c.first.run(c, way, list)
	other := way
	if way == pipeline {
		other = single
	}
	alone := c.second.run(c, other, list)
	failed := 0
	for i := range list {
		if got, want := c.told(results[i]), c.told(alone[i]); got != want {
			c.Errorf("%s as a %s: %s; as a %s: %s", list[i], way, got, other, want)
		}
		if results[i].Err != nil {
			failed++
		}
	}
	after := c.settle()
	if failed == len(list) {
		if diff := storetest.Diff(before.dump, after.dump); diff != "" {
			c.Errorf("%s %v failed and left a trace:\n%s", way, list, diff)
		}
	}
	judgeStep(c, before, after, list, results)
	c.remember(after)
	return after
}

// told is all of a result that a client sees.
func (c *trial) told(r service.Result) string {
	if failed := failure(c, r); failed != nil {
		text := fmt.Sprintf("%s %s %v", failed.Kind, failed.Code, failed.Errors)
		for _, v := range failed.Violations {
			text += fmt.Sprintf(" %s %v", v.Code, v.Path)
		}
		return text
	}
	return fmt.Sprintf("%s created %v empty %v revision %v warnings %d", shown(r.Value), r.Created, r.Empty, r.ETag, len(r.Warnings))
}

// settle looks at both stores, which must be the same.
func (c *trial) settle() look {
	a, b := c.first.look(c), c.second.look(c)
	// A counter may be zero or not yet there; that it is right was looked at.
	counters := func(key, _ string) bool { return encoding.Family(key[0]) == encoding.FamilyCounter }
	left, right := maps.Clone(a.dump), maps.Clone(b.dump)
	maps.DeleteFunc(left, counters)
	maps.DeleteFunc(right, counters)
	if diff := storetest.Diff(left, right); diff != "" {
		c.Errorf("the stores differ:\n%s", diff)
	}
	judgeNotes(c, a)
	c.compareExistence(a)
	return a
}

// remember wants one revision of a key to name one state, for ever.
func (c *trial) remember(now look) {
	for key, v := range now.values {
		name := fmt.Sprintf("%q %d-%d", key, v.Version, v.Changes)
		if old, known := c.states[name]; known && !old.Same(v) {
			c.Errorf("revision %s named %+v and names %+v", name, old, v)
		}
		c.states[name] = v
	}
}

// compareExistence asks the service which keys there are.
func (c *trial) compareExistence(now look) {
	list := make([]entry, len(keys))
	for i, key := range keys {
		list[i] = entry{"KeyExists", members{"key": service.Bytes(key)}}
	}
	c.second.run(c, pipeline, list) // its clock must have been read as often
	for i, r := range c.first.run(c, pipeline, list) {
		_, is := now.values[keys[i]]
		if r.Err == nil && r.Value != (service.Existence{Exists: is}) {
			c.Errorf("key %q: the service says %+v, its records say %v", keys[i], r.Value, is)
		}
	}
}

// moment writes a time as answers have it.
func moment(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
