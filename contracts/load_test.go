package contracts

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRefusedFiles compares every problem of the files in testdata/refused,
// position included, with a golden file.
func TestRefusedFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/refused/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			refused(t, Source{filepath.Base(file), data})
			_, err = Parse(Source{filepath.Base(file), data})
			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, readErr := os.ReadFile(golden)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if err.Error()+"\n" != string(want) {
				t.Errorf("got\n%v\nwant\n%s", err, want)
			}
		})
	}
}

func TestSeveralSources(t *testing.T) {
	a := Source{"a.yaml", []byte("format: 1\nunmatched: deny\ncontracts:\n  one: {key: 'a', type: string}\n")}
	b := Source{"b.yaml", []byte("format: 1\ndefaults: {mode: warn, existing: strict, maxKeyBytes: 10}\ncontracts:\n  two: {key: 'b', type: string, mode: enforce}\n")}
	set, err := Parse(a, b)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Parse(b, a)
	if err != nil {
		t.Fatal(err)
	}
	if set.Hash() != other.Hash() {
		t.Error("the order of files matters")
	}
	one, two := set.Get("one"), set.Get("two")
	if one.Mode != Warn || one.Existing != Strict || two.Mode != Enforce || one.File != "a.yaml" || one.Line != 4 || one.Column != 3 {
		t.Errorf("%+v %+v", one, two)
	}
	if set.MaxKeyBytes() != 10 || set.Match([]byte("x")).Mode != Enforce || set.Get("three") != nil {
		t.Error("defaults of one file do not hold for all")
	}
	for _, tt := range []struct{ second, problem string }{
		{"format: 1\ncontracts:\n  one: {key: 'c', type: string}\n", "c.yaml:3:3: contract 'one' is declared already at a.yaml:4:3"},
		{"format: 1\nunmatched: deny\n", "c.yaml:2:12: unmatched is declared already at a.yaml:2:12"},
	} {
		found := refused(t, a, Source{"c.yaml", []byte(tt.second)})
		if len(found) != 1 || found[0].String() != tt.problem {
			t.Errorf("got %v, want %s", found, tt.problem)
		}
	}
	// One bad file refuses all, and all bad files are reported.
	found := refused(t, Source{"x.yaml", []byte("format: 3\n")}, a, Source{"y.yaml", []byte("a: [")})
	if len(found) != 2 || found[0].File != "x.yaml" || found[1].File != "y.yaml" {
		t.Errorf("%v", found)
	}
}

func TestEmptySet(t *testing.T) {
	set, err := Parse()
	if err != nil || set.Hash() != Empty().Hash() || len(set.Contracts()) != 0 || set.MaxKeyBytes() != 1024 {
		t.Errorf("%+v %v", set, err)
	}
	if set := parse(t, "format: 1\ncontracts: {}\n"); set.Hash() != Empty().Hash() {
		t.Error("a file without contracts is not empty")
	}
	if set := parse(t, "\ufeffformat: 1\ncontracts:\n"); len(set.Contracts()) != 0 {
		t.Error("a byte order mark")
	}
}

func TestYAMLThatLooksLikeSomethingElse(t *testing.T) {
	c := one(t, `
key: k
type: hash
description: 2025-01-02
owner: yes
fields:
  a: {enum: [2025-01-02, yes, off, 'no', 1e3x], type: string}
  b: {type: integer, minimum: 1e3, maximum: 1.0e4}
  1: {maxLength: 1}
  true: {maxLength: 1}
  010: {maxLength: 1e0}`)
	for field, codes := range map[string]string{"1": "value.length", "true": "value.length", "010": "value.length", "8": "field.unknown"} {
		expect(t, field, c.CheckField([]byte(field), []byte("ab")), codes)
	}
	expect(t, "a date stays text", c.CheckField([]byte("a"), []byte("2025-01-02")), "")
	expect(t, "1e3 is a thousand", c.CheckField([]byte("b"), []byte("999")), "number.minimum")
	expect(t, "1.0e4 is ten thousand", c.CheckField([]byte("b"), []byte("10001")), "number.maximum")
	if c.Description != "2025-01-02" || c.Owner != "yes" {
		t.Errorf("%+v", c)
	}
}

func TestProblemsAreCapped(t *testing.T) {
	text := "format: 1\n" + strings.Repeat("x: 1\n", 5000)
	_, err := Parse(Source{"c.yaml", []byte(text)})
	load := err.(*LoadError)
	if len(load.Problems) != 100 || load.Omitted != 5000-100 || !strings.HasSuffix(err.Error(), "... and 4900 more") {
		t.Errorf("%d shown, %d omitted", len(load.Problems), load.Omitted)
	}
}

func TestCaps(t *testing.T) {
	var many strings.Builder
	many.WriteString("format: 1\ncontracts:\n")
	for i := range maxContracts + 1 {
		many.WriteString("  c" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + itoa(i) + ": {key: 'k" + itoa(i) + "', type: string}\n")
	}
	if found := refused(t, Source{"c.yaml", []byte(many.String())}); !strings.Contains(found[0].Message, "at most 4096 are allowed") {
		t.Error(found[0])
	}
	big := Source{"c.yaml", []byte("format: 1\n#" + strings.Repeat("x", maxSourceBytes))}
	if found := refused(t, big); !strings.Contains(found[0].Message, "larger than 1 MiB") {
		t.Error(found[0])
	}
}
