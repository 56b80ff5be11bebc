package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// zadds gives members the scores 0, 1, 2 and so on, modulo seven.
func zadds(key string, members ...string) Op {
	return act{[]Call{call("ZADD", key)}, func(tx *Tx) (any, error) {
		z, err := tx.ZSet([]byte(key))
		if err != nil {
			return nil, err
		}
		for i, member := range members {
			if _, err := z.Put([]byte(member), float64(i%7), When{}); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}}
}

// scoredOf reads a sorted set by rank.
func scoredOf(t fatal, s *Store, key string) (all []Scored) {
	t.Helper()
	err := on(s, func(tx *Tx) error {
		z, err := tx.ZSet([]byte(key))
		if err == nil {
			all, err = z.ByRank(0, z.Count(), false)
		}
		return err
	}, key)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return all
}

// plainCombine is the meaning of a combination, by maps.
func plainCombine(how Algebra, contents []map[string]float64, sources []Source, scores Aggregate) []Scored {
	out := make(map[string]float64)
	for i, content := range contents {
		for member, score := range content {
			if score *= sources[i].Weight; math.IsNaN(score) {
				score = 0
			}
			held := 0
			for _, other := range contents {
				if _, ok := other[member]; ok {
					held++
				}
			}
			switch {
			case how == Intersection && held < len(contents):
			case how == Difference && (i > 0 || held > 1):
			default:
				if old, ok := out[member]; ok {
					score = map[Aggregate]float64{Sum: old + score, Least: math.Min(old, score), Greatest: math.Max(old, score)}[scores]
				}
				if math.IsNaN(score) {
					score = 0
				}
				out[member] = score
			}
		}
	}
	list := make([]Scored, 0, len(out))
	for member, score := range out {
		list = append(list, Scored{[]byte(member), score + 0})
	}
	slices.SortFunc(list, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), bytes.Compare(a.Member, b.Member))
	})
	return list
}

// Sums of these are exact in any order, but for infinities, of which the drawn
// sources have one sign only.
var drawExactScore = rapid.Map(rapid.IntRange(-5, 5), func(n int) float64 { return float64(n) / 2 })

// Sorted sets and sets combine as maps do, in memory and stored, whatever the
// chunks and the trees are.
func TestScoredAlgebraAgainstMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		db, err := badger.Open(badger.Options{InMemory: true, MinFreeBytes: -1})
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer db.Close()
		s, err := Open(context.Background(), db, Options{Sweep: -1})
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer s.Close()
		s.trees = smallTree
		n := rapid.IntRange(1, 4).Draw(t, "sources")
		contents, sources := make([]map[string]float64, n), make([]Source, n)
		for i := range sources {
			key := fmt.Sprintf("k%d", i)
			sources[i] = Source{Key: []byte(key), Weight: drawExactScore.Draw(t, "weight")}
			contents[i] = drawContent(t, s, key)
		}
		how := Algebra(rapid.IntRange(0, 2).Draw(t, "how"))
		scores := Aggregate(rapid.IntRange(0, 2).Draw(t, "aggregate"))
		want := plainCombine(how, contents, sources, scores)
		destination := rapid.SampledFrom([]string{"to", "k0"}).Draw(t, "destination")
		var got []Scored
		var counted, stored uint64
		err = on(s, func(tx *Tx) (err error) {
			if got, err = tx.CombineScored(how, sources, scores); err != nil {
				return err
			}
			if counted, err = tx.CountScored(how, sources, 0); err != nil {
				return err
			}
			stored, err = tx.StoreScored([]byte(destination), how, sources, scores)
			return err
		}, destination)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if !sameScored(got, want) || counted != uint64(len(want)) || stored != uint64(len(want)) {
			t.Fatalf("got %v (%d counted, %d stored), want %v", got, counted, stored, want)
		}
		if got := scoredOf(t, s, destination); !sameScored(got, want) {
			t.Fatalf("stored %v, want %v", got, want)
		}
		sound(t, db, newClock())
	})
}

// drawContent fills a key with a set or a sorted set, or leaves it absent.
func drawContent(t *rapid.T, s *Store, key string) map[string]float64 {
	t.Helper()
	content := make(map[string]float64)
	sorted := rapid.Bool().Draw(t, "sorted")
	err := on(s, func(tx *Tx) error {
		for range rapid.IntRange(0, 40).Draw(t, "members") {
			member := fmt.Sprint(rapid.IntRange(0, 60).Draw(t, "member"))
			if !sorted {
				content[member] = 1
				set, err := tx.Set([]byte(key))
				if err != nil {
					return err
				}
				if _, err := set.Add([]byte(member)); err != nil {
					return err
				}
				continue
			}
			score := drawExactScore.Draw(t, "score")
			content[member] = score
			z, err := tx.ZSet([]byte(key))
			if err != nil {
				return err
			}
			if _, err := z.Put([]byte(member), score, When{}); err != nil {
				return err
			}
		}
		return nil
	}, key)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return content
}

func sameScored(a, b []Scored) bool {
	return slices.EqualFunc(a, b, func(x, y Scored) bool {
		return bytes.Equal(x.Member, y.Member) && x.Score == y.Score
	})
}

// A big sorted set made of others is staged: it appears whole and leaves nothing
// behind, also where it replaces one of its sources.
func TestBigScoredResultsAreStaged(t *testing.T) {
	const n = 3*stageRecords + 7
	for name, test := range map[string]struct {
		to string
		do func(tx *Tx, to []byte) (uint64, error)
	}{
		"union":             {"to", unionOf("a", "b")},
		"union into itself": {"a", unionOf("a", "b")},
		"section": {"to", func(tx *Tx, to []byte) (uint64, error) {
			z, err := tx.ZSet([]byte("a"))
			if err != nil {
				return 0, err
			}
			return tx.StoreSection(to, z, everything, true, 0, -1)
		}},
		"section of itself": {"a", func(tx *Tx, to []byte) (uint64, error) {
			z, err := tx.ZSet(to)
			if err != nil {
				return 0, err
			}
			return tx.StoreSection(to, z, everything, false, 0, n)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, db, clock := treeStore(t, smallTree)
			s.tuning.StageFrom = 100
			must(t, s, zadds("a", numbers(0, n)...))
			must(t, s, zadds("b", numbers(5, n)...))
			staged := false
			err := on(s, func(tx *Tx) error {
				staged = staged || tx.stage != nil
				stored, err := test.do(tx, []byte(test.to))
				if err == nil && stored != n {
					t.Errorf("%d members stored", stored)
				}
				return err
			}, test.to, "a", "b")
			if err != nil || !staged {
				t.Fatalf("staged %v, %v", staged, err)
			}
			if got := scoredOf(t, s, test.to); len(got) != n {
				t.Errorf("%d members are there", len(got))
			}
			if err := s.Sweep(context.Background()); err != nil {
				t.Fatal(err)
			}
			if left := dump(t, db); left[encoding.FamilyStage] != 0 || left[encoding.FamilyReclaim] != 0 {
				t.Errorf("records left: %v", left)
			}
			sound(t, db, clock)
		})
	}
}

func unionOf(keys ...string) func(tx *Tx, to []byte) (uint64, error) {
	return func(tx *Tx, to []byte) (uint64, error) {
		var sources []Source
		for _, key := range keys {
			sources = append(sources, Source{Key: []byte(key), Weight: 1})
		}
		return tx.StoreScored(to, Union, sources, Sum)
	}
}

// In an atomic list nothing is staged: a result is one transaction or none.
func TestBigScoredResultInAnAtomicList(t *testing.T) {
	s := openTuned(t, openDB(t, badger.Options{MaxTxnWrites: 1000}), Tuning{StageFrom: 100})
	must(t, s, sadd("set", numbers(0, 900)...))
	op := act{[]Call{call("ZUNIONSTORE", "to")}, func(tx *Tx) (any, error) { return unionOf("set")(tx, []byte("to")) }}
	if _, err := s.Do(context.Background(), Atomic, []Op{op}); !errors.Is(err, kv.ErrTooBig) || count(t, s, "to") != -1 {
		t.Errorf("got %v", err)
	}
	must(t, s, op)
	if got := count(t, s, "to"); got != 900 {
		t.Errorf("%d members stored", got)
	}
}
