package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"keypact/service"
)

// decoders of bodies need no store.
func newDecodingServer(t testing.TB) *server {
	plans, err := compilePlans(service.Rows())
	if err != nil {
		t.Fatal(err)
	}
	return &server{limits: service.Limits{}.WithDefaults(), plans: plans}
}

// FuzzBody: no body makes the decoder panic; what it takes is a JSON object
// that the standard library takes too, without names given twice; what it
// refuses has a place and a reason.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"fields": {"a": "b", "n": 1e3}}`, `{"fields": [{"field": {"base64": "/w=="}, "value": 1}], "ttl": "1h"}`,
		`{"fields": {"a": 1, "a": 2}}`, `{"fields": {"\ud800": 1}}`, `{"fields": {"` + "\xff" + `": 1}}`, `{"key": "k"}`, `[]`, `null`,
		`{"fields": {}} {}`, `{"ttl": 1, "expires_at": "2027-01-01T00:00:00Z"}`, strings.Repeat(`{"fields":`, 40), `{"fields": null}`, ``,
		`{"Fields": {}}`, `{"fields": {"a": {"base64": "YQ==", "x": 1}}}`, `{"ttl": 99999999999999999999}`, `{"fields": {"a": 1e999999999}}`,
	} {
		f.Add(seed)
	}
	s := newDecodingServer(f)
	e, err := s.endpoint(route{method: "PUT", pattern: "/hash/{key}/fields"}, on[service.HashSet]())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		op := new(service.HashSet)
		err := s.decodeObject([]byte(body), e, reflect.ValueOf(op).Elem())
		if err == nil {
			if !json.Valid([]byte(body)) || !utf8.ValidString(body) {
				t.Fatalf("%q is taken and is no JSON", body)
			}
			if op.Key != nil {
				t.Fatalf("%q sets the key", body)
			}
			return
		}
		refused, ok := err.(*refusal)
		if !ok || refused.code == "" || refused.detail == "" || len(refused.faults) == 0 {
			t.Fatalf("%q is refused without a reason: %v", body, err)
		}
		for _, fault := range refused.faults {
			if !strings.HasPrefix(fault.Pointer, "#") || !utf8.ValidString(fault.Detail) || strings.Contains(fault.Detail, "Go ") {
				t.Fatalf("%q: %+v", body, fault)
			}
		}
	})
}

// FuzzBatch: no list of operations makes the decoder panic, and each one it
// takes is of a known command.
func FuzzBatch(f *testing.F) {
	for _, seed := range []string{
		`{"operations": [{"op": "SET", "key": "k", "value": "v"}]}`, `{"operations": [{"op": "GET"}, {"op": 1}]}`, `{"operations": 1}`,
		`{"operations": [{"key": "k", "op": "LPUSH", "items": ["a"], "side": "right"}]}`, `{"operations": [{"op": "ZADD", "key": "z", "members": [{"member": "a", "score": "inf"}]}]}`,
		`{"operations": [[]]}`, `{"operations": [{"op": "\u0047ET", "key": {"base64": ""}}]}`, `{"x": 1}`, `{"operations": [{"op": "GET", "op": "SET"}]}`,
	} {
		f.Add(seed)
	}
	s := newDecodingServer(f)
	f.Fuzz(func(t *testing.T, body string) {
		ops, err := s.decodeBatch([]byte(body))
		if err == nil && (len(ops) == 0 || !json.Valid([]byte(body))) {
			t.Fatalf("%q is taken", body)
		}
		if refused, ok := err.(*refusal); err != nil && (!ok || refused.code == "") {
			t.Fatalf("%q: %v", body, err)
		}
	})
}

// FuzzPath: any key, as one segment of a path, escaped as little or as much as
// may be, arrives as exactly its bytes.
func FuzzPath(f *testing.F) {
	for _, key := range awkwardKeys {
		f.Add(key)
	}
	var got string
	var found bool
	mux := chi.NewRouter()
	s := &server{router: mux}
	mux.Use(s.routeEscaped)
	mux.Get("/string/{key}", func(_ http.ResponseWriter, r *http.Request) {
		escaped := chi.RouteContext(r.Context()).URLParam("key")
		key, err := url.PathUnescape(escaped)
		got, found = key, err == nil
	})
	f.Fuzz(func(t *testing.T, key string) {
		if key == "" {
			return
		}
		for _, escaped := range []string{escapeKey([]byte(key)), escapeAll(key), strings.ToLower(escapeAll(key))} {
			target, err := url.ParseRequestURI("/string/" + escaped)
			if err != nil {
				t.Fatalf("%q: %v", escaped, err)
			}
			got, found = "", false
			mux.ServeHTTP(httptest.NewRecorder(), &http.Request{Method: "GET", URL: target, Header: http.Header{}})
			if !found || got != key {
				t.Fatalf("%q arrives as %q (found: %v) through %s", key, got, found, escaped)
			}
		}
	})
}
