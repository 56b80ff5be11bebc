package api

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"keypact/service"
	"keypact/store"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// fullLab is a lab on a disk that says how much space is free.
type fullLab struct {
	*lab
	store *store.Store
	db    kv.DB
	free  atomic.Uint64
}

const fullWatermark = 1000

func newFullLab(t *testing.T) *fullLab {
	t.Helper()
	l := &fullLab{lab: &lab{t: t}}
	l.free.Store(math.MaxInt64)
	engine, err := badger.Open(badger.Options{
		Dir: t.TempDir(), Durability: badger.None, MinFreeBytes: fullWatermark, Essential: store.Essential,
		FreeBytes: func(string) (uint64, error) { return l.free.Load(), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	l.db = engine
	if l.store, err = store.Open(t.Context(), engine, store.Options{Sweep: -1}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.store.Close)
	if l.service, err = service.New(l.store, service.Options{}); err != nil {
		t.Fatal(err)
	}
	if l.Handler, err = New(l.service, Options{NewID: func() string { return "TEST" }}); err != nil {
		t.Fatal(err)
	}
	return l
}

// records is how many records the engine holds.
func (l *fullLab) records() (n int) {
	l.t.Helper()
	err := l.db.View(context.Background(), func(r kv.Reader) error {
		return r.Scan(kv.Range{KeysOnly: true}, func(_, _ []byte) bool { n++; return true })
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return n
}

// memberList is a JSON list of so many members of a set.
func memberList(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%q", fmt.Sprint("member", i)))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// Below the watermark everything that takes data away goes on, or the space
// could never come back; whatever adds data is refused and changes nothing.
func TestFullDisk(t *testing.T) {
	l := newFullLab(t)
	put := func(path, body string) { l.want(201, "", http.MethodPut, path, body) }
	put("/string/s", `{"value":"x"}`)
	put("/string/kept", `{"value":"x"}`)
	put("/hash/h/fields", `{"fields":{"a":"1","b":"2","c":"3"},"ttl":1000}`)
	put("/set/large/members", `{"members":`+memberList(1000)+`}`)
	put("/zset/z/members", `{"members":[{"member":"a","score":1},{"member":"b","score":2}]}`)
	l.want(201, "", http.MethodPost, "/list/l/items", `{"items":["a","b","c"]}`)
	before := l.records()
	l.free.Store(fullWatermark - 1)

	for _, refused := range []struct{ method, path, body string }{
		{http.MethodPut, "/string/new", `{"value":"x"}`},
		{http.MethodPut, "/string/kept", `{"value":"y"}`},
		{http.MethodPut, "/hash/h/fields", `{"fields":{"d":"4"}}`},
		{http.MethodPut, "/set/large/members", `{"members":["another"]}`},
		{http.MethodPut, "/zset/z/members", `{"members":[{"member":"c","score":3}]}`},
		{http.MethodPost, "/list/l/items", `{"items":["d"]}`},
		{http.MethodPost, "/keys/h/copy", `{"destination":"h2"}`},
	} {
		l.want(507, "", refused.method, refused.path, refused.body)
	}
	if got := l.records(); got != before {
		t.Errorf("%d records before, %d after what was refused", before, got)
	}
	l.want(200, `{"count":1000}`, http.MethodGet, "/set/large/count", "")

	l.want(204, "", http.MethodDelete, "/string/s", "")
	l.want(200, "", http.MethodDelete, "/hash/h/fields/a", "")
	l.want(200, "", http.MethodDelete, "/zset/z/members?member=a", "")
	l.want(200, "", http.MethodPost, "/list/l/pop", `{}`)
	l.want(204, "", http.MethodDelete, "/set/large", "")
	l.want(200, `{"count":2}`, http.MethodGet, "/hash/h/count", "")
	l.want(404, "", http.MethodGet, "/set/large", "")
	if err := l.store.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := l.records(); got > before-1000 {
		t.Errorf("%d records are left of %d: the worker has reclaimed nothing", got, before)
	}

	l.free.Store(fullWatermark/4 - 1)
	l.want(507, "", http.MethodDelete, "/zset/z", "")
	l.want(200, `{"count":1}`, http.MethodGet, "/zset/z/count", "")
	l.free.Store(fullWatermark)
	l.want(201, "", http.MethodPut, "/string/new", `{"value":"x"}`)
}
