// Package apitest holds exchanges with the service against its specification:
// the request, the status, the headers and the body must all be as
// openapi.yaml says. Only tests import it.
package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Spec is a loaded specification.
type Spec struct {
	Doc       *openapi3.T
	templates []template
}

// template is a path of the specification, cut at its slashes.
type template struct {
	path     string
	segments []string
	item     *openapi3.PathItem
}

// Load reads a specification. Its answers are closed on the way: a member that
// the specification does not name counts as wrong, although clients are to
// ignore such members.
func Load(path string) (*Spec, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	registerExactNumbers()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &Spec{Doc: doc}
	for path, item := range doc.Paths.Map() {
		s.templates = append(s.templates, template{path, strings.Split(path, "/"), item})
	}
	closeAnswers(doc)
	return s, nil
}

// registerExactNumbers makes the validator see the digits that were sent; its
// own decoder rounds integers above 2^53.
var registerExactNumbers = sync.OnceFunc(func() {
	for _, media := range []string{"application/json", "application/problem+json"} {
		openapi3filter.RegisterBodyDecoder(media, decodeExact)
	}
})

func decodeExact(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
	d := json.NewDecoder(body)
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return value, nil
}

// closeAnswers forbids undeclared members in every object an answer can hold.
func closeAnswers(doc *openapi3.T) {
	seen := make(map[*openapi3.Schema]bool)
	closeContent := func(content openapi3.Content) {
		for _, media := range content {
			closeSchema(media.Schema, seen)
		}
	}
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			for _, response := range operation.Responses.Map() {
				closeContent(response.Value.Content)
			}
		}
	}
	for _, response := range doc.Components.Responses {
		closeContent(response.Value.Content)
	}
}

func closeSchema(ref *openapi3.SchemaRef, seen map[*openapi3.Schema]bool) {
	if ref == nil || ref.Value == nil || seen[ref.Value] {
		return
	}
	schema := ref.Value
	seen[schema] = true
	if len(schema.Properties) > 0 && schema.AdditionalProperties.Has == nil && schema.AdditionalProperties.Schema == nil {
		schema.AdditionalProperties.Has = new(bool)
	}
	closeSchema(schema.Items, seen)
	closeSchema(schema.AdditionalProperties.Schema, seen)
	for _, property := range schema.Properties {
		closeSchema(property, seen)
	}
	for _, branches := range []openapi3.SchemaRefs{schema.OneOf, schema.AnyOf, schema.AllOf} {
		for _, branch := range branches {
			closeSchema(branch, seen)
		}
	}
}

// Operation finds the operation that a request path (still percent-encoded)
// and a method belong to, and its parameters. A literal segment wins over a
// parameter, but a route without the method leaves it to others: GET
// /hash/k/fields/remove reads the field remove. A slash at the end is passed
// over where the path ends in a literal, as the service does. Without an
// operation the methods that the path has are all there is; without those there
// is no such path.
func (s *Spec) Operation(method, escaped string) (route *routers.Route, parameters map[string]string, methods []string) {
	route, parameters, methods = s.operation(method, escaped)
	if short, ok := strings.CutSuffix(escaped, "/"); ok && len(methods) == 0 {
		route, parameters, methods = s.operation(method, short)
		if route != nil && strings.HasSuffix(route.Path, "}") {
			return nil, nil, nil
		}
	}
	return route, parameters, methods
}

func (s *Spec) operation(method, escaped string) (route *routers.Route, parameters map[string]string, methods []string) {
	segments := strings.Split(escaped, "/")
	best := -1
	for _, t := range s.templates {
		found, literals, ok := t.match(segments)
		if !ok {
			continue
		}
		for offered, operation := range t.item.Operations() {
			methods = append(methods, offered)
			if offered == method && literals > best {
				best, parameters = literals, found
				route = &routers.Route{Spec: s.Doc, Path: t.path, PathItem: t.item, Method: method, Operation: operation}
			}
		}
	}
	slices.Sort(methods)
	return route, parameters, slices.Compact(methods)
}

// match tells whether the segments fit and how many of them are literal. Where
// two templates fit, the one with more literals is the more specific: the
// routes have no templates that cross.
func (t template) match(segments []string) (parameters map[string]string, literals int, ok bool) {
	if t.open() && len(segments) > len(t.segments) {
		segments = append(slices.Clone(segments[:len(t.segments)-1]), strings.Join(segments[len(t.segments)-1:], "/"))
	}
	if len(segments) != len(t.segments) {
		return nil, 0, false
	}
	parameters = make(map[string]string)
	for i, want := range t.segments {
		got, err := url.PathUnescape(segments[i])
		switch name, isParameter := parameterName(want); {
		case err != nil:
			return nil, 0, false
		case isParameter && got != "" && !t.excludes(name, got):
			parameters[name] = got
		case !isParameter && got == want:
			literals++
		default:
			return nil, 0, false
		}
	}
	return parameters, literals, true
}

// open reports whether the last parameter stands for any number of segments.
func (t template) open() bool {
	name, _ := parameterName(t.segments[len(t.segments)-1])
	for _, operation := range t.item.Operations() {
		if p := operation.Parameters.GetByInAndName(openapi3.ParameterInPath, name); p != nil {
			return p.Extensions["x-segments"] == true
		}
	}
	return false
}

// excludes reports whether a parameter of the path is a word that belongs to
// a route beside it. (The validator cannot decode a parameter whose schema has
// a not, so an extension says it.)
func (t template) excludes(name, value string) bool {
	for _, operation := range t.item.Operations() {
		parameter := operation.Parameters.GetByInAndName(openapi3.ParameterInPath, name)
		if parameter == nil {
			continue
		}
		if reserved, _ := parameter.Extensions["x-reserved"].([]any); slices.Contains(reserved, any(value)) {
			return true
		}
	}
	return false
}

func parameterName(segment string) (string, bool) {
	name, ok := strings.CutPrefix(segment, "{")
	return strings.TrimSuffix(name, "}"), ok
}

// decode reads a JSON value with all its digits.
func decode(body []byte) (any, error) {
	return decodeExact(bytes.NewReader(body), nil, nil, nil)
}
