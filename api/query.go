package api

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// bindQuery fills in the members of the query. Those of the path, and the
// excluded ones, are unknown there.
func (e *endpoint) bindQuery(v reflect.Value, query string, exclude []string) error {
	var seen []string
	return eachParameter(query, func(name, text string) error {
		m := e.queryMember(name, exclude)
		if m == nil {
			return e.unknownParameter(name, exclude)
		}
		if !m.list && slices.Contains(seen, name) {
			return badParameter(name, "is given more than once")
		}
		if !m.list {
			seen = append(seen, name)
		}
		if err := m.set(m.of(v), text); err != nil {
			return badParameter(name, err.Error())
		}
		return nil
	})
}

func (e *endpoint) queryMember(name string, exclude []string) *member {
	for i := range e.plan.members {
		m := &e.plan.members[i]
		if m.query == name && m.set != nil && !e.inPath(m) && m != e.typed && !slices.Contains(exclude, m.name) {
			return m
		}
	}
	return nil
}

func (e *endpoint) inPath(m *member) bool {
	for _, pm := range e.path {
		if pm.member == m {
			return true
		}
	}
	return false
}

func (e *endpoint) unknownParameter(name string, exclude []string) error {
	var known []string
	for i := range e.plan.members {
		if m := &e.plan.members[i]; e.queryMember(m.query, exclude) == m {
			known = append(known, m.query)
		}
	}
	return unknownParameter(name, known)
}

func unknownParameter(name string, known []string) *refusal {
	detail := "is unknown here; there are no parameters"
	if len(known) > 0 {
		detail = "is unknown here; there are " + strings.Join(known, ", ")
	}
	return invalid("unknown-parameter", fault{Parameter: printable(name), Detail: detail})
}

// refuseQuery refuses all parameters: where there is a JSON body, it says
// everything.
func refuseQuery(query string) error {
	return eachParameter(query, func(name, _ string) error {
		return invalid("unknown-parameter", fault{
			Parameter: printable(name), Detail: "is unknown here; with a JSON body all members stand in the body",
		})
	})
}

// eachParameter calls visit for each parameter of a query, in order, decoded
// once. The namespace is seen to here.
func eachParameter(query string, visit func(name, text string) error) error {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if pair == "" {
			continue
		}
		escapedName, escaped, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(escapedName)
		if err != nil || strings.Contains(pair, ";") {
			return badParameter(escapedName, "is not percent-encoded as it should be")
		}
		text, err := url.QueryUnescape(escaped)
		if err != nil {
			return badParameter(name, "is not percent-encoded as it should be")
		}
		if name == "ns" {
			if text != "0" {
				return badParameter(name, "must be 0: there is one namespace")
			}
			continue
		}
		if err := visit(name, text); err != nil {
			return err
		}
	}
	return nil
}
