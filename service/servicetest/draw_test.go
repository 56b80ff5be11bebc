package servicetest

import (
	"time"

	"pgregory.net/rapid"

	"keypact/service"
)

// draw draws members of operations from small sets, so that operations meet.
// A nil member is left out.
type draw struct {
	*rapid.T
	now   int64
	focus string // the type that the run is about; empty is all
}

// spaces are the keys, by the type that they mostly hold.
var spaces = map[string][]string{
	"string": {"a:1", "a:2", "a:bad id"},
	"hash":   {"b:1", "b:2"},
	"list":   {"c:1", "c:2"},
	"set":    {"d:1", "d:2", "d:3"},
	"zset":   {"e:1", "e:2"},
	"free":   {"f:1:x", "f:1:y", "free", "free\x00", ""},
}

// keys are all of them.
var keys = func() (all []string) {
	for _, kind := range []string{"string", "hash", "list", "set", "zset", "free"} {
		all = append(all, spaces[kind]...)
	}
	return all
}()

// below draws a number below n, each with the same chance: rapid's own ranges
// prefer what is near their ends.
func below(n int) *rapid.Generator[int] {
	return rapid.Custom(func(t *rapid.T) int {
		v := 0
		for range 12 {
			v *= 2
			if rapid.Bool().Draw(t, "bit") {
				v++
			}
		}
		return v % n
	})
}

// chance is true one time in n.
func (d *draw) chance(n int) bool { return below(n).Draw(d.T, "chance") == n-1 }

// key draws a key that mostly holds that type, or any key with the same chance.
func (d *draw) key(kind string) any {
	from := keys
	if kind == "any" && d.focus != "" && !d.chance(4) {
		from = spaces[d.focus]
	}
	if kind != "any" && !d.chance(5) {
		from = spaces[kind]
	}
	return service.Bytes(pick(d, from...))
}

func (d *draw) keys(kind string) any {
	list := make([]any, 1+below(3).Draw(d.T, "keys"))
	for i := range list {
		list[i] = d.key(kind)
	}
	return list
}

// texts are fields, members, elements and values.
var texts = []string{
	"a", "b", "c", "d", "", "7", "-3", "42", "100", "1.5", "007", "a b", "a,b", "\u00e9", "\xff", "abcdef", "2027-04-23", "9223372036854775807",
}

func (d *draw) text() any { return service.Bytes(pick(d, texts...)) }

// element draws from fewer texts, so that what is looked for is there.
func (d *draw) element() any { return service.Bytes(pick(d, texts[:9]...)) }

func (d *draw) elements() any {
	list := make([]any, 1+below(4).Draw(d.T, "elements"))
	for i := range list {
		list[i] = d.element()
	}
	return list
}

// pick draws one of some values.
func pick[T any](d *draw, from ...T) T { return from[below(len(from)).Draw(d.T, "pick")] }

// maybe draws one of some values, or leaves the member out half of the time.
func maybe[T any](d *draw, from ...T) any {
	if d.chance(2) {
		return nil
	}
	return pick(d, from...)
}

func (d *draw) position() int { return below(11).Draw(d.T, "position") - 5 }

// score draws a score, at times one that is no number of JSON.
func (d *draw) score() any {
	return pick[any](d, 0, 1, 2, 3, -1, 1.5, 2.25, 50, 1e20, "inf", "-inf")
}

// expiring adds a time to live to the members of a write, half of the time.
func (d *draw) expiring(members map[string]any) map[string]any {
	switch {
	case d.chance(2):
	case d.chance(4):
		at := time.UnixMilli(d.now + int64(pick(d, 1, 5_000, 90_000))).UTC()
		members["expires_at"] = at.Format(time.RFC3339Nano)
	default:
		members["ttl"] = pick[any](d, "1ms", "3s", "10s", 30, "1m", "200s")
	}
	return members
}

// conditions draws what a write is to depend on, some of the time.
func (d *draw) conditions(from ...any) any {
	if !d.chance(3) {
		return nil
	}
	return pick(d, from...)
}

// page draws the members of a page of a collection.
func (d *draw) page(members map[string]any) map[string]any {
	members["match"], members["limit"] = maybe(d, "*", "a*", "[^a]*"), maybe(d, 1, 2, 50)
	return members
}

// wait draws how long a pop waits: hardly ever, since nothing comes.
func (d *draw) wait() any {
	if !d.chance(12) {
		return nil
	}
	return "1ms"
}
