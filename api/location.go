package api

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/go-chi/chi/v5"

	"keypact/service"
)

// location is the URL of a key that an operation created: the URL of the
// request itself where that is the one of an element, the URL of the
// destination where there is one, else that of the key. Empty if there is no
// one key, or one that no path can carry.
func (e *endpoint) location(r *http.Request, op service.Op) string {
	segment := strings.Split(e.pattern, "/")[1]
	if m := e.plan.member("destination"); m != nil {
		key := m.of(reflect.ValueOf(op).Elem()).Bytes()
		if len(key) == 0 {
			return ""
		}
		if segment == "sets" {
			segment = "set"
		}
		return "/" + segment + "/" + escapeKey(key) + e.answers.location
	}
	if e.answers.location == "-" {
		return r.URL.EscapedPath()
	}
	escaped := chi.RouteContext(r.Context()).URLParam("key")
	if escaped == "" {
		return ""
	}
	return "/" + segment + "/" + escaped + e.answers.location
}

// escapeKey writes a key as one segment of a path that no client will take
// for a dot segment.
func escapeKey(key []byte) string {
	escaped := url.PathEscape(string(key))
	if escaped == "." || escaped == ".." {
		return strings.ReplaceAll(escaped, ".", "%2E")
	}
	return escaped
}
