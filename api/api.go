// Package api is the HTTP door of Keypact: it decodes a request into an
// operation of package service, runs it, and encodes the answer. No meaning and
// no storage live here.
//
// routes.go holds the whole surface, bind.go turns a request into an
// operation, answer.go writes what came of it and problem.go what went wrong.
package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"keypact/service"
)

// Options are what the API is told beside its service. Every field may be
// zero; a page that is not given is answered with 404.
type Options struct {
	Logger   *slog.Logger // gets one line per request, and panics; nil discards
	Observer Observer     // is told of every request; nil if nobody is
	CORS     CORS         // which browsers may call from elsewhere; zero is none

	Ready   func(context.Context) Readiness // nil is always ready
	Spec    []byte                          // the bytes of /openapi.yaml
	Landing http.Handler                    // the page at /
	Metrics http.Handler                    // the answer of /metrics
	Backup  Backup                          // the answer of /admin/backup
	Verify  Verify                          // the answer of /admin/verify

	NewID func() string    // makes request ids; nil makes 26 characters of time and chance
	Now   func() time.Time // times requests; nil is the clock
}

// Observer is told of every request when it has been answered.
type Observer interface {
	// Observe takes the pattern of the route ("unmatched" where there is none)
	// and the method ("other" where HTTP does not know it), so both are bounded.
	Observe(route, method string, status int, took time.Duration)
}

// Readiness is whether the service can do its work.
type Readiness struct {
	Ready          bool
	StaleContracts bool // the last reload was refused and the former set is in force
}

// CORS says which origins browsers may call from. Without origins there is no
// CORS, and a browser's writes from elsewhere are refused.
type CORS struct {
	Origins []string // such as "https://app.example.com"; "*" is every origin
}

// server is the API of one service.
type server struct {
	service *service.Service
	limits  service.Limits
	log     *slog.Logger
	options Options
	plans   plans
	router  chi.Router
	docs    *docs
}

// New makes the handler of a service. It fails if the table of routes and the
// operations do not fit together.
func New(svc *service.Service, opts Options) (http.Handler, error) {
	s := &server{service: svc, limits: svc.Limits(), log: opts.Logger, options: opts}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.options.NewID == nil {
		s.options.NewID = newID
	}
	if s.options.Now == nil {
		s.options.Now = time.Now
	}
	if s.options.Ready == nil {
		s.options.Ready = func(context.Context) Readiness { return Readiness{Ready: true} }
	}
	var err error
	if s.plans, err = compilePlans(service.Rows()); err != nil {
		return nil, err
	}
	if s.docs, err = newDocs(); err != nil {
		return nil, err
	}
	return s.mount()
}

// mount puts the middleware and the table of routes on a router.
func (s *server) mount() (http.Handler, error) {
	guard, err := s.options.CORS.guard()
	if err != nil {
		return nil, err
	}
	mux := chi.NewRouter()
	mux.Use(s.exchange)
	if len(s.options.CORS.Origins) > 0 {
		mux.Use(s.options.CORS.handler())
	}
	mux.Use(guard, s.routeEscaped)
	for _, rt := range routes {
		handle, err := s.serve(rt)
		if err != nil {
			return nil, fmt.Errorf("route %s %s: %w", rt.method, rt.pattern, err)
		}
		mux.Method(rt.method, rt.pattern, handle)
	}
	mux.NotFound(handler(notFound).ServeHTTP)
	mux.MethodNotAllowed(handler(s.methodNotAllowed).ServeHTTP)
	s.router = mux
	return mux, nil
}

// Route is one row of the table of routes.
type Route struct {
	Method    string // such as "PUT"
	Pattern   string // such as "/hash/{key}/fields"
	Operation string // name of the operation, such as "HashSet"; empty if the route runs none of its own
}

// Routes lists all routes in the order of the table.
func Routes() []Route {
	out := make([]Route, len(routes))
	for i, rt := range routes {
		out[i] = Route{Method: rt.method, Pattern: rt.pattern, Operation: rt.operation()}
	}
	return out
}
