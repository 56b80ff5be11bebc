package api

import (
	"net/http"
	"reflect"

	"keypact/service"
)

// route is one row of the table.
type route struct {
	method, pattern string
	door            func() door
}

// door is what stands behind a route: an operation with the places its members
// come from, or a page of its own.
type door struct {
	operation reflect.Type // struct of the operation; nil for a page
	form      form
	typed     bool // the key must have the type that the first segment of the route names
	page      func(*server, *exchange, *http.Request)
}

// form is what the body of a request and of its answer look like.
type form int

const (
	formJSON  form = iota // members in a JSON body, or in the query where the method has no body; a JSON answer
	formQuery             // members in the query; a JSON answer or none
	formValue             // a JSON body, or a raw one with the other members in the query; a JSON answer or a raw one
	formGone              // members in the query; no answer but a status
)

// pointer is an operation's struct behind a pointer.
type pointer[T any] interface {
	*T
	service.Op
}

// on is the door of an operation that speaks JSON.
func on[T any, _ pointer[T]]() door { return door{operation: reflect.TypeFor[T]()} }

// onQuery is the door of a write whose path and query say all there is to say.
func onQuery[T any, _ pointer[T]]() door {
	return door{operation: reflect.TypeFor[T](), form: formQuery}
}

// onValue is the door of one value, which may come and go raw.
func onValue[T any, _ pointer[T]]() door {
	return door{operation: reflect.TypeFor[T](), form: formValue}
}

// onGone is the door of an operation whose answer has no body.
func onGone[T any, _ pointer[T]]() door {
	return door{operation: reflect.TypeFor[T](), form: formGone}
}

// onType is the door that tells whether a key of one type exists: the type that
// the first segment of the route names.
func onType() door { return door{operation: reflect.TypeFor[service.KeyInfo](), typed: true} }

// at is the door of a page: a handler that is no operation.
func at(page func(*server, *exchange, *http.Request)) func() door {
	return func() door { return door{page: page} }
}

// operation is the name of the route's operation, empty for a page.
func (rt route) operation() string {
	if t := rt.door().operation; t != nil {
		return t.Name()
	}
	return ""
}

// bodyless reports whether requests of a method carry no body here.
func bodyless(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodDelete
}

// handler answers one exchange.
type handler func(*exchange, *http.Request)

// ServeHTTP makes a handler one of net/http. The middleware has put the
// exchange in place of the response writer.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h(w.(*exchange), r) }

// serve is the handler of a route.
func (s *server) serve(rt route) (handler, error) {
	d := rt.door()
	if d.page != nil {
		return func(x *exchange, r *http.Request) {
			x.pattern = rt.pattern
			d.page(s, x, r)
		}, nil
	}
	e, err := s.endpoint(rt, d)
	if err != nil {
		return nil, err
	}
	return e.serve, nil
}
