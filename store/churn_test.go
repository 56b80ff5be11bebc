package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"keypact/encoding"
	"keypact/store/kv/badger"
)

// What comes and goes through a small collection does not pile up beneath it:
// now and then it gets a new generation, as part of a removal, and the key is
// otherwise as it would have been.
func TestChurnedCollectionsAreWrittenAnew(t *testing.T) {
	long := strings.Repeat("v", 1000)
	for _, test := range []struct {
		name  string
		typ   encoding.Type
		alive int
		value string
		times int
		anew  bool
	}{
		{"a hash", TypeHash, 3, "", 40, true},
		{"a set", TypeSet, 3, "", 40, true},
		{"a sorted set", TypeZSet, 3, "", 40, true},
		{"one that lost little yet", TypeSet, 3, "", 9, false},
		{"one that is large beside what it lost", TypeSet, 30, "", 20, false},
		{"one that is too large", TypeSet, 60, "", 60, false},
		{"one with large values", TypeHash, 3, long, 40, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			clock := newClock()
			db := openDB(t, badger.Options{Clock: clock.now})
			s := openTuned(t, db, Tuning{})
			s.churning = churnShape{drops: 100, times: 8, count: 50, bytes: 2000}
			want := map[string]float64{}
			for i := range test.alive {
				want[fmt.Sprint("stays", i)] = float64(i)
			}
			must(t, s, act{[]Call{call("ADD", "k")}, func(tx *Tx) (any, error) { return tx.fillUp(test.typ, []byte("k"), want) }})
			if test.value != "" {
				must(t, s, hset("k", "stays0", test.value))
				must(t, s, hset("k", "stays1", test.value))
			}
			first := s.stateOf(t, "k")
			renewed, last := 0, first
			for i := range test.times {
				passing := map[string]float64{}
				for n := range 10 {
					passing[fmt.Sprintf("passes%d.%d", i, n)] = float64(n)
				}
				must(t, s, act{[]Call{call("ADD", "k")}, func(tx *Tx) (any, error) { return tx.fillUp(test.typ, []byte("k"), passing) }})
				must(t, s, act{[]Call{call("DEL", "k")}, func(tx *Tx) (any, error) {
					var names [][]byte
					for _, name := range slices.Sorted(maps.Keys(passing)) {
						names = append(names, []byte(name))
					}
					return tx.dropFrom(test.typ, []byte("k"), names)
				}})
				now := s.stateOf(t, "k")
				if now.Version != last.Version {
					renewed++
				}
				last = now
				sound(t, db, clock)
			}
			if renewed > 0 != test.anew || renewed > test.times/5 {
				t.Errorf("%d new generations in %d removals", renewed, test.times)
			}
			if last.Changes != first.Changes+2*uint64(test.times) || last.Count != uint64(test.alive) || last.Created != first.Created {
				t.Errorf("%+v became %+v", first, last)
			}
			sweep(t, s)
			if left := dump(t, db)[encoding.FamilyMember]; left != test.alive {
				t.Errorf("%d records, not %d", left, test.alive)
			}
		})
	}
}

// A place goes to whoever loses more.
func TestChurnPlaces(t *testing.T) {
	c := new(churn)
	for _, step := range []struct {
		version, n, of1, of2 uint64
	}{
		{1, 10, 10, 0}, {1 + churnPlaces, 4, 6, 0}, {1, 1, 7, 0}, {1 + churnPlaces, 9, 0, 9}, {1 + churnPlaces, 2, 0, 11},
	} {
		c.note(drops{step.version, step.n})
		if one, two := c.of(1), c.of(1+churnPlaces); one != step.of1 || two != step.of2 {
			t.Errorf("after %+v: %d and %d", step, one, two)
		}
	}
}
