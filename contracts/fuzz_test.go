package contracts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse feeds the loader any bytes. It must refuse with places, or return
// a set that can be used in every way.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/refused/*.yaml")
	for _, file := range append(files, "../examples/contracts.yaml") {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), []byte("queue:order:new"), []byte("value"))
	}
	for _, seed := range []string{
		"", "format: 1", "format: 1\ncontracts: {a: {key: '{x}', type: zset, score: {multipleOf: 0.01}}}", "a: &a [*a]", "? - [", "\xff", "- - - - -",
		"format: 1\ncontracts: {a: {key: '{x...}', type: hash, fields: {b: {enum: [a]}}, additionalFields: true}}", "{{{{{{", "format: 1\n... \n---\n",
		"format: 1\ncontracts: {a: {key: a, type: string, value: {pattern: '^(a|b)*$'}, ttl: {min: 1s, max: 1d}}}", "a: |\n  b\n c", "!!binary x", ": :", "\"\\x",
	} {
		f.Add(seed, []byte("a"), []byte("1"))
	}
	f.Fuzz(func(t *testing.T, text string, key, value []byte) {
		set, err := Parse(Source{"fuzz.yaml", []byte(text)})
		if err != nil {
			var load *LoadError
			if set != nil || !errors.As(err, &load) || len(load.Problems) == 0 {
				t.Fatalf("set %v, error %v", set, err)
			}
			for _, p := range load.Problems {
				if p.File != "fuzz.yaml" || p.Line < 1 || p.Column < 1 || p.Message == "" {
					t.Fatalf("problem without a place: %+v", p)
				}
				if strings.Contains(p.Message, "%!") {
					t.Fatalf("badly formatted: %s", p.Message)
				}
			}
			return
		}
		useEverything(set, key, value)
	})
}

func useEverything(set *Set, key, value []byte) {
	Lint(set)
	set.Hash()
	set.Explain(key)
	score := float64(len(value)) / 3
	for _, c := range append(set.Contracts(), set.Match(key)) {
		c.Document()
		c.CheckType(TypeSet)
		c.CheckOperation(Call{Verb: "SPOP"})
		c.CheckOperation(Call{Verb: "BRPOP"})
		c.CheckValue(value)
		c.CheckField(key, value)
		c.CheckItem(value)
		c.CheckScore(score)
		c.CheckCount(uint64(len(value)))
		c.CheckTTL(TTLState{Has: true, Set: true, Remaining: 1})
		c.CheckTTL(TTLState{})
		for _, name := range c.RequiredFields() {
			c.MissingField(name)
		}
	}
	found := set.Match(key).CheckKey(key)
	Ratchet(found, found)
}
