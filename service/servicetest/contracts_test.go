package servicetest

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"keypact/contracts"
)

// patterns are the keys that contracts may govern, and the type they mostly
// prescribe. The more specific ones lie within others.
var patterns = []struct{ pattern, kind string }{
	{"a:{id}", "string"}, {"a:2", "string"}, {"b:{id}", "hash"}, {"b:2", "hash"}, {"c:{id}", "list"},
	{"d:{id}", "set"}, {"d:2", "set"}, {"e:{id}", "zset"}, {"f:{rest...}", ""}, {"free", ""},
}

// wording says which contracts are drawn.
type wording struct {
	existing  string // ratchet or strict for all of them; empty draws
	modes     []string
	noDefault bool // no contract supplies a lifetime
}

var anyWording = wording{modes: []string{"enforce", "enforce", "enforce", "enforce", "warn", "off"}}

// drawContracts draws the text of a contract file.
func drawContracts(t *rapid.T, w wording) string {
	return rapid.Custom(func(t *rapid.T) string { return (&draw{T: t}).contracts(w) }).Draw(t, "contracts")
}

func (d *draw) contracts(w wording) string {
	var out strings.Builder
	out.WriteString("format: 1\n")
	fmt.Fprintf(&out, "unmatched: %s\n", pick(d, "allow", "allow", "allow", "warn", "deny"))
	if d.chance(8) {
		out.WriteString("defaults: {maxKeyBytes: 4}\n")
	}
	out.WriteString("contracts:\n")
	for i, p := range patterns {
		if d.chance(4) {
			continue
		}
		kind := p.kind
		if kind == "" || d.chance(10) {
			kind = pick(d, "string", "hash", "list", "set", "zset")
		}
		fmt.Fprintf(&out, "  c%d: {key: '%s', type: %s%s}\n", i, p.pattern, kind, d.contract(p.pattern, kind, w))
	}
	if strings.HasSuffix(out.String(), "contracts:\n") {
		out.WriteString("  none: {key: none, type: string}\n")
	}
	return out.String()
}

// contract draws the rules of one contract. Each of them is rare, so that some
// writes meet all of them.
func (d *draw) contract(pattern, kind string, w wording) string {
	var out strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&out, ", "+format, args...) }
	add("mode: %s", pick(d, w.modes...))
	if w.existing != "" {
		add("existing: %s", w.existing)
	} else if d.chance(3) {
		add("existing: %s", pick(d, "ratchet", "strict"))
	}
	if strings.Contains(pattern, "{id}") && d.chance(4) {
		add("vars: {id: {pattern: '^[0-9]*$'}}")
	}
	d.valueRules(kind, add)
	if kind != "string" && d.chance(3) {
		add("maxItems: %d", pick(d, 3, 4, 5))
	}
	if kind == "set" && d.chance(4) {
		add("maxResult: %d", pick(d, 2, 3))
	}
	if d.chance(3) {
		rules := lifetimes
		if w.noDefault {
			rules = rules[:len(rules)-2]
		}
		add("ttl: %s", pick(d, rules...))
	}
	if d.chance(6) {
		add("operations: %s", d.operations(kind))
		if d.chance(3) {
			add("reads: listed")
		}
	}
	return out.String()
}

// lifetimes are rules on times to live; the last two supply one.
var lifetimes = []string{
	"optional", "forbidden", "{required: true}", "{max: 20s}", "{min: 5s}", "{required: true, min: 2s, max: 1m}",
	"{default: 30s}", "{default: 10s, required: true, max: 100s}",
}

func (d *draw) valueRules(kind string, add func(string, ...any)) {
	switch kind {
	case "string":
		if d.chance(2) {
			add("value: %s", d.rule())
		}
	case "hash":
		d.fieldRules(add)
	case "zset":
		if d.chance(2) {
			add("score: %s", pick(d, "{type: integer}", "{minimum: 0, maximum: 50}", "{multipleOf: 0.25}", "{type: integer, minimum: -1, maximum: 3}"))
		}
		fallthrough
	default:
		if d.chance(2) {
			add("items: %s", d.rule())
		}
	}
}

func (d *draw) fieldRules(add func(string, ...any)) {
	if d.chance(2) {
		return
	}
	fields := []string{}
	for _, name := range []string{"a", "b", "c", "'7'"} {
		if d.chance(2) {
			fields = append(fields, name+": "+d.rule())
		}
	}
	if len(fields) == 0 {
		fields = append(fields, "a: {maxLength: 5}")
	}
	add("fields: {%s}", strings.Join(fields, ", "))
	add("additionalFields: %v", d.chance(2))
	if d.chance(3) {
		name, _, _ := strings.Cut(pick(d, fields...), ":")
		add("required: [%s]", name)
	}
}

// rule draws what a value, a field or an element must look like.
func (d *draw) rule() string {
	return pick(d,
		"{}", "{maxBytes: 3}", "{minBytes: 1, maxLength: 2}", "{pattern: '^[a-z]*$'}", "{encoding: utf-8}",
		"{type: integer, minimum: -5, maximum: 50}", "{type: number, multipleOf: 0.5, allowEmpty: true}",
		"{enum: [a, b, 'c', '7', 'abcdef']}", "{excludes: [whitespace, ',']}", "{format: iso8601-date, allowEmpty: true}", "{sensitive: true, maxLength: 3}",
	)
}

// operations draws a list of permitted commands, at times with the range of an
// argument.
func (d *draw) operations(kind string) string {
	verbs := contracts.VerbsOf(contracts.Type(kind))
	ranges := map[string]string{"LPOP": "count: {max: 1}", "BLPOP": "timeout: {min: 1s, max: 30s}", "SPOP": "count: {min: 2}", "ZPOPMIN": "count: {max: 2}"}
	var list []string
	for _, verb := range verbs {
		if d.chance(3) && !slices.Contains([]string{"DEL", "EXPIRE", "RENAME"}, verb) {
			continue
		}
		list = append(list, fmt.Sprintf("%s: {%s}", verb, ranges[verb]))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// parse compiles a contract file.
func parse(t tester, yaml string) *contracts.Set {
	t.Helper()
	set, err := contracts.Parse(contracts.Source{Name: "drawn.yaml", Data: []byte(yaml)})
	if err != nil {
		t.Fatalf("%v in\n%s", err, yaml)
	}
	return set
}

// restated is the same contract file with another note, which gives every
// contract a new revision.
func restated(yaml string, n int) string {
	return strings.ReplaceAll(yaml, ", type: ", fmt.Sprintf(", description: 'take %d', type: ", n))
}

// swapExisting is a contract file whose contracts are strict about existing
// data instead of tolerant.
func swapExisting(yaml string) string {
	return strings.ReplaceAll(yaml, "existing: ratchet", "existing: strict")
}

// silenced is a contract file that warns of nothing.
func silenced(yaml string) string { return strings.ReplaceAll(yaml, "mode: warn", "mode: off") }
