package service

import (
	"encoding"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

// decoded is a JSON text read into a value and written again, or the reason
// why it cannot be read.
func decoded[T any](text string) string {
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		var semantic *json.SemanticError
		if errors.As(err, &semantic) && semantic.Err != nil {
			return "error: " + semantic.Err.Error()
		}
		return "error: " + err.Error()
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "error in writing: " + err.Error()
	}
	return string(out)
}

// ofText is the same for the text of a query.
func ofText[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](text string) string {
	var v T
	if err := P(&v).UnmarshalText([]byte(text)); err != nil {
		return "error: " + err.Error()
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "error in writing: " + err.Error()
	}
	return string(out)
}

type reading struct{ in, want string }

func tryAll(t *testing.T, read func(string) string, cases []reading) {
	t.Helper()
	for _, c := range cases {
		if got := read(c.in); got != c.want && !(strings.HasSuffix(c.want, "..") && strings.HasPrefix(got, strings.TrimSuffix(c.want, ".."))) {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestBytesInJSON(t *testing.T) {
	kind := "error: " + errBytesKind.Error()
	tryAll(t, decoded[Bytes], []reading{
		{`""`, `""`},
		{`"a\u0000é\ud83d\ude00"`, `"a\u0000é😀"`},
		{`{"base64":""}`, `""`},
		{`{"base64":"/wA="}`, `{"base64":"/wA="}`},
		{`{"base64":"YWI="}`, `"ab"`},
		{`1e3`, `"1000"`},
		{`1.50`, `"1.5"`},
		{`-0.0`, `"0"`},
		{`12345678901234567890.5`, `"12345678901234567890.5"`},
		{`1e4095`, "error: the number is too long.."},
		{`{"base64":"_w=="}`, "error: " + errBase64.Error()},
		{`{"base64":"/w"}`, "error: " + errBase64.Error()},
		{`{"base64":"/x=="}`, "error: " + errBase64.Error()},
		{`{"base64":"/w==\n"}`, "error: " + errBase64.Error()},
		{`{}`, kind},
		{`{"base64":1}`, kind},
		{`{"Base64":""}`, kind},
		{`{"base64":"","x":1}`, kind},
		{`true`, kind},
		{`null`, kind},
		{`["a"]`, kind},
		{`"\ud800"`, "error: .."},
		{"\"\xff\"", "error: .."},
		{`{"base64":"","base64":""}`, "error: .."},
	})
}

func TestAbsentBytesDifferFromEmptyOnes(t *testing.T) {
	var given struct {
		A Bytes `json:"a"`
		B Bytes `json:"b"`
		C Bytes `json:"c"`
	}
	if err := json.Unmarshal([]byte(`{"a":"","b":{"base64":""}}`), &given); err != nil {
		t.Fatal(err)
	}
	if given.A == nil || given.B == nil || given.C != nil {
		t.Errorf("nil: %v %v %v", given.A == nil, given.B == nil, given.C == nil)
	}
	var fromText Bytes
	if err := fromText.UnmarshalText(nil); err != nil || fromText == nil {
		t.Errorf("empty text is %v, error %v", fromText, err)
	}
}

func TestBytesSurviveJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := Bytes(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		text, err := json.Marshal(before)
		if err != nil {
			t.Fatal(err)
		}
		var after Bytes
		if err := json.Unmarshal(text, &after); err != nil || string(after) != string(before) {
			t.Fatalf("%q became %q, error %v", before, after, err)
		}
	})
}

func TestNumbers(t *testing.T) {
	kind, size := "error: "+errNumberKind.Error(), "error: "+errNumberSize.Error()
	zeros := strings.Repeat("0", 4080)
	cases := []reading{
		{"0", "0"}, {"-0", "0"}, {"-0.0e5", "0"}, {"0e99", "0"},
		{"1e3", "1000"}, {"1E+3", "1000"}, {"1.50", "1.5"}, {"-1.0", "-1"}, {"10.0e-1", "1"},
		{"1e-3", "0.001"}, {"123e-2", "1.23"}, {"0.10e1", "1"},
		{"9007199254740993", "9007199254740993"},
		{"20769150350006150715113082361", "20769150350006150715113082361"},
		{"1" + zeros, "1" + zeros},
		{"1e4080", "1" + zeros},
		{"1e4200", size}, {"1e-4200", size}, {"1e99999999999999999999", size},
		{"1" + strings.Repeat("0", 4200), size},
	}
	tryAll(t, decoded[Number], cases)
	tryAll(t, ofText[Number], cases)
	tryAll(t, decoded[Number], []reading{{`"1"`, kind}, {"null", kind}, {"[1]", kind}, {"01", "error: .."}, {"+1", "error: .."}})
	tryAll(t, ofText[Number], []reading{
		{"", kind}, {"01", kind}, {"+1", kind}, {".5", kind}, {"5.", kind}, {" 1", kind}, {"1 ", kind}, {"1_000", kind},
		{"0x10", kind}, {"inf", kind}, {"nan", kind}, {"1 2", kind}, {"1e", kind}, {"--1", kind},
	})
}

func TestNumbersOfCommands(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1", "+1": "1", "-01.50": "-1.5", ".5": "0.5", "5.": "5", "+5e3": "5000", "-0": "0", "1e-3": "0.001",
		"": "", ".": "", "-": "", "1 ": "", " 1": "", "0x10": "", "inf": "", "nan": "", "1_0": "", "1e": "", "--1": "",
		"1e4200": "", "1e-4200": "", "1\x00": "",
	} {
		if got, ok := ReadNumber(text); string(got) != want || ok != (want != "") {
			t.Errorf("%q is %q, %v; want %q", text, got, ok, want)
		}
	}
}

func TestScores(t *testing.T) {
	kind, far := "error: "+errScoreKind.Error(), "error: "+errScoreRange.Error()
	tryAll(t, decoded[Score], []reading{
		{"1000000000", "1000000000"}, {"1e9", "1000000000"}, {"-0.0", "0"}, {"1.50", "1.5"}, {"0.1", "0.1"},
		{"9007199254740993", "9007199254740992"}, {"1e21", "1e+21"}, {"1e20", "100000000000000000000"},
		{`"inf"`, `"inf"`}, {`"+inf"`, `"inf"`}, {`"-inf"`, `"-inf"`}, {`"-INF"`, `"-inf"`},
		{"1e400", far}, {"-1e400", far}, {"1e-400", "0"},
		{`"NaN"`, kind}, {`"(5"`, kind}, {`"5"`, kind}, {"null", kind}, {`""`, kind}, {`"infinity"`, kind}, {`"xinf"`, kind},
	})
	tryAll(t, ofText[Score], []reading{
		{"5", "5"}, {"-inf", `"-inf"`}, {"inf", `"inf"`}, {"nan", kind}, {"0x1p-2", kind}, {"1_000", kind}, {"+5", kind}, {"", kind},
	})
	if out, err := json.Marshal(Score(math.NaN())); err != nil || string(out) != `"nan"` {
		t.Errorf("a NaN that got in is written as %s, error %v", out, err)
	}
}

func TestScoreBounds(t *testing.T) {
	for text, want := range map[string]ScoreBound{
		"5": {Value: 5}, "(5": {Value: 5, Exclusive: true}, "-1.5": {Value: -1.5},
		"inf": {Value: math.Inf(1)}, "(-inf": {Value: math.Inf(-1), Exclusive: true},
		"1e400": {Value: math.Inf(1), Exclusive: true}, "-1e400": {Value: math.Inf(-1), Exclusive: true},
		"(1e400": {Value: math.Inf(1), Exclusive: true},
	} {
		if got, err := Bound(text).Score(); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "(", "nan", "[5", "((5", "(+5", "5)", "0x1"} {
		if got, err := Bound(text).Score(); err == nil {
			t.Errorf("%q is the score bound %v", text, got)
		}
	}
}

func TestLexAndRankBounds(t *testing.T) {
	for text, want := range map[string]LexBound{
		"-": {Infinite: -1}, "+": {Infinite: 1},
		"[a": {Member: []byte("a")}, "(a": {Member: []byte("a"), Exclusive: true}, "[": {Member: []byte{}},
	} {
		got, err := Bound(text).Lex()
		if err != nil || string(got.Member) != string(want.Member) || got.Exclusive != want.Exclusive || got.Infinite != want.Infinite {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "a", "--", "]a"} {
		if got, err := Bound(text).Lex(); err == nil {
			t.Errorf("%q is the lex bound %v", text, got)
		}
	}
	if n, err := Bound("-1").Rank(); n != -1 || err != nil {
		t.Errorf("rank %d, %v", n, err)
	}
	for _, text := range []string{"", "1.5", "(1", "inf", "9223372036854775808"} {
		if n, err := Bound(text).Rank(); err == nil {
			t.Errorf("%q is the rank %d", text, n)
		}
	}
	tryAll(t, decoded[Bound], []reading{{"5", `"5"`}, {`"(5"`, `"(5"`}, {`{"base64":"W/8="}`, `{"base64":"W/8="}`}, {"true", "error: .."}})
}

func TestTTLs(t *testing.T) {
	positive, whole, far := "error: "+errTTLPositive.Error(), "error: "+errTTLWhole.Error(), "error: "+errTTLRange.Error()
	seconds, kind := "error: "+errTTLSeconds.Error(), "error: "+errTTLKind.Error()
	texts := []reading{
		{"90s", `"90s"`}, {"1h", `"3600s"`}, {"7d", `"604800s"`}, {"1500ms", `"1500ms"`}, {"1h30m", `"5400s"`},
		{"0s", positive}, {"-1s", positive}, {"1us", whole}, {"1.0001s", whole}, {"106752d", "error: duration is out of range.."},
		{"abc", "error: .."}, {"1w", "error: .."},
	}
	for _, c := range texts {
		tryAll(t, decoded[TTL], []reading{{`"` + c.in + `"`, c.want}})
	}
	tryAll(t, ofText[TTL], texts)
	numbers := []reading{
		{"90", `"90s"`}, {"9e1", `"90s"`}, {"90.0", `"90s"`}, {"9223372036", `"9223372036s"`},
		{"0", positive}, {"-1", positive}, {"1.5", seconds}, {"9223372037", far}, {"1e30", far},
	}
	tryAll(t, decoded[TTL], numbers)
	tryAll(t, ofText[TTL], numbers)
	tryAll(t, decoded[TTL], []reading{{"null", kind}, {"true", kind}, {"[]", kind}, {`""`, kind}, {`"5"`, "error: .."}})
}

func TestTimes(t *testing.T) {
	kind, far := "error: "+errTimeKind.Error(), "error: "+errTimeRange.Error()
	texts := []reading{
		{"2027-04-23T12:00:00Z", `"2027-04-23T12:00:00.000Z"`},
		{"2027-04-23T12:00:00.1239+02:00", `"2027-04-23T10:00:00.123Z"`},
		{"1970-01-01T00:00:00Z", `"1970-01-01T00:00:00.000Z"`},
		{"9999-12-31T23:59:59.999Z", `"9999-12-31T23:59:59.999Z"`},
		{"1969-12-31T23:59:59Z", far}, {"9999-12-31T23:59:59-01:00", far},
		{"2027-04-23T12:00:00,5Z", kind}, {"2027-02-29T00:00:00Z", kind}, {"2027-04-23", kind}, {"", kind}, {"1800000000", kind},
	}
	for _, c := range texts {
		tryAll(t, decoded[Time], []reading{{`"` + c.in + `"`, c.want}})
	}
	tryAll(t, ofText[Time], texts)
	tryAll(t, decoded[Time], []reading{{"1800000000", kind}, {"null", kind}})
	if got := TimeOf(1<<48 - 1).String(); got != "9999-12-31T23:59:59.999Z" {
		t.Errorf("the last moment a store can hold is written as %s", got)
	}
}

func TestFieldsInJSON(t *testing.T) {
	kind := "error: " + errFieldsKind.Error()
	tryAll(t, decoded[Fields], []reading{
		{`{}`, `{}`},
		{`{"b":1e3,"a":"x","":{"base64":"/w=="}}`, `{"b":"1000","a":"x","":{"base64":"/w=="}}`},
		{`[{"field":"a","value":"x"},{"value":1,"field":"b"}]`, `{"a":"x","b":"1"}`},
		{`[{"field":{"base64":"/w=="},"value":"x"}]`, `[{"field":{"base64":"/w=="},"value":"x"}]`},
		{`[{"field":"a"}]`, `{"a":null}`},
		{`{"a":1,"a":2}`, "error: .."},
		{`[{"field":"a","value":"x","y":1}]`, "error: .."},
		{`{"a":null}`, "error: " + errBytesKind.Error()},
		{`{"a":true}`, "error: " + errBytesKind.Error()},
		{`"a"`, kind}, {`null`, kind}, {`[["a","b"]]`, "error: .."},
	})
}

func TestConditionsInJSON(t *testing.T) {
	kind := "error: " + errConditionsKind.Error()
	tryAll(t, decoded[Conditions], []reading{
		{`"absent"`, `"absent"`}, {`["present","greater"]`, `["present","greater"]`}, {`[]`, `[]`},
		{`1`, kind}, {`[1]`, kind}, {`null`, kind}, {`{}`, kind},
	})
	tryAll(t, ofText[Conditions], []reading{{"absent", `"absent"`}, {"present,less", `["present","less"]`}, {"", `""`}})
}

func TestCursors(t *testing.T) {
	for _, element := range []string{"", "a", "\x00\xff"} {
		text, err := after([]byte(element)).MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Cursor
		if err := back.UnmarshalText(text); err != nil || back.element() == nil || string(back.element()) != element {
			t.Errorf("%q became %q, error %v", element, back.element(), err)
		}
	}
	var start Cursor
	if err := start.UnmarshalText(nil); err != nil || start.element() != nil {
		t.Errorf("the empty cursor is %q, error %v", start, err)
	}
	for _, text := range []string{"!", "AA", "Ag", "AQ=", "AQ==", "AW", "AQ\n", "\n"} {
		if err := new(Cursor).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a cursor", text)
		}
	}
}
