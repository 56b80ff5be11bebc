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

// done gives the decoder back, without what it has read.
func (d *decoder) done() {
	d.text = bytes.Buffer{}
	d.json.Reset(&d.text)
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
	if err := begin(dec, '{', ms.root, "must be an object"); err != nil {
		return err
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

// begin reads the brace or bracket that an object or a list starts with, and
// refuses another value.
func begin(dec *jsontext.Decoder, kind jsontext.Kind, at, otherwise string) error {
	if dec.PeekKind() != kind {
		if err := dec.SkipValue(); err != nil {
			return syntaxError(err, "#")
		}
		return badBody("bad-member", at, otherwise)
	}
	if _, err := dec.ReadToken(); err != nil {
		return syntaxError(err, "#")
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
