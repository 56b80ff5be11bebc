package main

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// closedContracts governs one key pattern per type, allows one write each and
// no read at all, so that every operation on it is a violation.
const closedContracts = `format: 1
contracts:
  closed-string: {key: 'closed:string:{x}', type: string, ttl: optional, operations: [RESTORE], reads: listed}
  closed-hash: {key: 'closed:hash:{x}', type: hash, ttl: optional, operations: [RESTORE], reads: listed}
  closed-list: {key: 'closed:list:{x}', type: list, ttl: optional, operations: [RESTORE], reads: listed}
  closed-set: {key: 'closed:set:{x}', type: set, ttl: optional, operations: [RESTORE], reads: listed}
  closed-zset: {key: 'closed:zset:{x}', type: zset, ttl: optional, operations: [RESTORE], reads: listed}
`

// probe changes a good request so that it must be answered with a status.
type probe struct {
	status int
	what   string
	change func(x *trial) bool // false if the operation cannot be asked so
}

// probes are the ways to go wrong that any operation may have. Whether it has
// is for the specification to say: a status must come exactly where it stands.
var probes = []probe{
	{http.StatusNotFound, "an absent key", func(x *trial) bool { return x.withKey("absent") }},
	{http.StatusCreated, "an absent key", func(x *trial) bool { return x.withKey("absent") }},
	{http.StatusConflict, "a key of another type", func(x *trial) bool {
		if x.operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, "type") != nil {
			x.parameters["type"] = "list"
		}
		return x.withKey("other-" + x.tag())
	}},
	{http.StatusUnprocessableEntity, "a closed key", func(x *trial) bool {
		return x.withKey("closed:" + map[string]string{"Keys": "string"}[x.tag()] + lowerUnlessKeys(x.tag()) + ":1")
	}},
	{http.StatusBadRequest, "an unknown parameter", func(x *trial) bool {
		x.parameters["colour"] = "blue"
		return x.tag() != "Service"
	}},
	{http.StatusBadRequest, "broken JSON", func(x *trial) bool {
		return x.withBody([]byte(`{"a":`), "application/json") && !strings.HasSuffix(x.path, "/{command}") // where any body is a word
	}},
	{http.StatusNotAcceptable, "HTML wanted", func(x *trial) bool {
		x.header.Set("Accept", "text/html")
		return x.tag() != "Service"
	}},
	{http.StatusForbidden, "a browser elsewhere", func(x *trial) bool {
		x.header.Set("Sec-Fetch-Site", "cross-site")
		return true
	}},
	{http.StatusBadRequest, "a key past the limit", func(x *trial) bool { return x.withKey(strings.Repeat("k", 1025)) }},
	{http.StatusRequestEntityTooLarge, "an element past the limit", func(x *trial) bool { return x.withElement(strings.Repeat("e", 4097)) }},
	{http.StatusUnsupportedMediaType, "a body in XML", func(x *trial) bool {
		return x.withBody([]byte("<a/>"), "application/xml") && len(x.operation.RequestBody.Value.Content) == 1 // else it is a value
	}},
	{http.StatusUnsupportedMediaType, "a compressed body", func(x *trial) bool {
		x.header.Set("Content-Encoding", "gzip")
		return x.withBody([]byte("{}"), "application/json")
	}},
	{http.StatusRequestEntityTooLarge, "a body past the limit", func(x *trial) bool {
		return x.withBody(bytes.Repeat([]byte(" "), probeBody+1), "application/json")
	}},
	{http.StatusRequestedRangeNotSatisfiable, "a range past the end", func(x *trial) bool {
		x.header.Set("Accept", "application/octet-stream")
		x.header.Set("Range", "bytes=1000000-")
		return x.method == http.MethodGet && x.operation.Responses.Status(http.StatusPartialContent) != nil
	}},
	{http.StatusPartialContent, "a range", func(x *trial) bool {
		x.header.Set("Accept", "application/octet-stream")
		x.header.Set("Range", "bytes=0-1")
		return x.method == http.MethodGet && x.tag() != "Service"
	}},
}

// needsData says that the request itself is sound, so that what is stored
// decides.
func (p probe) needsData() bool {
	return slices.Contains([]int{
		http.StatusCreated, http.StatusPartialContent, http.StatusNotFound, http.StatusNotAcceptable,
		http.StatusConflict, http.StatusRequestedRangeNotSatisfiable,
	}, p.status)
}

// probeBody is the limit on bodies while probing, in bytes.
const probeBody = 10_000

func (x *trial) tag() string { return x.operation.Tags[0] }

func lowerUnlessKeys(tag string) string {
	if tag == "Keys" {
		return ""
	}
	return strings.ToLower(tag)
}

// withKey asks about another key.
func (x *trial) withKey(key string) bool {
	if !strings.Contains(x.path, "{key}") {
		return false
	}
	x.parameters["key"] = key
	if body, ok := x.body.(map[string]any); ok {
		body = maps.Clone(body)
		delete(body, "wait") // nothing would come
		x.body = body
	}
	return true
}

// withElement asks about another field or member, in the path or the query.
func (x *trial) withElement(name string) bool {
	for _, parameter := range []string{"field", "member"} {
		if strings.Contains(x.path, "{"+parameter+"}") || x.operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, parameter) != nil {
			for _, other := range []string{"by", "min", "max"} {
				delete(x.parameters, other)
			}
			x.parameters[parameter] = name
			return true
		}
	}
	return false
}

func (x *trial) withBody(body []byte, contentType string) bool {
	if x.operation.RequestBody == nil {
		return false
	}
	x.body = body
	x.header.Set("Content-Type", contentType)
	return true
}

// TestSpecificationHasTheStatuses asks every operation in every wrong way.
func TestSpecificationHasTheStatuses(t *testing.T) {
	folder := t.TempDir()
	shipped, err := os.ReadFile("examples/contracts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"shipped.yaml": shipped, "closed.yaml": []byte(closedContracts)} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tr := newTrier(t, folder, "--max-body-bytes", strconv.Itoa(probeBody), "--max-value-bytes", strconv.Itoa(probeBody/2))
	for _, p := range probes {
		tr.probe(p)
	}
}

// seedOthers makes keys of a type that no operation of the tag expects.
func (tr *trier) seedOthers() {
	tr.Helper()
	for _, tag := range []string{"String", "Hash", "List", "Set", "ZSet", "Keys"} {
		x := tr.trial("PUT", "/string/{key}", "")
		if tag == "String" {
			tr.forget("other-" + tag)
			x = tr.trial("PUT", "/set/{key}/members", "tags")
		} else {
			x.body = map[string]any{"value": "text"}
		}
		x.parameters["key"] = "other-" + tag
		tr.prepare(x)
	}
}

// forget deletes a key of any type.
func (tr *trier) forget(key string) {
	tr.Helper()
	x := tr.trial("DELETE", "/keys", "")
	x.parameters["key"] = key
	tr.prepare(x)
}

func (tr *trier) probe(p probe) {
	tr.Helper()
	operations(tr.spec.Doc, func(method, path string, o *openapi3.Operation) {
		if p.needsData() {
			tr.seed()
			tr.seedOthers()
		}
		x := tr.trial(method, path, firstExample(o))
		if !p.change(x) {
			return
		}
		status := tr.send(x)
		specified := o.Responses.Status(p.status) != nil
		if got := status == p.status; got != specified {
			tr.Errorf("%s %s, %s: status %d; that it can be %d is specified: %t", method, path, p.what, status, p.status, specified)
		}
	})
}

func firstExample(o *openapi3.Operation) string {
	if o.RequestBody == nil {
		return ""
	}
	names := slices.Sorted(maps.Keys(o.RequestBody.Value.Content["application/json"].Examples))
	for _, name := range names {
		summary := o.RequestBody.Value.Content["application/json"].Examples[name].Value.Summary
		if !strings.Contains(summary, "(422)") && name != "absent" {
			return name
		}
	}
	return names[0]
}
