package main

import (
	"context"
	"fmt"
	"strconv"

	"keypact/service"
	"keypact/store"
)

// Elements that one filling operation brings, and operations that share a
// transaction.
const (
	fillElements = 1000
	fillOps      = 4
)

// fill stores n elements, numbered from 0: op makes the operation that brings
// those from one number to another.
func (l *local) fill(ctx context.Context, n int, op func(from, to int) store.Op) error {
	var ops []store.Op
	for from := 0; from < n; from += fillElements {
		ops = append(ops, op(from, min(from+fillElements, n)))
		if len(ops) < fillOps && from+fillElements < n {
			continue
		}
		if err := l.do(ctx, ops...); err != nil {
			return err
		}
		ops = ops[:0]
	}
	return nil
}

// element is the name of element i: 16 bytes, whose order is the order of i.
func element(i int) service.Bytes { return fmt.Appendf(make([]byte, 0, 16), "element-%08d", i) }

// content is a value of 32 bytes.
func content(i int) service.Bytes { return fmt.Appendf(make([]byte, 0, 32), "value-%026d", i) }

// shuffled puts the numbers from 0 to n in an order that looks random and is
// the same in each run: i times a prime, modulo n.
func shuffled(i, n int) int { return i * 2_654_435_761 % n }

// scoreOf is the score of element i of n: every score from 0 to n-1 once, in
// no order of the elements.
func scoreOf(i, n int) *service.Score {
	score := service.Score(i * 15_485_863 % n)
	return &score
}

// zsetEntries are the elements from one number to another of n, in shuffled order.
func zsetEntries(from, to, n int) []service.ZSetEntry {
	entries := make([]service.ZSetEntry, 0, to-from)
	for i := from; i < to; i++ {
		j := shuffled(i, n)
		entries = append(entries, service.ZSetEntry{Member: element(j), Score: scoreOf(j, n)})
	}
	return entries
}

// fillZSet makes a sorted set of n members. The member of rank r has score r.
func (l *local) fillZSet(ctx context.Context, key service.Bytes, n int) error {
	return l.fill(ctx, n, func(from, to int) store.Op {
		return &service.ZSetAdd{Key: key, Members: zsetEntries(from, to, n)}
	})
}

// fillHash makes a hash of n fields.
func (l *local) fillHash(ctx context.Context, key service.Bytes, n int) error {
	return l.fill(ctx, n, func(from, to int) store.Op {
		fields := make(service.Fields, 0, to-from)
		for i := from; i < to; i++ {
			fields = append(fields, service.Field{Field: element(shuffled(i, n)), Value: content(i)})
		}
		return &service.HashSet{Key: key, Fields: fields}
	})
}

// fillSet makes a set of the elements first to first+n.
func (l *local) fillSet(ctx context.Context, key service.Bytes, first, n int) error {
	return l.fill(ctx, n, func(from, to int) store.Op {
		members := make([]service.Bytes, 0, to-from)
		for i := from; i < to; i++ {
			members = append(members, element(first+shuffled(i, n)))
		}
		return &service.SetAdd{Key: key, Members: members}
	})
}

// fillList makes a list of n items.
func (l *local) fillList(ctx context.Context, key service.Bytes, n int, item func(i int) service.Bytes) error {
	return l.fill(ctx, n, func(from, to int) store.Op {
		items := make([]service.Bytes, 0, to-from)
		for i := from; i < to; i++ {
			items = append(items, item(i))
		}
		return &service.ListPush{Key: key, Items: items}
	})
}

// fillStrings makes n strings; expires is in ms since the epoch, 0 is never.
func (l *local) fillStrings(ctx context.Context, prefix string, n int, expires func(i int) int64) error {
	for from := 0; from < n; from += fillElements {
		var ops []store.Op
		for i := from; i < min(from+fillElements, n); i++ {
			op := &service.StringSet{Key: stringKey(prefix, i), Value: content(i)}
			if at := expires(i); at != 0 {
				op.ExpiresAt = service.TimeOf(at)
			}
			ops = append(ops, op)
		}
		if err := l.do(ctx, ops...); err != nil {
			return err
		}
	}
	return nil
}

func stringKey(prefix string, i int) service.Bytes {
	return strconv.AppendInt([]byte(prefix), int64(i), 10)
}

func never(int) int64 { return 0 }
