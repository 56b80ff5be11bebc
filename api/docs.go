package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	httpSwagger "github.com/swaggo/http-swagger/v2"

	"github.com/go-chi/chi/v5"
)

// docs are the pages of Swagger UI, from memory.
type docs struct {
	assets http.Handler
	index  []byte
	policy []string // Content-Security-Policy of the index
}

// specURL is where the pages find the specification, seen from /docs/.
const specURL = "../openapi.yaml"

// docFiles are the files the pages are made of. There is nothing else under
// /docs/, whatever the packages bring along.
var docFiles = map[string]string{
	"swagger-ui.css":                  "text/css; charset=utf-8",
	"swagger-ui-bundle.js":            "application/javascript",
	"swagger-ui-standalone-preset.js": "application/javascript",
	"favicon-16x16.png":               "image/png",
	"favicon-32x32.png":               "image/png",
}

// newDocs renders the index once and allows exactly what stands in it.
func newDocs() (*docs, error) {
	d := &docs{assets: httpSwagger.Handler(
		httpSwagger.URL(specURL), httpSwagger.DocExpansion("list"), httpSwagger.DefaultModelsExpandDepth(httpSwagger.HideModel),
	)}
	page := &memory{header: make(http.Header)}
	d.assets.ServeHTTP(page, docRequest("index.html"))
	d.index = page.body.Bytes()
	if !bytes.Contains(d.index, []byte("SwaggerUIBundle")) {
		return nil, errors.New("the index of the documentation cannot be rendered")
	}
	preset := &memory{header: make(http.Header)}
	d.assets.ServeHTTP(preset, docRequest("swagger-ui-standalone-preset.js"))
	d.policy = []string{contentPolicy(d.index, preset.body.Bytes())}
	return d, nil
}

// docRequest asks the pages' handler, which goes by the request line, for one
// file.
func docRequest(file string) *http.Request {
	return &http.Request{
		Method: http.MethodGet, RequestURI: "/docs/" + file, URL: &url.URL{Path: "/docs/" + file}, Header: make(http.Header),
	}
}

var (
	inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	inlineStyle  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	styleOfTag   = regexp.MustCompile(`\sstyle="([^"]*)"`)
	styleOfLogo  = regexp.MustCompile(`createElement\("style",null,"([^"\\]*)"\)`)
)

// contentPolicy is the policy of a page: its own files, the scripts and styles
// that stand in it, by hash, and the style that a script puts into its logo.
// Requests go to this service only.
func contentPolicy(page, script []byte) string {
	scripts := hashes(inlineScript, page)
	styles := hashes(inlineStyle, page) + hashes(styleOfLogo, script) + " 'unsafe-hashes'" + hashes(styleOfTag, page)
	return "default-src 'none'; script-src 'self'" + scripts + "; style-src 'self'" + styles +
		"; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

func hashes(pattern *regexp.Regexp, page []byte) string {
	var out strings.Builder
	for _, match := range pattern.FindAllSubmatch(page, -1) {
		sum := sha256.Sum256(match[1])
		out.WriteString(" 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
	}
	return out.String()
}

// moveToDocs sends a browser to where the pages' own links lead right.
func (s *server) moveToDocs(x *exchange, _ *http.Request) {
	x.set("Location", "/docs/")
	x.WriteHeader(http.StatusMovedPermanently)
}

// showDocs answers with a page of the documentation, or a file of it.
func (s *server) showDocs(x *exchange, r *http.Request) {
	file := chi.RouteContext(r.Context()).URLParam("*")
	if file == "" || file == "index.html" {
		x.Header()["Content-Security-Policy"] = s.docs.policy
		x.set("Cache-Control", "no-cache")
		x.send(http.StatusOK, "text/html; charset=utf-8", s.docs.index)
		return
	}
	kind, ok := docFiles[file]
	if !ok {
		x.fail(routeUnknown("There is no such page."), source{})
		return
	}
	x.set("Content-Type", kind)
	x.set("Cache-Control", "public, max-age=3600")
	s.docs.assets.ServeHTTP(x, docRequest(file))
}

// memory is a response writer that keeps the answer.
type memory struct {
	header http.Header
	body   bytes.Buffer
}

// Header is the answer's header.
func (m *memory) Header() http.Header { return m.header }

// WriteHeader passes the status over.
func (m *memory) WriteHeader(int) {}

// Write keeps a part of the body.
func (m *memory) Write(p []byte) (int, error) { return m.body.Write(p) }
