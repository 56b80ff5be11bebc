package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"keypact/api"
	"keypact/contracts"
	"keypact/service"
)

// route is a method and a path as the specification writes it.
type route struct{ method, path string }

// pathsOf writes a pattern of the router as the specification does. A wildcard
// stands for a page and for the files below it, or for a command and its
// arguments.
func pathsOf(pattern string) []string {
	page, found := strings.CutSuffix(pattern, "*")
	if !found {
		return []string{pattern}
	}
	if page == "/redis/" {
		return []string{page + "{command}"}
	}
	return []string{page, page + "{file}"}
}

// operationName is the operation of the service that a route runs. It is the
// operationId, unless several routes share the operation.
func operationName(o *openapi3.Operation) string {
	if name, ok := o.Extensions["x-operation"].(string); ok {
		return name
	}
	return o.OperationID
}

func TestSpecificationHasTheRoutes(t *testing.T) {
	specified := make(map[route]string)
	operations(loadSpec(t).Doc, func(method, path string, o *openapi3.Operation) {
		specified[route{method, path}] = operationName(o)
	})
	served := make(map[route]string)
	for _, r := range api.Routes() {
		for _, path := range pathsOf(r.Pattern) {
			served[route{r.Method, path}] = r.Operation
		}
	}
	for r, operation := range served {
		name, ok := specified[r]
		switch {
		case !ok:
			t.Errorf("%s %s is served but not specified", r.method, r.path)
		case operation != "" && name != operation:
			t.Errorf("%s %s runs %s, the specification says %s", r.method, r.path, operation, name)
		}
	}
	for r := range specified {
		if _, ok := served[r]; !ok {
			t.Errorf("%s %s is specified but not served", r.method, r.path)
		}
	}
}

// TestSpecificationHasTheOperations: every operation of the service has a
// route or a form in a batch, and the names are the service's.
func TestSpecificationHasTheOperations(t *testing.T) {
	doc := loadSpec(t).Doc
	named := make(map[string]bool)
	operations(doc, func(_, _ string, o *openapi3.Operation) { named[operationName(o)] = true })
	for name := range doc.Components.Schemas {
		if operation, ok := strings.CutPrefix(name, "Batch"); ok {
			named[operation] = true
		}
	}
	known := map[string]bool{"": true, "Body": true, "Answer": true, "Operation": true}
	for _, row := range service.Rows() {
		known[row.Name] = true
		if !named[row.Name] {
			t.Errorf("the operation %s is not specified", row.Name)
		}
	}
	operations(doc, func(method, path string, o *openapi3.Operation) {
		if o.Extensions["x-redis-verb"] != nil && path != "/batch" && !known[operationName(o)] {
			t.Errorf("%s %s names the operation %s, which the service does not have", method, path, operationName(o))
		}
	})
}

// TestSpecificationHasTheCommands: /batch takes the commands of the service,
// each in the form of its operation.
func TestSpecificationHasTheCommands(t *testing.T) {
	doc := loadSpec(t).Doc
	mapping := doc.Components.Schemas["BatchOperation"].Value.Discriminator.Mapping
	want := make(map[string]string)
	for _, row := range service.Rows() {
		for _, verb := range row.Verbs {
			want[verb.Name] = "#/components/schemas/Batch" + row.Name
		}
	}
	for command, schema := range want {
		if got := mapping[command].Ref; got != schema {
			t.Errorf("the command %s has the form %q, want %q", command, got, schema)
		}
	}
	for command := range mapping {
		if _, ok := want[command]; !ok {
			t.Errorf("the command %s is specified but unknown to the service", command)
		}
	}
	for _, form := range doc.Components.Schemas["BatchOperation"].Value.OneOf {
		for _, command := range allowedWords(form.Value.Properties["op"].Value) {
			if want[command] != form.Ref {
				t.Errorf("%s takes the command %s, which is for %s", form.Ref, command, want[command])
			}
			delete(want, command)
		}
	}
	for command, schema := range want {
		t.Errorf("%s does not take the command %s", schema, command)
	}
}

// allowedWords are the texts a schema allows.
func allowedWords(schema *openapi3.Schema) []string {
	var out []string
	for _, value := range schema.Enum {
		if text, ok := value.(string); ok {
			out = append(out, text)
		}
	}
	if text, ok := schema.Const.(string); ok {
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// TestSpecificationNamesTheCommands: x-redis-verb lists the commands as which
// contracts judge an operation.
func TestSpecificationNamesTheCommands(t *testing.T) {
	judged := make(map[string][]string)
	for _, row := range service.Rows() {
		forms := []service.Op{row.New()}
		for _, verb := range row.Verbs {
			op, _, _ := service.NewOp(verb.Name)
			forms = append(forms, op)
		}
		for _, op := range forms {
			for _, call := range op.Calls() {
				judged[row.Name] = append(judged[row.Name], call.Verb)
			}
		}
	}
	known := contracts.Verbs()
	for _, kind := range []contracts.Type{"string", "hash", "list", "set", "zset"} {
		known = append(known, contracts.ReadVerbsOf(kind)...)
	}
	operations(loadSpec(t).Doc, func(method, path string, o *openapi3.Operation) {
		verbs := namedCommands(o)
		for _, verb := range judged[operationName(o)] {
			if !slices.Contains(verbs, verb) {
				t.Errorf("%s %s can be judged as %s, which is not among %v", method, path, verb, verbs)
			}
		}
		for _, verb := range verbs {
			if !slices.Contains(known, verb) && path != "/batch" && path != "/keys" {
				t.Errorf("%s %s names the command %s, which contracts do not know", method, path, verb)
			}
		}
		if _, ok := judged[operationName(o)]; ok && len(verbs) == 0 {
			t.Errorf("%s %s names no command", method, path)
		}
	})
}

func namedCommands(o *openapi3.Operation) []string {
	var out []string
	list, _ := o.Extensions["x-redis-verb"].([]any)
	for _, verb := range list {
		out = append(out, fmt.Sprint(verb))
	}
	return out
}

func TestSpecificationHasTheKindsOfProblems(t *testing.T) {
	doc := loadSpec(t).Doc
	types := allowedWords(doc.Components.Schemas["Problem"].Value.Properties["type"].Value)
	var want []string
	for _, kind := range service.Kinds() {
		want = append(want, api.ProblemType(kind))
	}
	slices.Sort(want)
	if !slices.Equal(types, want) {
		t.Errorf("the specification has the problems\n%v, the service\n%v", types, want)
	}
}

func TestSpecificationHasTheCodesOfViolations(t *testing.T) {
	doc := loadSpec(t).Doc
	got := allowedWords(doc.Components.Schemas["ContractViolation"].Value.Properties["code"].Value)
	if want := contracts.Codes(); !slices.Equal(got, want) {
		t.Errorf("the specification has the codes\n%v, contracts\n%v", got, want)
	}
}
