package servicetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"keypact/service"
	"keypact/store/storetest"
)

// TestDeltaEqualsFull: where all that is stored conforms, a judge who looks at
// what changes (ratchet) and one who looks at everything (strict) accept and
// reject the same writes with the same words. Contracts are restated between
// the writes, so that the strict judge cannot go by what it noted.
func TestDeltaEqualsFull(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		enforce := []string{"enforce"}
		delta := drawContracts(t, wording{existing: "ratchet", modes: enforce})
		full := swapExisting(delta)
		clock, focus := newWall(), drawFocus(t)
		a, b := openLab(t, clock, parse(t, delta), calm), openLab(t, clock, parse(t, full), calm)
		defer a.close(t)
		defer b.close(t)
		for n := range 1 + below(15).Draw(t, "steps") {
			way, list := drawList(t, clock.now(), focus)
			compareLabs(t, a, b, way, list, true)
			for _, l := range []*lab{a, b} {
				yaml := map[*lab]string{a: delta, b: full}[l]
				if err := l.store.SetContracts(context.Background(), parse(t, restated(yaml, n))); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// TestWarnDoesWhatOffDoes: a contract that only warns changes nothing about
// what is stored, a lifetime that it supplies apart.
func TestWarnDoesWhatOffDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		warn := drawContracts(t, wording{existing: "ratchet", modes: []string{"warn"}, noDefault: true})
		clock, focus := newWall(), drawFocus(t)
		a, b := openLab(t, clock, parse(t, warn), calm), openLab(t, clock, parse(t, silenced(warn)), calm)
		defer a.close(t)
		defer b.close(t)
		for range 1 + below(15).Draw(t, "steps") {
			way, list := drawList(t, clock.now(), focus)
			compareLabs(t, a, b, way, list, false)
		}
	})
}

// drawList draws a list of operations and how it runs.
func drawList(t *rapid.T, now int64, focus string) (how, []entry) {
	way := pick(&draw{T: t}, single, batch, pipeline)
	list := make([]entry, 1+below(4).Draw(t, "length"))
	for i := range list {
		list[i] = drawEntry(t, now, focus)
	}
	return way, list
}

// compareLabs runs a list in two labs and wants the same answers and the same
// to be stored, but for the notes of what conforms.
func compareLabs(t *rapid.T, a, b *lab, way how, list []entry, wholeAnswer bool) {
	t.Helper()
	first, second := a.run(t, way, list), b.run(t, way, list)
	for i := range list {
		got, want := verdict(t, first[i], wholeAnswer), verdict(t, second[i], wholeAnswer)
		if got != want {
			t.Errorf("%s as a %s: %s, and %s", list[i], way, got, want)
		}
	}
	left, right := a.look(t).values, b.look(t).values
	same := maps.EqualFunc(left, right, func(v, w storetest.Value) bool {
		return v.Same(w) && v.Version == w.Version && v.Changes == w.Changes
	})
	if !same {
		t.Errorf("after %v as a %s\n%+v\n%+v", list, way, left, right)
	}
}

// verdict is what a client learns: the error with every violation, or the
// answer.
func verdict(t tester, r service.Result, violations bool) string {
	t.Helper()
	failed := failure(t, r)
	if failed == nil {
		return fmt.Sprintf("%s created %v empty %v revision %v", shown(r.Value), r.Created, r.Empty, r.ETag)
	}
	text := string(failed.Kind) + " " + failed.Code
	if violations {
		var words []string
		for _, v := range failed.Violations {
			// Without the place: a member named twice is judged once where only
			// changes are judged.
			words = append(words, fmt.Sprintf("%d %s %q %s %s", v.Operation, v.Verb, v.DataKey, v.Code, v.Rule))
		}
		slices.Sort(words)
		text += fmt.Sprint(slices.Compact(words))
	}
	return text
}
