package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"keypact/service"
	"keypact/store"
)

// A queue holds some elements all the time, so that what is taken out was
// stored by an earlier transaction. Its run is cut into slices, whose speeds
// are compared.
const (
	queueDepth  = 1000
	queueGroup  = 100 // cycles in one transaction
	queueSlices = 100
)

// queue is a collection that elements pass through.
type queue struct {
	name  string
	put   func(i int) store.Op
	take  store.Op
	taken func(answer any) service.Bytes // the one element that came out
	item  func(i int) service.Bytes
}

var queues = []queue{
	{"list, push right and pop left",
		func(i int) store.Op {
			return &service.ListPush{Key: service.Bytes("list"), Items: []service.Bytes{content(i)}}
		},
		&service.ListPop{Key: service.Bytes("list")},
		func(answer any) service.Bytes {
			got, _ := answer.(service.ListItems)
			return only(got.Items)
		},
		content},
	{"zset, add and pop the least",
		func(i int) store.Op {
			return &service.ZSetAdd{Key: service.Bytes("zset"), Members: []service.ZSetEntry{{Member: element(i), Score: new(service.Score(i))}}}
		},
		&service.ZSetPop{Key: service.Bytes("zset")},
		func(answer any) service.Bytes {
			got, _ := answer.(service.ZSetPopped)
			if len(got.Members) != 1 {
				return nil
			}
			return got.Members[0].Member
		},
		element},
}

func only(items []service.Bytes) service.Bytes {
	if len(items) != 1 {
		return nil
	}
	return items[0]
}

// measureQueue: whether a queue keeps its speed.
func measureQueue(ctx context.Context, s settings, doc *report) error {
	var rows [][]string
	for i, cycles := range []int{s.sizes.cycles, s.sizes.cycles / 4} {
		speeds, err := queues[i].run(ctx, s, cycles)
		if err != nil {
			return fmt.Errorf("%s: %w", queues[i].name, err)
		}
		tenth := len(speeds) / 10
		first, last := median(speeds[:tenth]), median(speeds[len(speeds)-tenth:])
		rows = append(rows, []string{queues[i].name, thousands(float64(cycles)), thousands(first), thousands(median(speeds)), thousands(last),
			"**" + ratio(last, first) + "**", "0.8"})
	}
	doc.section("A queue that runs for long", fmt.Sprintf("One in, one out, %s times, %d such cycles in a transaction, while the queue holds %s elements; what comes out is\nchecked. `--durability none`, so that no sync hides the work. The run is cut into %d slices; a tenth's speed is the\nmedian of its slices. Asked for: the last tenth at 0.8 times the speed of the first.",
		thousands(float64(s.sizes.cycles)), queueGroup, thousands(queueDepth), queueSlices))
	doc.table([]string{"", "cycles", "first tenth, cycles/s", "all", "last tenth", "ratio", "required"}, rows)
	return nil
}

// run sends elements through the queue and returns the speed of each slice in
// cycles a second.
func (q queue) run(ctx context.Context, s settings, cycles int) (speeds []float64, err error) {
	l, err := openLocal(ctx, s, "queue", unsynced, store.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	for i := range queueDepth {
		if err := l.do(ctx, q.put(i)); err != nil {
			return nil, err
		}
	}
	groups := max(cycles/queueGroup/queueSlices, 1)
	at := queueDepth
	for range queueSlices {
		var took time.Duration
		for range groups {
			one, err := q.pass(ctx, l, at)
			if err != nil {
				return nil, err
			}
			took += one
			at += queueGroup
		}
		speeds = append(speeds, float64(groups*queueGroup)/took.Seconds())
	}
	return speeds, nil
}

// pass puts a group of elements in, the first being number i, takes as many out
// and checks them.
func (q queue) pass(ctx context.Context, l *local, i int) (time.Duration, error) {
	ops := make([]store.Op, 0, 2*queueGroup)
	for j := i; j < i+queueGroup; j++ {
		ops = append(ops, q.put(j), q.take)
	}
	begin := time.Now()
	out, err := l.store.Do(ctx, store.Each, ops)
	took := time.Since(begin)
	if err := firstFailure(out, err); err != nil {
		return 0, err
	}
	for j := range queueGroup {
		got, want := q.taken(out[2*j+1].Value), q.item(i+j-queueDepth)
		if !bytes.Equal(got, want) {
			return 0, fmt.Errorf("%q came out, not %q", got, want)
		}
	}
	return took, nil
}
