package store

import (
	"context"
	"testing"
	"time"
)

func TestSpaceFigures(t *testing.T) {
	s, clock := newStore(t, "")
	at := clock.now()
	fillKeys(t, s, 10, at.Add(time.Minute).UnixMilli())
	must(t, s, expireAt("key:0", at.Add(3*time.Minute).UnixMilli()))
	must(t, s, expireAt("key:1", 0))
	must(t, s, In("3", hset("h", "f", "v")))
	must(t, s, In("3", expireAt("h", at.Add(5*time.Minute).UnixMilli())))
	got, err := s.SpaceFigures(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := (SpaceFigures{Keys: 10, Expiring: 9, TTL: (8*time.Minute + 3*time.Minute).Milliseconds() / 9}); got[0] != want {
		t.Errorf("namespace 0 is %+v, want %+v", got[0], want)
	}
	if want := (SpaceFigures{Keys: 1, Expiring: 1, TTL: (5 * time.Minute).Milliseconds()}); got[3] != want {
		t.Errorf("namespace 3 is %+v, want %+v", got[3], want)
	}
	if got[1] != (SpaceFigures{}) {
		t.Errorf("namespace 1 is %+v", got[1])
	}
	some, err := s.SpaceFigures(context.Background(), 4)
	if n := some[0].Expiring + some[3].Expiring; err != nil || n != 4 {
		t.Errorf("%d times to live were looked at: %v", n, err)
	}
}
