package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"keypact/api/apitest"
)

// trier sends what "Try it out" would send, to a service like the one that the
// README starts, and holds every answer against the specification.
type trier struct {
	*testing.T
	spec    *apitest.Spec
	handler http.Handler
}

// trial is one operation with the values that are sent to it.
type trial struct {
	method, path string
	operation    *openapi3.Operation
	parameters   map[string]any // by name; what is missing is not sent
	body         any            // nil sends none
	header       http.Header
}

func newTrier(t *testing.T, contracts string, flags ...string) *trier {
	t.Helper()
	flags = append([]string{"--data", t.TempDir(), "--durability", "none", "--contracts", contracts}, flags...)
	c, err := load(flags, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	set, err := loadContracts(c.Contracts)
	if err != nil {
		t.Fatal(err)
	}
	a, err := openApp(t.Context(), c, set, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
	})
	return &trier{t, loadSpec(t), a.handler}
}

// trial starts from what the pages fill in: the example of each parameter, or
// else its default, and the example of the body that is named.
func (tr *trier) trial(method, path string, example string) *trial {
	item := tr.spec.Doc.Paths.Find(path)
	operation := item.GetOperation(method)
	x := &trial{method: method, path: path, operation: operation, parameters: make(map[string]any), header: make(http.Header)}
	for _, list := range []openapi3.Parameters{item.Parameters, operation.Parameters} {
		for _, p := range list {
			switch {
			case p.Value.In == openapi3.ParameterInHeader:
			case p.Value.Example != nil:
				x.parameters[p.Value.Name] = p.Value.Example
			case p.Value.Schema.Value.Default != nil:
				x.parameters[p.Value.Name] = p.Value.Schema.Value.Default
			}
		}
	}
	if operation.RequestBody != nil && example != "" {
		x.body = operation.RequestBody.Value.Content["application/json"].Examples[example].Value.Value
	}
	return x
}

// send makes the request, checks the exchange and returns the status.
func (tr *trier) send(x *trial) int {
	tr.Helper()
	r, body := tr.request(x)
	w := httptest.NewRecorder()
	tr.handler.ServeHTTP(w, r)
	if err := tr.spec.Check(apitest.Record(r, body, w.Result(), w.Body.Bytes())); err != nil {
		tr.Errorf("%v\nthe answer was %d %.300s", err, w.Code, w.Body)
	}
	return w.Code
}

// prepare makes a request that is no trial itself and must succeed.
func (tr *trier) prepare(x *trial) {
	tr.Helper()
	r, _ := tr.request(x)
	w := httptest.NewRecorder()
	tr.handler.ServeHTTP(w, r)
	if w.Code >= 300 {
		tr.Fatalf("prepare %s %s: status %d %s", r.Method, r.URL, w.Code, w.Body)
	}
}

func (tr *trier) request(x *trial) (r *http.Request, body []byte) {
	tr.Helper()
	target, query := x.path, make(url.Values)
	for name, value := range x.parameters {
		if place := "{" + name + "}"; strings.Contains(target, place) {
			target = strings.ReplaceAll(target, place, url.PathEscape(textOf(value)))
			continue
		}
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, one := range list {
			query.Add(name, textOf(one))
		}
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	switch content := x.body.(type) {
	case nil:
	case []byte:
		body = content
	default:
		var err error
		if body, err = json.Marshal(content); err != nil {
			tr.Fatal(err)
		}
	}
	r = httptest.NewRequest(x.method, target, bytes.NewReader(body))
	r.Header = x.header.Clone()
	if body != nil && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, body
}

func textOf(value any) string {
	if number, ok := value.(float64); ok {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// seeds are the operations whose examples write the data that the others read.
var seeds = []struct{ method, path, example string }{
	{"PUT", "/string", "sessions"},
	{"PUT", "/hash/{key}/fields", "profile"},
	{"POST", "/list/{key}/items", "order"},
	{"PUT", "/set/{key}/members", "tags"},
	{"PUT", "/zset/{key}/members", "products"},
}

// seed deletes the keys of the examples, but for the queue, whose contract
// forbids that, and writes the seeds and a list without a contract.
func (tr *trier) seed() {
	tr.Helper()
	keys := []any{"session:42", "session:43", "session:44", "session:45", "profile:42", "profile:43",
		"recent:42", "recent:43", "tags:42", "tags:43", "tags:both", "hot:products:books", "counter:visits", "lock:a", "lock:b",
		"absent", "other"}
	clear := tr.trial("DELETE", "/keys", "")
	clear.parameters["key"] = keys
	tr.prepare(clear)
	for _, s := range seeds {
		tr.prepare(tr.trial(s.method, s.path, s.example))
	}
	list := tr.trial("POST", "/list/{key}/items", "")
	list.parameters["key"], list.body = "recent:42", map[string]any{"items": []any{"/books/1001", "/books/1001"}}
	tr.prepare(list)
}

// TestSpecificationTryItOut runs every operation as the pages of Swagger UI
// offer it, each with every example of its body. What the summary of an example
// calls rejected is; all else succeeds.
func TestSpecificationTryItOut(t *testing.T) {
	tr := newTrier(t, "examples/contracts.yaml")
	operations(tr.spec.Doc, func(method, path string, o *openapi3.Operation) {
		examples := map[string]string{"": ""}
		if o.RequestBody != nil {
			clear(examples)
			for name, example := range o.RequestBody.Value.Content["application/json"].Examples {
				examples[name] = example.Value.Summary
			}
		}
		for _, name := range slices.Sorted(maps.Keys(examples)) {
			tr.seed()
			tr.tryPreconditions(path)
			status := tr.send(tr.trial(method, path, name))
			if want := wantedStatus(path, examples[name]); want != 0 && status/100 != want/100 || want == 422 && status != want {
				t.Errorf("%s %s %s: status %d", method, path, name, status)
			}
		}
	})
}

// wantedStatus reads from an example's summary what becomes of it.
func wantedStatus(path, summary string) int {
	switch {
	case path == "/docs":
		return http.StatusMovedPermanently
	case strings.Contains(summary, "(422)") && path != "/contracts/validate":
		return http.StatusUnprocessableEntity
	case strings.HasPrefix(summary, "Only if absent") || strings.HasPrefix(summary, "Only to"):
		return 0 // depends on what is there
	}
	return http.StatusOK
}

// tryPreconditions removes what stands in the way of an example: conditions ask
// for keys that are absent.
func (tr *trier) tryPreconditions(path string) {
	if path == "/keys/{key}/copy" || path == "/keys/{key}/rename" {
		clear := tr.trial("DELETE", "/keys", "")
		clear.parameters["key"] = []any{"session:44", "session:45"}
		tr.prepare(clear)
	}
}
