package api

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"keypact/service"
)

// plainLab is a lab without contracts.
func plainLab(t testing.TB) *lab { return newLab(t, "", service.Limits{}, Options{}) }

// awkwardKeys are keys that routers, proxies and decoders like to change.
var awkwardKeys = []string{
	"'", "'/", "/", "//", "/a", "a/", "a//b", "a/../b", "..", ".", "...", "../..", "report.v1.json", "report.v1",
	"http://example.com/image.png", "site:http%3A%2F%2Fx.test%2F", "site:http://x.test/", "%", "%2F", "%252F", "%00", "\x00",
	"a\x00b", " ", "a b", "a+b", "a%20b", "?", "a?b=c", "#", "a#b", ";", "a;b", "a&b=c", "*", "{key}", "fields", "count",
	"\xff", "\xff\xfe/", "é", "e\u0301", "漢字", "🫶", "\r\n", "a\r\nX-Evil: 1", "\\", "a\\b", "|", "\u202e", "~", "a:b:c",
}

// Each key is written by its path and found under exactly its bytes, and
// nothing else is.
func TestKeysOfAnyBytesInPaths(t *testing.T) {
	l := plainLab(t)
	for i, key := range awkwardKeys {
		l.want(http.StatusCreated, "", "PUT", "/string/"+escapeKey([]byte(key)), fmt.Sprintf(`{"value": "%d"}`, i))
	}
	for i, key := range awkwardKeys {
		want := fmt.Sprintf(`{"value": "%d"}`, i)
		l.want(http.StatusOK, want, "GET", "/string/"+escapeKey([]byte(key)), "")
		l.want(http.StatusOK, want, "GET", "/string/"+escapeAll(key), "")
		values := fmt.Sprintf(`{"values": ["%d"]}`, i)
		l.want(http.StatusOK, values, "GET", "/string?key="+url.QueryEscape(key), "")
	}
	w := l.want(http.StatusOK, "", "GET", "/keys?limit=1000", "")
	if n := strings.Count(w.Body.String(), `",`) + strings.Count(w.Body.String(), `},`) + 1; n < len(awkwardKeys) {
		t.Errorf("%d keys are listed, want %d: %s", n, len(awkwardKeys), w.Body)
	}
}

// Fields and members of any bytes, too.
func TestElementsOfAnyBytesInPaths(t *testing.T) {
	l := plainLab(t)
	for i, name := range awkwardKeys {
		path := "/hash/h%2F/fields/" + escapeAll(name)
		l.want(http.StatusCreated, "", "PUT", path, fmt.Sprintf(`{"value": "%d"}`, i))
		l.want(http.StatusCreated, "", "PUT", "/set/s/members/"+escapeKey([]byte(name)), "")
		l.want(http.StatusOK, fmt.Sprintf(`{"value": "%d"}`, i), "GET", path, "")
		l.want(http.StatusOK, "", "GET", "/set/s/members/"+escapeAll(name), "")
	}
	l.want(http.StatusOK, fmt.Sprintf(`{"count": %d}`, len(awkwardKeys)), "GET", "/hash/h%2F/count", "")
	l.want(http.StatusOK, fmt.Sprintf(`{"count": %d}`, len(awkwardKeys)), "GET", "/set/s/count", "")
}

// escapeAll percent-encodes every byte.
func escapeAll(text string) string {
	var out strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&out, "%%%02X", text[i])
	}
	return out.String()
}

// GX01: a key in the path is decoded exactly once, with or without a slash in
// it.
func TestCaseDecodedOnce(t *testing.T) {
	l := plainLab(t)
	l.want(http.StatusOK, "", "POST", "/batch", `{"operations": [
		{"op": "SET", "key": "'/", "value": "1"}, {"op": "SET", "key": "'", "value": "2"},
		{"op": "SET", "key": "http://example.com/image.png", "value": "3"}]}`)
	l.want(http.StatusOK, `{"value": "1"}`, "GET", "/string/%27%2F", "")
	l.want(http.StatusOK, `{"value": "2"}`, "GET", "/string/%27", "")
	l.want(http.StatusOK, `{"value": "3"}`, "GET", "/string/http%3A%2F%2Fexample.com%2Fimage.png", "")
	l.want(http.StatusNotFound, "", "GET", "/string/%2527%252F", "")
	l.want(http.StatusOK, `{"keys": ["'", "'/", "http://example.com/image.png"]}`, "GET", "/keys", "")
}

// GX02: dots in a key are part of the key.
func TestCaseDots(t *testing.T) {
	l := plainLab(t)
	l.want(http.StatusCreated, "", "PUT", "/string/report.v1.json", `{"value": 1}`)
	l.want(http.StatusOK, `{"keys": ["report.v1.json"]}`, "GET", "/keys", "")
	if w := l.want(http.StatusOK, `{"value": "1"}`, "GET", "/string/report.v1.json", ""); w.Header().Get("Content-Type") != typeJSON {
		t.Errorf("the answer is %s", w.Header().Get("Content-Type"))
	}
	l.want(http.StatusNotFound, "", "GET", "/string/report.v1", "")
}

// GX03: a key that contains percent escapes as text.
func TestCasePercentEscapes(t *testing.T) {
	l := plainLab(t)
	l.want(http.StatusOK, "", "POST", "/batch", `{"operations": [{"op": "SET", "key": "site:http%3A%2F%2Fx.test%2F", "value": "v"}]}`)
	l.want(http.StatusOK, `{"value": "v"}`, "GET", "/string/site:http%253A%252F%252Fx.test%252F", "")
	l.want(http.StatusNotFound, "", "GET", "/string/site:http%3A%2F%2Fx.test%2F", "")
}

// GX08: 405 with Allow for a wrong method; a slash at the end is passed over
// where the route ends in a word, and is no route where it ends in a key.
func TestCaseMethodsAndSlashes(t *testing.T) {
	l := plainLab(t)
	l.want(http.StatusCreated, "", "PUT", "/hash/h/fields", `{"fields": {"a": "1", "remove": "2"}}`)
	for _, path := range []string{"/keys", "/contracts", "/contracts/explain?key=a", "/hash/h/fields", "/hash/h/count", "/healthz", "/batch", "/string", "/sets/union"} {
		name, query, _ := strings.Cut(path, "?")
		plain, slashed := l.call("GET", path, ""), l.call("GET", name+"/?"+query, "")
		if plain.Code != slashed.Code || plain.Body.String() != slashed.Body.String() {
			t.Errorf("GET %s is %d, with a slash %d: %s", path, plain.Code, slashed.Code, slashed.Body)
		}
	}
	for _, path := range []string{"/hash/h/", "/string/h/", "/keys/h/", "/hash/h/fields/a/", "/hash/h/fields//", "/keys//", "//keys", "/hash//fields", "/string//"} {
		if w := l.call("GET", path, ""); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "unknown-route") {
			t.Errorf("GET %s: %d %s", path, w.Code, w.Body)
		}
	}
	for path, allow := range map[string]string{
		"/string/a":             "DELETE, GET, HEAD, PATCH, PUT",
		"/string/a%2F":          "DELETE, GET, HEAD, PATCH, PUT",
		"/list/q/pop":           "POST",
		"/contracts/validate":   "POST",
		"/hash/h/fields/remove": "DELETE, GET, HEAD, POST, PUT",
		"/hash/h/fields/":       "DELETE, GET, PUT",
	} {
		w := l.call("TRACE", path, "")
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != allow {
			t.Errorf("TRACE %s: %d, Allow %q, want %q", path, w.Code, w.Header().Get("Allow"), allow)
		}
	}
}

// Every route with a method it does not have answers 405 and exactly the
// methods of the table.
func TestAllowListsTheRealMethods(t *testing.T) {
	l := plainLab(t)
	table := make(map[string]map[string]bool)
	for _, rt := range Routes() {
		if table[rt.Pattern] == nil {
			table[rt.Pattern] = make(map[string]bool)
		}
		table[rt.Pattern][rt.Method] = true
	}
	for pattern, have := range table {
		// A field or a member may be named remove, so its routes are there too.
		if base, ok := strings.CutSuffix(pattern, "/remove"); ok {
			for _, element := range []string{"/{field}", "/{member}"} {
				for method := range table[base+element] {
					have[method] = true
				}
			}
		}
		if strings.HasPrefix(pattern, "/redis/") {
			for method := range table["/redis/*"] { // any word may be a command
				have[method] = true
			}
		}
		path := strings.NewReplacer("{", "", "}", "", "*", "word").Replace(pattern)
		for _, method := range methods {
			w := l.call(method, path, "", "Content-Type: application/json")
			if (w.Code == http.StatusMethodNotAllowed) == have[method] {
				t.Errorf("%s %s: %d, the table says %v", method, path, w.Code, have[method])
			}
			if w.Code != http.StatusMethodNotAllowed {
				continue
			}
			if allow := w.Header().Get("Allow"); len(strings.Split(allow, ", ")) != len(have) {
				t.Errorf("%s %s allows %s, the table has %v", method, path, allow, have)
			}
		}
	}
}

// What the server of the standard library makes of a path arrives unharmed: no
// redirect, no cleaning.
func TestPathsOverTheWire(t *testing.T) {
	l := plainLab(t)
	srv := httptest.NewServer(l)
	defer srv.Close()
	for i, path := range []string{"/string/a//b", "/string/..", "/string/%2e%2e", "/string/a%2F..%2Fb", "/string/a%2fb", "/string/a%252fb"} {
		want := http.StatusCreated
		if i == 0 {
			want = http.StatusNotFound // a//b is not one segment
		}
		if i == 2 {
			want = http.StatusNoContent // the same key as ..
		}
		if status := raw(t, srv, "PUT "+path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nv"); status != want {
			t.Errorf("PUT %s: %d, want %d", path, status, want)
		}
	}
	l.want(http.StatusOK, `{"keys": ["..", "a%2fb", "a/../b", "a/b"]}`, "GET", "/keys", "")
}

// raw sends bytes over a connection of its own and returns the status.
func raw(t *testing.T, srv *httptest.Server, request string) int {
	t.Helper()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(request)); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}
