package contracts

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
)

// The five contracts of the examples, each at each of its limits and one past.

func TestSessionContract(t *testing.T) {
	c := examples(t).Match([]byte("session:42"))
	for _, tt := range []struct {
		name, value, codes string
	}{
		{"shortest", "a", ""},
		{"empty", "", "value.bytes"},
		{"longest", strings.Repeat("a", 2048), ""},
		{"one byte too long", strings.Repeat("a", 2049), "value.bytes"},
		{"longest in two-byte characters", strings.Repeat("é", 1024), ""},
		{"bytes count, not characters", strings.Repeat("é", 1024) + "a", "value.bytes"},
		{"malformed", "a\xff", "value.encoding"},
		{"surrogate half", "\xed\xa0\x80", "value.encoding"},
		{"overlong form", "\xc0\x80", "value.encoding"},
		{"malformed and too long", strings.Repeat("\xff", 2049), "value.bytes value.encoding"},
	} {
		expect(t, tt.name, c.CheckValue([]byte(tt.value)), tt.codes)
	}
	for _, tt := range []struct {
		name  string
		state TTLState
		codes string
	}{
		{"missing", TTLState{}, "ttl.required"},
		{"an hour", TTLState{Has: true, Remaining: time.Hour, Set: true}, ""},
		{"a millisecond more", TTLState{Has: true, Remaining: time.Hour + time.Millisecond, Set: true}, "ttl.max"},
		{"short", TTLState{Has: true, Remaining: time.Millisecond, Set: true}, ""},
		{"an untouched one that is too long", TTLState{Has: true, Remaining: 2 * time.Hour}, "ttl.max"},
	} {
		expect(t, tt.name, c.CheckTTL(tt.state), tt.codes)
	}
	expect(t, "as a hash", c.CheckType(TypeHash), "type.locked")
	expect(t, "as a string", c.CheckType(TypeString), "")
	expect(t, "any command", c.CheckOperation(Call{Verb: "SETRANGE"}), "")
}

func TestProfileContract(t *testing.T) {
	c := examples(t).Match([]byte("profile:42"))
	family := "\U0001F468\u200D\U0001F469\u200D\U0001F467" // five code points, one picture
	for _, tt := range []struct {
		field, value, codes string
	}{
		{"nickname", "", "value.length"},
		{"nickname", "a", ""},
		{"nickname", strings.Repeat("日", 32), ""},
		{"nickname", strings.Repeat("日", 33), "value.length"},
		{"nickname", strings.Repeat(family, 6) + "ab", ""},
		{"nickname", strings.Repeat(family, 6) + "abc", "value.length"},
		{"nickname", strings.Repeat("e\u0301", 16), ""},
		{"nickname", strings.Repeat("e\u0301", 16) + "e", "value.length"},
		{"nickname", strings.Repeat("\xff", 33), "value.length"},
		{"avatar", "", ""},
		{"avatar", " ", "format.url"},
		{"avatar", "https://example.com/a.png", ""},
		{"avatar", "javascript:alert(1)", "format.url"},
		{"level", "1", ""},
		{"level", "0", "number.minimum"},
		{"level", "100", ""},
		{"level", "101", "number.maximum"},
		{"level", "01", "format.integer"},
		{"level", "+5", "format.integer"},
		{"level", "1e1", "format.integer"},
		{"level", "5.0", "format.integer"},
		{"level", "", "format.integer"},
		{"level", "٣", "format.integer"},
		{"vip_expire", "", ""},
		{"vip_expire", "2027-04-23", ""},
		{"vip_expire", "2025-02-29", "format.date"},
		{"nickame", "x", "field.unknown"},
		{"Nickname", "x", "field.unknown"},
		{"", "x", "field.unknown"},
	} {
		expect(t, tt.field+"="+tt.value, c.CheckField([]byte(tt.field), []byte(tt.value)), tt.codes)
	}
	expect(t, "no TTL", c.CheckTTL(TTLState{}), "")
	expect(t, "any TTL", c.CheckTTL(TTLState{Has: true, Remaining: 1e6 * time.Hour}), "")
}

func TestOrderQueueContract(t *testing.T) {
	c := examples(t).Match([]byte("queue:order:new"))
	expect(t, "largest element", c.CheckItem(make([]byte, 10240)), "")
	expect(t, "too large an element", c.CheckItem(make([]byte, 10241)), "value.bytes")
	expect(t, "empty element", c.CheckItem(nil), "")
	expect(t, "full", c.CheckCount(100000), "")
	expect(t, "one too many", c.CheckCount(100001), "items.max")
	ms := func(n int64) *time.Duration { d := time.Duration(n) * time.Millisecond; return &d }
	for _, tt := range []struct {
		name  string
		call  Call
		codes string
	}{
		{"push left", Call{Verb: "LPUSH"}, ""},
		{"push right", Call{Verb: "RPUSH"}, "operation.denied"},
		{"pop right without waiting", Call{Verb: "RPOP"}, "operation.denied"},
		{"delete", Call{Verb: "DEL"}, "operation.denied"},
		{"expire", Call{Verb: "EXPIRE"}, "operation.denied"},
		{"a command invented later", Call{Verb: "LFROB"}, "operation.denied"},
		{"read", Call{Verb: "LRANGE", Read: true}, ""},
		{"wait a second", Call{Verb: "BRPOP", Timeout: ms(1000)}, ""},
		{"wait too briefly", Call{Verb: "BRPOP", Timeout: ms(999)}, "argument.range"},
		{"half a second", Call{Verb: "BRPOP", Timeout: ms(500)}, "argument.range"},
		{"wait 30 seconds", Call{Verb: "BRPOP", Timeout: ms(30000)}, ""},
		{"wait too long", Call{Verb: "BRPOP", Timeout: ms(30001)}, "argument.range"},
		{"wait for ever", Call{Verb: "BRPOP", Timeout: ms(0)}, "argument.range"},
		{"negative", Call{Verb: "BRPOP", Timeout: ms(-1)}, "argument.range"},
		{"no timeout given", Call{Verb: "BRPOP"}, "argument.range"},
	} {
		expect(t, tt.name, c.CheckOperation(tt.call), tt.codes)
	}
	v := c.CheckOperation(Call{Verb: "RPUSH"})[0]
	if want := "RPUSH is not allowed here; allowed: BRPOP, LPUSH"; v.Detail != want {
		t.Errorf("got %q, want %q", v.Detail, want)
	}
}

func TestTagsContract(t *testing.T) {
	c := examples(t).Match([]byte("tags:42"))
	for _, tt := range []struct{ name, member, codes string }{
		{"shortest", "a", ""},
		{"empty", "", "value.length"},
		{"longest", strings.Repeat("标", 50), ""},
		{"one too long", strings.Repeat("标", 51), "value.length"},
		{"space", "a b", "value.excludes"},
		{"vertical tab", "a\vb", "value.excludes"},
		{"next line", "a\u0085b", "value.excludes"},
		{"no-break space", "a\u00a0b", "value.excludes"},
		{"line separator", "a\u2028b", "value.excludes"},
		{"ideographic space", "a\u3000b", "value.excludes"},
		{"byte order mark", "a\ufeffb", "value.excludes"},
		{"zero width space is no white space", "a\u200bb", ""},
		{"comma", "a,b", "value.excludes"},
		{"semicolon", "a;b", "value.excludes"},
		{"fullwidth comma and semicolon", "a，b；c", ""},
		{"all three", "a ,;", "value.excludes value.excludes value.excludes"},
		{"a lone byte 85 is no character", "a\x85b", ""},
	} {
		expect(t, tt.name, c.CheckItem([]byte(tt.member)), tt.codes)
	}
	expect(t, "full", c.CheckCount(500), "")
	expect(t, "one too many", c.CheckCount(501), "items.max")
	expect(t, "largest result", c.CheckResult(10000), "")
	expect(t, "too large a result", c.CheckResult(10001), "result.items")
	rules := map[string]bool{}
	for _, v := range c.CheckItem([]byte(" ,;")) {
		rules[v.Rule] = true
	}
	if len(rules) != 3 || !rules["#/contracts/tags/items/excludes/0"] {
		t.Errorf("rules do not tell the exclusions apart: %v", rules)
	}
}

func TestHotProductsContract(t *testing.T) {
	c := examples(t).Match([]byte("hot:products:books"))
	for _, tt := range []struct{ member, codes string }{
		{"7", ""}, {"007", ""}, {"", "value.pattern"}, {"a1b", "value.pattern"}, {"1\n", "value.pattern"},
		{"٧", "value.pattern"}, {"-1", "value.pattern"}, {strings.Repeat("9", 4096), ""},
	} {
		expect(t, tt.member, c.CheckItem([]byte(tt.member)), tt.codes)
	}
	for _, tt := range []struct {
		score float64
		codes string
	}{
		{0, ""}, {math.Copysign(0, -1), ""}, {-1, "number.minimum"}, {1e9, ""}, {1e9 + 1, "number.maximum"},
		{1e9 + 0.5, "format.integer number.maximum"}, {0.5, "format.integer"}, {-0.5, "format.integer number.minimum"},
		{math.NaN(), "number.notFinite"}, {math.Inf(1), "number.notFinite"}, {math.Inf(-1), "number.notFinite"},
		{math.MaxFloat64, "number.maximum"}, {5e-324, "format.integer"},
	} {
		expect(t, "score", c.CheckScore(tt.score), tt.codes)
	}
	expect(t, "full", c.CheckCount(1000), "")
	expect(t, "one too many", c.CheckCount(1001), "items.max")
}

func TestKeyLength(t *testing.T) {
	for _, mode := range []string{"enforce", "warn", "off"} {
		set := parse(t, "format: 1\ncontracts:\n  it: {key: 'k:{x}', type: string, mode: "+mode+"}\n")
		for _, prefix := range []string{"k:", "other:"} {
			longest := []byte(prefix + strings.Repeat("a", 1024-len(prefix)))
			expect(t, mode+" longest "+prefix, set.Match(longest).CheckKey(longest), "")
			tooLong := append(bytes.Clone(longest), 'a')
			found := set.Match(tooLong).CheckKey(tooLong)
			expect(t, mode+" too long "+prefix, found, "key.length")
			if len(found) == 1 && (found[0].Mode != Enforce || found[0].Limit != int64(1024) || found[0].Actual != int64(1025)) {
				t.Errorf("%s: %+v", mode, found[0])
			}
		}
	}
	multibyte := []byte(strings.Repeat("é", 512) + "a")
	expect(t, "bytes count", Empty().Match(multibyte).CheckKey(multibyte), "key.length")
	expect(t, "the empty key", Empty().Match(nil).CheckKey(nil), "")
	small := parse(t, "format: 1\ndefaults: {maxKeyBytes: 3}\n")
	expect(t, "lowered limit", small.Match([]byte("abcd")).CheckKey([]byte("abcd")), "key.length")
}
