package service_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"keypact/service"
)

// TestParallelWritersEndAtTheLimit: however many writers push a collection to
// its limit at once, it ends exactly there, and each writer's elements are all
// in it or none.
func TestParallelWritersEndAtTheLimit(t *testing.T) {
	const writers, each, limit = 200, 4, 500
	l := openContractLab(t, `
format: 1
defaults: {mode: enforce}
contracts:
  hash: {key: 'hash:{id}', type: hash, ttl: optional, maxItems: 500}
  list: {key: 'list:{id}', type: list, ttl: optional, maxItems: 500}
  set:  {key: 'set:{id}', type: set, ttl: optional, maxItems: 500}
  zset: {key: 'zset:{id}', type: zset, ttl: optional, maxItems: 500}
`)
	names := func(writer int) []service.Bytes {
		out := make([]service.Bytes, each)
		for i := range out {
			out[i] = service.Bytes(fmt.Sprintf("%d-%d", writer, i))
		}
		return out
	}
	for _, test := range []struct {
		typ   string
		count string
		write func(writer int) service.Op
	}{
		{"set", "SCARD", func(w int) service.Op {
			return &service.SetAdd{Key: service.Bytes("set:1"), Members: names(w)}
		}},
		{"hash", "HLEN", func(w int) service.Op {
			op := &service.HashSet{Key: service.Bytes("hash:1")}
			for _, name := range names(w) {
				op.Fields = append(op.Fields, service.Field{Field: name, Value: service.Bytes("x")})
			}
			return op
		}},
		{"list", "LLEN", func(w int) service.Op {
			return &service.ListPush{Key: service.Bytes("list:1"), Items: names(w)}
		}},
		{"zset", "ZCARD", func(w int) service.Op {
			op := &service.ZSetAdd{Key: service.Bytes("zset:1")}
			for _, name := range names(w) {
				op.Members = append(op.Members, service.ZSetEntry{Member: name, Score: new(service.Score(w))})
			}
			return op
		}},
	} {
		t.Run(test.typ, func(t *testing.T) {
			passed := l.race(t, writers, test.write)
			if want := limit / each; passed != want {
				t.Errorf("%d writers passed, want %d", passed, want)
			}
			line := test.count + ` "key":"` + test.typ + `:1"`
			if got := l.answer(line); got != fmt.Sprintf(`{"count":%d}`, limit) {
				t.Errorf("it ended at %s", got)
			}
		})
	}
}

// race lets writers start at once and counts those that pass; the others must
// be refused for the count.
func (l *contractLab) race(t *testing.T, writers int, write func(writer int) service.Op) (passed int) {
	t.Helper()
	start := make(chan struct{})
	verdicts := make(chan string, writers)
	var group sync.WaitGroup
	for w := range writers {
		op := write(w)
		group.Go(func() {
			<-start
			_, err := l.svc.Do(context.Background(), op)
			verdicts <- verdict(err)
		})
	}
	close(start)
	group.Wait()
	close(verdicts)
	for got := range verdicts {
		switch got {
		case "ok":
			passed++
		case "items.max fields", "items.max items", "items.max members":
		default:
			t.Errorf("a writer was refused with %s", got)
		}
	}
	return passed
}

// TestParallelBatchesEndAtTheLimit: the same through transactions that move
// members between two limited sets.
func TestParallelBatchesEndAtTheLimit(t *testing.T) {
	l := openContractLab(t, "format: 1\ncontracts:\n  s: {key: 's:{id}', type: set, ttl: optional, maxItems: 20}\n")
	l.must(`SADD "key":"s:a","members":["m1","m2","m3","m4","m5","m6","m7","m8","m9","m10","m11","m12","m13","m14","m15"]`,
		`SADD "key":"s:b","members":["n1","n2","n3","n4","n5","n6","n7","n8","n9","n10","n11","n12","n13","n14","n15"]`)
	var group sync.WaitGroup
	for w := range 64 {
		from, to, name := "s:a", "s:b", "m"
		if w%2 == 1 {
			from, to, name = "s:b", "s:a", "n"
		}
		group.Go(func() {
			ops := make([]service.Op, 3)
			for i := range ops {
				ops[i] = &service.SetMove{
					Key: service.Bytes(from), Destination: service.Bytes(to), Member: service.Bytes(fmt.Sprintf("%s%d", name, (w/2+i*5)%15+1)),
				}
			}
			_, err := l.svc.Batch(context.Background(), ops)
			switch got := verdict(err); got {
			case "ok", "not_found not-found", "items.max member":
			default:
				t.Errorf("a batch ended with %s", got)
			}
		})
	}
	group.Wait()
	var sizes [2]uint64
	for i, key := range []string{"s:a", "s:b"} {
		result, err := l.svc.Do(context.Background(), &service.SetCount{Key: service.Bytes(key)})
		if err != nil {
			t.Fatal(err)
		}
		sizes[i] = result.Value.(service.Total).Count
	}
	if sizes[0]+sizes[1] != 30 || sizes[0] > 20 || sizes[1] > 20 {
		t.Errorf("30 members became %d and %d", sizes[0], sizes[1])
	}
}
