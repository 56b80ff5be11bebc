package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"keypact/api"
	"keypact/api/apitest"
	"keypact/contracts"
	"keypact/service"
	"keypact/service/sourcetest"
	"keypact/store"
	"keypact/store/kv/badger"
)

// contractDoor is the API under contracts, on a store in memory whose clock
// stands still.
type contractDoor struct {
	t *testing.T
	http.Handler
}

// checkedKinds are the kinds of exchanges that were held against the
// specification.
var checkedKinds sync.Map

// contractSpec is the specification that exchanges are held against.
var contractSpec = sync.OnceValues(func() (*apitest.Spec, error) { return apitest.Load("../openapi.yaml") })

// openDoor opens the API under the contracts of a file, in another mode than
// enforce if one is given.
func openDoor(t *testing.T, file, mode string) *contractDoor {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if mode != "" {
		text = []byte(strings.Replace(string(text), "mode: enforce", "mode: "+mode, 1))
	}
	set, err := contracts.Parse(contracts.Source{Name: file, Data: text})
	if err != nil {
		t.Fatal(err)
	}
	db, err := badger.Open(badger.Options{
		InMemory: true, MinFreeBytes: -1, Clock: func() time.Time { return time.UnixMilli(sourcetest.Start) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	st, err := store.Open(context.Background(), db, store.Options{Contracts: set, Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	svc, err := service.New(st, service.Options{})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := api.New(svc, api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &contractDoor{t: t, Handler: handler}
}

// send sends one request. The first answer of a route with each status, with
// and without warnings, must be as specified; to hold all against the
// specification takes long.
func (d *contractDoor) send(route, method, target, media, body string) *httptest.ResponseRecorder {
	d.t.Helper()
	r, w := d.raw(method, target, media, body)
	kind := fmt.Sprint(route, media, w.Code, w.Header().Get("Contract-Warning") != "")
	if _, known := checkedKinds.LoadOrStore(kind, true); known {
		return w
	}
	spec, err := contractSpec()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := spec.Check(apitest.Record(r, []byte(body), w.Result(), w.Body.Bytes())); err != nil {
		d.t.Errorf("%s %s %.500s: not as specified: %v", method, target, body, err)
	}
	return w
}

// raw sends one request and checks nothing, so many can be sent at once.
func (d *contractDoor) raw(method, target, media, body string) (*http.Request, *httptest.ResponseRecorder) {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if media == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	} else {
		r.Header.Set("Content-Type", media)
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return r, w
}

// must runs commands, as in a batch, that have to succeed.
func (d *contractDoor) must(lines ...string) {
	d.t.Helper()
	if len(lines) == 0 {
		return
	}
	var operations []string
	for _, line := range lines {
		command, members := sourcetest.Split(line)
		operations = append(operations, `{"op":"`+command+`",`+members+`}`)
	}
	w := d.send("POST /batch", "POST", "/batch", "application/json", `{"operations":[`+strings.Join(operations, ",")+`]}`)
	if w.Code != http.StatusOK {
		d.t.Fatalf("%.200q: %d %.500s", lines, w.Code, w.Body)
	}
}

// try sends one form of a try.
func (d *contractDoor) try(r request, try sourcetest.Try, n int) {
	d.t.Helper()
	setup := make([]string, len(try.Setup))
	for i, line := range try.Setup {
		setup[i] = sourcetest.Number(line, n)
	}
	d.must(setup...)
	w := d.send(r.route, r.method, sourcetest.Number(r.target, n), r.media, sourcetest.Number(r.body, n))
	want := try.Want
	if want != sourcetest.OK && want != sourcetest.Malformed {
		want = placed(sourcetest.Number(want, n), r.place)
	}
	got, details := outcomeOf(d.t, w)
	if !sourcetest.Same(got, want) {
		d.t.Errorf("%s: %s %.100s %.200s: %s, want %s", try.Name, r.method, r.target, r.body, got, want)
	}
	if !strings.Contains(details, try.Detail) {
		d.t.Errorf("%s: %s %s: details %q, want %q", try.Name, r.method, r.target, details, try.Detail)
	}
}

// placed puts the places of answers in place of the paths of the table. Two
// violations that an answer cannot tell apart are one.
func placed(violations string, place func(path string) string) string {
	var out []string
	for violation := range strings.SplitSeq(violations, ", ") {
		code, path, _ := strings.Cut(violation, " ")
		out = append(out, code+" "+place(path))
	}
	return strings.Join(out, ", ")
}

// contractProblem is the body of a refusal.
type contractProblem struct {
	Type, Code, Detail string
	Status             int
	ErrorCount         int    `json:"error_count"`
	Operation          string `json:"operation"`
	Contract           *struct{ Name, Key, Mode string }
	Errors             []contractFault
}

type contractFault struct{ Code, Pointer, Parameter, Detail, Rule, Phase, Contract string }

func (f contractFault) place() string {
	if f.Parameter != "" {
		return "parameter " + f.Parameter
	}
	return f.Pointer
}

// outcomeOf is what came of a request, in the words of the table, but with the
// places that the answer points at.
func outcomeOf(t *testing.T, w *httptest.ResponseRecorder) (got, details string) {
	t.Helper()
	if w.Code < 300 {
		return sourcetest.OK, ""
	}
	var p contractProblem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Status != w.Code {
		t.Errorf("status %d with the body %s: %v", w.Code, w.Body, err)
	}
	switch {
	case w.Code == http.StatusBadRequest:
		return sourcetest.Malformed, p.Detail
	case w.Code != http.StatusUnprocessableEntity:
		return p.Type + " " + p.Code, p.Detail
	}
	if p.Type != "urn:keypact:problem:contract-violation" || p.ErrorCount != len(p.Errors) || !strings.Contains(p.Detail, "Nothing was written.") {
		t.Errorf("a refusal with the body %s", w.Body)
	}
	if (p.Contract == nil) == !slices.ContainsFunc(p.Errors, func(f contractFault) bool { return f.Contract != "" }) {
		t.Errorf("a refusal that names no contract, or two: %s", w.Body)
	}
	var out []string
	for _, f := range p.Errors {
		out = append(out, f.Code+" "+f.place())
		details += f.Detail + "\n"
		if !strings.HasPrefix(f.Rule, "#/contracts/") {
			t.Errorf("a violation of the rule %q", f.Rule)
		}
	}
	return strings.Join(out, ", "), details
}
