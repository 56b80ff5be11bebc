package contracts

import (
	"strings"
	"testing"
)

func value(t *testing.T, rule string) *Contract {
	t.Helper()
	return one(t, "key: k\ntype: string\nvalue: "+rule)
}

func TestRules(t *testing.T) {
	for _, tt := range []struct {
		rule  string
		codes map[string]string
	}{
		{"{minBytes: 2, maxBytes: 3}", map[string]string{"a": "value.bytes", "ab": "", "abc": "", "abcd": "value.bytes", "é": "", "éé": "value.bytes"}},
		{"{maxBytes: 1KiB}", map[string]string{strings.Repeat("a", 1024): "", strings.Repeat("a", 1025): "value.bytes"}},
		{"{minLength: 2, maxLength: 3}", map[string]string{"é": "value.length", "éé": "", "ééé": "", "éééé": "value.length"}},
		{"{maxLength: 1}", map[string]string{"\U0001F468\u200d\U0001F469": "value.length", "\U0001F468": "", "e\u0301": "value.length", "": ""}},
		{"{minLength: 1, allowEmpty: true}", map[string]string{"": "", " ": ""}},
		{"{minLength: 3, allowEmpty: true}", map[string]string{"": "", "ab": "value.length", "abc": ""}},
		{"{encoding: utf-8}", map[string]string{"é": "", "\xe9": "value.encoding", "\xed\xa0\x80": "value.encoding", "\ufffd": "", "\xf4\x90\x80\x80": "value.encoding"}},
		{"{pattern: '^a+$'}", map[string]string{"aa": "", "": "value.pattern", "aab": "value.pattern", "a\n": "value.pattern", "A": "value.pattern"}},
		{"{pattern: 'a'}", map[string]string{"bab": "", "b": "value.pattern"}},
		{"{excludes: [control]}", map[string]string{"a\tb": "value.excludes", "a\x7f": "value.excludes", "a\u0080": "value.excludes", "a b": "", "\u200b": ""}},
		{"{excludes: [invisible]}", map[string]string{"a\u200bb": "value.excludes", "\ufeff": "value.excludes", "\u00ad": "value.excludes", "\u202e": "value.excludes", "a b": "", "\u2028": ""}},
		{"{excludes: ['é', '\"']}", map[string]string{"é": "value.excludes", "e\u0301": "", `"`: "value.excludes", "\xc3": ""}},
		{"{enum: [a, 'b c', '1']}", map[string]string{"a": "", "b c": "", "1": "", "A": "value.enum", "": "value.enum"}},
		{"{enum: [a], allowEmpty: true}", map[string]string{"": "", "b": "value.enum"}},
		{"{type: integer}", map[string]string{"0": "", "-1": "", "-0": "format.integer", "00": "format.integer", "1.0": "format.integer", "1e3": "format.integer", strings.Repeat("9", 5000): ""}},
		{"{type: integer, minimum: -1, maximum: 9223372036854775807}", map[string]string{"-2": "number.minimum", "-1": "", "9223372036854775807": "", "9223372036854775808": "number.maximum"}},
		{"{type: integer, maximum: 9007199254740992}", map[string]string{"9007199254740992": "", "9007199254740993": "number.maximum"}},
		{"{type: integer, maximum: 18446744073709551616}", map[string]string{"18446744073709551616": "", "18446744073709551617": "number.maximum"}},
		{"{type: integer, multipleOf: 5}", map[string]string{"0": "", "10": "", "-15": "", "11": "number.multipleOf"}},
		{"{type: integer, enum: [1, 1e3]}", map[string]string{"1": "", "1000": "", "2": "value.enum", "1e3": "format.integer"}},
		{"{type: integer, maximum: 5, allowEmpty: true}", map[string]string{"": "", "6": "number.maximum"}},
		{"{type: number, minimum: 0, maximum: 0.1}", map[string]string{"0.1": "", "0.10": "", "0.1000000000000000055": "number.maximum", "-0.1": "number.minimum", "0": "", "1e-1": "format.number", "nan": "format.number"}},
		{"{type: number, multipleOf: 0.01}", map[string]string{"19.99": "", "0.07": "", "19.990": "", "19.999": "number.multipleOf", "-0.01": "", "3": ""}},
		{"{type: number, enum: [0.5, 2]}", map[string]string{"0.50": "", "2.0": "", "2": "", "3": "value.enum"}},
	} {
		c := value(t, tt.rule)
		for text, codes := range tt.codes {
			expect(t, tt.rule+" "+display([]byte(text)), c.CheckValue([]byte(text)), codes)
		}
	}
}

func TestAllViolationsAtOnceInOrder(t *testing.T) {
	c := value(t, "{maxBytes: 1, maxLength: 1, pattern: '^x$', excludes: [';', ','], enum: [x], format: hostname, encoding: utf-8}")
	found := c.CheckValue([]byte(",;\xff"))
	expect(t, "everything", found, "format.hostname value.bytes value.encoding value.enum value.excludes value.excludes value.length value.pattern")
	if found[4].Rule >= found[5].Rule {
		t.Errorf("equal codes are not ordered by rule: %s, %s", found[4].Rule, found[5].Rule)
	}
}

func TestLimitsAreReported(t *testing.T) {
	for _, tt := range []struct {
		rule, value, where string
		limit, actual      any
		detail             string
	}{
		{"{maxLength: 2}", "ééé", "maxLength", int64(2), int64(3), "must be at most 2 characters long"},
		{"{minBytes: 1}", "", "minBytes", int64(1), int64(0), "must be at least 1 byte long"},
		{"{type: integer, maximum: 100}", "200", "maximum", int64(100), int64(200), "must be at most 100"},
		{"{type: number, minimum: 0.5}", "0.25", "minimum", 0.5, 0.25, "must be at least 0.5"},
		{"{pattern: '^a$'}", "secret", "pattern", nil, nil, "must match the pattern ^a$"},
		{"{type: integer}", "secret", "type", nil, nil, "must be an integer such as 42: digits, without leading zeros, plus sign or exponent"},
		{"{enum: [a, b]}", "secret", "enum", nil, nil, "must be one of: a, b"},
		{"{format: iso8601-date, allowEmpty: true}", "secret", "format", nil, nil, "must be an ISO 8601 date such as 2027-04-23, or empty"},
	} {
		found := value(t, tt.rule).CheckValue([]byte(tt.value))
		if len(found) != 1 {
			t.Fatalf("%s: %v", tt.rule, found)
		}
		v := found[0]
		if v.Rule != "#/contracts/it/value/"+tt.where || v.Limit != tt.limit || v.Actual != tt.actual || v.Detail != tt.detail {
			t.Errorf("%s: %+v", tt.rule, v)
		}
		if strings.Contains(v.Detail, "secret") {
			t.Errorf("%s: the stored value is in the message", tt.rule)
		}
	}
}

func TestSensitiveDataIsNotShown(t *testing.T) {
	for _, body := range []string{
		"key: k\ntype: string\nvalue: {type: integer, maximum: 10, sensitive: true}",
		"key: k\ntype: string\nsensitive: true\nvalue: {type: integer, maximum: 10}",
		"key: k\ntype: string\nsensitive: true\nvalue: {type: integer, maximum: 10, sensitive: false}",
	} {
		found := one(t, body).CheckValue([]byte("4711"))
		if len(found) != 1 || found[0].Limit != nil || found[0].Actual != nil {
			t.Errorf("%s: %+v", body, found)
		}
	}
	c := one(t, "key: k\ntype: zset\nsensitive: true\nscore: {maximum: 10}")
	if v := c.CheckScore(4711)[0]; v.Limit != nil || v.Actual != nil {
		t.Errorf("%+v", v)
	}
	hash := one(t, "key: k\ntype: hash\nsensitive: true\nfields: {a: {}}")
	if v := hash.CheckField([]byte("private"), nil)[0]; strings.Contains(v.Detail, "private") {
		t.Errorf("%+v", v)
	}
}

func TestFields(t *testing.T) {
	c := one(t, "key: k\ntype: hash\nfields: {a: {maxLength: 1}, 'x/y~z %é': {maxLength: 1}}\nrequired: [a]")
	expect(t, "declared", c.CheckField([]byte("a"), []byte("1")), "")
	expect(t, "too long", c.CheckField([]byte("a"), []byte("12")), "value.length")
	expect(t, "undeclared", c.CheckField([]byte("b"), []byte("1")), "field.unknown")
	expect(t, "name only", c.CheckFieldName([]byte("b")), "field.unknown")
	expect(t, "name only, declared", c.CheckFieldName([]byte("a")), "")
	v := c.CheckField([]byte("x/y~z %é"), []byte("12"))[0]
	if want := "#/contracts/it/fields/x~1y~0z%20%25%C3%A9/maxLength"; v.Rule != want {
		t.Errorf("got %s, want %s", v.Rule, want)
	}
	if got := c.RequiredFields(); len(got) != 1 || got[0] != "a" {
		t.Errorf("required: %v", got)
	}
	expect(t, "missing", []Violation{c.MissingField("a")}, "field.missing")
	open := one(t, "key: k\ntype: hash\nfields: {a: {maxLength: 1}}\nadditionalFields: true\nmaxItems: 2")
	expect(t, "additional", open.CheckField([]byte("b"), []byte("123")), "")
	expect(t, "declared", open.CheckField([]byte("a"), []byte("12")), "value.length")
	expect(t, "count", open.CheckCount(3), "items.max")
	free := one(t, "key: k\ntype: hash")
	expect(t, "no fields at all", free.CheckField([]byte("b"), nil), "")
}

func TestUnknownFieldNamesAreTamed(t *testing.T) {
	c := one(t, "key: k\ntype: hash\nfields: {nickname: {}}")
	for field, want := range map[string]string{
		"nickame":                     "field 'nickame' is not declared; did you mean 'nickname'?",
		"NICKNAME":                    "field 'NICKNAME' is not declared; did you mean 'nickname'?",
		"zzz":                         "field 'zzz' is not declared",
		"a\r\nb":                      `field 'a\r\nb' is not declared`,
		"\xff":                        `field '\xff' is not declared`,
		strings.Repeat("é", 40):       "field '" + strings.Repeat("é", 32) + "...' is not declared",
		"a" + strings.Repeat("é", 40): "field 'a" + strings.Repeat("é", 31) + "...' is not declared",
	} {
		if got := c.CheckFieldName([]byte(field))[0].Detail; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestModes(t *testing.T) {
	for mode, want := range map[string]int{"enforce": 1, "warn": 1, "off": 0} {
		c := one(t, "key: k\ntype: zset\nmode: "+mode+"\nitems: {maxLength: 1}\nscore: {maximum: 1}\nmaxItems: 1\nmaxResult: 1\n"+
			"ttl: {required: true}\noperations: [ZADD]")
		for what, found := range map[string][]Violation{
			"type": c.CheckType(TypeSet), "item": c.CheckItem([]byte("ab")), "score": c.CheckScore(2), "count": c.CheckCount(2),
			"result": c.CheckResult(2), "ttl": c.CheckTTL(TTLState{}), "operation": c.CheckOperation(Call{Verb: "DEL"}),
		} {
			if len(found) != want || want == 1 && string(found[0].Mode) != mode {
				t.Errorf("%s %s: %+v", mode, what, found)
			}
		}
	}
}
