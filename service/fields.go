package service

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keypact/store"
)

// Field is one field of a hash with its value. A nil value is an absent field.
type Field struct {
	Field Bytes `json:"field"`
	Value Bytes `json:"value"`

	listed bool // it came in a list, so faults point at its position there
}

// Fields are fields of a hash in the order of the request.
//
// In JSON they are an object, {"name": "Ada"}, or, for field names that are
// not UTF-8, a list: [{"field": {"base64": ".."}, "value": ".."}]. The same
// name twice in an object is refused; in a list the last one holds. They are
// written as an object if all names are UTF-8, else as a list.
type Fields []Field

var errFieldsKind = errors.New(`must be an object, or a list of {"field": .., "value": ..}`)

// UnmarshalJSONFrom reads an object or a list.
func (f *Fields) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*f = Fields{}
	switch dec.PeekKind() {
	case '{':
		return f.readObject(dec)
	case '[':
		return f.readList(dec)
	}
	return refuse(dec, errFieldsKind)
}

func (f *Fields) readObject(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := readString(dec)
		if err != nil {
			return err
		}
		field := Field{Field: name}
		if err := json.UnmarshalDecode(dec, &field.Value); err != nil {
			return err
		}
		*f = append(*f, field)
	}
	_, err := dec.ReadToken()
	return err
}

func (f *Fields) readList(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		field := Field{listed: true}
		if err := json.UnmarshalDecode(dec, &field, json.RejectUnknownMembers(true)); err != nil {
			return err
		}
		*f = append(*f, field)
	}
	_, err := dec.ReadToken()
	return err
}

// MarshalJSONTo writes an object, or a list if a name is not UTF-8. Absent
// fields are null.
func (f Fields) MarshalJSONTo(enc *jsontext.Encoder) error {
	for i := range f {
		if !utf8.Valid(f[i].Field) {
			return json.MarshalEncode(enc, []Field(f))
		}
	}
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for i := range f {
		if err := enc.WriteToken(jsontext.String(string(f[i].Field))); err != nil {
			return err
		}
		if err := f[i].Value.MarshalJSONTo(enc); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// place is where in the request field i stands.
func (f Fields) place(i int) store.Place {
	if f[i].listed {
		return store.Place{List: "fields", Index: i, Identity: "field", Data: "value"}
	}
	return store.Place{List: "fields", Name: f[i].Field}
}

// path is place for a member of the field, "field" or "value".
func (f Fields) path(i int, member string) []string {
	if f[i].listed {
		return []string{"fields", fmt.Sprint(i), member}
	}
	return []string{"fields", string(f[i].Field)}
}

// last maps each name to its last position.
func (f Fields) last() map[string]int {
	last := make(map[string]int, len(f))
	for i := range f {
		last[string(f[i].Field)] = i
	}
	return last
}

// check wants every field to have a name and a value of permitted size.
func (f Fields) check(l Limits) []Issue {
	var issues []Issue
	for i := range f {
		issues = f.checkPart(issues, i, "field", f[i].Field, l.FieldBytes)
		issues = f.checkPart(issues, i, "value", f[i].Value, l.ValueBytes)
	}
	return issues
}

func (f Fields) checkPart(issues []Issue, i int, member string, part Bytes, limit int) []Issue {
	switch {
	case part == nil:
		return append(issues, Issue{Path: f.path(i, member), Detail: "is required"})
	case len(part) > limit:
		return append(issues, Issue{Path: f.path(i, member), Detail: tooLong(limit), tooLarge: true})
	}
	return issues
}
