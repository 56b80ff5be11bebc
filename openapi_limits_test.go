package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"keypact/service"
)

// TestSpecificationHasTheLimits: what a validator tag says of a member, its
// schema says too, and nothing else; on every route and in every batch.
func TestSpecificationHasTheLimits(t *testing.T) {
	doc := loadSpec(t).Doc
	rows := make(map[string]reflect.Type)
	for _, row := range service.Rows() {
		rows[row.Name] = reflect.TypeOf(row.New()).Elem()
	}
	compared := 0
	compare := func(place string, members map[string]tagged, found map[string]*openapi3.SchemaRef) {
		for name, schema := range found {
			member, ok := members[name]
			if !ok {
				t.Errorf("%s: the operation has no member %s", place, name)
				continue
			}
			compared++
			got, want := limitsOf(schema), member.limits()
			if schema.Value.Type.Is("string") {
				delete(want, "minimum") // text has a pattern instead
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s: %s is limited by %v, in the specification by %v", place, name, want, got)
			}
		}
	}
	operations(doc, func(method, path string, o *openapi3.Operation) {
		if of, ok := rows[operationName(o)]; ok {
			place := method + " " + path
			members := membersOf(of, true)
			compare(place, members, parametersOf(doc.Paths.Find(path), o, members))
			if o.RequestBody != nil {
				body := o.RequestBody.Value.Content["application/json"].Schema
				compare(place, membersOf(of, false), propertiesOf(body))
				checkMembers(t, place, membersOf(of, false), propertiesOf(body), requiredOf(body), pathNames(path))
			}
		}
	})
	for name, of := range rows {
		form := doc.Components.Schemas["Batch"+name]
		if form == nil {
			continue
		}
		properties := maps.Clone(propertiesOf(form))
		delete(properties, "op")
		compare("batch "+name, membersOf(of, false), properties)
		checkMembers(t, "batch "+name, membersOf(of, false), properties, requiredOf(form), nil)
	}
	if compared < 200 {
		t.Errorf("only %d members were compared", compared)
	}
}

// checkMembers: the body has every member that does not stand in the path, and
// requires those that the tags require.
func checkMembers(t *testing.T, place string, members map[string]tagged, found map[string]*openapi3.SchemaRef, required, path []string) {
	t.Helper()
	for name, member := range members {
		if slices.Contains(path, name) {
			continue
		}
		if found[name] == nil {
			t.Errorf("%s lacks the member %s", place, name)
		}
		if got, want := slices.Contains(required, name), slices.Contains(member.rules(), "required"); got != want {
			t.Errorf("%s: the member %s is required: %t, in the specification %t", place, name, want, got)
		}
	}
}

// tagged is a member of an operation with its rules.
type tagged struct {
	goType reflect.Type
	tag    string
}

func (m tagged) rules() []string {
	rules, _, _ := strings.Cut(m.tag, "dive")
	return strings.Split(strings.TrimSuffix(rules, ","), ",")
}

// membersOf lists the members of an operation by the names they have in a body
// or in a query.
func membersOf(of reflect.Type, inQuery bool) map[string]tagged {
	out := make(map[string]tagged)
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			maps.Copy(out, membersOf(field.Type, inQuery))
			continue
		case !field.IsExported() || name == "-":
			continue
		case inQuery && field.Tag.Get("query") != "":
			name = field.Tag.Get("query")
		}
		goType := field.Type
		if goType.Kind() == reflect.Pointer {
			goType = goType.Elem()
		}
		out[name] = tagged{goType, field.Tag.Get("validate")}
	}
	return out
}

// limits are the rules as JSON Schema would put them.
func (m tagged) limits() map[string]string {
	out := make(map[string]string)
	m.apply(out, "", m.rules())
	if _, element, ok := strings.Cut(m.tag, "dive"); ok && m.goType.Elem().Kind() != reflect.Struct {
		tagged{goType: m.goType.Elem()}.apply(out, "items.", strings.Split(strings.TrimPrefix(element, ","), ","))
	}
	return out
}

func (m tagged) apply(out map[string]string, at string, rules []string) {
	byteLimits := service.Limits{}.WithDefaults()
	for _, rule := range rules {
		name, value, _ := strings.Cut(rule, "=")
		switch name {
		case "min", "max":
			out[at+m.keyword(name)] = value
		case "key":
			out[at+"maxLength"] = strconv.Itoa(byteLimits.KeyBytes)
		case "element":
			out[at+"maxLength"] = strconv.Itoa(byteLimits.FieldBytes)
		case "value":
			out[at+"maxLength"] = strconv.Itoa(byteLimits.ValueBytes)
		case "page":
			out[at+"maximum"] = strconv.Itoa(byteLimits.PageSize)
		case "wait":
			out[at+"maximum"] = strconv.Itoa(int(byteLimits.Wait.Seconds()))
			out[at+"minimum"] = "1"
		case "oneof", "conditions":
			words := strings.Fields(value)
			slices.Sort(words)
			out[at+"enum"] = strings.Join(words, " ")
		}
	}
	if m.goType == reflect.TypeFor[service.TTL]() {
		out[at+"minimum"] = "1"
	}
}

// keyword is what a bound is called for the member's type.
func (m tagged) keyword(name string) string {
	switch {
	case m.goType == reflect.TypeFor[service.Fields]():
		return name + "Items"
	case m.goType.Kind() == reflect.Slice:
		return name + "Items"
	case m.goType.Kind() == reflect.String:
		return name + "Length"
	}
	return name + "imum"
}

// limitsOf gathers the limits of a schema and of the forms it may take. Sizes
// of base64 text, which follow from those of the bytes, are left out.
func limitsOf(ref *openapi3.SchemaRef) map[string]string {
	out := make(map[string]string)
	gather(out, "", ref)
	return out
}

func gather(out map[string]string, at string, ref *openapi3.SchemaRef) {
	schema := ref.Value
	number := func(name string, value *float64) {
		if value != nil {
			out[at+name] = strconv.FormatFloat(*value, 'f', -1, 64)
		}
	}
	size := func(name string, value *uint64) {
		if value != nil {
			out[at+name] = strconv.FormatUint(*value, 10)
		}
	}
	number("minimum", schema.Min)
	number("maximum", schema.Max)
	size("maxLength", schema.MaxLength)
	size("maxItems", schema.MaxItems)
	if schema.MinItems > 0 {
		out[at+"minItems"] = fmt.Sprint(schema.MinItems)
	}
	if list := allowedWords(schema); len(list) > 0 && !slices.Contains(list, "inf") {
		out[at+"enum"] = strings.Join(list, " ")
	}
	for _, branches := range []openapi3.SchemaRefs{schema.AllOf, schema.OneOf, schema.AnyOf} {
		for _, branch := range branches {
			if branch.Value.Items != nil && len(allowedWords(branch.Value.Items.Value)) > 0 {
				gather(out, at, branch.Value.Items) // a word, or a list of words
				continue
			}
			gather(out, at, branch)
		}
	}
	if schema.Items != nil && !schema.Items.Value.Type.Is("object") {
		gather(out, at+"items.", schema.Items)
	}
}

func parametersOf(item *openapi3.PathItem, o *openapi3.Operation, members map[string]tagged) map[string]*openapi3.SchemaRef {
	out := make(map[string]*openapi3.SchemaRef)
	for _, list := range []openapi3.Parameters{item.Parameters, o.Parameters} {
		for _, p := range list {
			if p.Value.In == "header" {
				continue
			}
			out[p.Value.Name] = p.Value.Schema
		}
	}
	return out
}

func pathNames(path string) []string {
	var out []string
	for segment := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			out = append(out, strings.TrimSuffix(name, "}"))
		}
	}
	return out
}

// propertiesOf and requiredOf see through allOf.
func propertiesOf(ref *openapi3.SchemaRef) map[string]*openapi3.SchemaRef {
	out := maps.Clone(map[string]*openapi3.SchemaRef(ref.Value.Properties))
	if out == nil {
		out = make(map[string]*openapi3.SchemaRef)
	}
	for _, part := range ref.Value.AllOf {
		maps.Copy(out, propertiesOf(part))
	}
	return out
}

func requiredOf(ref *openapi3.SchemaRef) []string {
	out := slices.Clone(ref.Value.Required)
	for _, part := range ref.Value.AllOf {
		out = append(out, requiredOf(part)...)
	}
	return out
}
