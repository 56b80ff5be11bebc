package command

import (
	"strconv"
	"testing"
)

func TestCursorsKnowPlaces(t *testing.T) {
	c := newCursors(3, 1<<20)
	keys := spot{space: "0", kind: 'k'}
	hash := spot{space: "0", kind: 'h', key: "h"}
	first := c.enter(keys, []byte("a"))
	second := c.enter(hash, []byte("a"))
	if first == 0 || second == 0 || first == second {
		t.Fatalf("cursors %d and %d", first, second)
	}
	if first>>cursorBits != 0 || second>>cursorBits != 0 {
		t.Errorf("cursors %d and %d need more than %d bits", first, second, cursorBits)
	}
	if again := c.enter(keys, []byte("a")); again != first {
		t.Errorf("the same place has the cursors %d and %d", first, again)
	}
	if p := c.find(second); p == nil || p.spot != hash || p.after != "a" {
		t.Errorf("found %v", p)
	}
	if p := c.find(first + 1); p != nil {
		t.Errorf("a foreign cursor stands for %v", p)
	}
}

func TestCursorsForgetWhatIsNotAskedFor(t *testing.T) {
	c := newCursors(3, 1<<20)
	at := spot{space: "0", kind: 'k'}
	first := c.enter(at, []byte("first"))
	others := make([]uint64, 5)
	for i := range others {
		others[i] = c.enter(at, []byte(strconv.Itoa(i)))
		if c.find(first) == nil {
			t.Fatal("a place in use was forgotten")
		}
	}
	if c.find(others[0]) != nil || c.find(others[4]) == nil {
		t.Error("not the place that nobody asked for was forgotten")
	}
	if len(c.places) != 3 || c.recent.Len() != 3 {
		t.Errorf("%d and %d places are known, the limit is 3", len(c.places), c.recent.Len())
	}
}

func TestCursorsKeepToTheirRoom(t *testing.T) {
	c := newCursors(100, 100)
	at := spot{space: "0", kind: 'k'}
	for i := range 50 {
		c.enter(at, []byte("a key of some twenty bytes "+strconv.Itoa(i)))
	}
	if c.bytes > 100 || c.recent.Len() == 0 {
		t.Errorf("%d places take %d bytes", c.recent.Len(), c.bytes)
	}
	if c.enter(at, make([]byte, 500)); c.recent.Len() != 1 {
		t.Errorf("a place beyond the room is beside %d others", c.recent.Len()-1)
	}
}

// Two places whose cursors would be the same get different ones.
func TestCursorsAreOfOnePlaceEach(t *testing.T) {
	c := newCursors(10, 1<<20)
	at := spot{space: "0", kind: 'k'}
	p := &place{spot: at, after: "b"}
	taken := c.number(p)
	c.places[taken] = c.recent.PushFront(&place{cursor: taken, spot: at, after: "a"})
	cursor := c.enter(at, []byte("b"))
	if cursor == taken {
		t.Fatal("a cursor stands for two places")
	}
	if got := c.find(cursor); got == nil || got.after != "b" {
		t.Errorf("found %v", got)
	}
}
