package main

import (
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestSpecificationHasTheConditions: a condition that is not met is 412 where
// the specification says so, and only there.
func TestSpecificationHasTheConditions(t *testing.T) {
	tr := newTrier(t, "examples/contracts.yaml")
	unmet := map[string]struct {
		key  string
		body map[string]any
	}{
		"StringsSet":     {"", map[string]any{"pairs": []any{map[string]any{"key": "tags:42", "value": "x"}}, "if": "absent"}},
		"StringSet":      {"session:42", map[string]any{"value": "x", "ttl": "1h", "if": "absent"}},
		"HashFieldSet":   {"profile:42", map[string]any{"value": "Eve", "if": "absent"}},
		"ListPush":       {"absent", map[string]any{"items": []any{"x"}, "if": "present"}},
		"ZSetMemberSet":  {"hot:products:books", map[string]any{"score": 1, "if": "greater"}},
		"ZSetMemberIncr": {"hot:products:books", map[string]any{"by": 1, "if": "absent"}},
		"KeyTTLSet":      {"profile:42", map[string]any{"ttl": "1h", "if": "present"}},
		"KeyRename":      {"session:42", map[string]any{"destination": "session:43", "if": "absent"}},
		"KeyCopy":        {"session:42", map[string]any{"destination": "session:43"}},
		"Batch": {"", map[string]any{"operations": []any{
			map[string]any{"op": "SETNX", "key": "session:42", "value": "x", "ttl": "1h"},
		}}},
		"ContractsValidate": {"", map[string]any{"op": "RENAMENX", "key": "session:42", "destination": "session:43"}},
	}
	operations(tr.spec.Doc, func(method, path string, o *openapi3.Operation) {
		tr.seed()
		condition, ok := unmet[o.OperationID]
		if specified := o.Responses.Status(http.StatusPreconditionFailed) != nil; specified != ok {
			t.Errorf("%s %s: 412 is specified: %t, conditions are known here: %t", method, path, specified, ok)
		}
		if !ok {
			return
		}
		x := tr.trial(method, path, "")
		x.body = condition.body
		if condition.key != "" {
			x.parameters["key"] = condition.key
		}
		if status := tr.send(x); status != http.StatusPreconditionFailed {
			t.Errorf("%s %s: an unmet condition is answered %d", method, path, status)
		}
	})
}
