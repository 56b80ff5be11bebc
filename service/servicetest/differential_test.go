package servicetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"keypact/contracts"
	"keypact/service"
)

// twin is one operation in both languages: an entry of ours, a command of
// Redis's, and what Redis's reply means in our words.
//
// Where the two differ on purpose, the translation of the reply says so:
//
//   - A read of an absent key or element is not_found, where Redis answers nil,
//     0 or an empty list. Counts are 0 in both.
//   - Removing one element that is not there, moving a member that is not
//     there, and LSET outside the list are not_found; in Redis 0 or an error.
//   - An unmet condition is a precondition failure; in Redis nil or 0.
//   - RENAME onto itself leaves the key as it is and answers as any rename;
//     RENAMENX onto itself is unmet. Copying onto itself is an error in both.
//   - Answers carry more than Redis's: HSET also how many fields got another
//     value and how many there are; ZADD also what stayed. Only what both say is
//     compared; the rest is compared through the whole state.
//   - Sets answer in the order of their bytes; Redis has none.
//   - ZRANGE by lex goes by the members' bytes whatever the scores; Redis says
//     that it is unspecified unless all scores are equal. They are, here.
//   - A range of a string that ends left of it is empty; versions of Redis
//     disagree about that, so it is left out here.
//   - A list of one element that is moved onto itself keeps its lifetime, as in
//     Redis; miniredis loses it, so that is left out here.
//   - INCRBYFLOAT counts exactly; only steps that a double holds exactly are
//     tried.
type twin struct {
	entry entry
	args  []any
	want  func(reply any) string
}

// TestBesideRedis runs the same random operations on a service and on
// miniredis and compares every answer, and every 100 operations every key.
// KEYPACT_REDIS_SEED chooses the seed, KEYPACT_REDIS_OPERATIONS the number.
func TestBesideRedis(t *testing.T) {
	seed := number(t, "KEYPACT_REDIS_SEED", rand.Uint64()>>1)
	operations := number(t, "KEYPACT_REDIS_OPERATIONS", 20_000)
	t.Logf("seed %d, %d operations", seed, operations)
	pair := openPair(t, seed)
	for n := range operations {
		if pair.Uint64N(40) == 0 {
			pair.pass(time.Duration(1+pair.Uint64N(30)) * time.Second)
		}
		tw := pair.draw()
		got, want := pair.ours(tw), pair.theirs(tw)
		pair.trail = append(pair.trail, fmt.Sprintf("%s -> %s", tw.entry, got))
		if got != want {
			pair.fail("operation %d: %s is %s; Redis's %q means %s", n, tw.entry, got, tw.args, want)
		}
		if n%100 == 99 {
			pair.compareAll(n)
		}
	}
	pair.look(t)
}

func number(t *testing.T, variable string, fallback uint64) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cmp.Or(os.Getenv(variable), strconv.FormatUint(fallback, 10)), 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// pair is a service and a Redis that hold the same.
type pair struct {
	*rand.Rand
	*lab
	t      *testing.T
	trail  []string
	kind   string // whose turn it is
	mini   *miniredis.Miniredis
	client *redis.Client
}

func openPair(t *testing.T, seed uint64) *pair {
	t.Helper()
	p := &pair{
		Rand: rand.New(rand.NewPCG(seed, seed)), t: t, mini: miniredis.RunT(t),
		lab: openLab(t, newWall(), contracts.Empty(), restless),
	}
	p.mini.SetTime(p.clock.read())
	p.client = redis.NewClient(&redis.Options{Addr: p.mini.Addr(), PoolSize: 1, DisableIdentity: true, Protocol: 2})
	t.Cleanup(func() {
		_ = p.client.Close()
		p.lab.close(t)
	})
	return p
}

func (p *pair) draw() twin {
	table := twins[p.IntN(len(twins))]
	p.kind = table.kind
	return table.draws[p.IntN(len(table.draws))](p)
}

// fail ends the test with the operations that led there.
func (p *pair) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Logf("after\n%s", strings.Join(p.trail[max(0, len(p.trail)-160):], "\n"))
	p.t.Fatalf(format, args...)
}

// pass lets time go by on both sides.
func (p *pair) pass(d time.Duration) {
	p.clock.ms.Add(d.Milliseconds())
	p.mini.FastForward(d)
	p.mini.SetTime(p.clock.read())
}

// ours is what the service makes of an operation.
func (p *pair) ours(tw twin) string {
	result, err := p.svc.Do(context.Background(), tw.entry.op(p.t))
	if err != nil {
		result.Err = err
	}
	switch failed := failure(p.t, result); {
	case failed != nil:
		return string(failed.Kind)
	case result.Value == nil && result.Created:
		return "created"
	case result.Value == nil:
		return "stored"
	}
	return shown(result.Value)
}

// theirs is what Redis makes of it, in our words.
func (p *pair) theirs(tw twin) string {
	reply, err := p.client.Do(context.Background(), tw.args...).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return tw.want(nil)
	case err == nil:
		return tw.want(reply)
	case strings.HasPrefix(err.Error(), "WRONGTYPE"):
		return "wrong_type"
	}
	return tw.want(err)
}

// compareAll compares what is stored.
func (p *pair) compareAll(n uint64) {
	ctx := context.Background()
	theirs := p.client.Keys(ctx, "*").Val()
	slices.Sort(theirs)
	if err := p.store.Sweep(ctx); err != nil {
		p.fail("operation %d: sweep: %v", n, err)
	}
	values := p.look(p.t).values
	var ours []string
	for key := range values {
		ours = append(ours, key)
	}
	slices.Sort(ours)
	if !slices.Equal(ours, theirs) {
		p.fail("operation %d: keys %q, Redis has %q", n, ours, theirs)
	}
	for _, key := range theirs {
		ttl := p.client.PTTL(ctx, key).Val()
		if v := values[key]; v.Expires == 0 != (ttl < 0) || v.Expires != 0 && v.Expires-p.clock.now() != ttl.Milliseconds() {
			p.fail("operation %d: key %q expires at %d, in Redis in %s", n, key, v.Expires, ttl)
		}
		for _, tw := range p.wholes(key, values[key].Type.String()) {
			if got, want := p.ours(tw), p.theirs(tw); got != want {
				p.fail("operation %d: key %q holds %s; Redis's is %s", n, key, got, want)
			}
		}
	}
}

// wholes read all of a key.
func (p *pair) wholes(key, kind string) []twin {
	k := members{"key": service.Bytes(key)}
	all := map[string]twin{
		"string": {entry{"GETRANGE", k}, []any{"GETRANGE", key, 0, -1}, func(r any) string { return fmt.Sprintf(`{"value":%s}`, text(r)) }},
		"hash":   {entry{"HSCAN", k}, []any{"HGETALL", key}, func(r any) string { return fmt.Sprintf(`{"fields":%s}`, pairsOf(r)) }},
		"list":   {entry{"LRANGE", k}, []any{"LRANGE", key, 0, -1}, func(r any) string { return fmt.Sprintf(`{"items":%s,"count":%d}`, listOf(r), len(r.([]any))) }},
		"set":    {entry{"SSCAN", k}, []any{"SMEMBERS", key}, func(r any) string { return fmt.Sprintf(`{"members":%s}`, sortedOf(r)) }},
		"zset":   {entry{"ZRANGE", k}, []any{"ZRANGE", key, 0, -1, "WITHSCORES"}, func(r any) string { return fmt.Sprintf(`{"members":%s}`, scoredOf(r)) }},
	}
	return []twin{all[kind]}
}
