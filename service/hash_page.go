package service

import "keypact/store"

// HashFields reads some fields of a hash: those that are named, in the order
// of the request and with null for absent ones, or else a page of all fields
// in the order of their bytes, of those whose name matches. An absent key is
// not found, a key of another type is refused.
type HashFields struct {
	Key    Bytes   `json:"key" validate:"required,key"`
	Fields []Bytes `json:"fields,omitzero" query:"field" validate:"max=1000,dive,required,element"`
	Page
}

// FieldsPage is the answer of HashFields. Without a cursor it is the last page.
type FieldsPage struct {
	Fields Fields `json:"fields"`
	Cursor Cursor `json:"cursor,omitzero"`
}

func (op HashFields) check(Limits) []Issue {
	if op.Fields != nil && (op.Match != nil || op.Cursor != nil) {
		return []Issue{{Path: []string{"fields"}, Detail: "must not be given together with match or cursor"}}
	}
	return nil
}

// Calls declares HMGET or HSCAN.
func (op HashFields) Calls() []store.Call {
	verb := "HSCAN"
	if op.Fields != nil {
		verb = "HMGET"
	}
	return []store.Call{{Verb: verb, Key: op.Key, Read: true, DataAt: "fields"}}
}

// Apply reads.
func (op HashFields) Apply(tx *store.Tx) (any, error) {
	h, err := presentHash(tx, op.Key)
	if err != nil {
		return nil, err
	}
	if op.Fields == nil {
		pairs, last, err := h.Page(op.Cursor.element(), op.limit(), op.scanned(), op.matcher())
		if err != nil {
			return nil, err
		}
		return FieldsPage{Fields: fieldsOf(pairs), Cursor: next(last)}, nil
	}
	return op.named(h)
}

// named reads the fields that the request names, each once.
func (op HashFields) named(h *store.Hash) (any, error) {
	fields := make(Fields, 0, len(op.Fields))
	seen := make(map[string]bool, len(op.Fields))
	for _, name := range op.Fields {
		if seen[string(name)] {
			continue
		}
		seen[string(name)] = true
		value, _, err := h.Field(name)
		if err != nil {
			return nil, err
		}
		fields = append(fields, Field{Field: name, Value: value})
	}
	return FieldsPage{Fields: fields}, nil
}
