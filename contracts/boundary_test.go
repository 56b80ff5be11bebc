package contracts

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// text of exactly so many characters, of mixed widths.
func characters(t *rapid.T, n int) string {
	return string(rapid.SliceOfN(rapid.SampledFrom([]rune("aZ9é日\U0001F600")), n, n).Draw(t, "text"))
}

// Values made to sit on a limit pass, and those one step beyond it fail with
// the code of that limit, whatever the limit is.
func TestBoundaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.IntRange(1, 40).Draw(t, "low")
		high := low + rapid.IntRange(0, 40).Draw(t, "span")
		step := rapid.IntRange(1, 9).Draw(t, "step")
		type example struct{ rule, value, codes string }
		integer := func(n int) string { return fmt.Sprint(n) }
		number := fmt.Sprintf("{type: number, minimum: %d.5, maximum: %d.5}", low, high)
		examples := []example{
			{fmt.Sprintf("{minLength: %d}", low), characters(t, low), ""},
			{fmt.Sprintf("{minLength: %d}", low), characters(t, low-1), "value.length"},
			{fmt.Sprintf("{maxLength: %d}", high), characters(t, high), ""},
			{fmt.Sprintf("{maxLength: %d}", high), characters(t, high+1), "value.length"},
			{fmt.Sprintf("{minBytes: %d}", low), strings.Repeat("\xff", low), ""},
			{fmt.Sprintf("{minBytes: %d}", low), strings.Repeat("\xff", low-1), "value.bytes"},
			{fmt.Sprintf("{maxBytes: %dKiB}", high), strings.Repeat("x", high<<10), ""},
			{fmt.Sprintf("{maxBytes: %dKiB}", high), strings.Repeat("x", high<<10+1), "value.bytes"},
			{fmt.Sprintf("{type: integer, minimum: %d}", -low), integer(-low), ""},
			{fmt.Sprintf("{type: integer, minimum: %d}", -low), integer(-low - 1), "number.minimum"},
			{fmt.Sprintf("{type: integer, maximum: %d}", high), integer(high), ""},
			{fmt.Sprintf("{type: integer, maximum: %d}", high), integer(high + 1), "number.maximum"},
			{fmt.Sprintf("{type: integer, maximum: %d%030d}", high, 0), fmt.Sprintf("%d%030d", high, 1), "number.maximum"},
			{number, fmt.Sprintf("%d.5", low), ""}, {number, fmt.Sprintf("%d.4999999999999999999999", low), "number.minimum"},
			{number, fmt.Sprintf("%d.50", high), ""}, {number, fmt.Sprintf("%d.5000000000000000000001", high), "number.maximum"},
			{fmt.Sprintf("{type: integer, multipleOf: %d}", step+1), integer((step + 1) * low), ""},
			{fmt.Sprintf("{type: integer, multipleOf: %d}", step+1), integer((step+1)*low + 1), "number.multipleOf"},
		}
		e := rapid.SampledFrom(examples).Draw(t, "example")
		set, err := Parse(Source{"c.yaml", []byte("format: 1\ncontracts: {it: {key: k, type: string, value: " + e.rule + "}}\n")})
		if err != nil {
			t.Fatal(err)
		}
		if got := codesOf(set.Get("it").CheckValue([]byte(e.value))); got != e.codes {
			t.Fatalf("%s with %q: got %q, want %q", e.rule, e.value, got, e.codes)
		}
	})
}

// The same rule means the same for values, fields, elements and variables.
func TestRulesMeanTheSameEverywhere(t *testing.T) {
	for _, rule := range []string{"{maxLength: 2}", "{type: integer, maximum: 9}", "{pattern: '^[a-z]$'}", "{enum: [a, '1']}", "{excludes: ['é']}"} {
		str := one(t, "key: k\ntype: string\nvalue: "+rule)
		hash := one(t, "key: k\ntype: hash\nfields: {f: "+rule+"}")
		list := one(t, "key: k\ntype: list\nitems: "+rule)
		vars := one(t, "key: '{v}'\ntype: string\nvars: {v: "+rule+"}")
		for _, text := range []string{"a", "1", "10", "abc", "é", "Z", "-0"} {
			want := codesOf(str.CheckValue([]byte(text)))
			if got := codesOf(hash.CheckField([]byte("f"), []byte(text))); got != want {
				t.Errorf("%s %s: field %q, value %q", rule, text, got, want)
			}
			if got := codesOf(list.CheckItem([]byte(text))); got != want {
				t.Errorf("%s %s: item %q, value %q", rule, text, got, want)
			}
			if got := len(vars.CheckKey([]byte(text))) > 0; got != (want != "") {
				t.Errorf("%s %s: variable %v, value %q", rule, text, got, want)
			}
		}
	}
}
