package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"keypact/api/apitest"
	"keypact/service"
)

// The scripts in testdata are exchanges that can be read as they stand:
//
//	# what comes next, in words
//	> PUT /hash/u1/fields
//	> Accept: application/json
//	{"fields": {"name": "Ada"}}
//	< 201
//	< ETag: "1-1"
//	{"added": 1, "updated": 0, "count": 1}
//
// Request lines start with >, answer lines with <, and a body follows its
// headers. A JSON body that is left out may be any. JSON is compared by what it means; "*" stands for any value. A
// header of * must be there, one of - must not. A request with a JSON body has
// its Content-Type unless it says another. A body raw "\xff" is those bytes.
// Lines with ! change the world: "! contracts FILE" (first line only),
// "! clock 90s" moves the clock on.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runScript(t, file) })
	}
}

// specification is the document every exchange of a script is held against.
var specification = sync.OnceValue(func() *apitest.Spec {
	spec, err := apitest.Load("../openapi.yaml")
	if err != nil {
		panic(err)
	}
	return spec
})

// exchangeScript is one exchange of a script.
type exchangeScript struct {
	line           int
	clock          time.Duration
	method, target string
	headers        http.Header
	body           string
	status         int
	answers        [][2]string
	answer         string
}

func runScript(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	yaml, exchanges, err := parseScript(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if yaml != "" {
		rules, err := os.ReadFile(filepath.Join("testdata", yaml))
		if err != nil {
			t.Fatal(err)
		}
		yaml = string(rules)
	}
	l := newLab(t, yaml, service.Limits{}, Options{Spec: []byte("openapi: 3.1.0\n")})
	for _, x := range exchanges {
		l.clock.Add(x.clock.Milliseconds())
		if diff := x.run(l); diff != "" {
			t.Errorf("%s:%d: %s %s: %s", file, x.line, x.method, x.target, diff)
		}
	}
}

// parseScript reads a script into its exchanges.
func parseScript(text string) (yaml string, out []*exchangeScript, err error) {
	var now *exchangeScript
	var clock time.Duration
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "! contracts "):
			yaml = strings.TrimPrefix(line, "! contracts ")
		case strings.HasPrefix(line, "! clock "):
			if clock, err = time.ParseDuration(strings.TrimPrefix(line, "! clock ")); err != nil {
				return "", nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		case strings.HasPrefix(line, "> ") && (now == nil || now.status != 0):
			now = &exchangeScript{line: i + 1, clock: clock, headers: http.Header{}}
			clock = 0
			now.method, now.target, _ = strings.Cut(line[2:], " ")
			out = append(out, now)
		case now == nil:
			return "", nil, fmt.Errorf("line %d: no request yet", i+1)
		case strings.HasPrefix(line, "> "):
			name, value, _ := strings.Cut(line[2:], ": ")
			now.headers.Add(name, value)
		case strings.HasPrefix(line, "< ") && now.status == 0:
			if now.status, err = strconv.Atoi(line[2:]); err != nil {
				return "", nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		case strings.HasPrefix(line, "< "):
			name, value, _ := strings.Cut(line[2:], ": ")
			now.answers = append(now.answers, [2]string{name, value})
		case now.status == 0:
			now.body += line + "\n"
		default:
			now.answer += line + "\n"
		}
	}
	return yaml, out, nil
}

// run sends the request and says how the answer differs from the script.
func (x *exchangeScript) run(l *lab) string {
	body := unraw(strings.TrimSuffix(x.body, "\n"))
	r := httptest.NewRequest(x.method, x.target, strings.NewReader(body))
	if x.body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	r.Header = x.headers
	if x.body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if r.Header.Get("Content-Type") == "-" {
		r.Header.Del("Content-Type")
	}
	w := httptest.NewRecorder()
	l.ServeHTTP(w, r)
	if err := specification().Check(apitest.Record(r, []byte(body), w.Result(), w.Body.Bytes())); err != nil {
		l.t.Errorf("not as specified: %s %s (line %d): %v", x.method, x.target, x.line, err)
	}
	if w.Code != x.status {
		return fmt.Sprintf("status %d, want %d: %s", w.Code, x.status, w.Body)
	}
	for _, h := range x.answers {
		got, there := strings.Join(w.Header().Values(h[0]), " | "), len(w.Header().Values(h[0])) > 0
		if h[1] == "-" && there || h[1] == "*" && !there || h[1] != "-" && h[1] != "*" && got != h[1] {
			return fmt.Sprintf("header %s is %q, want %q", h[0], got, h[1])
		}
	}
	want := strings.TrimSuffix(x.answer, "\n")
	if want == "" && strings.Contains(w.Header().Get("Content-Type"), "json") {
		return ""
	}
	if strings.Contains(w.Header().Get("Content-Type"), "json") && want != "" && !strings.HasPrefix(want, "raw ") {
		return compareJSON(want, w.Body.String())
	}
	if got := w.Body.String(); got != unraw(want) && x.method != http.MethodHead {
		return fmt.Sprintf("body %q, want %q", got, unraw(want))
	}
	return ""
}

// unraw gives raw "\xff" its bytes.
func unraw(text string) string {
	if quoted, ok := strings.CutPrefix(text, "raw "); ok {
		if bytes, err := strconv.Unquote(quoted); err == nil {
			return bytes
		}
	}
	return text
}

// compareJSON says how two JSON texts differ in what they mean. Numbers must
// have the same digits; "*" in want stands for any value.
func compareJSON(want, got string) string {
	w, err := decodeExact(want)
	if err != nil {
		return "the script is no JSON: " + err.Error()
	}
	g, err := decodeExact(got)
	if err != nil {
		return "the answer is no JSON: " + err.Error() + ": " + got
	}
	return differ("", w, g)
}

func decodeExact(text string) (any, error) {
	var v any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	err := dec.Decode(&v)
	return v, err
}

func differ(at string, want, got any) string {
	if want == "*" {
		return ""
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s is %v, want an object", at, got)
		}
		for name := range g {
			if _, ok := w[name]; !ok {
				return fmt.Sprintf("%s/%s is there and should not be: %v", at, name, g[name])
			}
		}
		for name := range w {
			if _, ok := g[name]; !ok {
				return fmt.Sprintf("%s/%s is missing", at, name)
			}
			if diff := differ(at+"/"+name, w[name], g[name]); diff != "" {
				return diff
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s is %v, want %v", at, got, w)
		}
		for i := range w {
			if diff := differ(fmt.Sprintf("%s/%d", at, i), w[i], g[i]); diff != "" {
				return diff
			}
		}
	default:
		if !reflect.DeepEqual(want, got) {
			return fmt.Sprintf("%s is %v, want %v", at, got, want)
		}
	}
	return ""
}
