package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decoder is a JSON decoder that can be used again.
type decoder struct {
	text bytes.Buffer
	json *jsontext.Decoder
}

var decoders = sync.Pool{New: func() any {
	d := new(decoder)
	d.json = jsontext.NewDecoder(&d.text)
	return d
}}

// newDecoder lends a decoder of one text. It refuses duplicate names, invalid
// UTF-8 and lone surrogates, as its library does by default.
func newDecoder(text []byte) *decoder {
	d := decoders.Get().(*decoder)
	d.text = *bytes.NewBuffer(text)
	d.json.Reset(&d.text)
	return d
}

func (d *decoder) done() {
	d.text = bytes.Buffer{}
	decoders.Put(d)
}

// decoding are the rules for the value of a member. Names are exact, unknown
// ones are refused at every level, and a whole number counts by its
// mathematical value, however it is written.
var decoding = json.JoinOptions(
	json.RejectUnknownMembers(true),
	json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(func(dec *jsontext.Decoder, n *int64) (err error) {
			*n, err = readInteger(dec)
			return err
		}),
		json.UnmarshalFromFunc(func(dec *jsontext.Decoder, n *int) error {
			wide, err := readInteger(dec)
			*n = int(wide)
			return err
		}),
	)),
)

func readInteger(dec *jsontext.Decoder) (int64, error) {
	kind := dec.PeekKind()
	value, err := dec.ReadValue()
	if err != nil {
		return 0, err
	}
	if kind != '0' {
		return 0, errInteger
	}
	return parseInteger(string(value))
}

// decodeObject fills in an operation from a JSON body: one object, whose
// members are those of the operation that do not stand in the path.
func (s *server) decodeObject(body []byte, e *endpoint, v reflect.Value) error {
	if err := s.checkDepth(body); err != nil {
		return err
	}
	d := newDecoder(body)
	defer d.done()
	known := func(name []byte) *member {
		m := e.plan.member(string(name))
		if m != nil && e.inPath(m) {
			return nil
		}
		return m
	}
	if err := decodeMembers(d.json, v, members{plan: e.plan, known: known, root: "#"}); err != nil {
		return err
	}
	return atEnd(d.json)
}

// members are the members an object may have.
type members struct {
	plan  *plan
	known func(name []byte) *member // nil for a name that is unknown here
	skip  string                    // a member that somebody else has read; may be empty
	root  string                    // pointer to the object
}

// decodeMembers reads one object into an operation. It gathers the unknown
// members and stops at the first value that does not fit.
func decodeMembers(dec *jsontext.Decoder, v reflect.Value, ms members) error {
	if dec.PeekKind() != '{' {
		if err := dec.SkipValue(); err != nil {
			return syntaxError(err, ms.root)
		}
		return badBody("bad-member", ms.root, "must be an object")
	}
	if _, err := dec.ReadToken(); err != nil {
		return syntaxError(err, ms.root)
	}
	var unknown []fault
	for dec.PeekKind() != '}' {
		raw, err := dec.ReadValue()
		if err != nil {
			return syntaxError(err, ms.root)
		}
		name := unquoted(raw)
		if m := ms.known(name); m != nil {
			err = decodeMember(dec, m, v, ms.root)
		} else {
			if string(name) != ms.skip || ms.skip == "" {
				unknown = append(unknown, ms.unknown(string(name)))
			}
			if err = dec.SkipValue(); err != nil {
				err = syntaxError(err, ms.root)
			}
		}
		if err != nil {
			return err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return syntaxError(err, ms.root)
	}
	if len(unknown) > 0 {
		return invalid("unknown-member", unknown[:min(len(unknown), maxFaults)]...)
	}
	return nil
}

// unquoted is a name as it is meant. It stays valid until the next read.
func unquoted(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	name, _ := jsontext.AppendUnquote(nil, raw)
	return name
}

func (ms members) unknown(name string) fault {
	var known []string
	for i := range ms.plan.members {
		if n := ms.plan.members[i].name; ms.known([]byte(n)) != nil {
			known = append(known, n)
		}
	}
	detail := "is unknown here; there are no members"
	if len(known) > 0 {
		detail = "is unknown here; there are " + strings.Join(known, ", ")
	}
	return fault{Pointer: ms.root + pointerTo(name)[1:], Detail: detail}
}

// decodeMember reads the value of one member.
func decodeMember(dec *jsontext.Decoder, m *member, v reflect.Value, root string) error {
	if dec.PeekKind() == 'n' {
		if err := dec.SkipValue(); err != nil {
			return syntaxError(err, root)
		}
		return badBody("bad-member", root+pointerTo(m.name)[1:], "must not be null; leave it out instead")
	}
	err := json.UnmarshalDecode(dec, m.of(v).Addr().Interface(), decoding)
	if err != nil {
		return memberError(err, root, root+pointerTo(m.name)[1:])
	}
	return nil
}

// atEnd refuses anything after the body's one value.
func atEnd(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); errors.Is(err, io.EOF) {
		return nil
	}
	return badBody("bad-json", "#", "must end after its first value")
}

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

// checkDepth refuses a body whose objects and lists lie deeper in each other
// than the limit, without looking at anything else.
func (s *server) checkDepth(body []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > s.limits.Depth {
				return badBody("too-deep", "#", fmt.Sprintf("must not nest objects and lists deeper than %d", s.limits.Depth))
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}
