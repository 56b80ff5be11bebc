package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"keypact/service"
	"keypact/store"
)

// question is a read of a sorted set of n members in which the member of rank
// r has score r, and what its answer must be.
type question struct {
	name string
	ask  func(key service.Bytes, n int) (op store.Op, right func(answer any) bool)
}

var questions = []question{
	{"rank and reverse rank of a member", askRank},
	{"10 members at the middle by rank", func(key service.Bytes, n int) (store.Op, func(any) bool) { return askMiddle(key, n, "asc") }},
	{"the same from the greatest", func(key service.Bytes, n int) (store.Op, func(any) bool) { return askMiddle(key, n, "desc") }},
	{"count of half of the scores", askHalf},
}

// askRank asks for any member; one answer holds its rank and its reverse rank.
func askRank(key service.Bytes, n int) (store.Op, func(any) bool) {
	i := rand.IntN(n)
	rank := uint64(*scoreOf(i, n))
	return &service.ZSetMemberGet{Key: key, Member: element(i)}, func(answer any) bool {
		got, ok := answer.(service.RankedMember)
		return ok && got.Rank == rank && got.ReverseRank == uint64(n-1)-rank
	}
}

// askMiddle asks for ten members somewhere in the middle fifth.
func askMiddle(key service.Bytes, n int, order string) (store.Op, func(any) bool) {
	start := n*2/5 + rand.IntN(n/5+1)
	op := &service.ZSetRange{Key: key, Min: bound(start), Max: bound(start + 9), Order: order}
	return op, func(answer any) bool {
		got, ok := answer.(service.ZSetMembers)
		if !ok || len(got.Members) != 10 {
			return false
		}
		first := start
		if order == "desc" {
			first = n - 1 - start
		}
		return got.Members[0].Score == service.Score(first)
	}
}

// askHalf counts half of the members, from any score of the lower half on.
func askHalf(key service.Bytes, n int) (store.Op, func(any) bool) {
	least := rand.IntN(n / 2)
	op := &service.ZSetCount{Key: key, By: "score", Min: bound(least), Max: bound(least + n/2 - 1)}
	return op, func(answer any) bool { return answer == service.Total{Count: uint64(n / 2)} }
}

func bound(n int) service.Bound { return service.Bound(strconv.Itoa(n)) }

// measureRank: what reads by rank cost as a sorted set grows.
func measureRank(ctx context.Context, s settings, doc *report) (err error) {
	l, err := openLocal(ctx, s, "rank", unsynced, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	var counts []int
	for n := s.sizes.few; n < s.sizes.most; n *= 10 {
		counts = append(counts, n)
	}
	counts = append(counts, s.sizes.most)
	for _, n := range counts {
		if err := l.fillZSet(ctx, service.Bytes(strconv.Itoa(n)), n); err != nil {
			return err
		}
	}
	if err := l.settle(ctx, s); err != nil {
		return err
	}
	costs, err := l.askInTurns(ctx, s, counts)
	if err != nil {
		return err
	}
	rankTables(s, doc, counts, costs)
	return nil
}

// askInTurns returns the median time of each question for each size.
func (l *local) askInTurns(ctx context.Context, s settings, counts []int) ([][]float64, error) {
	samples := make([][][]float64, len(questions))
	for i := range samples {
		samples[i] = make([][]float64, len(counts))
	}
	for range s.rounds {
		for i, q := range questions {
			for j, n := range counts {
				cost, err := l.askFor(ctx, s.length/10, q, n)
				if err != nil {
					return nil, fmt.Errorf("%s, %d members: %w", q.name, n, err)
				}
				samples[i][j] = append(samples[i][j], cost)
			}
		}
	}
	costs := make([][]float64, len(questions))
	for i := range costs {
		for _, all := range samples[i] {
			costs[i] = append(costs[i], median(all))
		}
	}
	return costs, nil
}

// askFor asks a question again and again, up to a hundred times on one
// snapshot, and returns the median time of one answer. Every answer is checked.
func (l *local) askFor(ctx context.Context, budget time.Duration, q question, n int) (float64, error) {
	const enough = 2 * time.Millisecond
	var samples []float64
	key := service.Bytes(strconv.Itoa(n))
	together := 1
	for begin := time.Now(); len(samples) == 0 || time.Since(begin) < budget; {
		ops := make([]store.Op, together)
		right := make([]func(any) bool, together)
		for i := range ops {
			ops[i], right[i] = q.ask(key, n)
		}
		start := time.Now()
		out, err := l.store.View(ctx, ops)
		took := time.Since(start)
		if err := firstFailure(out, err); err != nil {
			return 0, err
		}
		for i := range out {
			if !right[i](out[i].Value) {
				return 0, fmt.Errorf("wrong answer: %+v", out[i].Value)
			}
		}
		samples = append(samples, float64(took)/float64(together))
		if took < enough {
			together = min(2*together, 100)
		}
	}
	return median(samples), nil
}

func rankTables(s settings, doc *report, counts []int, costs [][]float64) {
	doc.section("Rank", fmt.Sprintf("Reads of sorted sets in one store, at places drawn anew each time, up to a hundred on one snapshot; medians of %d\nrounds in turns. Each answer is checked. Asked for: with %s members at most 3 times what it takes with %s.",
		s.rounds, thousands(float64(s.sizes.members)), thousands(float64(s.sizes.few))))
	head := []string{""}
	for _, n := range counts {
		head = append(head, thousands(float64(n)))
	}
	head = append(head, fmt.Sprintf("%s / %s", thousands(float64(s.sizes.members)), thousands(float64(s.sizes.few))), "required")
	var rows [][]string
	for i, q := range questions {
		row := []string{q.name}
		var small, large float64
		for j, n := range counts {
			row = append(row, micros(costs[i][j]))
			if n == s.sizes.few {
				small = costs[i][j]
			}
			if n == s.sizes.members {
				large = costs[i][j]
			}
		}
		rows = append(rows, append(row, "**"+ratio(large, small)+"**", "3"))
	}
	doc.table(head, rows)
}
