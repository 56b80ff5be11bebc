package contracts

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"
)

const hashedText = `
format: 1
contracts:
  it:
    key: k:{a}:{b}
    type: hash
    vars: {a: {maxLength: 1}, b: {excludes: [control, whitespace]}}
    fields: {x: {enum: [p, q]}, y: {type: integer, minimum: 1000, enum: [1000, 2000]}, z: {maxBytes: 1KiB}}
    required: [x, y]
    ttl: {max: 1h}
    operations: [HSET, DEL]
  other: {key: other, type: string}
`

const hashedTextInAnotherForm = `
# comments and form do not count
contracts:
  other:
    type: string
    key: "other"
    mode: enforce
  it:
    operations: {DEL: {}, HSET: }
    required: [y, x]
    ttl: {max: 60m, required: false}
    type: hash
    additionalFields: false
    fields:
      z: {maxBytes: 1024}
      y: {enum: [2e3, 1e3], minimum: 1e3, type: integer}
      x: {enum: [q, p], type: string}
    vars: {b: {excludes: [whitespace, control]}, a: {maxLength: 1}}
    key: k:{a}:{b}
format: 1
unmatched: allow
`

// hashEdits are changes of meaning.
var hashEdits = [][2]string{
	{"key: k:{a}:{b}", "key: j:{a}:{b}"}, {"maxLength: 1", "maxLength: 2"}, {"[p, q]", "[p, r]"}, {"minimum: 1000", "minimum: 999"},
	{"1KiB", "1025"}, {"required: [x, y]", "required: [x]"}, {"max: 1h", "max: 2h"}, {"[HSET, DEL]", "[HSET]"}, {"[control, ", "["},
	{"type: hash", "type: hash\n    mode: warn"}, {"type: hash", "type: hash\n    existing: strict"}, {"type: hash", "type: hash\n    owner: me"},
	{"type: hash", "type: hash\n    sensitive: true"}, {"type: hash", "type: hash\n    maxItems: 5"}, {"type: hash", "type: hash\n    reads: listed"},
}

func TestHashIgnoresForm(t *testing.T) {
	set := parse(t, hashedText)
	same := parse(t, hashedTextInAnotherForm)
	if set.Hash() != same.Hash() || set.Get("it").Hash() != same.Get("it").Hash() {
		t.Error("the form of a file changes its hash")
	}
	for _, edit := range hashEdits {
		changed := strings.Replace(hashedText, edit[0], edit[1], 1)
		if parse(t, changed).Get("it").Hash() == set.Get("it").Hash() {
			t.Errorf("%s changes nothing", edit[1])
		}
	}
	if parse(t, hashedText+"defaults: {maxKeyBytes: 9}\n").Hash() == set.Hash() || parse(t, hashedText+"unmatched: deny\n").Hash() == set.Hash() {
		t.Error("the defaults do not count")
	}
	revised := set.AssignRevisions(map[string]Assigned{"it": {ID: 4, Revision: 9}})
	if revised.Hash() != set.Hash() {
		t.Error("revisions count")
	}
}

// A hash that changes without reason would give every contract of every
// installation a new revision.
func TestHashIsFrozen(t *testing.T) {
	sum := examples(t).Get("session").Hash()
	if got := hex.EncodeToString(sum[:]); got != "bae1c99c07942afd31aadfdee157abaad8831311ee4823698e3f97a0c7ad46f1" {
		t.Errorf("got %s", got)
	}
}

func TestAssignRevisions(t *testing.T) {
	set := examples(t)
	revised := set.AssignRevisions(map[string]Assigned{"session": {ID: 4, Revision: 9}, "nobody": {ID: 5}})
	c := revised.Match([]byte("session:1"))
	if c.ID != 4 || c.Revision != 9 || c != revised.Get("session") || len(revised.Contracts()) != 5 {
		t.Errorf("%+v", c)
	}
	if set.Get("session").Revision != 0 {
		t.Error("the original set changed")
	}
	if v := c.CheckTTL(TTLState{})[0]; v.Revision != 9 {
		t.Errorf("%+v", v)
	}
	if again := revised.AssignRevisions(nil).Get("session"); again.Revision != 9 {
		t.Errorf("%+v", again)
	}
	if !strings.Contains(documentText(t, c), `"revision":9`) {
		t.Error("the document lacks the revision")
	}
}

func documentText(t *testing.T, c *Contract) string {
	t.Helper()
	text, err := json.Marshal(c.Document())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDocuments(t *testing.T) {
	want, err := os.ReadFile("testdata/documents.json")
	var got bytes.Buffer
	for _, c := range examples(t).Contracts() {
		if err := json.Indent(&got, []byte(documentText(t, c)), "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
	}
	if *update {
		err = os.WriteFile("testdata/documents.json", got.Bytes(), 0o644)
		want = got.Bytes()
	}
	if err != nil || got.String() != string(want) {
		t.Errorf("%v\n%s", err, got.String())
	}
}

// The document of a contract, written as JSON, is a contract file again that
// says the same.
func TestDocumentsCanBeReadBack(t *testing.T) {
	for _, c := range examples(t).Contracts() {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(documentText(t, c)), &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "name")
		body, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		again := parse(t, `{"format": 1, "contracts": {"`+c.Name+`": `+string(body)+`}}`)
		if again.Get(c.Name).Hash() != c.Hash() {
			t.Errorf("%s\nbecame %s", documentText(t, c), documentText(t, again.Get(c.Name)))
		}
	}
}

func TestExplain(t *testing.T) {
	set := parse(t, `
format: 1
unmatched: deny
contracts:
  rest: {key: 'q:{r...}', type: list}
  any: {key: 'q:{a}:{b}', type: list, vars: {b: {maxLength: 2}}, reads: listed, operations: {BRPOP: {timeout: {max: 5s}}, LLEN: , LPOP: {count: {min: 1, max: 2}}}}
  all: {key: '{x...}', type: string}
`)
	e := set.Explain([]byte("q:one:two"))
	if e.Contract != "any" || !e.Governed || e.Key != "q:{a}:{b}" || e.Type != TypeList || e.MaxKeyBytes != 1024 {
		t.Errorf("%+v", e)
	}
	if !slices.Equal(e.Variables, []Variable{{"a", "one"}, {"b", "two"}}) {
		t.Errorf("variables %v", e.Variables)
	}
	if !slices.Equal(e.RunnersUp, []Candidate{{"rest", "q:{r...}"}, {"all", "{x...}"}}) {
		t.Errorf("runners-up %v", e.RunnersUp)
	}
	if len(e.Operations) != 2 || e.Operations[0].Verb != "BRPOP" || e.Operations[0].Timeout.Max != "5s" || e.Operations[1].Count.Max != 2 {
		t.Errorf("operations %+v", e.Operations)
	}
	if len(e.Reads) != 1 || e.Reads[0].Verb != "LLEN" {
		t.Errorf("reads %+v", e.Reads)
	}
	if codesOf(e.Violations) != "key.var" {
		t.Errorf("violations %v", e.Violations)
	}
	if e := set.Explain([]byte("q:a:b:c")); e.Contract != "rest" || !slices.Equal(e.Variables, []Variable{{"r", "a:b:c"}}) || len(e.Operations) != len(VerbsOf(TypeList)) || e.Reads != nil {
		t.Errorf("%+v", e)
	}
	if e := set.Explain(nil); e.Governed || codesOf(e.Violations) != "key.unmatched" || len(e.RunnersUp) != 0 || e.Mode != Enforce {
		t.Errorf("%+v", e)
	}
}

func TestPointers(t *testing.T) {
	for want, path := range map[string][]string{
		"#": nil, "#/": {""}, "#/a/b": {"a", "b"}, "#/a~1b/m~0n": {"a/b", "m~n"}, "#/~01": {"~1"}, "#/c%25d/e%5Ef/g%7Ch/%20/k%22l": {"c%d", "e^f", "g|h", " ", `k"l`},
		"#/%C3%A9/%FF/%00%0D%0A": {"é", "\xff", "\x00\r\n"}, "#/operations/2/fields/level": {"operations", "2", "fields", "level"}, "#/a:b@c!$&'()*+,;=?": {"a:b@c!$&'()*+,;=?"},
	} {
		if got := Pointer(path...); got != want {
			t.Errorf("%q: got %s, want %s", path, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"nickname", "level", "avatar", "a", "b"}
	for word, want := range map[string]string{
		"nickame": "nickname", "nicknmae": "nickname", "LEVEL": "level", "lvel": "level", "zzzzz": "", "": "", "c": "a", "ba": "a",
		strings.Repeat("x", 1000): "",
	} {
		if got := nearest(word, names); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	shuffled := slices.Clone(names)
	for range 20 {
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if nearest("c", shuffled) != "a" {
			t.Error("the order of candidates matters")
		}
	}
}

func TestCodesAreSortedAndUnique(t *testing.T) {
	list := Codes()
	if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
		t.Errorf("%v", list)
	}
	for _, f := range formats {
		if !slices.Contains(list, f.code) {
			t.Errorf("%s is missing", f.code)
		}
	}
}
