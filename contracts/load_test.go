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

func TestRefusedText(t *testing.T) {
	contract := func(body string) string {
		return "format: 1\ncontracts:\n  it:\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n"
	}
	text := func(rule string) string { return contract("key: k\ntype: string\nvalue: " + rule) }
	for _, tt := range []struct{ text, place, problem string }{
		{"", "1:1", "file is empty"},
		{"# only a comment\n", "1:1", "file is empty"},
		{"just text", "1:1", "must be a mapping"},
		{"- a\n", "1:1", "must be a mapping"},
		{"a: 1\n", "1:1", "format is missing"},
		{"format: 2\nnonsense: [", "2:11", "syntax:"},
		{"format: 2\nnonsense: 1\n", "1:9", "format 2 is newer than this program"},
		{"format: 0\n", "1:9", "format must be 1"},
		{"format: 01\n", "1:9", "format must be 1"},
		{"format: '1'\n", "1:9", "format must be 1"},
		{"format: 1.0\n", "1:9", "format must be 1"},
		{"format:\n", "1:8", "format must be 1"},
		{"format: 1\n---\nformat: 1\n", "3:1", "only one document"},
		{"format: 1\ncontract: {}\n", "2:1", "did you mean 'contracts'?"},
		{"format: 1\ncontracts: []\n", "2:12", "must be a mapping, not a list"},
		{"format: 1\ndefaults: {mode: of}\n", "2:18", "did you mean 'off'?"},
		{"format: 1\ndefaults: {maxKeyBytes: 1025}\n", "2:25", "between 1 and 1024"},
		{"format: 1\ndefaults: {maxKeyBytes: 2KiB}\n", "2:25", "between 1 and 1024"},
		{"format: 1\ndefaults: {maxKeyBytes: 0}\n", "2:25", "between 1 and 1024"},
		{"format: 1\nformat: 1\n", "2:1", "duplicate key 'format', first used at line 1, column 1"},
		{"format: 1\nx: &a 1\ny: *a\n", "2:4", "anchors"},
		{"format: 1\nx: {<<: {a: 1}}\n", "2:5", "merge keys"},
		{"format: !!int 1\n", "1:9", "tags"},
		{"%YAML 1.2\n---\nformat: 1\n", "1:1", "directives"},
		{"format: 1\n? [a]\n: b\n", "", ""},
		{"format: 1\n? a\n: b\n", "2:1", "only plain keys"},
		{"format: \xff1\n", "1:9", "not valid UTF-8"},
		{"format: 1\nx: \x00\n", "2:4", "control character U+0000"},
		{"format: 1\n\tx: 1\n", "2:2", "syntax:"},
		{"format: 1\nx: " + strings.Repeat("[", 100) + "\n", "2:20", "nested too deeply"},
		{"format: 1\nx: " + strings.Repeat("- ", 100) + "\n", "", "nested too deeply"},
		{"format: 1\ncontracts:\n  1a!: {}\n", "3:3", "a name is a letter or digit"},
		{"format: 1\ncontracts:\n  " + strings.Repeat("a", 65) + ": {}\n", "3:3", "at most 64"},
		{"format: 1\ncontracts:\n  explain: {key: k, type: string}\n", "3:3", "reserved"},
		{contract("key: k"), "3:3", "has no type"},
		{contract("type: string"), "3:3", "has no key"},
		{contract("key: 1\ntype: string"), "4:10", "put 1 in quotes"},
		{contract("key: [k]\ntype: string"), "4:10", "must be text, not a list"},
		{contract("key: k\ntype: Hash"), "5:11", "did you mean 'hash'?"},
		{contract("key: k\ntype: stream"), "5:11", "must be one of string, hash, list, set, zset, not 'stream'"},
		{contract("key: k\ntype: string\nmode: on"), "6:11", "must be one of enforce, warn, off"},
		{contract("key: k\ntype: string\nmode: false"), "6:11", "must be one of enforce, warn, off"},
		{contract("key: k\ntype: string\nowner: yes\ndescription: 010"), "7:18", "put 010 in quotes"},
		{contract("key: k\ntype: string\nsensitive: yes"), "6:16", "true or false, not 'yes'"},
		{contract("key: k\ntype: string\ndescription: " + strings.Repeat("a", 5000)), "6:18", "longer than 4096"},
		{contract("key: k\ntype: set\nscore: {minimum: 1}"), "6:5", "score does not apply to a set; it belongs to type zset"},
		{contract("key: k\ntype: string\nmaxItems: 1"), "6:5", "maxItems does not apply to a string"},
		{contract("key: k\ntype: string\nrules: []"), "6:5", "rules is reserved"},
		{contract("key: k\ntype: hash\nordered: [a, b]"), "6:5", "ordered is reserved"},
		{text("{schema: {}}"), "6:13", "schema is reserved"},
		{text("{maxlength: 1}"), "6:13", "did you mean 'maxLength'?"},
		{text("[]"), "6:12", "value must be a mapping, not a list"},
		{text("{maxLength: 1, maxLength: 2}"), "6:27", "duplicate key 'maxLength'"},
		{text("{maxBytes: 10KB}"), "6:23", "write 10KiB (10240) or 10000"},
		{text("{maxBytes: 10kb}"), "6:23", "write 10KiB (10240) or 10000"},
		{text("{maxBytes: 10 KiB}"), "6:23", "write 10KiB (10240)"},
		{text("{maxBytes: 2MB}"), "6:23", "write 2MiB (2097152) or 2000000"},
		{text("{maxBytes: 5B}"), "6:23", "write 5"},
		{text("{maxBytes: 1GiB}"), "6:23", "sizes are bytes, KiB or MiB"},
		{text("{maxBytes: 1.5KiB}"), "6:23", "unknown unit"},
		{text("{maxBytes: '10'}"), "6:23", "out of its quotes"},
		{text("{maxBytes: 99999999999999999999KiB}"), "6:23", "must be a size"},
		{text("{maxBytes: 9999999999999999KiB}"), "6:23", "out of range"},
		{text("{maxBytes: -1KiB}"), "6:23", "must be a number"},
		{text("{maxBytes: 0}"), "6:23", "at least 1"},
		{text("{maxBytes: 010}"), "6:23", "write 10"},
		{text("{maxLength: 1_000}"), "6:24", "write 1000"},
		{text("{maxLength: 1KiB}"), "6:24", "must be a number"},
		{text("{maxLength: 1.5}"), "6:24", "whole number"},
		{text("{maxLength: .inf}"), "6:24", "finite"},
		{text("{maxLength: 99999999999999999999}"), "6:24", "whole number"},
		{text("{maxLength: }"), "6:24", "must be a number, not nothing"},
		{text("{minLength: -1}"), "6:24", "at least 0"},
		{text("{minLength: 2, maxLength: 1}"), "6:24", "minLength 2 is more than maxLength 1"},
		{text("{minBytes: 1KiB, maxBytes: 1}"), "6:23", "minBytes 1024 is more than maxBytes 1"},
		{text("{minLength: 3, maxBytes: 2}"), "6:24", "minLength 3 is more than maxBytes 2"},
		{text("{encoding: latin1}"), "6:23", "must be one of utf-8"},
		{text("{format: uri}"), "6:21", "did you mean 'url'?"},
		{text("{format: date}"), "6:21", "did you mean 'iso8601-date'?"},
		{text("{format: banana}"), "6:21", "known are url"},
		{text("{enum: []}"), "6:19", "must not be empty"},
		{text("{enum: [1]}"), "6:20", "put 1 in quotes"},
		{text("{enum: [a, a]}"), "6:23", "twice"},
		{text("{enum: [a, bcd], maxLength: 2}"), "6:23", "enum allows 'bcd', which the rule itself refuses"},
		{text("{type: integer, enum: [5, 7], maximum: 6}"), "6:38", "enum allows '7'"},
		{text("{type: integer, enum: [1.5]}"), "6:35", "no integer"},
		{text("{type: integer, enum: [1, 1.0]}"), "6:38", "twice"},
		{text("{type: boolean}"), "6:19", "there is no type boolean"},
		{text("{type: integer, maxLength: 3}"), "6:28", "maxLength does not apply to type integer"},
		{text("{minimum: 3}"), "6:13", "minimum does not apply to type string"},
		{text("{type: integer, minimum: 1.5}"), "6:37", "must be an integer"},
		{text("{type: integer, minimum: 2, maximum: 1}"), "6:37", "minimum 2 is more than maximum 1"},
		{text("{type: number, minimum: .nan}"), "6:36", "finite"},
		{text("{type: number, minimum: '1'}"), "6:36", "out of its quotes"},
		{text("{type: number, multipleOf: 0}"), "6:39", "more than zero"},
		{text("{type: number, multipleOf: -1}"), "6:39", "more than zero"},
		{text("{type: number, multipleOf: 1.0000000000000000001}"), "6:39", "at most 18 digits"},
		{text("{required: true}"), "6:13", "required is a list"},
		{text("{excludes: []}"), "6:23", "must not be empty"},
		{text("{excludes: [ab]}"), "6:24", "neither one character"},
		{text("{excludes: [whitespaces]}"), "6:24", "did you mean 'whitespace'?"},
		{text("{excludes: [control, control]}"), "6:33", "twice"},
		{text("{pattern: 'a(b'}"), "6:23", "missing closing )"},
		{text("{pattern: 'ab[z-a]'}"), "6:26", "invalid character class range 'z-a'"},
		{text("{pattern: '^(?=a)b$'}"), "6:24", "look-around"},
		{text("{pattern: 'a{1001}'}"), "6:24", "invalid repeat count"},
		{text("{pattern: '(?m)^a$'}"), "6:23", "(?m)"},
		{text("{pattern: '^(?i-m:a)$'}"), "6:24", "(?m)"},
		{text("{pattern: 'a(?sm)b$'}"), "6:24", "(?m)"},
		{text("{pattern: " + strings.Repeat("a", 1025) + "}"), "6:22", "longer than 1024"},
		{contract("key: k:{a}\ntype: string\nvars: {b: {}}"), "6:12", "has no variable 'b'"},
		{contract("key: k:{a}\ntype: string\nvars: {a: {allowEmpty: true}}"), "6:16", "never empty"},
		{contract("key: k\ntype: string\nttl: required"), "6:10", "write {required: true}"},
		{contract("key: k\ntype: string\nttl: {}"), "6:10", "says nothing"},
		{contract("key: k\ntype: string\nttl: none"), "6:10", "must be one of optional, forbidden"},
		{contract("key: k\ntype: string\nttl: {max: 3600}"), "6:16", "write 3600s for seconds"},
		{contract("key: k\ntype: string\nttl: {max: 0s}"), "6:16", "more than zero"},
		{contract("key: k\ntype: string\nttl: {max: -1h}"), "6:16", "more than zero"},
		{contract("key: k\ntype: string\nttl: {max: 1w}"), "6:16", "not a duration"},
		{contract("key: k\ntype: string\nttl: {max: 200000d}"), "6:16", "out of range"},
		{contract("key: k\ntype: string\nttl: {max: 1us}"), "6:16", "whole milliseconds"},
		{contract("key: k\ntype: string\nttl: {min: 2h, max: 1h}"), "6:16", "ttl min 2h is more than max 1h"},
		{contract("key: k\ntype: string\nttl: {default: 2h, max: 1h}"), "6:20", "ttl default 2h is more than max 1h"},
		{contract("key: k\ntype: string\nttl: {default: 1s, min: 1h}"), "6:20", "ttl default 1s is less than min 1h"},
		{contract("key: k\ntype: set\nmaxItems: 0"), "6:15", "at least 1"},
		{contract("key: k\ntype: set\nmaxItems: -5"), "6:15", "at least 1"},
		{contract("key: k\ntype: set\nmaxResult: 1e30"), "6:16", "whole number"},
		{contract("key: k\ntype: hash\nfields: {}\nrequired: [a]"), "7:16", "not among the fields"},
		{contract("key: k\ntype: hash\nfields: {level: {}}\nrequired: [levl]"), "7:16", "did you mean 'level'?"},
		{contract("key: k\ntype: hash\nfields: {a: {}}\nrequired: [a, a]"), "7:19", "twice"},
		{contract("key: k\ntype: hash\nfields: {a: {}, b: {}}\nrequired: [a, b]\nmaxItems: 1"), "7:15", "maxItems is 1"},
		{contract("key: k\ntype: list\noperations: []"), "6:17", "must not be empty"},
		{contract("key: k\ntype: list\noperations: LPUSH"), "6:17", "must be a list"},
		{contract("key: k\ntype: list\noperations: [LPUSH, LPUSH]"), "6:25", "twice"},
		{contract("key: k\ntype: list\noperations: [lpush]"), "6:18", "must be written in capitals: LPUSH"},
		{contract("key: k\ntype: list\noperations: [LPUHS]"), "6:18", "did you mean LPUSH?"},
		{contract("key: k\ntype: list\noperations: [HSET]"), "6:18", "is a command of a hash, not of a list"},
		{contract("key: k\ntype: list\noperations: [LRANGE]"), "6:18", "reads are open"},
		{contract("key: k\ntype: list\noperations: [LMOVE]"), "6:18", "pop of its source"},
		{contract("key: k\ntype: set\noperations: [SMOVE]"), "6:18", "SREM from its source and SADD"},
		{contract("key: k\ntype: string\noperations: [INCR]"), "6:18", "counts as INCRBY"},
		{contract("key: k\ntype: string\noperations: [PEXPIREAT]"), "6:18", "counts as EXPIRE"},
		{contract("key: k\ntype: list\noperations: {LPUSH: {timeout: {max: 1s}}}"), "6:26", "no argument whose range"},
		{contract("key: k\ntype: list\noperations: {BRPOP: {count: {max: 1}}}"), "6:26", "unknown key 'count'"},
		{contract("key: k\ntype: list\noperations: {BRPOP: {timeout: {}}}"), "6:35", "says nothing"},
		{contract("key: k\ntype: list\noperations: {BRPOP: {timeout: {min: 2s, max: 1s}}}"), "6:41", "min is more than max"},
		{contract("key: k\ntype: list\noperations: {BRPOP: {timeout: {min: 0s}}}"), "6:41", "more than zero"},
		{contract("key: k\ntype: list\noperations: {LPOP: {count: {max: 0}}}"), "6:38", "at least 1"},
		{contract("key: k\ntype: list\nreads: listed"), "6:12", "needs operations"},
		{contract("key: k\ntype: list\nreads: closed"), "6:12", "must be one of open, listed"},
		{contract("key: k\ntype: zset\nscore: {maxLength: 1}"), "6:13", "unknown key 'maxLength' in score"},
		{contract("key: k\ntype: zset\nscore: {maximum: 1e400}"), "6:22", "beyond the range of a score"},
		{contract("key: session:{userId}:\ntype: string"), "4:10", "syntax:"},
	} {
		found := refused(t, Source{"c.yaml", []byte(tt.text)})
		first := found[0].String()
		if !strings.HasPrefix(first, "c.yaml:"+tt.place) || !strings.Contains(first, tt.problem) {
			t.Errorf("%q:\n got  %s\n want %s: ...%s...", tt.text, first, tt.place, tt.problem)
		}
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
	if found := refused(t, big); !strings.Contains(found[0].Message, "larger than 4 MiB") {
		t.Error(found[0])
	}
}
