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

// bulkLists are the lists that lose elements in one round, one after the other.
const bulkLists = 3

// bulk is one heavy operation, repeated for as long as others are watched.
type bulk struct {
	name  string
	most  int                                                // repetitions in one round; 0 as many as there is time for
	fill  func(ctx context.Context, key service.Bytes) error // makes the key before it; nil if there is nothing to make
	op    func(key service.Bytes) store.Op                   // makes or changes the key
	whole func(ctx context.Context, key service.Bytes) error // checks the key afterwards

	seen    beside
	took    []float64
	refused error // the last error of the operation
}

// measureBulk: heavy operations beside others that write.
func measureBulk(ctx context.Context, s settings, doc *report) (err error) {
	l, err := openLocal(ctx, s, "bulk", synced, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	n := s.sizes.bulk
	if err := firstError(l.prepareTraffic(ctx), l.fillSet(ctx, service.Bytes("a"), 0, n), l.fillSet(ctx, service.Bytes("b"), n/2, n)); err != nil {
		return err
	}
	works := bulkWorks(l, n)
	for range s.rounds {
		for i := range works {
			if err := works[i].round(ctx, s, l); err != nil {
				return fmt.Errorf("%s: %w", works[i].name, err)
			}
		}
	}
	bulkTables(s, doc, works)
	return nil
}

func bulkWorks(l *local, n int) []bulk {
	a, b := service.Bytes("a"), service.Bytes("b")
	return []bulk{
		{
			name:  fmt.Sprintf("copy of a set of %s", thousands(float64(n))),
			op:    func(key service.Bytes) store.Op { return &service.KeyCopy{Key: a, Destination: key} },
			whole: func(ctx context.Context, key service.Bytes) error { return l.holdsElements(ctx, key, n) },
		},
		{
			name: fmt.Sprintf("union of two of %s into a third", thousands(float64(n))),
			op: func(key service.Bytes) store.Op {
				return &service.SetUnion{SetSources: service.SetSources{Keys: []service.Bytes{a, b}, Destination: key}}
			},
			whole: func(ctx context.Context, key service.Bytes) error { return l.holdsElements(ctx, key, n/2+n) },
		},
		{
			name:  fmt.Sprintf("removal of %s of %s list items by value", thousands(float64((n+2)/3)), thousands(float64(n))),
			most:  bulkLists,
			fill:  func(ctx context.Context, key service.Bytes) error { return l.fillList(ctx, key, n, thirdUnwanted) },
			op:    func(key service.Bytes) store.Op { return &service.ListRemove{Key: key, Value: unwanted} },
			whole: func(ctx context.Context, key service.Bytes) error { return l.lacksUnwanted(ctx, key, n) },
		},
	}
}

// unwanted is the item that a list is rid of: every third one.
var unwanted = content(-1)

func thirdUnwanted(i int) service.Bytes {
	if i%3 == 0 {
		return unwanted
	}
	return content(i)
}

// round does the operation on one key after the other beside other clients,
// then checks what came out and deletes it.
func (b *bulk) round(ctx context.Context, s settings, l *local) error {
	for i := range b.most {
		if err := b.fill(ctx, bulkKey(i)); err != nil {
			return err
		}
	}
	if err := l.settle(ctx, s); err != nil {
		return err
	}
	var made []service.Bytes
	work := func() error {
		for begin := time.Now(); b.more(len(made), time.Since(begin), s.length); {
			key := bulkKey(len(made))
			made = append(made, key)
			took, err := l.timed(ctx, b.op(key))
			if err != nil {
				b.refused = err
			} else {
				b.took = append(b.took, float64(took))
			}
		}
		return ctx.Err()
	}
	if err := b.seen.add(ctx, s, l, func() error { return nil }, work); err != nil {
		return err
	}
	for _, key := range made {
		if b.refused == nil {
			if err := b.whole(ctx, key); err != nil {
				return fmt.Errorf("key %s: %w", key, err)
			}
		}
	}
	return l.do(ctx, &service.KeysDelete{Keys: made})
}

func bulkKey(i int) service.Bytes { return fmt.Append(nil, "bulk-", i) }

// more says whether to do it again.
func (b *bulk) more(done int, elapsed, length time.Duration) bool {
	if b.most > 0 {
		return done < b.most
	}
	return done == 0 || elapsed < length
}

// holdsElements checks that a set holds the elements 0 to n and no other.
func (l *local) holdsElements(ctx context.Context, key service.Bytes, n int) error {
	total, err := answer[service.Total](ctx, l, &service.SetCount{Key: key})
	if err != nil || total.Count != uint64(n) {
		return fmt.Errorf("the set counts %d members, not %d: %w", total.Count, n, err)
	}
	at := 0
	for page := (service.Page{Limit: 1000}); ; {
		got, err := answer[service.SetPage](ctx, l, &service.SetMembers{Key: key, Page: page})
		if err != nil {
			return err
		}
		for _, member := range got.Members {
			if !bytes.Equal(member, element(at)) {
				return fmt.Errorf("member %d is %q", at, member)
			}
			at++
		}
		if page.Cursor = got.Cursor; page.Cursor == nil {
			break
		}
	}
	if at != n {
		return fmt.Errorf("the set has %d members, not %d", at, n)
	}
	return nil
}

// lacksUnwanted checks that a list of n items has lost the unwanted ones and
// none of the others.
func (l *local) lacksUnwanted(ctx context.Context, key service.Bytes, n int) error {
	left := n - (n+2)/3
	i := 0 // of the item in the former list
	for from := 0; from < left; from += 1000 {
		got, err := answer[service.ListItems](ctx, l, &service.ListRange{Key: key, Start: new(int64(from)), Stop: new(int64(from + 999))})
		if err != nil {
			return err
		}
		if got.Count != uint64(left) || len(got.Items) != min(1000, left-from) {
			return fmt.Errorf("the list has %d items, not %d", got.Count, left)
		}
		for _, item := range got.Items {
			if i%3 == 0 {
				i++
			}
			if !bytes.Equal(item, content(i)) {
				return fmt.Errorf("item %d of the former list is %q", i, item)
			}
			i++
		}
	}
	return nil
}

func bulkTables(s settings, doc *report, works []bulk) {
	doc.section("Heavy operations and others", trafficText(s)+"\nMeanwhile one heavy operation follows the other for that time, each atomic (removal: three lists a round). Each result\nis read back and compared element by element. Asked for: whole, and the p99 of other writers at most 2 times.")
	var results, others [][]string
	for i := range works {
		b := &works[i]
		outcome, took := "whole", millis(time.Duration(median(b.took)))
		if b.refused != nil {
			outcome = "refused: " + b.refused.Error()
		}
		results = append(results, []string{b.name, thousands(float64(len(b.took))), outcome, took})
		others = append(others, b.seen.rows("during "+b.name+": ", "", "2")...)
	}
	doc.table([]string{"", "done", "outcome", "time of one"}, results)
	doc.say("")
	doc.table(besideHead, others)
}
