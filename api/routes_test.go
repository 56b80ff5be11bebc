package api

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"keypact/service"
)

// trial is what a route answers in three situations: its key is absent, its
// key holds another type, and all is well with a key of its own.
type trial struct {
	route   string // "GET /string/{key}", with the query that it needs
	body    string
	absent  int
	wrong   int
	present int
}

// trials has every route that runs an operation on one key. Beside the status
// the rest of the answer is pinned by the scripts in testdata.
var trials = []trial{
	{"GET /string/{key}", "", 404, 409, 200},
	{"HEAD /string/{key}", "", 404, 409, 200},
	{"PUT /string/{key}", `{"value": "x"}`, 201, 204, 204},
	{"PATCH /string/{key}", `{"append": "x"}`, 201, 409, 200},
	{"DELETE /string/{key}", "", 404, 409, 204},
	{"GET /string/{key}/range", "", 404, 409, 200},
	{"GET /string/{key}/length", "", 200, 409, 200},
	{"POST /string/{key}/incr", "", 201, 409, 200},

	{"GET /hash/{key}", "", 404, 409, 200},
	{"HEAD /hash/{key}", "", 404, 409, 200},
	{"DELETE /hash/{key}", "", 404, 409, 204},
	{"GET /hash/{key}/count", "", 200, 409, 200},
	{"GET /hash/{key}/fields", "", 404, 409, 200},
	{"GET /hash/{key}/fields?field=1", "", 404, 409, 200},
	{"PUT /hash/{key}/fields", `{"fields": {"1": "x"}}`, 201, 409, 200},
	{"DELETE /hash/{key}/fields?field=1", "", 200, 409, 200},
	{"POST /hash/{key}/fields/remove", `{"fields": ["1"]}`, 200, 409, 200},
	{"GET /hash/{key}/fields/1", "", 404, 409, 200},
	{"HEAD /hash/{key}/fields/1", "", 404, 409, 200},
	{"PUT /hash/{key}/fields/1", `{"value": "x"}`, 201, 409, 204},
	{"DELETE /hash/{key}/fields/1", "", 404, 409, 200},
	{"POST /hash/{key}/fields/1/incr", "", 201, 409, 200},

	{"HEAD /list/{key}", "", 404, 409, 200},
	{"DELETE /list/{key}", "", 404, 409, 204},
	{"GET /list/{key}/count", "", 200, 409, 200},
	{"GET /list/{key}/items", "", 404, 409, 200},
	{"POST /list/{key}/items", `{"items": ["x"]}`, 201, 409, 200},
	{"GET /list/{key}/items/0", "", 404, 409, 200},
	{"PUT /list/{key}/items/0", `{"value": "x"}`, 404, 409, 204},
	{"POST /list/{key}/pop", "", 404, 409, 200},
	{"POST /list/{key}/move", `{"destination": "spare"}`, 404, 409, 200},
	{"POST /list/{key}/insert", `{"pivot": "1", "value": "x", "where": "after"}`, 404, 409, 200},
	{"POST /list/{key}/remove", `{"value": "1"}`, 200, 409, 200},
	{"POST /list/{key}/trim", `{"start": 0, "stop": 0}`, 200, 409, 200},

	{"GET /set/{key}", "", 404, 409, 200},
	{"HEAD /set/{key}", "", 404, 409, 200},
	{"DELETE /set/{key}", "", 404, 409, 204},
	{"GET /set/{key}/count", "", 200, 409, 200},
	{"GET /set/{key}/members", "", 404, 409, 200},
	{"PUT /set/{key}/members", `{"members": ["x"]}`, 201, 409, 200},
	{"DELETE /set/{key}/members?member=1", "", 200, 409, 200},
	{"POST /set/{key}/members/remove", `{"members": ["1"]}`, 200, 409, 200},
	{"GET /set/{key}/members/1", "", 404, 409, 200},
	{"HEAD /set/{key}/members/1", "", 404, 409, 200},
	{"PUT /set/{key}/members/1", "", 201, 409, 204},
	{"DELETE /set/{key}/members/1", "", 404, 409, 200},
	{"POST /set/{key}/pop", "", 404, 409, 200},
	{"GET /set/{key}/random", "", 404, 409, 200},
	{"POST /set/{key}/move", `{"member": "1", "destination": "spare"}`, 404, 409, 200},

	{"HEAD /zset/{key}", "", 404, 409, 200},
	{"DELETE /zset/{key}", "", 404, 409, 204},
	{"GET /zset/{key}/members", "", 404, 409, 200},
	{"PUT /zset/{key}/members", `{"members": [{"member": "1", "score": 2}]}`, 201, 409, 200},
	{"DELETE /zset/{key}/members?member=1", "", 200, 409, 200},
	{"POST /zset/{key}/members/remove", `{"members": ["1"]}`, 200, 409, 200},
	{"GET /zset/{key}/members/1", "", 404, 409, 200},
	{"HEAD /zset/{key}/members/1", "", 404, 409, 200},
	{"PUT /zset/{key}/members/1", `{"score": 3}`, 201, 409, 204},
	{"DELETE /zset/{key}/members/1", "", 404, 409, 200},
	{"POST /zset/{key}/members/1/incr", `{"by": 1}`, 201, 409, 200},
	{"GET /zset/{key}/count", "", 200, 409, 200},
	{"POST /zset/{key}/pop", "", 404, 409, 200},

	{"GET /keys/{key}", "", 404, 200, 200},
	{"HEAD /keys/{key}", "", 404, 200, 200},
	{"DELETE /keys/{key}", "", 404, 204, 204},
	{"GET /keys/{key}/ttl", "", 404, 200, 200},
	{"PUT /keys/{key}/ttl", `{"ttl": "1h"}`, 404, 200, 200},
	{"DELETE /keys/{key}/ttl", "", 404, 204, 204},
	{"POST /keys/{key}/rename", `{"destination": "spare"}`, 404, 200, 200},
	{"POST /keys/{key}/copy", `{"destination": "spare"}`, 404, 200, 200},
}

// severalKeys are the routes that have no key of their own.
var severalKeys = []string{
	"GET /string", "PUT /string", "POST /sets/union", "POST /sets/inter", "POST /sets/diff", "GET /keys", "DELETE /keys",
}

// filled has a request that makes a key of each type, with an element 1.
var filled = map[string]string{
	"string": `{"op": "SET", "key": "%s", "value": "1"}`,
	"hash":   `{"op": "HSET", "key": "%s", "fields": {"1": "1"}}`,
	"list":   `{"op": "RPUSH", "key": "%s", "items": ["1"]}`,
	"set":    `{"op": "SADD", "key": "%s", "members": ["1"]}`,
	"zset":   `{"op": "ZADD", "key": "%s", "members": [{"member": "1", "score": 1}]}`,
}

func (l *lab) fill(kind, key string) {
	l.t.Helper()
	l.want(http.StatusOK, "", "POST", "/batch", `{"operations": [`+fmt.Sprintf(filled[kind], key)+`]}`)
}

// Every route answers as it says on an absent key, on a key of another type,
// and on its own.
func TestEveryRoute(t *testing.T) {
	l := plainLab(t)
	for i, trial := range trials {
		method, pattern, _ := strings.Cut(trial.route, " ")
		kind := strings.Split(pattern, "/")[1]
		own, other := kind, "hash"
		if kind == "hash" {
			other = "list"
		}
		if kind == "keys" {
			own = "string"
		}
		for situation, want := range map[string]int{"absent": trial.absent, "wrong": trial.wrong, "present": trial.present} {
			key := fmt.Sprintf("%s-%d", situation, i)
			switch situation {
			case "wrong":
				l.fill(other, key)
			case "present":
				l.fill(own, key)
			}
			l.call("DELETE", "/keys?key=spare", "")
			w := l.want(want, "", method, strings.Replace(pattern, "{key}", key, 1), trial.body)
			if w.Code >= 400 && method != "HEAD" && w.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s, %s: the failure is %s", trial.route, situation, w.Header().Get("Content-Type"))
			}
			if w.Code >= 400 && w.Header().Get("ETag") != "" {
				t.Errorf("%s, %s: a failure has an ETag", trial.route, situation)
			}
		}
	}
}

// The table above has every route of an operation.
func TestEveryRouteIsTried(t *testing.T) {
	tried := slices.Clone(severalKeys)
	for _, trial := range trials {
		method, target, _ := strings.Cut(trial.route, " ")
		name, _, _ := strings.Cut(target, "?")
		if strings.HasSuffix(name, "/1") || strings.HasSuffix(name, "/0") || strings.Contains(name, "/1/") {
			part := map[string]string{"hash": "{field}", "set": "{member}", "zset": "{member}", "list": "{index}"}
			segments := strings.Split(name, "/")
			segments[4] = part[segments[1]]
			name = strings.Join(segments, "/")
		}
		tried = append(tried, method+" "+name)
	}
	for _, rt := range Routes() {
		if rt.Operation != "" && !slices.Contains(tried, rt.Method+" "+rt.Pattern) {
			t.Errorf("%s %s is not tried", rt.Method, rt.Pattern)
		}
	}
}

// Every operation has a route, but for those that only a batch can name.
func TestEveryOperationHasARoute(t *testing.T) {
	batchOnly := []string{"KeyExists"}
	for _, row := range service.Rows() {
		has := slices.ContainsFunc(routes, func(rt route) bool { return rt.operation() == row.Name })
		if has == slices.Contains(batchOnly, row.Name) {
			t.Errorf("%s: has a route: %v", row.Name, has)
		}
	}
}

// A row's name is the name of its struct: routes and specification go by it.
func TestRowsAreNamedAfterTheirStructs(t *testing.T) {
	for _, row := range service.Rows() {
		if name := reflect.TypeOf(row.New()).Elem().Name(); name != row.Name {
			t.Errorf("the row %s makes a %s", row.Name, name)
		}
	}
}
