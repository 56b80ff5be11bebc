package store

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"keypact/store/kv/badger"
)

// plainPositions is the meaning of Positions, by a slice.
func plainPositions(items []string, item string, s Search) (found []uint64) {
	matches := uint64(0)
	for i := range items {
		position := i
		if s.From == Right {
			position = len(items) - 1 - i
		}
		if s.Look > 0 && uint64(i) == s.Look || s.Limit > 0 && uint64(len(found)) == s.Limit {
			break
		}
		if items[position] == item {
			if matches++; matches >= s.Rank {
				found = append(found, uint64(position))
			}
		}
	}
	return found
}

func TestPositionsAgainstASlice(t *testing.T) {
	s := openStore(t, openDB(t, badger.Options{}), "")
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b"}), 0, 12).Draw(t, "items")
		search := Search{
			From:  End(rapid.Bool().Draw(t, "from")),
			Rank:  rapid.Uint64Range(0, 4).Draw(t, "rank"),
			Limit: rapid.Uint64Range(0, 4).Draw(t, "limit"),
			Look:  rapid.Uint64Range(0, 14).Draw(t, "look"),
		}
		var got []uint64
		err := on(s, func(tx *Tx) error {
			l, err := tx.List([]byte("l"))
			if err != nil {
				return err
			}
			if err := l.Remove(); err != nil {
				return err
			}
			for _, item := range items {
				if err := l.Push(Right, []byte(item)); err != nil {
					return err
				}
			}
			got, err = l.Positions([]byte("a"), search)
			return err
		}, "l")
		if want := plainPositions(items, "a", search); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v in %q: got %v, %v, want %v", search, items, got, err, want)
		}
	})
}
