package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"
)

// twin is one command for both services.
type twin struct {
	redis  []any
	op     Op
	show   func(value any) string // our answer in Redis's words; nil is OK
	absent string                 // what Redis says for our not found; empty is nil
	unmet  string                 // what Redis says for our unmet condition; empty is nil
	silent bool                   // the answers say different things; only the effects are compared
}

func say(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// reply puts an answer of Redis into the words of the comparison.
func reply(v any, err error) string {
	switch {
	case errors.Is(err, redis.Nil):
		return "nil"
	case err != nil:
		word, _, _ := strings.Cut(err.Error(), " ")
		return word
	}
	switch v := v.(type) {
	case nil:
		return "nil"
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = reply(v[i], nil)
		}
		return say("%q", parts)
	case map[any]any:
		var parts []string
		for name, value := range v {
			parts = append(parts, reply(name, nil)+"="+reply(value, nil))
		}
		slices.Sort(parts)
		return say("%q", parts)
	}
	return fmt.Sprint(v)
}

func (tw twin) ours(result Result, err error) string {
	if err != nil {
		failed := classify(err)
		switch failed.Kind {
		case KindNotFound:
			return orNil(tw.absent)
		case KindPrecondition:
			return orNil(tw.unmet)
		case KindWrongType:
			return "WRONGTYPE"
		}
		return "ERR"
	}
	if tw.show == nil {
		return "OK"
	}
	return tw.show(result.Value)
}

func orNil(text string) string {
	if text == "" {
		return "nil"
	}
	return text
}

func bytesOrNil(b Bytes) string {
	if b == nil {
		return "nil"
	}
	return string(b)
}

func listed(list []Bytes) string {
	parts := make([]string, len(list))
	for i, b := range list {
		parts[i] = bytesOrNil(b)
	}
	return say("%q", parts)
}

// TestSameAsRedis runs random commands here and in miniredis and compares the
// answers, in Redis's words. Left out is where miniredis is not Redis (numbers
// such as +3 and 007, decimals past the digits of a double, the time to live of
// what COPY REPLACE replaces) and where versions of Redis differ: a GETRANGE
// that ends left of the string.
func TestSameAsRedis(t *testing.T) {
	f := newFixture(t, "")
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), DisableIdentity: true})
	t.Cleanup(func() { client.Close() })
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		server.FlushAll()
		if _, err := f.Do(ctx, &KeysDelete{Keys: texts(twinKeys...)}); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.IntRange(0, 9).Draw(t, "time passes") == 0 {
				f.clock.step(time.Second)
				server.FastForward(time.Second)
			}
			tw := rapid.SampledFrom(twinDraws).Draw(t, "command")(t, twinKey.Draw(t, "key"))
			result, err := f.Do(ctx, tw.op)
			got := tw.ours(result, err)
			want := reply(client.Do(ctx, tw.redis...).Result())
			if got == "\x00empty" {
				got = ""
			}
			if got != want && !tw.silent {
				t.Fatalf("%q: %q, Redis says %q", tw.redis, got, want)
			}
		}
	})
}

// TestPatternsAsInRedis compares what patterns find among keys.
func TestPatternsAsInRedis(t *testing.T) {
	f := newFixture(t, "")
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), DisableIdentity: true})
	t.Cleanup(func() { client.Close() })
	for _, key := range []string{"a", "ab", "abc", "b", "a*c", "a?c", "[a]", `a\c`, "aXc", "-", "^"} {
		f.play(step{"SET", `"key":` + asJSON(key) + `,"value":"x"`, "created"})
		if err := server.Set(key, "x"); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{
		"*", "a*", "*c", "a?c", `a\*c`, `a\?c`, "a[*?]c", "[ab]", "[a-b]*", "[^a]", "[^a-b]", "a*b*c", "", "x*", `\[a\]`, "a[X-Z]c",
		`[\-]`, `[\^]`,
	} {
		want, err := client.Keys(t.Context(), pattern).Result()
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		got := f.keys(KeysPage{Page: Page{Match: Bytes(pattern), Limit: 3}})
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, in Redis %q", pattern, got, want)
		}
	}
}
