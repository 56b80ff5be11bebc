package api

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/go-chi/chi/v5"

	"keypact/service"
)

// endpoint is a route with its operation: what fills in each member, and how
// the answer looks.
type endpoint struct {
	server  *server
	pattern string
	plan    *plan
	body    bool // requests may have a body
	raw     bool // the body may be the bare value
	answers answers
	tagged  bool    // the operation is about one key
	typed   *member // takes the type that the route names; nil if the operation has no such member
	want    string  // that type

	path  []pathMember
	inRaw []string // members that a raw body itself stands for
}

// pathMember is a member that stands in the path.
type pathMember struct {
	param  string
	member *member
}

// rawSetter is an operation that keeps the media type of a raw body.
type rawSetter interface {
	SetRaw(body []byte, mediaType string)
}

// endpoint joins a route and its operation.
func (s *server) endpoint(rt route, d door) (*endpoint, error) {
	p := s.plans[d.operation]
	if p == nil {
		return nil, fmt.Errorf("no definition row makes a %s", d.operation)
	}
	e := &endpoint{server: s, pattern: rt.pattern, plan: p}
	e.body = !bodyless(rt.method) && (d.form == formJSON || d.form == formValue)
	e.raw = e.body && d.form == formValue
	e.answers = answersOf(rt, d)
	e.tagged = p.member("key") != nil
	for _, segment := range strings.Split(rt.pattern, "/") {
		if !strings.HasPrefix(segment, "{") {
			continue
		}
		param := strings.Trim(segment, "{}")
		m := p.member(param)
		if m == nil || m.set == nil || m.list {
			return nil, fmt.Errorf("operation %s has no member for {%s}", p.name, param)
		}
		e.path = append(e.path, pathMember{param, m})
	}
	if e.raw {
		e.inRaw = []string{"value"}
		if _, ok := p.fresh().(rawSetter); ok {
			e.inRaw = append(e.inRaw, "media_type")
		}
		if m := p.member("value"); m == nil || m.of(reflect.ValueOf(p.fresh()).Elem()).Type() != reflect.TypeFor[service.Bytes]() {
			return nil, fmt.Errorf("operation %s has no value to be sent raw", p.name)
		}
	}
	if d.typed {
		e.typed, e.want = p.member("type"), strings.Split(rt.pattern, "/")[1]
		if e.typed == nil {
			return nil, fmt.Errorf("operation %s cannot be told a type", p.name)
		}
	}
	return e, nil
}

// source says where the members of one request came from, so that a fault can
// point at its place.
type source struct {
	endpoint *endpoint
	body     bool // from a JSON body; otherwise from the query
	raw      bool // the body is the value
	batch    bool // paths lead through the operations of a batch
}

// bind makes an operation of a request.
func (e *endpoint) bind(r *http.Request) (service.Op, source, error) {
	src := source{endpoint: e}
	if err := checkHeaders(r); err != nil {
		return nil, src, err
	}
	op := e.plan.fresh()
	v := reflect.ValueOf(op).Elem()
	if e.typed != nil {
		e.typed.of(v).SetString(e.want)
	}
	if err := e.bindPath(v, r); err != nil {
		return nil, src, err
	}
	if !e.body {
		if err := refuseBody(r); err != nil {
			return nil, src, err
		}
		return op, src, e.bindQuery(v, r.URL.RawQuery, nil)
	}
	media, err := mediaTypeOf(r)
	if err != nil {
		return nil, src, err
	}
	if e.raw && !media.json {
		src.raw = true
		if err := e.bindQuery(v, r.URL.RawQuery, e.inRaw); err != nil {
			return nil, src, err
		}
		return op, src, e.bindRaw(op, v, media, r)
	}
	src.body = true
	if err := refuseQuery(r.URL.RawQuery); err != nil {
		return nil, src, err
	}
	return op, src, e.bindBody(v, media, r)
}

// bindPath fills in the members of the path, each decoded exactly once.
func (e *endpoint) bindPath(v reflect.Value, r *http.Request) error {
	ctx := chi.RouteContext(r.Context())
	for _, pm := range e.path {
		escaped := ctx.URLParam(pm.param)
		if escaped == "" {
			return routeUnknown("An empty " + pm.param + " cannot stand in a path; send it through /batch.")
		}
		text, err := url.PathUnescape(escaped)
		if err != nil {
			return badParameter(pm.param, "is not percent-encoded as it should be")
		}
		if err := pm.member.set(pm.member.of(v), text); err != nil {
			return badParameter(pm.param, err.Error())
		}
	}
	return nil
}

// refusedHeaders are conditions and promises this service does not keep yet. A
// write that relies on one is refused, for to ignore it could lose data.
var refusedHeaders = []string{"If-Match", "If-None-Match", "If-Unmodified-Since", "Idempotency-Key"}

// checkHeaders sees to the headers that change what a request means.
func checkHeaders(r *http.Request) error {
	for _, ns := range r.Header["Keypact-Namespace"] {
		if ns != "0" {
			return badHeader("Keypact-Namespace", "must be 0: there is one namespace")
		}
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	for _, name := range refusedHeaders {
		if len(r.Header[name]) > 0 {
			return badHeader(name, "is not offered here")
		}
	}
	return nil
}
