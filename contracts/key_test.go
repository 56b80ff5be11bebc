package contracts

import (
	"reflect"
	"testing"
)

func TestVariables(t *testing.T) {
	set := parse(t, `
format: 1
contracts:
  it:
    key: user:{id}:{path...}
    type: string
    vars:
      id: {maxLength: 3, pattern: '^[a-z]+$', encoding: utf-8}
      path: {excludes: [control]}
`)
	for _, tt := range []struct{ key, codes string }{
		{"user:abc:x", ""}, {"user:abcd:x", "key.var"}, {"user:ABCD:x", "key.var key.var"}, {"user:\xff:x", "key.encoding key.var"},
		{"user:a:x:\x01:y", "key.var"}, {"user:a:b:c:d", ""},
	} {
		c := set.Match([]byte(tt.key))
		if !c.Governed() {
			t.Errorf("%q slipped out of its contract", tt.key)
		}
		expect(t, tt.key, c.CheckKey([]byte(tt.key)), tt.codes)
	}
	v := set.Match([]byte("user:abcd:x")).CheckKey([]byte("user:abcd:x"))[0]
	if v.Rule != "#/contracts/it/vars/id/maxLength" || v.Limit != int64(3) || v.Actual != int64(4) {
		t.Errorf("%+v", v)
	}
}

func TestUnmatched(t *testing.T) {
	key := []byte("stray")
	for word, want := range map[string]string{"allow": "", "warn": "key.unmatched", "deny": "key.unmatched"} {
		c := parse(t, "format: 1\nunmatched: "+word+"\n").Match(key)
		found := c.CheckKey(key)
		expect(t, word, found, want)
		if c.Governed() || c.Name != "" || c.Type != "" {
			t.Errorf("%s: %+v", word, c)
		}
		if word == "warn" && found[0].Mode != Warn || word == "deny" && found[0].Mode != Enforce {
			t.Errorf("%s: mode %s", word, found[0].Mode)
		}
		expect(t, word, c.CheckType(TypeHash), "")
		expect(t, word, c.CheckTTL(TTLState{}), "")
		expect(t, word, c.CheckOperation(Call{Verb: "DEL"}), "")
		expect(t, word, c.CheckField([]byte("f"), []byte("v")), "")
	}
}

func TestUnmatchedKeysAreExplained(t *testing.T) {
	set := parse(t, "format: 1\nunmatched: deny\ncontracts: {a: {key: 'session:{id}', type: string}, b: {key: '{x}:y:z', type: string}}\n")
	for key, want := range map[string]string{
		"session:a:b": "no contract governs this key; did you mean one like 'session:{id}'?",
		"sesion:a":    "no contract governs this key; did you mean one like 'session:{id}'?",
		"other:a":     "no contract governs this key",
		"":            "no contract governs this key",
	} {
		if got := set.Match([]byte(key)).CheckKey([]byte(key))[0].Detail; got != want {
			t.Errorf("%q: got %q, want %q", key, got, want)
		}
	}
}

// Warn reports what enforce would: the same objects but for the mode.
func TestWarnSeesWhatEnforceSees(t *testing.T) {
	body := "key: k:{v}\ntype: hash\nvars: {v: {maxLength: 1}}\nfields: {a: {type: integer, maximum: 3}}\nmaxItems: 1\nttl: {required: true}\nmode: "
	enforce, warn := one(t, body+"enforce"), one(t, body+"warn")
	all := func(c *Contract) []Violation {
		found := c.CheckKey([]byte("k:ab"))
		found = append(found, c.CheckField([]byte("a"), []byte("4"))...)
		found = append(found, c.CheckField([]byte("b"), nil)...)
		found = append(found, c.CheckCount(2)...)
		return append(found, c.CheckTTL(TTLState{})...)
	}
	a, b := all(enforce), all(warn)
	expect(t, "enforce", a, "key.var number.maximum field.unknown items.max ttl.required")
	for i := range b {
		if b[i].Mode != Warn {
			t.Errorf("mode %s", b[i].Mode)
		}
		b[i].Mode = Enforce
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
}
