package api

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"

	"keypact/service"
)

// plan is how requests fill in the operations of one type. Plans are compiled
// once, when the API is made.
type plan struct {
	name    string // of the operation, such as "HashSet"
	fresh   func() service.Op
	members []member
}

// member is one field of an operation. Its json name is the one name it has in
// a path, a body and a batch. A query may have a singular of its own for a
// member that can be repeated.
type member struct {
	name  string
	query string
	index []int
	set   setter // fills it in from text; nil if text cannot say it
	list  bool   // it takes one element per text
}

// plans has the plan of every operation, by the type of its struct.
type plans map[reflect.Type]*plan

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

// compilePlans makes the plans of the definition rows.
func compilePlans(rows []service.Row) (plans, error) {
	out := make(plans, len(rows))
	for _, row := range rows {
		p := &plan{name: row.Name, fresh: row.New}
		t := reflect.TypeOf(row.New())
		if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
			return nil, fmt.Errorf("operation %s is a %s, not a pointer to a struct", row.Name, t)
		}
		if err := p.add(t.Elem(), nil); err != nil {
			return nil, fmt.Errorf("operation %s: %w", row.Name, err)
		}
		out[t.Elem()] = p
	}
	return out, nil
}

// add gathers the members of a struct and of the structs embedded in it.
func (p *plan) add(t reflect.Type, at []int) error {
	for i := range t.NumField() {
		field := t.Field(i)
		index := append(at[:len(at):len(at)], i)
		tag, tagged := field.Tag.Lookup("json")
		if field.Anonymous && !tagged {
			if err := p.add(field.Type, index); err != nil {
				return err
			}
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			return fmt.Errorf("the field %s has no json name", field.Name)
		}
		if p.member(name) != nil {
			return fmt.Errorf("two fields are named %s", name)
		}
		m := member{name: name, query: name, index: index}
		if query := field.Tag.Get("query"); query != "" {
			m.query = query
		}
		m.set, m.list = setterOf(field.Type)
		p.members = append(p.members, m)
	}
	return nil
}

// member finds a member by its json name, or returns nil. Case counts.
func (p *plan) member(name string) *member {
	for i := range p.members {
		if p.members[i].name == name {
			return &p.members[i]
		}
	}
	return nil
}

// of finds the member's field in an operation.
func (m *member) of(op reflect.Value) reflect.Value {
	if len(m.index) == 1 {
		return op.Field(m.index[0])
	}
	return op.FieldByIndex(m.index)
}
