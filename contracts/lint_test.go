package contracts

import (
	"slices"
	"strings"
	"testing"
)

func rulesOf(findings []Finding) string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Rule)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// lintCases are files and the rules that must speak up.
var lintCases = []struct{ name, text, want string }{
	{"in order", "contracts:\n  it: {key: k, type: string, ttl: optional}", ""},
	{"no TTL said", "contracts:\n  it: {key: k, type: string}", "ttl-undeclared"},
	{"unanchored", "contracts:\n  it: {key: k, type: string, ttl: optional, value: {pattern: '[0-9]+'}}", "pattern-unanchored"},
	{"half anchored", "contracts:\n  it: {key: k, type: string, ttl: optional, value: {pattern: '^a|b$'}}", "pattern-unanchored"},
	{"anchored alternatives", "contracts:\n  it: {key: k, type: string, ttl: optional, value: {pattern: '^(a|b)$'}}", ""},
	{"anchored each", "contracts:\n  it: {key: k, type: string, ttl: optional, value: {pattern: '^a$|\\Ab\\z'}}", ""},
	{"unanchored variable", "contracts:\n  it: {key: '{k}', type: string, ttl: optional, vars: {k: {pattern: a}}}", "pattern-unanchored"},
	{"unanchored field", "contracts:\n  it: {key: k, type: hash, ttl: optional, fields: {a: {pattern: a, maxBytes: 1}}}", "pattern-unanchored"},
	{"float scores", "contracts:\n  it: {key: k, type: zset, ttl: optional, maxItems: 1}", "zset-float-score"},
	{"float scores said", "contracts:\n  it: {key: k, type: zset, ttl: optional, maxItems: 1, score: {minimum: 0}}", "zset-float-score"},
	{"fixed point", "contracts:\n  it: {key: k, type: zset, ttl: optional, maxItems: 1, score: {multipleOf: 0.01}}", ""},
	{"unbounded set", "contracts:\n  it: {key: k, type: set, ttl: optional}", "items-unbounded"},
	{"unbounded list", "contracts:\n  it: {key: k, type: list, ttl: optional}", "items-unbounded"},
	{"unbounded fields", "contracts:\n  it: {key: k, type: hash, ttl: optional}", "fields-unbounded"},
	{"open fields", "contracts:\n  it: {key: k, type: hash, ttl: optional, fields: {a: {maxBytes: 1}}, additionalFields: true}", "fields-unbounded"},
	{"open fields with a cap are large", "contracts:\n  it: {key: k, type: hash, ttl: optional, maxItems: 10}", "worst-case-size"},
	{"large list", "contracts:\n  it: {key: k, type: list, ttl: optional, maxItems: 100000, items: {maxBytes: 10KiB}}", "worst-case-size"},
	{"huge list", "contracts:\n  it: {key: k, type: list, ttl: optional, maxItems: 9223372036854775807}", "worst-case-size"},
	{"small list", "contracts:\n  it: {key: k, type: list, ttl: optional, maxItems: 1638, items: {maxBytes: 10KiB}}", ""},
	{"characters take four bytes", "contracts:\n  it: {key: k, type: list, ttl: optional, maxItems: 4097, items: {maxLength: 1024}}", "worst-case-size"},
	{"key cannot exist", "contracts:\n  it: {key: 'abcdef:{x}', type: string, ttl: optional}\ndefaults: {maxKeyBytes: 7}", "key-length"},
	{"key just fits", "contracts:\n  it: {key: 'abcdef:{x}', type: string, ttl: optional}\ndefaults: {maxKeyBytes: 8}", ""},
	{"variables too generous", "contracts:\n  it: {key: '{x}:{y}', type: string, ttl: optional, vars: {x: {maxBytes: 1023}}}", "key-length"},
	{"leading zeros", "contracts:\n  it: {key: k, type: set, ttl: optional, maxItems: 1, items: {pattern: '^\\d+$'}}", "leading-zeros"},
	{"no leading zeros", "contracts:\n  it: {key: k, type: set, ttl: optional, maxItems: 1, items: {pattern: '^(0|[1-9][0-9]*)$'}}", ""},
	{"case twins", "contracts:\n  a: {key: 'User:{id}', type: string, ttl: optional}\n  b: {key: 'user:{x}', type: string, ttl: optional}", "key-case"},
	{"combining", "contracts:\n  a: {key: \"cafe\u0301\", type: string, ttl: optional}", "key-normalization"},
	{"shadowed", "contracts:\n  a: {key: 'h:{r...}', type: string, ttl: optional}\n  b: {key: 'h:{x}', type: string, ttl: optional}\n  c: {key: 'h:{x}:{y...}', type: string, ttl: optional}", "shadowed"},
	{"half shadowed", "contracts:\n  a: {key: 'h:{r...}', type: string, ttl: optional}\n  b: {key: 'h:{x}', type: string, ttl: optional}", ""},
}

func TestLint(t *testing.T) {
	head := "format: 1\nunmatched: warn\n"
	for _, tt := range lintCases {
		findings := Lint(parse(t, head+tt.text+"\n"))
		if got := rulesOf(findings); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		for _, f := range findings {
			if f.File != "contracts.yaml" || f.Line < 1 || f.Column < 1 || f.Message == "" || f.Severity == "" {
				t.Errorf("%s: incomplete finding %+v", tt.name, f)
			}
		}
	}
	open := Lint(parse(t, "format: 1\ncontracts:\n  it: {key: k, type: string, ttl: optional}\n"))
	if rulesOf(open) != "unmatched-open" {
		t.Errorf("%v", open)
	}
	if len(Lint(Empty())) != 0 {
		t.Error("the empty set has findings")
	}
}

func TestExamplesLint(t *testing.T) {
	findings := Lint(examples(t))
	for _, f := range findings {
		if f.Severity == SeverityError {
			t.Error(f)
		}
	}
	if got := rulesOf(findings); got != "leading-zeros unmatched-open worst-case-size" {
		t.Errorf("got %s", got)
	}
	const want = "contracts.yaml:26:15: warning: one key of contract 'order-queue' may hold 976.6 MiB (100000 x 10240 bytes), " +
		"more than one request or response carries (16.0 MiB) (worst-case-size)"
	if !slices.ContainsFunc(findings, func(f Finding) bool { return f.String() == want }) {
		t.Errorf("no finding %s in %v", want, findings)
	}
}
