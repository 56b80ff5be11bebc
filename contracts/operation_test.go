package contracts

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestOperations(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	second := time.Second
	for _, tt := range []struct {
		body  string
		call  Call
		codes string
	}{
		{"type: set", Call{Verb: "SADD"}, ""},
		{"type: set", Call{Verb: "ANYTHING"}, ""},
		{"type: set\noperations: [SADD]", Call{Verb: "SADD"}, ""},
		{"type: set\noperations: [SADD]", Call{Verb: "SREM"}, "operation.denied"},
		{"type: set\noperations: [SADD]", Call{Verb: "SMEMBERS", Read: true}, ""},
		{"type: set\noperations: [SADD]", Call{Verb: "SPOP", Count: n(1)}, "operation.denied"},
		{"type: set\noperations: [SADD]\nreads: open", Call{Verb: "SMEMBERS", Read: true}, ""},
		{"type: set\noperations: [SADD]\nreads: listed", Call{Verb: "SMEMBERS", Read: true}, "operation.denied"},
		{"type: set\noperations: [SADD, SMEMBERS]\nreads: listed", Call{Verb: "SMEMBERS", Read: true}, ""},
		{"type: set\noperations: {SPOP: {count: {max: 5}}}", Call{Verb: "SPOP", Count: n(5)}, ""},
		{"type: set\noperations: {SPOP: {count: {max: 5}}}", Call{Verb: "SPOP", Count: n(6)}, "argument.range"},
		{"type: set\noperations: {SPOP: {count: {min: 2, max: 5}}}", Call{Verb: "SPOP"}, "argument.range"},
		{"type: set\noperations: {SPOP: {count: {min: 2, max: 5}}}", Call{Verb: "SPOP", Count: n(2)}, ""},
		{"type: set\noperations: {SPOP: }", Call{Verb: "SPOP", Count: n(1e9)}, ""},
		{"type: list\noperations: {BLMPOP: {timeout: {min: 1s}, count: {max: 2}}}", Call{Verb: "BLMPOP", Count: n(3)}, "argument.range argument.range"},
		{"type: list\noperations: {BLMPOP: {timeout: {min: 1s}, count: {max: 2}}}", Call{Verb: "BLMPOP", Count: n(2), Timeout: &second}, ""},
		{"type: string\noperations: [INCRBY]", Call{Verb: "INCRBY"}, ""},
		{"type: string\noperations: [INCRBY]", Call{Verb: "DECR"}, ""},
		{"type: string\noperations: [SET, DEL]", Call{Verb: "UNLINK"}, ""},
		{"type: string\noperations: [SET, DEL]", Call{Verb: "EXPIRE"}, "operation.denied"},
	} {
		expect(t, tt.body+" "+tt.call.Verb, one(t, "key: k\n"+tt.body).CheckOperation(tt.call), tt.codes)
	}
}

func TestArgumentViolations(t *testing.T) {
	c := one(t, "key: k\ntype: list\noperations: {BRPOP: {timeout: {min: 1s, max: 30s}}, LPOP: {count: {min: 2, max: 3}}}")
	d := func(d time.Duration) *time.Duration { return &d }
	n := func(n int64) *int64 { return &n }
	for _, tt := range []struct {
		call          Call
		rule, detail  string
		limit, actual any
	}{
		{Call{Verb: "BRPOP", Timeout: d(500 * time.Millisecond)}, "BRPOP/timeout/min", "timeout of BRPOP must be between 1s and 30s", int64(1), 0.5},
		{Call{Verb: "BRPOP", Timeout: d(30001 * time.Millisecond)}, "BRPOP/timeout/max", "timeout of BRPOP must be between 1s and 30s", int64(30), 30.001},
		{Call{Verb: "BRPOP", Timeout: d(0)}, "BRPOP/timeout/max", "timeout of BRPOP must be between 1s and 30s; 0 would wait for ever", int64(30), int64(0)},
		{Call{Verb: "BRPOP"}, "BRPOP/timeout", "timeout of BRPOP must be between 1s and 30s; without one it would wait for ever", nil, nil},
		{Call{Verb: "LPOP"}, "LPOP/count/min", "count of LPOP must be between 2 and 3", int64(2), int64(1)},
		{Call{Verb: "LPOP", Count: n(4)}, "LPOP/count/max", "count of LPOP must be between 2 and 3", int64(3), int64(4)},
	} {
		v := c.CheckOperation(tt.call)[0]
		if v.Rule != "#/contracts/it/operations/"+tt.rule || v.Detail != tt.detail || v.Limit != tt.limit || v.Actual != tt.actual {
			t.Errorf("%s: %+v", tt.call.Verb, v)
		}
	}
}

func TestVerbTables(t *testing.T) {
	all := Verbs()
	if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Error("verbs are not sorted and unique")
	}
	for _, typ := range types {
		for _, verb := range append(VerbsOf(typ), ReadVerbsOf(typ)...) {
			if verb != strings.ToUpper(verb) || countsAs[verb] != "" || judgedTwice[verb] != "" {
				t.Errorf("%s is not canonical", verb)
			}
			if advice := verbAdvice(verb, typ, true); advice != "" {
				t.Errorf("%s %s", verb, advice)
			}
		}
		for _, verb := range VerbsOf(typ) {
			if slices.Contains(ReadVerbsOf(typ), verb) {
				t.Errorf("%s both reads and writes", verb)
			}
		}
	}
	for name, verb := range countsAs {
		if countsAs[verb] != "" || CanonicalVerb(name) != verb {
			t.Errorf("%s counts as %s, which is not canonical", name, verb)
		}
		known := slices.Contains(all, verb)
		for _, typ := range types {
			known = known || slices.Contains(ReadVerbsOf(typ), verb)
		}
		if !known {
			t.Errorf("%s counts as %s, which nobody knows", name, verb)
		}
	}
	for verb := range rangedArguments {
		if CanonicalVerb(verb) != verb {
			t.Errorf("%s has ranges but is not canonical", verb)
		}
	}
}
