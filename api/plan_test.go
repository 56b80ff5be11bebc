package api

import (
	"fmt"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"keypact/service"
)

// sample is an operation with a member of every kind that text can say.
type sample struct {
	service.KeyInfo `json:"-"`      // makes it an operation
	Key             service.Bytes   `json:"key"`
	Count           int             `json:"count"`
	Stop            *int64          `json:"stop"`
	Keep            bool            `json:"keep"`
	Side            string          `json:"side"`
	TTL             service.TTL     `json:"ttl"`
	By              service.Number  `json:"by"`
	Names           []service.Bytes `json:"names" query:"name"`
	Fields          service.Fields  `json:"fields"` // not this one
	embedded
}

type embedded struct {
	If service.Conditions `json:"if"`
}

func samplePlan(t *testing.T) *plan {
	t.Helper()
	plans, err := compilePlans([]service.Row{{Name: "sample", New: func() service.Op { return new(sample) }}})
	if err != nil {
		t.Fatal(err)
	}
	return plans[reflect.TypeFor[sample]()]
}

// A query fills in members of all kinds, each by its one name.
func TestQueries(t *testing.T) {
	e := &endpoint{plan: samplePlan(t)}
	seven := int64(7)
	for query, want := range map[string]sample{
		"":                           {},
		"key=a%2Fb+c":                {Key: service.Bytes("a/b c")},
		"key=":                       {Key: service.Bytes{}},
		"count=1e3":                  {Count: 1000},
		"stop=7&keep=true&side=left": {Stop: &seven, Keep: true, Side: "left"},
		"ttl=90s&by=1.50":            {TTL: service.TTL(90 * time.Second), By: "1.5"},
		"name=a&name=&name=%FF":      {Names: []service.Bytes{[]byte("a"), {}, {0xff}}},
		"if=absent,less&&ns=0":       {embedded: embedded{service.Conditions{"absent", "less"}}},
		"side=%E6%BC%A2&key=a=b":     {Side: "漢", Key: service.Bytes("a=b")},
	} {
		var got sample
		if err := e.bindQuery(reflect.ValueOf(&got).Elem(), query, nil); err != nil {
			t.Errorf("%q: %v", query, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", query, got, want)
		}
	}
}

// What does not fit is refused, and the parameter is named.
func TestRefusedQueries(t *testing.T) {
	e := &endpoint{plan: samplePlan(t)}
	for query, parameter := range map[string]string{
		"count=": "count", "count=1.5": "count", "count=+5": "count", "count=05": "count", "count=0x10": "count",
		"stop=9223372036854775808": "stop", "keep=1": "keep", "keep": "keep", "keep=TRUE": "keep", "ttl=0": "ttl", "ttl=1": "",
		"ttl=90": "", "ttl=-1s": "ttl", "by=NaN": "by", "by=1_000": "by", "names=a": "names", "Key=a": "Key", "fields=a": "fields",
		"side=a&side=b": "side", "key=%zz": "key", "a;b=1": "a;b", "=x": "", "ns=1": "ns", "ns=": "ns", "ns=0&ns=x": "ns", "type=hash": "type",
	} {
		var got sample
		err := e.bindQuery(reflect.ValueOf(&got).Elem(), query, nil)
		refused, _ := err.(*refusal)
		switch {
		case parameter == "" && err == nil:
		case query == "=x" && refused != nil && refused.code == "unknown-parameter":
		case refused == nil || len(refused.faults) != 1 || refused.faults[0].Parameter != parameter:
			t.Errorf("%q: %v %+v, want %q", query, err, refused, parameter)
		}
	}
}

// Operations that do not fit a door are found when the API is made.
func TestUnfitOperations(t *testing.T) {
	type nameless struct {
		service.KeyInfo `json:"-"`
		Key             service.Bytes
	}
	type twice struct {
		service.KeyInfo `json:"-"`
		embedded
		Other string `json:"if"`
	}
	for name, op := range map[string]service.Op{"no json name": new(nameless), "named if": new(twice), "not a pointer": nameless{}} {
		_, err := compilePlans([]service.Row{{Name: "x", New: func() service.Op { return op }}})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := newDecodingServer(t)
	for _, rt := range []route{
		{"GET", "/x/{nothing}", on[service.StringGet]},
		{"GET", "/x/{fields}", on[service.HashFields]},
		{"PUT", "/x/{key}", onValue[service.HashSet]},
		{"GET", "/x/{key}", on[sample]},
		{"HEAD", "/x/{key}", func() door { return door{operation: reflect.TypeFor[service.StringGet](), typed: true} }},
	} {
		if _, err := s.endpoint(rt, rt.door()); err == nil {
			t.Errorf("%s %s fits", rt.method, rt.pattern)
		}
	}
}

// Warnings in headers are few, short and ASCII.
func TestWarningHeaders(t *testing.T) {
	found := make([]service.Violation, 20)
	for i := range found {
		found[i].Code, found[i].Contract = "field.unknown", "c"
		found[i].Path = []string{"fields", fmt.Sprintf("%02d\r\nX: \"é\\", i)}
		found[i].Detail = "field '" + strings.Repeat("é\r\n\"\\", 500) + "'"
	}
	w := httptest.NewRecorder()
	x := &exchange{ResponseWriter: w}
	x.warn(found, source{})
	lines := w.Header()["Contract-Warning"]
	if len(lines) != maxWarnings+1 || lines[maxWarnings] != `299 keypact "and 12 more"` {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
	for _, line := range lines {
		if len(line) > maxWarningBytes+32 || strings.Count(line, `"`) != 2 {
			t.Errorf("%q", line)
		}
		for i := range len(line) {
			if line[i] < ' ' || line[i] > '~' || line[i] == '\\' {
				t.Errorf("%q holds %q", line, line[i])
			}
		}
	}
	x = &exchange{ResponseWriter: httptest.NewRecorder()}
	x.warn(nil, source{})
	if len(x.Header()) != 0 {
		t.Error("no warnings make a header")
	}
}
