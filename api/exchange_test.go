package api

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"keypact/service"
)

// observed is one call of an Observer.
type observed struct {
	route, method string
	status        int
}

// watcher keeps what an Observer is told.
type watcher struct {
	mu   sync.Mutex
	seen []observed
}

func (w *watcher) Observe(route, method string, status int, _ time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, observed{route, method, status})
}

// The observer and the log are told the pattern of the route, never the path.
func TestObserverAndAccessLog(t *testing.T) {
	var text bytes.Buffer
	seen := new(watcher)
	l := newLab(t, "", service.Limits{}, Options{Observer: seen, Logger: slog.New(slog.NewJSONHandler(&text, nil))})
	l.call("PUT", "/set/secret-key/members/secret-member", "")
	l.call("GET", "/set/secret-key?secret=1", "")
	l.call("GET", "/secret-path", "")
	l.call("POST", "/keys/secret-key", "")
	l.call("SECRET", "/keys", "")
	want := []observed{
		{"/set/{key}/members/{member}", "PUT", 201}, {"/set/{key}", "GET", 400}, {"unmatched", "GET", 404},
		{"unmatched", "POST", 405}, {"unmatched", "other", 405},
	}
	if !slices.Equal(seen.seen, want) {
		t.Errorf("observed %v, want %v", seen.seen, want)
	}
	if strings.Contains(strings.ToLower(text.String()), "secret") {
		t.Errorf("the log holds data: %s", text.String())
	}
	var line map[string]any
	if err := json.Unmarshal([]byte(strings.SplitN(text.String(), "\n", 2)[0]), &line); err != nil {
		t.Fatal(err)
	}
	if line["request"] != "TEST" || line["route"] != "/set/{key}/members/{member}" || line["status"] != 201.0 || line["method"] != "PUT" {
		t.Errorf("the line is %v", line)
	}
}

// The client's request id is taken over if it is fit for headers and logs.
func TestRequestIDs(t *testing.T) {
	l := plainLab(t)
	for given, want := range map[string]string{
		"abc-1.2_3:4": "abc-1.2_3:4", "": "TEST", "a b": "TEST", "a\"b": "TEST", "é": "TEST",
		strings.Repeat("a", 128): strings.Repeat("a", 128), strings.Repeat("a", 129): "TEST",
	} {
		w := l.call("GET", "/keys/none", "", "X-Request-Id: "+given)
		if got := w.Header().Get("X-Request-Id"); got != want || !strings.Contains(w.Body.String(), `"/requests/`+want+`"`) {
			t.Errorf("%q: %q, %s", given, got, w.Body)
		}
	}
	ids := make(map[string]bool)
	for range 1000 {
		id := newID()
		if len(id) != 26 || !saneID(id) || ids[id] {
			t.Fatalf("%q", id)
		}
		ids[id] = true
	}
}

// GX15, second half: a panic in a handler is a 500 with a problem, and the
// next request is served.
func TestCasePanic(t *testing.T) {
	var text bytes.Buffer
	l := newLab(t, "", service.Limits{}, Options{
		Logger:  slog.New(slog.NewJSONHandler(&text, nil)),
		Landing: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("kaboom") }),
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("half"))
			panic("kaboom")
		}),
	})
	w := l.want(http.StatusInternalServerError, `{"type": "urn:keypact:problem:internal", "title": "*", "status": 500, "code": "internal",
		"detail": "*", "instance": "/requests/TEST"}`, "GET", "/", "")
	if strings.Contains(w.Body.String(), "kaboom") || !strings.Contains(text.String(), "kaboom") || !strings.Contains(text.String(), "stack") {
		t.Errorf("the client is told %s, the log %s", w.Body, text.String())
	}
	l.want(http.StatusOK, "", "GET", "/healthz", "")
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("half an answer was left to look whole")
			}
		}()
		l.call("GET", "/metrics", "")
	}()
}

// GX15, first half: an empty operation of every type passes through its door
// without a panic.
func TestCaseEveryOperationIsSound(t *testing.T) {
	l := plainLab(t)
	for _, row := range service.Rows() {
		if _, err := l.service.Do(t.Context(), row.New()); err == nil && row.Write {
			t.Errorf("%s accepts an empty request", row.Name)
		}
	}
}

// Every answer forbids browsers to guess types and to run anything.
func TestSecurityHeaders(t *testing.T) {
	l := plainLab(t)
	for _, target := range []string{"/keys", "/nowhere", "/healthz", "/string/none"} {
		h := l.call("GET", target, "").Header()
		if h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %v", target, h)
		}
	}
}

// Without configuration no browser may read from elsewhere, nor write.
func TestOriginsWithoutCORS(t *testing.T) {
	l := plainLab(t)
	w := l.call("GET", "/keys", "", "Origin: https://evil.example")
	if w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("anybody may read: %v", w.Header())
	}
	for _, headers := range [][]string{{"Origin: https://evil.example"}, {"Sec-Fetch-Site: cross-site"}} {
		w := l.call("POST", "/list/q/pop", "", headers...)
		if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), `"code":"cross-origin"`) {
			t.Errorf("%v: %d %s", headers, w.Code, w.Body)
		}
	}
	for _, headers := range [][]string{{"Origin: http://example.com"}, {"Sec-Fetch-Site: same-origin", "Origin: https://proxy.example"}, {}} {
		if w := l.call("POST", "/list/q/pop", "", headers...); w.Code != http.StatusNotFound {
			t.Errorf("%v: %d %s", headers, w.Code, w.Body)
		}
	}
}

// With configuration the named origins may, and see the headers of the API.
func TestCORS(t *testing.T) {
	l := newLab(t, "", service.Limits{}, Options{CORS: CORS{Origins: []string{"https://app.example"}}})
	w := l.call("OPTIONS", "/string/a", "", "Origin: https://app.example", "Access-Control-Request-Method: PATCH",
		"Access-Control-Request-Headers: content-type,keypact-namespace,if-match,idempotency-key,x-request-id,last-event-id,authorization,range")
	if w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "https://app.example" ||
		w.Header().Get("Access-Control-Allow-Methods") != "PATCH" || w.Header().Get("Access-Control-Allow-Headers") == "" {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
	w = l.call("PUT", "/string/a", "x", "Origin: https://app.example", "Sec-Fetch-Site: cross-site")
	if w.Code != http.StatusCreated || !strings.Contains(w.Header().Get("Access-Control-Expose-Headers"), "Etag") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	w = l.call("PUT", "/string/b", "x", "Origin: https://evil.example")
	if w.Code != http.StatusForbidden || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin: %d %v", w.Code, w.Header())
	}
	open := newLab(t, "", service.Limits{}, Options{CORS: CORS{Origins: []string{"*"}}})
	if w := open.call("PUT", "/string/b", "x", "Origin: https://any.example"); w.Code != http.StatusCreated {
		t.Errorf("every origin: %d", w.Code)
	}
	for _, origin := range []string{"app.example", "https://*.example", "https://app.example/path"} {
		if _, err := New(l.service, Options{CORS: CORS{Origins: []string{origin}}}); err == nil {
			t.Errorf("the origin %q is accepted", origin)
		}
	}
}

// Pages that may write may not flush: that is for this service's own.
func TestNoOriginMayFlush(t *testing.T) {
	for _, origins := range [][]string{nil, {"https://app.example"}, {"*"}} {
		l := newLab(t, "", service.Limits{}, Options{CORS: CORS{Origins: origins}})
		l.want(http.StatusCreated, "", "PUT", "/string/a", "x", "Content-Type: text/plain")
		for _, header := range []string{"Origin: https://app.example", "Sec-Fetch-Site: same-site", "Sec-Fetch-Site: cross-site"} {
			l.want(http.StatusForbidden, "", "POST", "/admin/flush", `{"namespace": "0"}`, "Content-Type: application/json", header)
		}
		l.want(http.StatusOK, "", "GET", "/string/a", "")
		l.want(http.StatusOK, `{"removed": 1}`, "POST", "/admin/flush", `{"namespace": "0"}`,
			"Content-Type: application/json", "Origin: http://example.com", "Sec-Fetch-Site: same-origin")
	}
}

func TestReadiness(t *testing.T) {
	state := Readiness{Ready: true}
	l := newLab(t, "", service.Limits{}, Options{Ready: func(context.Context) Readiness { return state }})
	l.want(http.StatusOK, `{"status": "ready", "contracts": "current"}`, "GET", "/readyz", "")
	state.StaleContracts = true
	l.want(http.StatusOK, `{"status": "ready", "contracts": "stale"}`, "GET", "/readyz", "")
	state.Ready = false
	l.want(http.StatusServiceUnavailable, `{"status": "unavailable", "contracts": "stale"}`, "GET", "/readyz", "")
	l.want(http.StatusOK, `{"status": "ok"}`, "GET", "/healthz", "")
}

// Pages that were not given are not there; those that were set their own
// headers.
func TestGivenPages(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "own")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("page"))
	})
	l := newLab(t, "", service.Limits{}, Options{Landing: page, Metrics: page, Spec: []byte("openapi: 3.1.0\n")})
	for _, target := range []string{"/", "/metrics"} {
		if w := l.call("GET", target, ""); w.Body.String() != "page" || w.Header().Get("Content-Security-Policy") != "own" {
			t.Errorf("%s: %s", target, w.Body)
		}
	}
	if w := l.call("GET", "/openapi.yaml", ""); w.Header().Get("Content-Type") != "application/yaml" || w.Body.String() != "openapi: 3.1.0\n" {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
	bare := plainLab(t)
	for _, target := range []string{"/", "/metrics", "/openapi.yaml"} {
		bare.want(http.StatusNotFound, "", "GET", target, "")
	}
}

// The exchange leaves the way to the connection open.
func TestExchangeUnwraps(t *testing.T) {
	w := httptest.NewRecorder()
	x := &exchange{ResponseWriter: w}
	if err := http.NewResponseController(x).Flush(); err != nil || !w.Flushed {
		t.Errorf("flushed %v, %v", w.Flushed, err)
	}
}
