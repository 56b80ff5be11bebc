package api

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"keypact/service"
)

// sink is a response writer that keeps nothing.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }

// bench sends one request again and again, at the level of handlers.
func bench(b *testing.B, l *lab, method, target, kind, body string, want int) {
	b.Helper()
	u, err := url.ParseRequestURI(target)
	if err != nil {
		b.Fatal(err)
	}
	reader := strings.NewReader(body)
	r := &http.Request{
		Method: method, URL: u, RequestURI: target, Header: http.Header{}, Body: io.NopCloser(reader), ContentLength: int64(len(body)),
	}
	if body == "" {
		r.Body = http.NoBody
	} else {
		r.Header.Set("Content-Type", kind)
	}
	w := &sink{header: make(http.Header)}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		reader.Reset(body)
		l.ServeHTTP(w, r)
		if w.status != want {
			b.Fatalf("status %d", w.status)
		}
	}
}

func BenchmarkStringGet(b *testing.B) {
	l := newLab(b, "", service.Limits{}, Options{NewID: newID})
	l.call("PUT", "/string/session:42", "tok_7fQ2", "Content-Type: application/x-www-form-urlencoded")
	bench(b, l, "GET", "/string/session:42", "", "", http.StatusOK)
}

func BenchmarkStringGetRaw(b *testing.B) {
	l := newLab(b, "", service.Limits{}, Options{NewID: newID})
	l.call("PUT", "/string/session:42", "tok_7fQ2", "Content-Type: text/plain")
	bench(b, l, "GET", "/string/session:42", "", "", http.StatusOK)
}

func BenchmarkStringSet(b *testing.B) {
	l := newLab(b, "", service.Limits{}, Options{NewID: newID})
	l.call("PUT", "/string/session:42", "x", "Content-Type: application/x-www-form-urlencoded")
	bench(b, l, "PUT", "/string/session:42", typeJSON, `{"value":"tok_7fQ2"}`, http.StatusNoContent)
}

func BenchmarkStringSetRaw(b *testing.B) {
	l := newLab(b, "", service.Limits{}, Options{NewID: newID})
	l.call("PUT", "/string/session:42", "x", "Content-Type: application/x-www-form-urlencoded")
	bench(b, l, "PUT", "/string/session:42", "application/x-www-form-urlencoded", "tok_7fQ2", http.StatusNoContent)
}

func BenchmarkHashSet(b *testing.B) {
	l := newLab(b, "", service.Limits{}, Options{NewID: newID})
	l.call("PUT", "/hash/u1/fields", `{"fields":{"a":"1"}}`, "Content-Type: application/json")
	bench(b, l, "PUT", "/hash/u1/fields", typeJSON, `{"fields":{"nickname":"Ada","level":7}}`, http.StatusOK)
}

func BenchmarkBatch(b *testing.B) {
	l := newLab(b, "", service.Limits{}, Options{NewID: newID})
	op := `{"op":"HGET","key":"u1","field":"a"}`
	body := `{"operations":[` + op + strings.Repeat(","+op, 99) + `]}`
	bench(b, l, "POST", "/batch", typeJSON, body, http.StatusOK)
}

// BenchmarkDoor is what the door itself costs: routing, binding, answering.
func BenchmarkDoor(b *testing.B) {
	l := newLab(b, "", service.Limits{}, Options{NewID: newID})
	bench(b, l, "GET", "/healthz", "", "", http.StatusOK)
}
