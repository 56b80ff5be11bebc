package contracts

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTTL(t *testing.T) {
	none := TTLState{}
	has := func(d time.Duration) TTLState { return TTLState{Has: true, Remaining: d} }
	set := func(d time.Duration) TTLState { return TTLState{Has: true, Remaining: d, Set: true} }
	for _, tt := range []struct {
		rule  string
		state TTLState
		codes string
	}{
		{"optional", none, ""}, {"optional", set(time.Hour), ""},
		{"forbidden", none, ""}, {"forbidden", set(time.Hour), "ttl.forbidden"}, {"forbidden", has(1), "ttl.forbidden"},
		{"{required: true}", none, "ttl.required"}, {"{required: true}", has(1), ""},
		{"{max: 1h}", none, ""}, {"{max: 1h}", set(time.Hour), ""}, {"{max: 1h}", set(time.Hour + time.Millisecond), "ttl.max"},
		{"{max: 1h}", has(time.Hour + time.Millisecond), "ttl.max"},
		{"{min: 1m}", set(time.Minute), ""}, {"{min: 1m}", set(time.Minute - time.Millisecond), "ttl.min"},
		{"{min: 1m}", has(5 * time.Second), ""}, {"{min: 1m}", none, ""},
		{"{required: true, min: 1m, max: 1h}", none, "ttl.required"},
	} {
		c := one(t, "key: k\ntype: string\nttl: "+tt.rule)
		expect(t, tt.rule, c.CheckTTL(tt.state), tt.codes)
	}
	v := one(t, "key: k\ntype: string\nttl: {max: 1500ms}").CheckTTL(set(2 * time.Second))[0]
	if v.Limit != 1.5 || v.Actual != int64(2) || v.Rule != "#/contracts/it/ttl/max" || v.Phase != PhaseResult {
		t.Errorf("%+v", v)
	}
	if got := one(t, "key: k\ntype: string\nttl: {required: true, default: 5m}").DefaultTTL(); got != 5*time.Minute {
		t.Errorf("default: %v", got)
	}
}

func TestTTLAdvice(t *testing.T) {
	for rule, want := range map[string]string{
		"{required: true}":                   "the key must expire: set a TTL",
		"{required: true, max: 1h}":          "the key must expire: set a TTL of at most 1h",
		"{required: true, min: 90s}":         "the key must expire: set a TTL of at least 1m30s",
		"{required: true, min: 1m, max: 7d}": "the key must expire: set a TTL between 1m and 7d",
	} {
		if got := one(t, "key: k\ntype: string\nttl: "+rule).CheckTTL(TTLState{})[0].Detail; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "1h": time.Hour, "7d": 168 * time.Hour, "1d12h": 36 * time.Hour, "1500ms": 1500 * time.Millisecond,
		"1.5h": 90 * time.Minute, "0s": 0, "106751d": 106751 * 24 * time.Hour, "-5s": -5 * time.Second, "0d": 0,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "5", "d", "1.5d", "-1d", "1dd", "1d2d", "1d-5s", "1d5", "1d0", "1w", "1 h", "1h ", "h", "1e3s", "106752d",
		"106751d24h", "9999999999999999999d", "9223372037s", "99999999999999999999s", "１h", "1_0s", "d1h", "1d 1h"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q: read as %v", text, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(1, 1<<62).Draw(t, "duration"))
		if got, err := ParseDuration(formatDuration(d)); err != nil || got != d {
			t.Fatalf("%v was written as %s and read as %v, %v", d, formatDuration(d), got, err)
		}
	})
}
