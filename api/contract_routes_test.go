package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"keypact/api"
	"keypact/service"
	"keypact/service/sourcetest"
)

// TestSourceContractsOnEveryRoute sends each try of the five example contracts
// through every route of its operations, in every form that the route takes,
// and through /batch by every command.
func TestSourceContractsOnEveryRoute(t *testing.T) {
	used := make(map[string]bool)
	for contract, tries := range sourcetest.Tries() {
		t.Run(contract, func(t *testing.T) {
			d := openDoor(t, "../examples/contracts.yaml", "")
			n := 0
			for _, try := range tries {
				for _, name := range strings.Fields(try.Ops) {
					for _, r := range requestsFor(t, name, try) {
						n++
						d.try(r, try, n)
						used[r.route] = true
					}
				}
			}
		})
	}
	for _, rt := range api.Routes() {
		if writes(rt) && !used[rt.Method+" "+rt.Pattern] {
			t.Errorf("no try goes through %s %s", rt.Method, rt.Pattern)
		}
	}
}

// writes reports whether a route runs an operation that writes.
func writes(rt api.Route) bool {
	return slices.ContainsFunc(service.Rows(), func(row service.Row) bool { return row.Write && row.Name == rt.Operation })
}

// request is one form in which a try can be sent. In its texts # stands for
// the number of the try.
type request struct {
	route, method, target, media, body string

	place func(path string) string // where an answer must point for a path of the table
}

// requestsFor lists the forms of a try by one of its operations or commands.
func requestsFor(t *testing.T, name string, try sourcetest.Try) []request {
	t.Helper()
	if _, _, isCommand := service.NewOp(name); isCommand {
		return []request{{
			route: "POST /batch", method: "POST", target: "/batch", media: "application/json",
			body:  `{"operations":[{"op":"` + name + `",` + try.Members + `}]}`,
			place: func(path string) string { return pointer("operations/0/" + path) },
		}}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte("{"+try.Members+"}"), &members); err != nil {
		t.Fatalf("%s: %v", try.Name, err)
	}
	var out []request
	for _, rt := range api.Routes() {
		if rt.Operation == name && writes(rt) {
			out = append(out, formsOf(rt, members)...)
		}
	}
	return out
}

// formsOf lists the forms that a route takes: members in a JSON body or in the
// query, or a raw value.
func formsOf(rt api.Route, members map[string]json.RawMessage) []request {
	target, inPath, ok := targetOf(rt.Pattern, members)
	if !ok {
		return nil
	}
	rest := make(map[string]json.RawMessage)
	for name, value := range members {
		if !slices.Contains(inPath, name) {
			rest[name] = value
		}
	}
	base := request{route: rt.Method + " " + rt.Pattern, method: rt.Method, target: target}
	if rt.Method == "DELETE" || rt.Operation == "SetMemberAdd" {
		return inQuery(base, rest, inPath)
	}
	body, err := json.Marshal(rest)
	if err != nil {
		return nil
	}
	form := base
	form.media, form.body = "application/json", string(body)
	form.place = func(path string) string {
		if first, _, _ := strings.Cut(path, "/"); slices.Contains(inPath, first) {
			return "parameter " + first
		}
		return pointer(path)
	}
	if !slices.Contains([]string{"StringSet", "HashFieldSet", "ListSet"}, rt.Operation) {
		return []request{form}
	}
	return append([]request{form}, rawForm(base, rest, inPath)...)
}

// rawForm sends the value as it stands and the other members in the query.
func rawForm(base request, rest map[string]json.RawMessage, inPath []string) []request {
	value, ok := textOf(rest["value"])
	if !ok || rest["value"][0] == '1' { // a raw 1e3 is a text, not a number
		return nil
	}
	others := make(map[string]json.RawMessage)
	for name, text := range rest {
		if name != "value" {
			others[name] = text
		}
	}
	forms := inQuery(base, others, inPath)
	for i, form := range forms {
		forms[i].media, forms[i].body = "application/octet-stream", value
		forms[i].place = func(path string) string {
			if path == "value" {
				return "#"
			}
			return form.place(path)
		}
	}
	return forms
}

// targetOf fills the members into a pattern. It is not ok if one is missing or
// cannot stand in a path.
func targetOf(pattern string, members map[string]json.RawMessage) (target string, inPath []string, ok bool) {
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		name, isMember := strings.CutPrefix(strings.TrimSuffix(segment, "}"), "{")
		if !isMember {
			continue
		}
		text, ok := textOf(members[name])
		if !ok || text == "" {
			return "", nil, false
		}
		segments[i] = strings.ReplaceAll(url.PathEscape(text), "%23", "#")
		inPath = append(inPath, name)
	}
	return strings.Join(segments, "/"), inPath, true
}

// inQuery sends members in the query.
func inQuery(base request, rest map[string]json.RawMessage, inPath []string) []request {
	singular := map[string]string{"keys": "key", "fields": "field", "members": "member"}
	var parts []string
	for name, value := range rest {
		texts := []json.RawMessage{value}
		if value[0] == '[' {
			texts = nil
			if json.Unmarshal(value, &texts) != nil {
				return nil
			}
		}
		query := name
		if value[0] == '[' && singular[name] != "" {
			query = singular[name]
		}
		for _, each := range texts {
			text, ok := textOf(each)
			if !ok {
				return nil
			}
			parts = append(parts, query+"="+strings.ReplaceAll(url.QueryEscape(text), "%23", "#"))
		}
	}
	if len(parts) > 0 {
		base.target += "?" + strings.Join(parts, "&")
	}
	base.place = func(path string) string {
		first, _, _ := strings.Cut(path, "/")
		if singular[first] != "" && !slices.Contains(inPath, first) {
			first = singular[first]
		}
		return "parameter " + first
	}
	return []request{base}
}

// textOf is a JSON value as a path or a query has it; a list, null and an
// object other than {"base64": ..} have no such form.
func textOf(value json.RawMessage) (string, bool) {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0 || value[0] == '[' || value[0] == 'n':
		return "", false
	case value[0] == '"':
		var text string
		err := json.Unmarshal(value, &text)
		return text, err == nil
	case value[0] == '{':
		var object struct{ Base64 []byte }
		err := json.Unmarshal(value, &object)
		return string(object.Base64), err == nil && object.Base64 != nil
	}
	return string(value), true
}

// pointer is a path of the table in a JSON Pointer's fragment form.
func pointer(path string) string {
	var out strings.Builder
	for i := range len(path) {
		if c := path[i]; c == ' ' || c >= 0x80 {
			fmt.Fprintf(&out, "%%%02X", c)
		} else {
			out.WriteByte(c)
		}
	}
	return "#/" + out.String()
}
