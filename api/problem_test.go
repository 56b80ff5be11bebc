package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"keypact/service"
)

// answered lets an exchange fail and returns the answer.
func answered(t *testing.T, err error, src source) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	x := &exchange{ResponseWriter: w, server: &server{log: slog.New(slog.DiscardHandler)}, id: "TEST"}
	x.fail(err, src)
	return w
}

// Every kind has its row, its status and its type; types are told apart.
func TestEveryKindHasItsProblem(t *testing.T) {
	status := map[service.Kind]int{
		service.KindInvalid: 400, service.KindUnauthenticated: 401, service.KindForbidden: 403, service.KindNotFound: 404,
		service.KindMethod: 405, service.KindNotAcceptable: 406, service.KindWrongType: 409, service.KindConflict: 409,
		service.KindPrecondition: 412, service.KindTooLarge: 413, service.KindUnsupportedMedia: 415, service.KindContract: 422,
		service.KindRate: 429, service.KindBusy: 503, service.KindFull: 507, service.KindInternal: 500,
	}
	seen := make(map[string]service.Kind)
	for _, kind := range service.Kinds() {
		row, ok := kinds[kind]
		if !ok || row.title == "" {
			t.Errorf("%s has no row", kind)
			continue
		}
		if other, taken := seen[row.name]; taken {
			t.Errorf("%s and %s have one type", kind, other)
		}
		seen[row.name] = kind
		if row.status != status[kind] {
			t.Errorf("%s is %d, want %d", kind, row.status, status[kind])
		}
		w := answered(t, &service.Error{Kind: kind, Code: "some-code", Detail: "Some detail."}, source{})
		want := fmt.Sprintf(`{"type": "%s", "title": "%s", "status": %d, "code": "some-code", "detail": "Some detail.", "instance": "/requests/TEST"`,
			ProblemType(kind), row.title, row.status)
		if kind == service.KindContract {
			want += `, "truncated": false, "errors": []`
		}
		if diff := compareJSON(want+"}", w.Body.String()); diff != "" || w.Code != row.status {
			t.Errorf("%s: %d %s", kind, w.Code, diff)
		}
		if w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s", kind, w.Header().Get("Content-Type"))
		}
	}
	if len(kinds) != len(service.Kinds()) {
		t.Errorf("the table has %d kinds, the service %d", len(kinds), len(service.Kinds()))
	}
}

// What has no kind is internal, and its text stays inside.
func TestUnknownErrorsStayInside(t *testing.T) {
	w := answered(t, errors.New("secret /var/lib/keypact"), source{})
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	w = answered(t, &service.Error{Kind: "made-up", Code: "x"}, source{})
	if w.Code != http.StatusInternalServerError {
		t.Errorf("an unknown kind: %d", w.Code)
	}
}

func TestBusySaysWhenToTryAgain(t *testing.T) {
	w := answered(t, &service.Error{Kind: service.KindBusy, Code: "conflict", RetryAfter: 1200 * time.Millisecond}, source{})
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "2" {
		t.Errorf("%d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
}

// At most 100 violations are listed; the count is that of all.
func TestViolationsAreCapped(t *testing.T) {
	found := make([]service.Violation, 150)
	for i := range found {
		found[i].Code, found[i].Path = "number.maximum", []string{"items", fmt.Sprint(i)}
		found[i].Contract, found[i].Verb, found[i].DataKey = "c", "SADD", []byte("k\xff")
	}
	w := answered(t, &service.Error{Kind: service.KindContract, Violations: found}, source{})
	body := w.Body.String()
	for _, part := range []string{
		`"error_count":150,"truncated":true`, `"data_key":{"base64":"a/8="}`, `"operation":"SADD"`,
		`{"code":"number.maximum","pointer":"#/items/99"`,
	} {
		if !strings.Contains(body, part) {
			t.Errorf("%s is missing: %.300s", part, body)
		}
	}
	if n := strings.Count(body, `"pointer"`); n != 100 {
		t.Errorf("%d violations are listed", n)
	}
	if strings.Index(body, "#/items/2\"") > strings.Index(body, "#/items/10\"") {
		t.Error("positions are not sorted as numbers")
	}
}

// The same violation found twice is listed once.
func TestViolationsAreListedOnce(t *testing.T) {
	var v service.Violation
	v.Code, v.Path, v.Detail = "ttl.required", []string{"ttl"}, "a time to live is required"
	list, count := source{}.violations([]service.Violation{v, v, v})
	if len(list) != 1 || count != 1 {
		t.Errorf("%d listed, %d counted", len(list), count)
	}
}

func TestPointers(t *testing.T) {
	for want, path := range map[string][]string{
		"#":                       {},
		"#/fields/a~1b~0c":        {"fields", "a/b~c"},
		"#/fields/%25%20%C3%A9":   {"fields", "% é"},
		"#/fields/%FF%00":         {"fields", "\xff\x00"},
		"#/":                      {""},
		"#/a.b-c_d:e@f!g$h'(i)*+": {"a.b-c_d:e@f!g$h'(i)*+"},
		"#/%22%3C%3E%5B%5D%23":    {"\"<>[]#"},
	} {
		if got := pointerTo(path...); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}

// Names that clients made up are short and harmless in an answer.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "é漢": "é漢", "a\r\nb": "a??b", "\xff": "?", "\u0085": "?",
		strings.Repeat("a", 200): strings.Repeat("a", 128) + "...",
	} {
		if got := printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := printable(strings.Repeat("é", 200)); len(got) > 140 || strings.ContainsRune(got, '\ufffd') {
		t.Errorf("%q", got)
	}
}
