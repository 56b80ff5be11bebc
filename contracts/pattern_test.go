package contracts

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParsePattern(t *testing.T) {
	for _, tt := range []struct{ key, problem string }{
		{"a", ""}, {"{x}", ""}, {"{x...}", ""}, {"a:{x}:b:{y...}", ""}, {"a:{{tag}}:b", ""}, {"a::b", ""}, {"a:", ""},
		{"{{}}", ""}, {"a:{{x", ""}, {"日本:{x}", ""},
		{"", "empty"},
		{"user-{id}", "whole segment"}, {"{id}-user", "whole segment"}, {"{a}{b}", "whole segment"}, {"{{{x}}}", "whole segment"},
		{"a:{x", "unpaired"}, {"a:x}", "unpaired"}, {"{a:b}", "unpaired"}, {"a{", "unpaired"},
		{"{}", "a name is"}, {"{1x}", "a name is"}, {"{x-y}", "a name is"}, {"{x y}", "a name is"}, {"{...}", "a name is"}, {"{é}", "a name is"},
		{"{x}:{x}", "used twice"}, {"{x}:a:{x...}", "used twice"},
		{"{x...}:a", "must be the last"},
		{strings.Repeat("a:", 40), "segments"},
		{strings.Repeat("a", 4000), "longer"},
		{"{v0}:{v1}:{v2}:{v3}:{v4}:{v5}:{v6}:{v7}:{v8}:{v9}:{va}:{vb}:{vc}:{vd}:{ve}:{vf}:{vg}", "more than 16 variables"},
	} {
		_, err := parsePattern(tt.key)
		switch {
		case tt.problem == "" && err != nil:
			t.Errorf("%s: %v", tt.key, err)
		case tt.problem != "" && (err == nil || !strings.Contains(err.Error(), tt.problem)):
			t.Errorf("%s: got %v, want a problem about %q", tt.key, err, tt.problem)
		}
	}
}

func TestMatchOnePattern(t *testing.T) {
	for _, tt := range []struct {
		pattern, key string
		want         bool
	}{
		{"session:{userId}", "session:42", true},
		{"session:{userId}", "session:", false},
		{"session:{userId}", "session", false},
		{"session:{userId}", ":x", false},
		{"session:{userId}", "session:a:b", false},
		{"session:{userId}", "session:a:", false},
		{"session:{userId}", "Session:a", false},
		{"session:{userId}", "session:\x00\xff", true},
		{"session:{userId}", "session: ", true},
		{"a:{x}:b", "a::b", false},
		{"a::b", "a::b", true},
		{"a::b", "a:x:b", false},
		{"a:", "a:", true},
		{"a:", "a", false},
		{"{x}", "", false},
		{"{x}", "a", true},
		{"{x...}", "", false},
		{"{x...}", "a:b:c", true},
		{"{x...}", ":", true},
		{"a:{x...}", "a:", false},
		{"a:{x...}", "a", false},
		{"a:{x...}", "a:b", true},
		{"a:{x...}", "a:b:c:", true},
		{"a:{x...}", "a::b", true},
		{"a:{{tag}}", "a:{tag}", true},
		{"a:{{tag}}", "a:tag", false},
		{"caf\u00e9:{x}", "cafe\u0301:1", false},
	} {
		set := parse(t, fmt.Sprintf("format: 1\ncontracts: {it: {key: %q, type: string}}\n", tt.pattern))
		if got := set.Match([]byte(tt.key)).Governed(); got != tt.want {
			t.Errorf("%s against %q: got %v", tt.pattern, tt.key, got)
		}
	}
}

func TestMostSpecificWins(t *testing.T) {
	set := parse(t, `
format: 1
contracts:
  everything: {key: '{all...}', type: string}
  rest: {key: 'hot:{rest...}', type: string}
  any: {key: 'hot:products:{c}', type: string}
  sale: {key: 'hot:products:sale', type: string}
  deep: {key: 'hot:{a}:{b}:end', type: string}
  deeper: {key: 'hot:{a}:products:end', type: string}
`)
	for key, want := range map[string]string{
		"hot:products:sale": "sale", "hot:products:books": "any", "hot:products:": "rest", "hot:x": "rest", "hot:": "everything",
		"hot:x:y:end": "deep", "hot:x:y:z": "rest", "hot:products:products:end": "deeper", "cold": "everything", "": "",
		"hot:products:a:b": "rest", "hot:products:a:end": "deep", "hot::y:end": "rest", "hot:products:sale:": "rest",
	} {
		if got := set.Match([]byte(key)).Name; got != want {
			t.Errorf("%q: got %q, want %q", key, got, want)
		}
	}
}

// relationCases are pairs of patterns, how they relate, and a common key.
var relationCases = []struct{ a, b, want, witness string }{
	{"a:{x}", "a:{y}", "same", "a:x"},
	{"a:{x...}", "a:{y...}", "same", "a:x"},
	{"a", "a", "same", "a"},
	{"a:b", "a:{x}", "narrower", ""},
	{"a:{x}", "a:{y...}", "narrower", ""},
	{"a:b:c", "a:{y...}", "narrower", ""},
	{"a:{x}:{z...}", "a:{y...}", "narrower", ""},
	{"a:b:{x}", "a:{y}:{z}", "narrower", ""},
	{"a:{x}:c", "a:b:{y}", "crossing", "a:b:c"},
	{"{x}:b", "a:{y...}", "crossing", "a:b"},
	{"a:{x}:c:{z...}", "a:b:{y...}", "crossing", "a:b:c:x"},
	{"{x}:{y}:c", "a:{z...}", "crossing", "a:x:c"},
	{"a:{x}", "b:{y}", "disjoint", ""},
	{"a:{x}", "a:b:c", "disjoint", ""},
	{"a:{x}", "a", "disjoint", ""},
	{"a:", "a:{x}", "disjoint", ""},
	{"a:", "a:{x...}", "disjoint", ""},
	{"a::b", "a:{x}:b", "disjoint", ""},
	{"a::b", "a:{x...}", "narrower", ""},
	{"a:{x...}", "a", "disjoint", ""},
	{"A:{x}", "a:{x}", "disjoint", ""},
}

func TestRelations(t *testing.T) {
	names := map[relation]string{disjoint: "disjoint", narrower: "narrower", wider: "wider", same: "same", crossing: "crossing"}
	for _, tt := range relationCases {
		a, b := mustPattern(t, tt.a), mustPattern(t, tt.b)
		if got := names[relate(a, b)]; got != tt.want {
			t.Errorf("%s against %s: got %s, want %s", tt.a, tt.b, got, tt.want)
		}
		mirror := map[string]string{"narrower": "wider", "wider": "narrower"}[tt.want]
		if mirror == "" {
			mirror = tt.want
		}
		if got := names[relate(b, a)]; got != mirror {
			t.Errorf("%s against %s: got %s, want %s", tt.b, tt.a, got, mirror)
		}
		if tt.witness != "" && (witness(a, b) != tt.witness || witness(b, a) != tt.witness) {
			t.Errorf("%s against %s: witness %s and %s, want %s", tt.a, tt.b, witness(a, b), witness(b, a), tt.witness)
		}
	}
}

func mustPattern(t testing.TB, text string) []segment {
	t.Helper()
	segments, err := parsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return segments
}

func TestOverlapIsRefusedWithBothPositions(t *testing.T) {
	a := Source{"a.yaml", []byte("format: 1\ncontracts:\n  one: {key: 'a:{x}:c', type: string}\n")}
	b := Source{"b.yaml", []byte("format: 1\ncontracts:\n  two: {key: 'a:b:{y}', type: string}\n")}
	got := refused(t, a, b)
	want := "b.yaml:3:14: key a:b:{y} of contract 'two' overlaps key a:{x}:c of contract 'one' at a.yaml:3:14: " +
		"neither is more specific than the other, both match 'a:b:c'"
	if len(got) != 1 || got[0].String() != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
	if again := refused(t, b, a); len(again) != 1 || !strings.Contains(again[0].Message, "'a:b:c'") {
		t.Errorf("in the other order: %v", again)
	}
}

// patternText draws patterns over a small alphabet, so that they meet often.
func patternText(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "", "{v}"}), 1, 4).Draw(t, "segments")
	for i, part := range parts {
		if part == "{v}" {
			parts[i] = fmt.Sprintf("{v%d}", i)
		}
	}
	if rapid.Bool().Draw(t, "rest") {
		parts = append(parts, "{rest...}")
	}
	return strings.Join(parts, ":")
}

// matchesSlowly is the definition of a match, without any index.
func matchesSlowly(segments []segment, key string) bool {
	parts := strings.Split(key, ":")
	for i, seg := range segments {
		switch {
		case i >= len(parts):
			return false
		case seg.kind == restSegment:
			return strings.Join(parts[i:], ":") != ""
		case seg.kind == varSegment && parts[i] == "", seg.kind == literalSegment && parts[i] != seg.text:
			return false
		}
	}
	return len(parts) == len(segments)
}

// Whatever contracts load together, every key is governed by the one whose
// pattern is the narrowest of all that match, in any order of declaration.
func TestMatchAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []*Contract
		for i, text := range rapid.SliceOfN(rapid.Custom(patternText), 1, 12).Draw(t, "patterns") {
			segments, err := parsePattern(text)
			if err != nil {
				continue
			}
			c := &Contract{Name: fmt.Sprint("c", i), Key: text, segments: segments}
			if len(overlaps(append(list[:len(list):len(list)], c))) == 0 {
				list = append(list, c)
			}
		}
		shuffled := make([]*Contract, len(list))
		for i, j := range rand.New(rand.NewSource(int64(rapid.Int().Draw(t, "seed")))).Perm(len(list)) {
			shuffled[i] = list[j]
		}
		index, other := plant(list), plant(shuffled)
		for range 20 {
			key := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 1, 5).Draw(t, "key"), ":")
			var want *Contract
			for _, c := range list {
				if matchesSlowly(c.segments, key) && (want == nil || relate(c.segments, want.segments) == narrower) {
					want = c
				}
			}
			if got := index.match([]byte(key)); got != want {
				t.Fatalf("%q: got %v, want %v", key, got, want)
			}
			if got := other.match([]byte(key)); got != want {
				t.Fatalf("%q in another order: got %v, want %v", key, got, want)
			}
		}
	})
}

// relate agrees with trying keys, and a witness does match both.
func TestRelateAgreesWithTrying(t *testing.T) {
	var keys []string
	words := []string{"", "a", "b", "z"}
	for n := range 4 * 4 * 4 * 4 * 4 {
		parts := []string{words[n%4], words[n/4%4], words[n/16%4], words[n/64%4], words[n/256%4]}
		for length := 1; length <= 5; length++ {
			keys = append(keys, strings.Join(parts[:length], ":"))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, errA := parsePattern(patternText(t))
		b, errB := parsePattern(patternText(t))
		if errA != nil || errB != nil {
			t.Skip()
		}
		var both, onlyA, onlyB bool
		for _, key := range keys {
			inA, inB := matchesSlowly(a, key), matchesSlowly(b, key)
			both, onlyA, onlyB = both || inA && inB, onlyA || inA && !inB, onlyB || inB && !inA
		}
		want := disjoint
		if both {
			want = map[[2]bool]relation{{false, false}: same, {false, true}: narrower, {true, false}: wider, {true, true}: crossing}[[2]bool{onlyA, onlyB}]
		}
		if got := relate(a, b); got != want {
			t.Fatalf("got %v, want %v for %v and %v", got, want, a, b)
		}
		if w := witness(a, b); both && (!matchesSlowly(a, w) || !matchesSlowly(b, w)) {
			t.Fatalf("witness %q does not match both", w)
		}
	})
}
