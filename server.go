package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"
)

// Timeouts of the HTTP server that nobody needs to set.
const (
	headerPatience = 10 * time.Second // a request line and its headers
	idlePatience   = 2 * time.Minute  // between two requests of one connection
	answerPatience = time.Minute      // an answer may take this much longer than the longest wait
)

// newServer sets the limits that keep a slow or idle caller from holding the
// service: headers, body and answer must each arrive in their time. The answer's
// time exceeds the longest wait a request may ask for.
func newServer(c Config, handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           timeBodies(c.ReadTimeout, handler),
		ReadHeaderTimeout: headerPatience,
		WriteTimeout:      c.Limits.Wait + c.ReadTimeout + answerPatience,
		IdleTimeout:       idlePatience,
		MaxHeaderBytes:    c.Limits.HeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// timeBodies gives each request body a deadline and lifts it when the body has
// arrived. A server-wide read timeout would not do: it goes on running behind a
// request that waits, and would cut off a blocking pop.
func timeBodies(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		control := http.NewResponseController(w)
		if err := control.SetReadDeadline(time.Now().Add(patience)); err != nil {
			next.ServeHTTP(w, r)
			return
		}
		r.Body = &timedBody{ReadCloser: r.Body, arrived: func() { _ = control.SetReadDeadline(time.Time{}) }}
		next.ServeHTTP(w, r)
	})
}

// timedBody tells when the whole body has been read.
type timedBody struct {
	io.ReadCloser
	arrived func()
}

// Read reads on and notices the end.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) && b.arrived != nil {
		b.arrived()
		b.arrived = nil
	}
	return n, err
}

// stopServer takes no new connections and waits for requests in flight. Those
// that are still there after patience are cut off, which is an error.
func stopServer(server *http.Server, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := server.Shutdown(ctx)
	if err != nil {
		_ = server.Close()
	}
	return err
}
