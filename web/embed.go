// Package web holds the pages that people look at: the landing page, which
// says where everything is. They are embedded in the binary, run no script and
// load nothing from elsewhere, so the strictest Content-Security-Policy fits.
package web

import (
	"embed"
	"html"
	"net/http"
	"strings"
)

//go:embed index.html landing.css logo.svg
var files embed.FS

// Policy is the Content-Security-Policy of every page here.
const Policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// parts are what the page loads: path, embedded file and media type.
var parts = map[string]struct{ file, mediaType string }{
	"/web/landing.css": {"landing.css", "text/css; charset=utf-8"},
	"/web/logo.svg":    {"logo.svg", "image/svg+xml"},
}

// Page is the landing page, with the version at its foot. It answers whatever
// request it is given.
func Page(version string) http.Handler {
	text, err := files.ReadFile("index.html")
	if err != nil {
		return http.NotFoundHandler()
	}
	body := []byte(strings.ReplaceAll(string(text), "{{version}}", html.EscapeString(version)))
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { send(w, "text/html; charset=utf-8", body) })
}

// WithParts answers GET and HEAD of what the page loads, and leaves all other
// requests to next.
func WithParts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		part, known := parts[r.URL.Path]
		if !known || r.Method != http.MethodGet && r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		body, err := files.ReadFile(part.file)
		if err != nil {
			next.ServeHTTP(w, r)
			return
		}
		send(w, part.mediaType, body)
	})
}

func send(w http.ResponseWriter, mediaType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Security-Policy", Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	_, _ = w.Write(body) // a caller that left needs no answer
}
