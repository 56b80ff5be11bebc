package api

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"keypact/service"
)

// exchange is one request and its answer. It stands in the place of the
// response writer, knows what has been answered, and tells the log and the
// observer when all is done.
type exchange struct {
	http.ResponseWriter
	server  *server
	method  string
	id      string
	pattern string // of the route; empty until one is found
	tagged  bool   // the answer is about one key, so it has an ETag
	redis   bool   // the path is one of the command door, whose errors have a form of their own
	status  int    // 0 until the answer has begun
	bytes   int64  // of the answer's body

	values [6]string // of headers, so that one allocation holds them all
	used   int
}

// set sets a header whose name is in canonical form.
func (x *exchange) set(name, value string) {
	if x.used == len(x.values) {
		x.Header()[name] = []string{value}
		return
	}
	x.values[x.used] = value
	x.used++
	x.Header()[name] = x.values[x.used-1 : x.used : x.used]
}

// requestIDHeader carries the id of a request both ways.
const requestIDHeader = "X-Request-Id"

// Headers of every answer. The slices are shared: nothing may write into them.
var (
	noSniff    = []string{"nosniff"}
	noReferrer = []string{"no-referrer"}
	noContent  = []string{"default-src 'none'; frame-ancestors 'none'"}
	sandboxed  = []string{"default-src 'none'; frame-ancestors 'none'; sandbox"}
)

// exchange is the outermost middleware: it gives each request its id, answers
// with the headers every answer has, turns a panic into a problem, and logs.
func (s *server) exchange(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.options.Now()
		x := &exchange{ResponseWriter: w, server: s, method: r.Method, id: s.requestID(r), redis: belowRedis(r.URL.Path)}
		h := w.Header()
		x.set(requestIDHeader, x.id)
		h["X-Content-Type-Options"] = noSniff
		h["Referrer-Policy"] = noReferrer
		h["Content-Security-Policy"] = noContent
		defer func() { x.finish(r.Context(), recover(), s.options.Now().Sub(start)) }()
		next.ServeHTTP(x, r)
	})
}

// finish ends an exchange. A panic becomes a problem if nothing has been
// answered yet; otherwise the connection is broken, so that half an answer is
// not taken for a whole one.
func (x *exchange) finish(ctx context.Context, panicked any, took time.Duration) {
	if panicked != nil && panicked != http.ErrAbortHandler {
		x.server.log.ErrorContext(ctx, "a handler panicked",
			"request", x.id, "route", x.route(), "panic", panicked, "stack", string(debug.Stack()))
		if x.status == 0 {
			x.fail(&refusal{kind: service.KindInternal, code: "internal", detail: "The service failed. The log says more."}, source{})
			panicked = nil
		} else {
			panicked = http.ErrAbortHandler
		}
	}
	x.record(ctx, took)
	if panicked != nil {
		panic(panicked)
	}
}

// record writes the line in the access log and tells the observer. The line
// has the pattern of the route, not the path: keys, fields and members are
// data, and a contract may call them sensitive.
func (x *exchange) record(ctx context.Context, took time.Duration) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	if o := x.server.options.Observer; o != nil {
		o.Observe(x.route(), boundedMethod(x.method), x.status, took)
	}
	if x.server.log.Enabled(ctx, slog.LevelInfo) {
		x.server.log.LogAttrs(ctx, slog.LevelInfo, "request",
			slog.String("request", x.id), slog.String("method", boundedMethod(x.method)), slog.String("route", x.route()),
			slog.Int("status", x.status), slog.Int64("bytes", x.bytes), slog.Duration("took", took))
	}
}

// route is the pattern of the route, or a word for there being none.
func (x *exchange) route() string {
	if x.pattern == "" {
		return "unmatched"
	}
	return x.pattern
}

// boundedMethod keeps made-up methods out of labels.
func boundedMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// WriteHeader begins the answer.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write adds to the answer's body.
func (x *exchange) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// send answers with a body.
func (x *exchange) send(status int, contentType string, body []byte) {
	x.set("Content-Type", contentType)
	x.set("Content-Length", strconv.Itoa(len(body)))
	x.WriteHeader(status)
	// The client may be gone. There is nobody else to tell.
	_, _ = x.Write(body)
}
