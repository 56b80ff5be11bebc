package store

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// pickKeys calls RandomKey many times and counts what it picks.
func pickKeys(t *testing.T, s *Store, times int) map[string]int {
	t.Helper()
	picks := make(map[string]int)
	err := s.view(context.Background(), func(tx *Tx) error {
		tx.op = frame{ids: tx.ids}
		for range times {
			key, err := tx.RandomKey()
			if err != nil {
				return err
			}
			picks[string(key)]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return picks
}

// fillKeys makes n strings, whose names are of different lengths.
func fillKeys(t *testing.T, s *Store, n int, expires int64) {
	t.Helper()
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("key:%d", i)
	}
	err := on(s, func(tx *Tx) error {
		for _, name := range keys {
			k, err := tx.Key([]byte(name))
			if err != nil {
				return err
			}
			if err := k.PutString([]byte("v"), "", expires, false); err != nil {
				return err
			}
		}
		return nil
	}, keys...)
	if err != nil {
		t.Fatal(err)
	}
}

func TestRandomKeyPicksEachOfFewAlike(t *testing.T) {
	s, _ := newStore(t, "")
	if picks := pickKeys(t, s, 3); picks[""] != 3 {
		t.Fatalf("an empty store has %v", picks)
	}
	fillKeys(t, s, 20, 0)
	picks := pickKeys(t, s, 4000)
	if len(picks) != 20 {
		t.Errorf("%d of 20 keys were picked", len(picks))
	}
	for key, n := range picks {
		if n < 120 || n > 280 { // 200 expected, with a deviation of 14
			t.Errorf("%s was picked %d times of 4000", key, n)
		}
	}
}

// Among many keys, no key is out of reach and none is picked all the time.
func TestRandomKeyReachesEveryKeyOfMany(t *testing.T) {
	s, _ := newStore(t, "")
	const n = exactPick + 100
	fillKeys(t, s, n, 0)
	picks := pickKeys(t, s, 6*n)
	if len(picks) < n*95/100 {
		t.Errorf("%d of %d keys were picked", len(picks), n)
	}
	for key, times := range picks {
		if key == "" || times > 60 {
			t.Errorf("%q was picked %d times of %d", key, times, 6*n)
		}
	}
}

func TestRandomKeyPicksNoExpiredKey(t *testing.T) {
	s, clock := newStore(t, "")
	fillKeys(t, s, 50, clock.now().Add(time.Second).UnixMilli())
	if err := on(s, func(tx *Tx) error {
		k, err := tx.Key([]byte("alive"))
		if err != nil {
			return err
		}
		return k.PutString([]byte("v"), "", 0, false)
	}, "alive"); err != nil {
		t.Fatal(err)
	}
	clock.step(2 * time.Second)
	if picks := pickKeys(t, s, 100); picks["alive"] != 100 {
		t.Errorf("picked %v", picks)
	}
}
