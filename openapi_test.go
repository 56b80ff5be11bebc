package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"

	"keypact/api/apitest"
)

// loadSpec loads openapi.yaml.
func loadSpec(t *testing.T) *apitest.Spec {
	t.Helper()
	spec, err := apitest.Load("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// operations calls visit for every operation of the document.
func operations(doc *openapi3.T, visit func(method, path string, operation *openapi3.Operation)) {
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			visit(method, path, operation)
		}
	}
}

func TestSpecificationIsValid(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !doc.IsOpenAPI31OrLater() {
		t.Fatalf("it is written in OpenAPI %s", doc.OpenAPI)
	}
	err = doc.Validate(context.Background(), openapi3.EnableMultiError())
	if err != nil {
		t.Error(err)
	}
}

func TestSpecificationOperationsAreComplete(t *testing.T) {
	seen := make(map[string]string)
	operations(loadSpec(t).Doc, func(method, path string, o *openapi3.Operation) {
		name := method + " " + path
		if o.OperationID == "" || o.Summary == "" || o.Description == "" || len(o.Tags) != 1 {
			t.Errorf("%s lacks an operationId, summary, description or its one tag", name)
		}
		if other, twice := seen[o.OperationID]; twice {
			t.Errorf("%s and %s are both called %s", name, other, o.OperationID)
		}
		seen[o.OperationID] = name
		for status, response := range o.Responses.Map() {
			if status == "default" {
				t.Errorf("%s has a default response, which would hide undocumented statuses", name)
			}
			if response.Value.Headers["X-Request-Id"] == nil {
				t.Errorf("%s: status %s lacks X-Request-Id", name, status)
			}
			isError, form := status >= "400" && path != "/readyz", "application/problem+json"
			if o.Tags[0] == "Redis" {
				form = "application/json" // clients look for {"error": ..}
			}
			if isError && method != "HEAD" && response.Value.Content[form] == nil {
				t.Errorf("%s: status %s is no problem", name, status)
			}
		}
	})
}

// TestSpecificationParametersStandInOperations: Swagger UI 5.18 does not always
// resolve those that stand beside the operations of a path, and then sends the
// braces of the path as they are.
func TestSpecificationParametersStandInOperations(t *testing.T) {
	for path, item := range loadSpec(t).Doc.Paths.Map() {
		if len(item.Parameters) > 0 {
			t.Errorf("%s has parameters outside of its operations", path)
		}
		for method, operation := range item.Operations() {
			for _, name := range pathNames(path) {
				if operation.Parameters.GetByInAndName(openapi3.ParameterInPath, name) == nil {
					t.Errorf("%s %s lacks the parameter %s", method, path, name)
				}
			}
		}
	}
}

// TestSpecificationComponentsAreUsed: what no operation uses is forgotten.
func TestSpecificationComponentsAreUsed(t *testing.T) {
	tree := specificationTree(t)
	used := make(map[string]bool)
	walkTree(tree, "", func(_ string, node any) {
		if object, ok := node.(map[string]any); ok {
			if ref, ok := object["$ref"].(string); ok {
				used[ref] = true
			}
		}
	})
	// No operation can have these: they answer methods that are no operations.
	used["#/components/responses/MethodNotAllowed"] = true
	used["#/components/responses/RedisMethodNotAllowed"] = true
	for kind, components := range tree["components"].(map[string]any) {
		for name := range components.(map[string]any) {
			if ref := "#/components/" + kind + "/" + name; !used[ref] {
				t.Errorf("nothing refers to %s", ref)
			}
		}
	}
}

// TestSpecificationExamples holds every example against the schema beside it,
// wherever it stands: bodies, parameters, headers and schemas.
func TestSpecificationExamples(t *testing.T) {
	doc := loadSpec(t).Doc
	checked := 0
	check := func(place string, schema *openapi3.SchemaRef, example any) {
		checked++
		if err := checkExample(schema, example); err != nil {
			t.Errorf("%s: %v", place, err)
		}
	}
	examplesOf(doc, check)
	if checked < 200 {
		t.Errorf("only %d examples were found", checked)
	}
}

// TestSpecificationExamplesCanFail: a wrong example must not pass.
func TestSpecificationExamplesCanFail(t *testing.T) {
	doc := loadSpec(t).Doc
	for _, test := range []struct{ schema, example string }{
		{"BatchOperation", `{"op": "HSET", "key": "a", "fields": {"a": "b"}, "side": "left"}`},
		{"BatchOperation", `{"op": "HSET", "key": "a"}`},
		{"BatchOperation", `{"op": "FLY", "key": "a"}`},
		{"Value", `true`},
		{"Value", `{"base64": "3q2+7w==", "more": 1}`},
		{"TTL", `"1 hour"`},
		{"TTL", `0`},
		{"Score", `"nan"`},
		{"HashSetAnswer", `{"added": 1, "updated": 0, "count": 1, "more": 1}`},
		{"Problem", `{"type": "about:blank", "title": "t", "status": 400, "code": "c", "detail": "d", "instance": "i"}`},
		{"ContractViolation", `{"code": "value.colour", "detail": "d"}`},
	} {
		var example any
		if err := json.Unmarshal([]byte(test.example), &example); err != nil {
			t.Fatal(err)
		}
		if checkExample(doc.Components.Schemas[test.schema], example) == nil {
			t.Errorf("%s takes %s", test.schema, test.example)
		}
	}
}

func checkExample(schema *openapi3.SchemaRef, example any) error {
	if schema == nil {
		return fmt.Errorf("an example without a schema")
	}
	// Through JSON, so that YAML's own types (times, integers) are gone.
	text, err := json.Marshal(example)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020())
}

// examplesOf calls check for every example of the document.
func examplesOf(doc *openapi3.T, check func(place string, schema *openapi3.SchemaRef, example any)) {
	content := func(place string, content openapi3.Content) {
		for media, body := range content {
			if body.Example != nil {
				check(place+" "+media, body.Schema, body.Example)
			}
			for name, example := range body.Examples {
				check(place+" "+media+" "+name, body.Schema, example.Value.Value)
			}
		}
	}
	parameter := func(place string, list openapi3.Parameters) {
		for _, p := range list {
			if p.Value.Example != nil {
				check(place+" "+p.Value.Name, p.Value.Schema, p.Value.Example)
			}
		}
	}
	for path, item := range doc.Paths.Map() {
		parameter(path, item.Parameters)
	}
	operations(doc, func(method, path string, o *openapi3.Operation) {
		place := method + " " + path
		parameter(place, o.Parameters)
		if o.RequestBody != nil {
			content(place, o.RequestBody.Value.Content)
		}
		for status, response := range o.Responses.Map() {
			content(place+" "+status, response.Value.Content)
			for name, header := range response.Value.Headers {
				if header.Value.Example != nil {
					check(place+" "+status+" "+name, header.Value.Schema, header.Value.Example)
				}
			}
		}
	})
	for name, schema := range doc.Components.Schemas {
		for _, example := range schema.Value.Examples {
			check("schema "+name, schema, example)
		}
	}
}

// TestSpecificationBodiesHaveExamples: "Try it out" starts from an example.
func TestSpecificationBodiesHaveExamples(t *testing.T) {
	operations(loadSpec(t).Doc, func(method, path string, o *openapi3.Operation) {
		if o.RequestBody != nil && len(o.RequestBody.Value.Content["application/json"].Examples) == 0 {
			t.Errorf("%s %s has a body without an example", method, path)
		}
		for status, response := range o.Responses.Map() {
			body := response.Value.Content.Get("application/json")
			if body != nil && status < "300" && body.Example == nil && len(body.Examples) == 0 {
				if body.Schema.Value.Type != nil || len(body.Schema.Value.OneOf) > 0 {
					t.Errorf("%s %s: the answer %s has no example", method, path, status)
				}
			}
		}
	})
}

// specificationTree is the document as plain values.
func specificationTree(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

func walkTree(node any, place string, visit func(place string, node any)) {
	visit(place, node)
	switch node := node.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(node)) {
			walkTree(node[name], place+"/"+strings.ReplaceAll(name, "/", "~1"), visit)
		}
	case []any:
		for i, element := range node {
			walkTree(element, fmt.Sprint(place, "/", i), visit)
		}
	}
}
