package contracts

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parse compiles one file of contracts that must be in order.
func parse(t testing.TB, text string) *Set {
	t.Helper()
	set, err := Parse(Source{Name: "contracts.yaml", Data: []byte(text)})
	if err != nil {
		t.Fatalf("parse:\n%v\n---\n%s", err, text)
	}
	return set
}

// one compiles a file with a single contract, given without the head.
func one(t testing.TB, body string) *Contract {
	t.Helper()
	return parse(t, "format: 1\ncontracts:\n  it:\n    "+strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ")+"\n").Get("it")
}

// refused compiles sources that must not load and returns the problems.
func refused(t testing.TB, sources ...Source) []Problem {
	t.Helper()
	set, err := Parse(sources...)
	if err == nil {
		t.Fatalf("loaded, but should not have: %s", sources)
	}
	if set != nil {
		t.Fatal("a refused load returned a set")
	}
	var load *LoadError
	if !errors.As(err, &load) || len(load.Problems) == 0 {
		t.Fatalf("not a load error: %v", err)
	}
	for _, p := range load.Problems {
		if p.Line < 1 || p.Column < 1 || p.File == "" || p.Message == "" {
			t.Fatalf("problem without a place or a message: %+v", p)
		}
	}
	return load.Problems
}

func examples(t testing.TB) *Set {
	t.Helper()
	data, err := os.ReadFile("../examples/contracts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(data))
}

func codesOf(found []Violation) string {
	var out []string
	for _, v := range found {
		out = append(out, v.Code)
	}
	return strings.Join(out, " ")
}

// expect compares the codes of violations, and checks what holds for all.
func expect(t *testing.T, what string, found []Violation, codes string) {
	t.Helper()
	if got := codesOf(found); got != codes {
		t.Errorf("%s: got %q, want %q", what, got, codes)
	}
	for _, v := range found {
		if !slices.Contains(Codes(), v.Code) {
			t.Errorf("%s: code %q is not in the list", what, v.Code)
		}
		if v.Detail == "" || !strings.HasPrefix(v.Rule, "#/") || v.Phase == "" || v.Mode == "" {
			t.Errorf("%s: incomplete violation %+v", what, v)
		}
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
