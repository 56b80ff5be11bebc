package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"keypact/api/apitest"
	"keypact/contracts"
	"keypact/service"
	"keypact/service/command"
	"keypact/store"
	"keypact/store/kv/badger"
)

// lab is the API on a store in memory, with a clock that stands still until it
// is moved.
type lab struct {
	t       testing.TB
	service *service.Service
	redis   *command.Host
	http.Handler
	clock atomic.Int64 // ms since the epoch
}

// someMoment is where the clock starts: 2027-01-15T08:00:00Z.
const someMoment = 1_800_000_000_000

func newLab(t testing.TB, yaml string, limits service.Limits, opts Options) *lab {
	t.Helper()
	l := &lab{t: t}
	l.clock.Store(someMoment)
	db, err := badger.Open(badger.Options{
		InMemory: true, MinFreeBytes: -1, Clock: func() time.Time { return time.UnixMilli(l.clock.Load()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	set := contracts.Empty()
	if yaml != "" {
		if set, err = contracts.Parse(contracts.Source{Name: "test.yaml", Data: []byte(yaml)}); err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(t.Context(), db, store.Options{Contracts: set, Sweep: -1, Limits: limits.Store()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	if l.service, err = service.New(st, service.Options{Limits: limits}); err != nil {
		t.Fatal(err)
	}
	if opts.NewID == nil {
		opts.NewID = func() string { return "TEST" }
	}
	if opts.Redis == nil {
		opts.Redis = command.New(l.service, command.Options{})
	}
	l.redis = opts.Redis
	if l.Handler, err = New(l.service, opts); err != nil {
		t.Fatal(err)
	}
	return l
}

// call sends one request and holds the exchange against the specification.
// Headers come as "Name: value".
func (l *lab) call(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	l.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	l.ServeHTTP(w, r)
	if method == http.MethodOptions {
		return w // preflights are a matter between browsers and the server
	}
	if err := specification().Check(apitest.Record(r, []byte(body), w.Result(), w.Body.Bytes())); err != nil {
		l.t.Errorf("not as specified: %s %s: %v", method, target, err)
	}
	return w
}

// want calls and checks the status, and the body where one is given.
func (l *lab) want(status int, body, method, target, sent string, headers ...string) *httptest.ResponseRecorder {
	l.t.Helper()
	if sent != "" && len(headers) == 0 {
		headers = []string{"Content-Type: application/json"}
	}
	w := l.call(method, target, sent, headers...)
	if w.Code != status {
		l.t.Errorf("%s %s: status %d, want %d\n%s", method, target, w.Code, status, w.Body)
	}
	if body != "" {
		if diff := compareJSON(body, w.Body.String()); diff != "" {
			l.t.Errorf("%s %s: %s\n%s", method, target, diff, w.Body)
		}
	}
	return w
}
