package servicetest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"keypact/store/storetest"
)

// TestTheWayTakenDoesNotShow runs the same operations on a store where they run
// in the line of writers and on one where each is prepared beside it and every
// new value is staged: answers and values are the same, versions apart, which
// are used up by each attempt.
func TestTheWayTakenDoesNotShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		yaml := drawContracts(t, anyWording)
		clock, focus := newWall(), drawFocus(t)
		a, b := openLab(t, clock, parse(t, yaml), calm), openLab(t, clock, parse(t, yaml), restless)
		defer a.close(t)
		defer b.close(t)
		for range 1 + below(20).Draw(t, "steps") {
			way, list := drawList(t, clock.now(), focus)
			first, second := a.run(t, way, list), b.run(t, way, list)
			for i := range list {
				first[i].ETag.Version, second[i].ETag.Version = 0, 0
				got := versionNumber.ReplaceAllString(verdict(t, first[i], true), "$1")
				want := versionNumber.ReplaceAllString(verdict(t, second[i], true), "$1")
				if got != want {
					t.Errorf("%s as a %s: %s, and %s", list[i], way, got, want)
				}
			}
			compareValues(t, a, b, fmt.Sprintf("%v as a %s", list, way))
			if below(4).Draw(t, "sweep") == 0 {
				for _, l := range []*lab{a, b} {
					if err := l.store.Sweep(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// versionNumber is a version within an answer.
var versionNumber = regexp.MustCompile(`("revision":")\d+`)

// compareValues wants two labs to hold the same, versions apart.
func compareValues(t *rapid.T, a, b *lab, after string) {
	t.Helper()
	left, right := a.look(t).values, b.look(t).values
	same := maps.EqualFunc(left, right, func(v, w storetest.Value) bool {
		return v.Same(w) && v.Changes == w.Changes && v.Conformant == w.Conformant
	})
	if !same {
		t.Errorf("after %s\n%+v\n%+v", after, left, right)
	}
}
