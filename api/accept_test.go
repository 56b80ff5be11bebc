package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAccept(t *testing.T) {
	for _, c := range []struct{ header, offers, want string }{
		{"", "application/json text/html", "application/json"},
		{"*/*", "text/html application/json", "text/html"},
		{"application/json", "text/html application/json", "application/json"},
		{"text/html, application/json;q=0.9", "application/json text/html", "text/html"},
		{"text/*, */*;q=0.1", "application/json text/plain", "text/plain"},
		{"application/json;q=0, */*", "application/json text/plain", "text/plain"},
		{"*/*;q=0.5, application/json;q=0.4", "application/json application/octet-stream", "application/octet-stream"},
		{"image/png", "application/json", ""},
		{"nonsense", "application/json", "application/json"},
		{"image/png, nonsense", "application/json", ""},
		{"application/json;q=2", "application/json", "application/json"},
		{"application/json;q=NaN, image/png", "application/json", ""},
		{"APPLICATION/JSON", "application/json", "application/json"},
		{"application/*", "text/html application/json", "application/json"},
		{"application/json;charset=utf-8", "application/json", "application/json"},
		{strings.Repeat("a/b,", 1000) + "application/json", "application/json", ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if c.header != "" {
			r.Header.Set("Accept", c.header)
		}
		if got := acceptsOf(r).pick(strings.Fields(c.offers)...); got != c.want {
			t.Errorf("%.40q of %s: %q, want %q", c.header, c.offers, got, c.want)
		}
	}
}

// Ranges of a value of ten bytes.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		header   string
		from, to int
		ranged   bool
		ok       bool
	}{
		{"", 0, 10, false, true},
		{"bytes=0-9", 0, 10, true, true},
		{"bytes=0-0", 0, 1, true, true},
		{"bytes=9-", 9, 10, true, true},
		{"bytes=3-99", 3, 10, true, true},
		{"bytes=-1", 9, 10, true, true},
		{"bytes=-99", 0, 10, true, true},
		{"bytes=10-", 0, 0, true, false},
		{"bytes=10-11", 0, 0, true, false},
		{"bytes=-0", 0, 0, true, false},
		{"bytes=99999999999999999999-", 0, 0, true, false},
		{"bytes=0-99999999999999999999", 0, 10, true, true},
		{"bytes=5-4", 0, 10, false, true},
		{"bytes=0-1,3-4", 0, 10, false, true},
		{"bytes=a-b", 0, 10, false, true},
		{"bytes=-", 0, 10, false, true},
		{"bytes=+1-2", 0, 10, false, true},
		{"bytes=1", 0, 10, false, true},
		{"items=0-1", 0, 10, false, true},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Range", c.header)
		x := &exchange{ResponseWriter: httptest.NewRecorder()}
		from, to, ranged, ok := x.rangeOf(r, 10)
		if ok != c.ok || ok && (from != c.from || to != c.to || ranged != c.ranged) {
			t.Errorf("%q: %d-%d %v %v", c.header, from, to, ranged, ok)
		}
	}
}

// A value of no bytes has no range, and an empty raw value is one.
func TestEmptyValues(t *testing.T) {
	l := plainLab(t)
	l.want(http.StatusCreated, "", "PUT", "/string/e", "", "Content-Type: text/plain")
	l.want(http.StatusOK, `{"value": "", "media_type": "text/plain"}`, "GET", "/string/e", "", "Accept: application/json")
	l.want(http.StatusRequestedRangeNotSatisfiable, "", "GET", "/string/e", "", "Range: bytes=0-0")
	l.want(http.StatusRequestedRangeNotSatisfiable, "", "GET", "/string/e", "", "Range: bytes=-1")
	if w := l.want(http.StatusOK, "", "GET", "/string/e", ""); w.Body.Len() != 0 || w.Header().Get("Content-Length") != "0" {
		t.Errorf("%q %v", w.Body, w.Header())
	}
}

// A stored media type is text from outside: it cannot break an answer.
func TestStoredMediaTypesAreHarmless(t *testing.T) {
	for mediaType, safe := range map[string]bool{
		"text/plain": true, "text/html; charset=utf-8": true, "a/b\r\nX: y": false, "text/é": false, "": false, "nonsense/": false,
	} {
		if headerSafe(mediaType) != safe {
			t.Errorf("%q: %v", mediaType, !safe)
		}
	}
	l := plainLab(t)
	l.want(http.StatusOK, "", "POST", "/batch", `{"operations": [{"op": "SET", "key": "k", "value": "v", "media_type": "a/b\r\nX: y"}]}`)
	if w := l.call("GET", "/string/k", ""); w.Code != http.StatusOK || w.Header().Get("Content-Type") != typeJSON {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}
