package contracts

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPlainNumbers(t *testing.T) {
	for _, tt := range []struct {
		text        string
		integer, ok bool
	}{
		{"0", true, true}, {"7", true, true}, {"-7", true, true}, {"10", true, true}, {"9223372036854775808", true, true},
		{"0.5", false, true}, {"-0.5", false, true}, {"1.50", false, true}, {"0.0", false, true},
		{"", false, false}, {"-", false, false}, {"+5", false, false}, {"-0", false, false}, {"-0.0", false, false}, {"05", false, false},
		{"00", false, false}, {"1.", false, false}, {".5", false, false}, {"1e3", false, false}, {"1_000", false, false},
		{" 1", false, false}, {"1 ", false, false}, {"1\n", false, false}, {"0x1p-2", false, false}, {"nan", false, false},
		{"Infinity", false, false}, {"1.2.3", false, false}, {"--1", false, false}, {"١", false, false}, {"1,5", false, false},
	} {
		_, integer, ok := parsePlain([]byte(tt.text))
		if ok != tt.ok || integer != tt.integer {
			t.Errorf("%q: got integer %v, ok %v", tt.text, integer, ok)
		}
	}
}

func TestJSONNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"1e3": "1000", "1E+3": "1000", "1.50": "1.5", "-0": "0", "-0.0e5": "0", "12.5e1": "125", "12.5e-3": "0.0125", "1e-2": "0.01",
		"100e-2": "1", "-1.5e0": "-1.5", "1e400": "1" + strings.Repeat("0", 400), "0e9": "0",
		"010": "", "1_000": "", ".nan": "", ".5": "", "5.": "", "+1": "", "0x10": "", "1e": "", "1e++3": "", "e3": "", "": "",
		"1e401": "", "1e99999999999999999999": "", "--1": "", "1e3.5": "",
	} {
		d, ok := parseJSONNumber(text)
		if ok != (want != "") || ok && d.String() != want {
			t.Errorf("%q: got %q, %v; want %q", text, d.String(), ok, want)
		}
	}
}

func numberText(t *rapid.T) string {
	return rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,8})?`).Draw(t, "number")
}

func rational(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("not a number: %q", text)
	}
	return r
}

func TestComparisonIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := numberText(t), numberText(t)
		a, okA := parseJSONNumber(x)
		b, okB := parseJSONNumber(y)
		if !okA || !okB {
			t.Fatalf("not read: %q %q", x, y)
		}
		sign := func(n int) int { return min(max(n, -1), 1) }
		if got, want := sign(a.compare(b)), rational(t, x).Cmp(rational(t, y)); got != want {
			t.Fatalf("%s against %s: got %d, want %d", x, y, got, want)
		}
		if rational(t, a.String()).Cmp(rational(t, x)) != 0 {
			t.Fatalf("%s became %s", x, a)
		}
	})
}

func TestMultiplesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(0|[1-9][0-9]{0,5})\.[0-9]{1,5}|[1-9][0-9]{0,8}`).Draw(t, "step")
		d, _ := parseJSONNumber(text)
		s, ok := d.asStep()
		if !ok {
			if !d.isZero() {
				t.Fatalf("%s is no step", text)
			}
			return
		}
		value := numberText(t)
		if rapid.Bool().Draw(t, "multiple") {
			times := rapid.IntRange(-1000000, 1000000).Draw(t, "times")
			value = new(big.Rat).Mul(rational(t, text), big.NewRat(int64(times), 1)).FloatString(12)
		}
		v, _ := parseJSONNumber(value)
		want := new(big.Rat).Quo(rational(t, value), rational(t, text)).IsInt()
		if got := s.divides(v); got != want {
			t.Fatalf("%s by %s: got %v", value, text, got)
		}
	})
}

func TestPlainValues(t *testing.T) {
	for text, want := range map[string]any{
		"100": int64(100), "-1": int64(-1), "9223372036854775807": int64(9223372036854775807), "0.5": 0.5, "0.01": 0.01,
		"9223372036854775809": "9223372036854775809", "0.12345678901234567890123": "0.12345678901234567890123",
		strings.Repeat("9", 41): nil,
	} {
		d, _ := parseJSONNumber(text)
		if got := d.plain(); got != want {
			t.Errorf("%s: got %v (%T)", text, got, got)
		}
	}
	d, _ := parseJSONNumber("12345678901234567890.5")
	if text, err := json.Marshal(d); err != nil || string(text) != "12345678901234567890.5" {
		t.Errorf("%s %v", text, err)
	}
	if fmt.Sprint(d) != "12345678901234567890.5" {
		t.Error(d)
	}
}
