package api

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// memberError says what is wrong with a value. root is the pointer to what the
// decoder reads, member the one to the member that was being read.
func memberError(err error, root, member string) error {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		var syntactic *jsontext.SyntacticError
		if errors.As(err, &syntactic) {
			return syntaxError(err, root)
		}
		return badBody("bad-member", member, err.Error())
	}
	at := member
	if semantic.JSONPointer != "" {
		at = root + fragment(semantic.JSONPointer)
	}
	switch {
	case errors.Is(semantic.Err, json.ErrUnknownName):
		return badBody("unknown-member", at, "is unknown here")
	case semantic.Err != nil && !foreign(semantic.Err):
		return badBody("bad-member", at, semantic.Err.Error())
	}
	return badBody("bad-member", at, expected(semantic.GoType))
}

// foreign reports whether an error's text is not written for clients.
func foreign(err error) bool {
	var syntactic *jsontext.SyntacticError
	return errors.As(err, &syntactic) || strings.Contains(err.Error(), "Go ")
}

// expected says what JSON a type is read from.
func expected(t reflect.Type) string {
	if t == nil {
		return "does not fit"
	}
	switch t.Kind() {
	case reflect.Bool:
		return errBoolean.Error()
	case reflect.String:
		return "must be a string"
	case reflect.Slice, reflect.Array:
		return "must be a list"
	case reflect.Struct, reflect.Map:
		return "must be an object"
	case reflect.Pointer:
		return expected(t.Elem())
	}
	return "must be a number"
}

// syntaxError says why a text is no acceptable JSON.
func syntaxError(err error, root string) error {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return badBody("bad-json", root, "is not complete JSON")
	}
	at := root + fragment(syntactic.JSONPointer)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return badBody("duplicate-member", at, "is given more than once")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return badBody("bad-json", at, "is not complete JSON")
	}
	reason := strings.TrimPrefix(fmt.Sprint(syntactic.Err), "jsontext: ")
	return badBody("bad-json", at, "is not JSON: "+printable(reason))
}

// fragment is a JSON Pointer in its URI fragment form, without the #.
func fragment(p jsontext.Pointer) string {
	var out []byte
	for token := range p.Tokens() {
		out = appendPointer(out, token)
	}
	return string(out)
}
