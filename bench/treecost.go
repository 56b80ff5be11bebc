package main

import (
	"context"
	"errors"
	"fmt"

	"keypact/service"
	"keypact/store"
)

// adding is one way to add elements to a collection that is there.
type adding struct {
	name    string
	family  string // which collection: zset, set, list
	ops     int    // operations in one transaction
	each    int    // elements one operation brings
	payload int    // bytes of an element as the client sees it
}

var addings = []adding{
	{"zset, one member an operation, 1,000 operations a transaction", "zset", 1000, 1, 16 + 8},
	{"zset, one member a transaction", "zset", 1, 1, 16 + 8},
	{"zset, 1,000 members in one operation", "zset", 1, 1000, 16 + 8},
	{"set, one member an operation, 1,000 operations a transaction", "set", 1000, 1, 16},
	{"list, one item an operation, 1,000 operations a transaction", "list", 1000, 1, 32},
}

// elements is how many of them a round adds, in whole transactions.
func (a adding) elements(s settings) int {
	whole := a.ops * a.each
	if whole == 1 {
		return s.sizes.adds / 10
	}
	return (s.sizes.adds + whole - 1) / whole * whole
}

// op makes the operation that brings elements from one number to another of n.
func (a adding) op(from, to, n int) store.Op {
	key := service.Bytes(a.family)
	switch a.family {
	case "zset":
		return &service.ZSetAdd{Key: key, Members: zsetEntries(from, to, n)}
	case "set":
		op := &service.SetAdd{Key: key}
		for i := from; i < to; i++ {
			op.Members = append(op.Members, element(shuffled(i, n)))
		}
		return op
	}
	op := &service.ListPush{Key: key}
	for i := from; i < to; i++ {
		op.Items = append(op.Items, content(i))
	}
	return op
}

// grown is a store whose collections grow.
type grown struct {
	*local
	at map[string]int // how many elements each collection has
	n  int            // how many it will have at most
}

// cost is what adding one element took.
type cost struct{ time, bytes, records []float64 }

// measureTreeCost: adding with the counted tree against without.
func measureTreeCost(ctx context.Context, s settings, doc *report) (err error) {
	options := [2]store.Options{{}, {NoTrees: true}}
	var sides [2]*grown
	for i := range sides {
		l, err := openLocal(ctx, s, fmt.Sprintf("tree-%d", i), unsynced, options[i])
		if err != nil {
			return errors.Join(err, closeGrown(sides[:]))
		}
		sides[i] = &grown{local: l, at: map[string]int{}}
	}
	defer func() { err = errors.Join(err, closeGrown(sides[:])) }()
	for _, g := range sides {
		if err := g.begin(ctx, s); err != nil {
			return err
		}
	}
	costs := make([][2]cost, len(addings))
	for round := range s.rounds {
		for i, a := range addings {
			for turn := range sides {
				side := (turn + round) % len(sides)
				if err := sides[side].add(ctx, s, a, &costs[i][side]); err != nil {
					return fmt.Errorf("%s: %w", a.name, err)
				}
			}
		}
	}
	treeCostTable(s, doc, costs)
	return nil
}

func closeGrown(sides []*grown) (err error) {
	for _, g := range sides {
		if g != nil {
			err = errors.Join(err, g.close())
		}
	}
	return err
}

// begin fills the collections.
func (g *grown) begin(ctx context.Context, s settings) error {
	g.n = s.sizes.members
	for _, a := range addings {
		g.n += a.elements(s) * s.rounds
	}
	for _, a := range addings {
		if g.at[a.family] > 0 {
			continue
		}
		if err := g.fill(ctx, s.sizes.members, func(from, to int) store.Op { return a.op(from, to, g.n) }); err != nil {
			return err
		}
		g.at[a.family] = s.sizes.members
	}
	return g.settle(ctx, s)
}

// add adds one round's elements and notes what one of them cost.
func (g *grown) add(ctx context.Context, s settings, a adding, to *cost) error {
	count := a.elements(s)
	var lists [][]store.Op
	for i := g.at[a.family]; i < g.at[a.family]+count; {
		ops := make([]store.Op, a.ops)
		for j := range ops {
			ops[j] = a.op(i, i+a.each, g.n)
			i += a.each
		}
		lists = append(lists, ops)
	}
	before := g.engine.Stats()
	var took float64
	for _, ops := range lists {
		one, err := g.timed(ctx, ops...)
		if err != nil {
			return err
		}
		took += float64(one)
	}
	after := g.engine.Stats()
	g.at[a.family] += count
	per := func(total float64) float64 { return total / float64(count) }
	to.time = append(to.time, per(took))
	to.bytes = append(to.bytes, per(float64(after.Bytes-before.Bytes)))
	to.records = append(to.records, per(float64(after.Records-before.Records)))
	return nil
}

func treeCostTable(s settings, doc *report, costs [][2]cost) {
	doc.section("Adding with the counted tree", fmt.Sprintf("New elements at random places (lists: at the end) of collections of %s, in two stores in turns, one with trees and\none without; medians of %d rounds of %s elements (a tenth where each has a transaction). `--durability none`, so that\nno sync hides the work. Asked for: at most 1.6 times without.",
		thousands(float64(s.sizes.members)), s.rounds, thousands(float64(s.sizes.adds))))
	var times, written [][]string
	for i, a := range addings {
		with, without := &costs[i][0], &costs[i][1]
		times = append(times, []string{a.name, micros(median(without.time)), micros(median(with.time)),
			"**" + ratio(median(with.time), median(without.time)) + "**", "1.6"})
		written = append(written, []string{a.name, fmt.Sprint(a.payload),
			fmt.Sprintf("%.0f", median(without.bytes)), fmt.Sprintf("%.0f", median(with.bytes)),
			ratio(median(without.bytes), float64(a.payload)), ratio(median(with.bytes), float64(a.payload)),
			fmt.Sprintf("%.2f", median(without.records)), fmt.Sprintf("%.2f", median(with.records))})
	}
	doc.table([]string{"time of one element", "without", "with", "ratio", "required"}, times)
	doc.say("\nWrite amplification: bytes of keys and values handed to the engine, per element, over the element's own (member and\nscore, member, item). What the engine's log, tables and compactions add comes on top of both.\n")
	doc.table([]string{"", "own bytes", "without", "with", "amplification without", "with", "records without", "with"}, written)
}
