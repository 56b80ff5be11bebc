package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"keypact/store"
)

// pair is one operation and the Redis command that means the same. reply turns
// our answer into Redis's; missing is what Redis says where we say not found.
type pair struct {
	op      Op
	args    []any
	reply   func(value any) any
	missing any

	anyOrder bool   // Redis answers in no order
	emptied  string // the key to delete if the answer is 0: miniredis keeps it as a set without members
}

// TestCollectionsAgainstRedis runs random operations on lists, sets and sorted sets here
// and as commands on miniredis, and compares the answers and at the end the
// values.
func TestCollectionsAgainstRedis(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), Protocol: 2, DisableIdentity: true, MaxRetries: -1, ReadTimeout: -1})
	t.Cleanup(func() { client.Close() })
	rapid.Check(t, func(t *rapid.T) {
		server.FlushAll()
		l.wipe(t)
		for range rapid.IntRange(10, 80).Draw(t, "operations") {
			key := drawKey.Draw(t, "key")
			table := map[string][]func(*rapid.T, string) pair{"k1": listPairs, "k2": listPairs, "k3": setPairs, "k\x00": setPairs, "k4": zsetPairs}[key]
			if rare(t, "another type") {
				table = slices.Concat(listPairs, setPairs, zsetPairs)
			}
			p := rapid.SampledFrom(table).Draw(t, "command")(t, key)
			comparePair(t, l, client, p)
		}
		for _, key := range []string{"k1", "k2", "k3", "k4", "k\x00"} {
			for _, read := range []pair{lrange(key, 0, -1), smembers(key), zrange(key, "rank", "0", "-1", false)} {
				comparePair(t, l, client, read)
			}
		}
	})
}

func comparePair(t *rapid.T, l *lab, client *redis.Client, p pair) {
	t.Helper()
	t.Logf("%s", shown(p.args))
	out, err := l.do(t, p.op)
	var ours any
	switch {
	case errors.Is(err, store.ErrWrongType):
		ours = "WRONGTYPE"
	case errors.Is(err, store.ErrNotFound):
		ours = p.missing
	case err != nil:
		ours = "ERROR " + err.Error()
	default:
		ours = p.reply(out.Value)
	}
	theirs, err := client.Do(context.Background(), p.args...).Result()
	switch {
	case errors.Is(err, redis.Nil):
		theirs = nil
	case err != nil && strings.HasPrefix(err.Error(), "WRONGTYPE"):
		theirs = "WRONGTYPE"
	case err != nil:
		theirs = "ERROR " + err.Error()
	}
	if p.emptied != "" && theirs == int64(0) {
		client.Del(context.Background(), p.emptied)
	}
	if list, ok := theirs.([]any); ok && p.anyOrder {
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	}
	if fmt.Sprintf("%#v", ours) != fmt.Sprintf("%#v", theirs) {
		t.Fatalf("%s: we answer %#v, Redis answers %#v", shown(p.args), ours, theirs)
	}
}

func paired(op Op, args []any, reply func(value any) any, missing any) pair {
	return pair{op: op, args: args, reply: reply, missing: missing}
}

func shown(args []any) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = fmt.Sprint(arg)
	}
	return fmt.Sprintf("%q", words)
}

func command(words ...any) []any { return words }

func plain(list []Bytes) any {
	out := []any{}
	for _, b := range list {
		out = append(out, string(b))
	}
	return out
}

func plainScore(s Score) string { return strconv.FormatFloat(float64(s), 'f', -1, 64) }

func removedReply(value any) any { return int64(value.(Removal).Removed) }
func countReply(value any) any   { return int64(value.(Total).Count) }
func okay(any) any               { return "OK" }

var listPairs = []func(*rapid.T, string) pair{
	pushPair, pushPair, popPair, movePair, insertPair, lremPair, ltrimPair, lsetPair, lindexPair,
	func(t *rapid.T, key string) pair {
		return lrange(key, drawBound.Draw(t, "start"), drawBound.Draw(t, "stop"))
	},
	func(_ *rapid.T, key string) pair {
		return paired(&ListCount{Key: Bytes(key)}, command("LLEN", key), countReply, nil)
	},
}

func drawEnd(t *rapid.T, what string) (side, letter string) {
	if rapid.Bool().Draw(t, what) {
		return "left", "L"
	}
	return "right", "R"
}

func pushPair(t *rapid.T, key string) pair {
	side, letter := drawEnd(t, "side")
	items := drawElements(t)
	op := &ListPush{Key: Bytes(key), Side: side, Items: texts(items...)}
	args := command(letter+"PUSH", key)
	for _, item := range items {
		args = append(args, item)
	}
	return paired(op, args, func(v any) any { return int64(v.(ListLength).Length) }, nil)
}

func popPair(t *rapid.T, key string) pair {
	side, letter := drawEnd(t, "side")
	n := rapid.Int64Range(1, 4).Draw(t, "count")
	return paired(&ListPop{Key: Bytes(key), Side: side, Count: &n}, command(letter+"POP", key, n),
		func(v any) any { return plain(v.(ListItems).Items) }, nil)
}

func movePair(t *rapid.T, key string) pair {
	from, _ := drawEnd(t, "from")
	to, _ := drawEnd(t, "to")
	destination := drawKey.Draw(t, "destination")
	return paired(&ListMove{Key: Bytes(key), Destination: Bytes(destination), From: from, To: to},
		command("LMOVE", key, destination, from, to), func(v any) any { return string(v.(ListMoved).Item) }, nil)
}

func insertPair(t *rapid.T, key string) pair {
	where := rapid.SampledFrom([]string{"before", "after"}).Draw(t, "where")
	pivot, value := drawElement.Draw(t, "pivot"), drawElement.Draw(t, "value")
	op := &ListInsert{Key: Bytes(key), Pivot: Bytes(pivot), Value: Bytes(value), Where: where}
	args := command("LINSERT", key, where, pivot, value)
	// Redis tells an absent key, 0, from an absent pivot, -1; here both are not found.
	script := "local n = redis.pcall(unpack(ARGV)); if type(n) == 'number' and n <= 0 then return false end; return n"
	return paired(op, append(command("EVAL", script, 0), args...), func(v any) any { return int64(v.(ListLength).Length) }, nil)
}

func lremPair(t *rapid.T, key string) pair {
	n, value := rapid.Int64Range(-3, 3).Draw(t, "count"), drawElement.Draw(t, "value")
	return paired(&ListRemove{Key: Bytes(key), Value: Bytes(value), Count: n}, command("LREM", key, n, value), removedReply, nil)
}

func ltrimPair(t *rapid.T, key string) pair {
	start, stop := drawBound.Draw(t, "start"), drawBound.Draw(t, "stop")
	return paired(&ListTrim{Key: Bytes(key), Start: &start, Stop: &stop}, command("LTRIM", key, start, stop), okay, nil)
}

func lsetPair(t *rapid.T, key string) pair {
	index, value := drawBound.Draw(t, "index"), drawElement.Draw(t, "value")
	script := "local n = redis.pcall(unpack(ARGV)); if n.err and string.find(n.err, 'WRONGTYPE') == nil then return false end; return n"
	return paired(&ListSet{Key: Bytes(key), Index: &index, Value: Bytes(value)}, command("EVAL", script, 0, "LSET", key, index, value), okay, nil)
}

func lindexPair(t *rapid.T, key string) pair {
	index := drawBound.Draw(t, "index")
	return paired(&ListGet{Key: Bytes(key), Index: &index}, command("LINDEX", key, index), func(v any) any { return string(v.(ListItem).Value) }, nil)
}

func lrange(key string, start, stop int64) pair {
	return paired(&ListRange{Key: Bytes(key), Start: &start, Stop: &stop}, command("LRANGE", key, start, stop),
		func(v any) any { return plain(v.(ListItems).Items) }, []any{})
}
