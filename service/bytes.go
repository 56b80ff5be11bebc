package service

import (
	"bytes"
	"encoding/base64"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Bytes is a key, a field, a member or a value: any bytes. nil is "not given",
// which is not the same as the empty text.
//
// In JSON it is a string, or {"base64": ".."} for what is not UTF-8, or a
// number, which stands for its canonical text (1e3 is 1000, 1.50 is 1.5; see
// Number). Booleans, null, lists and other objects are refused. In a path or a
// query it is the text as it stands.
type Bytes []byte

var (
	errBytesKind = errors.New(`must be a string, a number, or {"base64": ".."}`)
	errBase64    = errors.New("must be standard base64 with padding")
)

// UnmarshalJSONFrom reads one JSON value.
func (b *Bytes) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		text, err := readString(dec)
		*b = text
		return err
	case '0':
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		number, err := ParseNumber(string(value))
		*b = Bytes(number)
		return err
	case '{':
		return b.readObject(dec)
	}
	return refuse(dec, errBytesKind)
}

// readString reads a JSON string into memory of its own, never nil.
func readString(dec *jsontext.Decoder) ([]byte, error) {
	value, err := dec.ReadValue()
	if err != nil {
		return nil, err
	}
	return jsontext.AppendUnquote(make([]byte, 0, len(value)), value)
}

// refuse returns the given error, or the syntax error that stands in the way
// of reading the value at all.
func refuse(dec *jsontext.Decoder, reason error) error {
	if err := dec.SkipValue(); err != nil {
		return err
	}
	return reason
}

// readObject reads {"base64": ".."}, which has no other member.
func (b *Bytes) readObject(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	inner := jsontext.NewDecoder(bytes.NewBuffer(value))
	var name jsontext.Token
	for range 2 { // the brace, the name
		if name, err = inner.ReadToken(); err != nil {
			return err
		}
	}
	if name.Kind() != '"' || name.String() != "base64" || inner.PeekKind() != '"' {
		return errBytesKind
	}
	text, err := readString(inner)
	if err != nil {
		return err
	}
	if inner.PeekKind() != '}' {
		return errBytesKind
	}
	decoded, err := base64.StdEncoding.Strict().AppendDecode(make([]byte, 0, len(text)), text)
	// The decoder passes over line ends; one spelling is enough.
	if err != nil || bytes.ContainsAny(text, "\r\n") {
		return errBase64
	}
	*b = decoded
	return nil
}

// MarshalJSONTo writes a string if the bytes are UTF-8, else {"base64": ".."};
// null if there are none.
func (b Bytes) MarshalJSONTo(enc *jsontext.Encoder) error {
	if b == nil {
		return enc.WriteToken(jsontext.Null)
	}
	if utf8.Valid(b) {
		quoted, err := jsontext.AppendQuote(enc.AvailableBuffer(), b)
		if err != nil {
			return err
		}
		return enc.WriteValue(quoted)
	}
	out := append(enc.AvailableBuffer(), `{"base64":"`...)
	out = base64.StdEncoding.AppendEncode(out, b)
	return enc.WriteValue(append(out, `"}`...))
}

// UnmarshalText takes the text of a path segment or a query member as it is.
func (b *Bytes) UnmarshalText(text []byte) error {
	*b = append(make([]byte, 0, len(text)), text...)
	return nil
}

// rawList gives a list of Bytes the type the store works with.
func rawList(list []Bytes) [][]byte {
	out := make([][]byte, len(list))
	for i, b := range list {
		out[i] = b
	}
	return out
}
