package contracts

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestRatchet(t *testing.T) {
	hash := one(t, "key: k\ntype: hash\nfields: {a: {type: integer, maximum: 1}, b: {maxLength: 1}}\nrequired: [b]\nmaxItems: 2\nttl: {required: true, min: 1m, max: 1h}")
	at := func(found []Violation, path ...string) []Violation {
		for i := range found {
			found[i].Path = path
		}
		return found
	}
	a := func(value string) []Violation { return at(hash.CheckField([]byte("a"), []byte(value)), "fields", "a") }
	ttl := func(d time.Duration, set bool) []Violation {
		return hash.CheckTTL(TTLState{Has: true, Remaining: d, Set: set})
	}
	for _, tt := range []struct {
		name          string
		before, after []Violation
		want          string
	}{
		{"nothing", nil, nil, ""},
		{"new key", nil, a("5"), "number.maximum"},
		{"untouched bad value", a("5"), a("5"), ""},
		{"another bad value", a("5"), a("6"), "number.maximum"},
		{"a better bad value is still bad", a("5"), a("4"), "number.maximum"},
		{"repaired", a("5"), a("1"), ""},
		{"another rule broken", a("5"), a("x"), "format.integer"},
		{"another path", at(a("5"), "fields", "z"), a("5"), "number.maximum"},
		{"one of each", a("5"), slices.Concat(a("5"), a("7")), "number.maximum"},
		{"once does not excuse twice", a("5"), slices.Concat(a("5"), a("5")), "number.maximum"},
		{"count stays", hash.CheckCount(9), hash.CheckCount(9), ""},
		{"count shrinks", hash.CheckCount(9), hash.CheckCount(8), ""},
		{"count grows", hash.CheckCount(9), hash.CheckCount(10), "items.max"},
		{"count newly too large", nil, hash.CheckCount(3), "items.max"},
		{"TTL was missing before", hash.CheckTTL(TTLState{}), hash.CheckTTL(TTLState{}), ""},
		{"TTL goes missing", nil, hash.CheckTTL(TTLState{}), "ttl.required"},
		{"TTL stays too long", ttl(2*time.Hour, false), ttl(2*time.Hour, false), ""},
		{"TTL is shortened", ttl(3*time.Hour, false), ttl(2*time.Hour, true), ""},
		{"TTL is lengthened", ttl(2*time.Hour, false), ttl(3*time.Hour, true), "ttl.max"},
		{"a TTL just set is too short", ttl(time.Second, true), ttl(time.Second, true), "ttl.min"},
		{"field stays missing", []Violation{hash.MissingField("b")}, []Violation{hash.MissingField("b")}, ""},
		{"field goes missing", nil, []Violation{hash.MissingField("b")}, "field.missing"},
		{"type never ratchets", hash.CheckType(TypeSet), hash.CheckType(TypeSet), "type.locked"},
	} {
		expect(t, tt.name, Ratchet(tt.before, tt.after), tt.want)
	}
}

func TestOperationsNeverRatchet(t *testing.T) {
	c := one(t, "key: k\ntype: list\noperations: {BRPOP: {timeout: {max: 1s}}}\nitems: {maxLength: 1}")
	for _, found := range [][]Violation{
		c.CheckOperation(Call{Verb: "LPUSH"}), c.CheckOperation(Call{Verb: "BRPOP"}), c.CheckType(TypeSet),
		c.CheckKey(make([]byte, 2000)),
	} {
		if got := Ratchet(found, found); len(got) != len(found) || len(found) == 0 {
			t.Errorf("%v was excused: %v", found, got)
		}
	}
}

// The ratchet lets nothing through that is new or worse, and everything that
// is not.
func TestRatchetProperties(t *testing.T) {
	c := one(t, "key: k\ntype: list\nitems: {maxLength: 1, excludes: [control]}\nmaxItems: 1")
	draw := func(t *rapid.T, label string) []Violation {
		var out []Violation
		for i, item := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bb", "cc", "\x01", "\x01\x01"}), 0, 6).Draw(t, label) {
			found := c.CheckItem([]byte(item))
			for j := range found {
				found[j].Path = []string{"values", fmt.Sprint(i % 2)}
			}
			out = append(out, found...)
		}
		return append(out, c.CheckCount(rapid.Uint64Range(0, 4).Draw(t, label+" count"))...)
	}
	key := func(v Violation) string { return fmt.Sprint(v.Code, v.Rule, v.Path, *v.subject) }
	count := func(list []Violation) (map[string]int, uint64) {
		counts, most := map[string]int{}, uint64(0)
		for _, v := range list {
			if v.measured {
				most = v.measure
			} else {
				counts[key(v)]++
			}
		}
		return counts, most
	}
	rapid.Check(t, func(t *rapid.T) {
		before, after := draw(t, "before"), draw(t, "after")
		was, wasMost := count(before)
		is, isMost := count(after)
		fresh, freshMost := count(Ratchet(before, after))
		for k, n := range is {
			if want := max(0, n-was[k]); fresh[k] != want {
				t.Fatalf("%s: %d of %d came through, want %d", k, fresh[k], n, want)
			}
		}
		if grew := isMost > wasMost; grew != (freshMost > 0) {
			t.Fatalf("count from %d to %d: %d", wasMost, isMost, freshMost)
		}
		if len(Ratchet(after, after)) != 0 {
			t.Fatal("a state does not excuse itself")
		}
		if len(Ratchet(nil, after)) != len(after) {
			t.Fatal("something was excused by nothing")
		}
	})
}
