package api

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"keypact/service"
)

// routeEscaped routes by the path as it was sent, still escaped. So a slash,
// a dot or a percent sign in a key is just a part of the key, and each member
// is decoded exactly once, in bind.
//
// A slash at the end of a path is passed over where the route ends in a word
// of its own (/keys/ is /keys). Where it ends in a key or an element there is
// no such route: the key a/ is written a%2F, and a key is never cut short.
func (s *server) routeEscaped(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		if short, ok := strings.CutSuffix(path, "/"); ok && short != "" && s.pattern(path) == "" && endsInWord(s.pattern(short)) {
			path = short
		}
		chi.RouteContext(r.Context()).RoutePath = path
		next.ServeHTTP(w, r)
	})
}

// pattern is that of a route with the path, whatever its method, or empty.
func (s *server) pattern(path string) string {
	for _, method := range methods {
		if pattern := s.router.Find(chi.NewRouteContext(), method, path); pattern != "" {
			return pattern
		}
	}
	return ""
}

// endsInWord reports whether a pattern is one, and does not end in a parameter.
func endsInWord(pattern string) bool { return pattern != "" && !strings.HasSuffix(pattern, "}") }

// methods are those a route may have, sorted.
var methods = []string{
	http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost, http.MethodPut,
}

// allowed lists the methods of a path. The routes are asked one by one: what
// the router gathers on its way includes those of other routes.
func (s *server) allowed(path string) []string {
	var out []string
	for _, method := range methods {
		pattern := s.router.Find(chi.NewRouteContext(), method, path)
		if pattern == "" || pattern == contractPattern && reserved(path[len("/contracts/"):]) {
			continue
		}
		out = append(out, method)
	}
	return out
}

func routeUnknown(detail string) *refusal {
	return &refusal{kind: service.KindNotFound, code: "unknown-route", detail: detail}
}

// notFound answers a path that no route has.
func notFound(x *exchange, r *http.Request) {
	path := r.URL.EscapedPath()
	detail := "There is no such route."
	if strings.HasSuffix(path, "/") {
		detail = "There is no such route. A slash at the end of a key is written %2F."
	}
	x.fail(routeUnknown(detail), source{})
}

// methodNotAllowed answers a method that a path does not have, with the list
// of those it has.
func (s *server) methodNotAllowed(x *exchange, r *http.Request) {
	x.refuseMethod(s.allowed(chi.RouteContext(r.Context()).RoutePath))
}

func (x *exchange) refuseMethod(allowed []string) {
	if len(allowed) == 0 {
		x.fail(routeUnknown("There is no such route."), source{})
		return
	}
	list := strings.Join(allowed, ", ")
	x.fail(&refusal{
		kind: service.KindMethod, code: "method-not-allowed",
		detail: printable(x.method) + " is not offered here; there are " + list + ".",
		header: http.Header{"Allow": {list}},
	}, source{})
}
