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

// Prefix is the path below which Handler serves what the pages load.
const Prefix = "/web/"

// Policy is the Content-Security-Policy of every page here.
const Policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pages maps a path to its embedded file and media type.
var pages = map[string]struct{ file, mediaType string }{
	"/":                    {"index.html", "text/html; charset=utf-8"},
	Prefix + "landing.css": {"landing.css", "text/css; charset=utf-8"},
	Prefix + "logo.svg":    {"logo.svg", "image/svg+xml"},
}

// Handler answers GET and HEAD of the landing page at / and of its parts below
// Prefix. Any other path goes to next, any other method is 405. The version is
// shown at the foot of the page.
func Handler(version string, next http.Handler) http.Handler {
	bodies := make(map[string][]byte, len(pages))
	for path, page := range pages {
		body, err := files.ReadFile(page.file)
		if err != nil {
			body = nil // cannot happen: the names above are the embedded ones
		}
		bodies[path] = []byte(strings.ReplaceAll(string(body), "{{version}}", html.EscapeString(version)))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, known := bodies[r.URL.Path]
		if !known || r.Method != http.MethodGet && r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", pages[r.URL.Path].mediaType)
		h.Set("Content-Security-Policy", Policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		_, _ = w.Write(body)
	})
}
