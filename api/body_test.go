package api

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"keypact/service"
)

// GX04: numbers in a JSON body keep all their digits.
func TestCaseNumbersKeepTheirDigits(t *testing.T) {
	l := plainLab(t)
	for sent, stored := range map[string]string{
		"9007199254740993":       "9007199254740993",
		"1180591620717411303424": "1180591620717411303424",
		"-9223372036854775809":   "-9223372036854775809",
		"1e3":                    "1000",
		"1.50":                   "1.5",
		"-0.0":                   "0",
		"123456789012345678901234567890.123456789": "123456789012345678901234567890.123456789",
	} {
		l.call("PUT", "/string/n", `{"value": `+sent+`}`, "Content-Type: application/json")
		l.want(http.StatusOK, `{"value": "`+stored+`"}`, "GET", "/string/n", "")
		l.call("PUT", "/hash/h/fields", `{"fields": {"n": `+sent+`}}`, "Content-Type: application/json")
		l.want(http.StatusOK, `{"value": "`+stored+`"}`, "GET", "/hash/h/fields/n", "")
	}
	l.want(http.StatusCreated, `{"value": 9223372036854775807}`, "POST", "/string/m/incr", `{"by": 9223372036854775807}`)
	w := l.want(http.StatusOK, "", "POST", "/batch", `{"operations": [{"op": "INCRBY", "key": "k", "by": 9223372036854775807}]}`)
	if !strings.Contains(w.Body.String(), "9223372036854775807") {
		t.Errorf("the answer has lost digits: %s", w.Body)
	}
}

// GX05: an object with a repeated name is refused, also in other case, and
// nothing is written.
func TestCaseRepeatedNames(t *testing.T) {
	l := plainLab(t)
	for body, member := range map[string]string{
		`{"value":"a","value":"b"}`:                             "#/value",
		`{"value":"a","VALUE":"b"}`:                             "#/VALUE",
		`{"value":"a","v\u0061lue":"b"}`:                        "#/value",
		`{"value":{"base64":"YQ==","base64":"Yg=="}}`:           "#/value/base64",
		`{"value":"a","ttl":1,"ttl":2}`:                         "#/ttl",
		`{"value":"a","value":` + strings.Repeat("1", 99) + `}`: "#/value",
	} {
		w := l.want(http.StatusBadRequest, "", "PUT", "/string/k", body)
		if !strings.Contains(w.Body.String(), `"pointer":"`+member+`"`) {
			t.Errorf("%s does not name %s: %s", body, member, w.Body)
		}
	}
	w := l.want(http.StatusBadRequest, "", "POST", "/batch", `{"operations":[{"op":"SET","key":"k","key":"l","value":"x"}]}`)
	if !strings.Contains(w.Body.String(), `"pointer":"#/operations/0/key"`) {
		t.Errorf("the batch does not name the member: %s", w.Body)
	}
	l.want(http.StatusBadRequest, "", "POST", "/batch", `{"operations":[],"operations":[]}`)
	l.want(http.StatusOK, `{"keys": []}`, "GET", "/keys", "")
}

// GX06: a body over the limit is 413, however it is sent; memory does not grow
// with it, and the next request works.
func TestCaseBodyOverTheLimit(t *testing.T) {
	const limit = 1 << 20
	l := newLab(t, "", service.Limits{BodyBytes: limit}, Options{})
	srv := httptest.NewServer(l)
	defer srv.Close()
	start := `{"value": "`
	fits := start + strings.Repeat("v", limit-len(start)-2) + `"}`
	for name, body := range map[string]string{
		"valid JSON":             start + strings.Repeat("v", limit+1-len(start)-2) + `"}`,
		"garbage, then too long": "x" + strings.Repeat("v", limit),
	} {
		for _, chunked := range []bool{false, true} {
			for _, kind := range []string{typeJSON, "text/plain"} {
				status, answer := post(t, srv.Client(), "PUT", srv.URL+"/string/k", kind, body, chunked)
				if status != http.StatusRequestEntityTooLarge || !strings.Contains(answer, `"code":"body-too-large"`) {
					t.Errorf("%s, %s, chunked %v: %d %s", name, kind, chunked, status, answer)
				}
			}
		}
	}
	l.want(http.StatusNotFound, "", "GET", "/string/k", "")
	if status, answer := post(t, srv.Client(), "PUT", srv.URL+"/string/k", typeJSON, fits, true); status != http.StatusCreated {
		t.Errorf("a body at the limit: %d %s", status, answer)
	}
}

func post(t *testing.T, client *http.Client, method, url, kind, body string, chunked bool) (int, string) {
	t.Helper()
	var reader io.Reader = strings.NewReader(body)
	if chunked {
		reader = io.MultiReader(reader) // hides the length
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, reader)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(answer)
}

// A length is a claim: it costs no memory before the bytes arrive.
func TestClaimedLengthsCostNothing(t *testing.T) {
	l := plainLab(t)
	srv := httptest.NewServer(l)
	defer srv.Close()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const callers = 64
	var open []net.Conn
	for range callers {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		open = append(open, conn)
		// The 100 says that the handler reads the body.
		fmt.Fprintf(conn, "PUT /string/k HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", 16<<20)
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100") {
			t.Fatalf("%q %v", line, err)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > callers<<20 {
		t.Errorf("%d callers that sent nothing cost %d bytes", len(open), grown)
	}
}

// A caller that is told to wait before it sends too much sends nothing.
func TestTooLongIsSaidBeforeItIsSent(t *testing.T) {
	l := plainLab(t)
	srv := httptest.NewServer(l)
	defer srv.Close()
	status := raw(t, srv, "PUT /string/k HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n")
	if status != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", status)
	}
}

// Sizes of values, keys and fields at their limits and just past them.
func TestSizesAtTheirLimits(t *testing.T) {
	l := newLab(t, "", service.Limits{ValueBytes: 1000, FieldBytes: 100, BatchOperations: 3}, Options{})
	long := func(n int) string { return strings.Repeat("x", n) }
	l.want(201, "", "PUT", "/string/"+long(1024), `{"value": "`+long(1000)+`"}`)
	l.want(413, "", "PUT", "/string/k", `{"value": "`+long(1001)+`"}`)
	l.want(413, "", "PUT", "/string/k", long(1001), "Content-Type: text/plain")
	if w := l.call("PUT", "/string/"+long(1025), `{"value": "x"}`, "Content-Type: application/json"); w.Code < 400 || w.Code >= 500 {
		t.Errorf("a key of 1025 bytes: %d %s", w.Code, w.Body)
	}
	l.want(201, "", "PUT", "/hash/h/fields/"+long(100), `{"value": "x"}`)
	l.want(413, "", "PUT", "/hash/h/fields/"+long(101), `{"value": "x"}`)
	l.want(413, "", "PUT", "/set/s/members/"+long(101), "")
	operations := strings.Repeat(`,{"op":"GET","key":"k"}`, 3)
	l.want(200, "", "POST", "/batch", `{"operations": [`+operations[1:]+`]}`)
	l.want(413, "", "POST", "/batch", `{"operations": [`+operations[1:]+operations+`]}`)
}

// Objects and lists lie at most 32 deep in each other.
func TestDepth(t *testing.T) {
	l := plainLab(t)
	deep := func(n int) string { return `{"value": ` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}` }
	for depth, code := range map[int]string{32: "bad-member", 33: "too-deep", 10_000: "too-deep", 1_000_000: "too-deep"} {
		w := l.want(http.StatusBadRequest, "", "PUT", "/string/k", deep(depth))
		if !strings.Contains(w.Body.String(), `"code":"`+code+`"`) {
			t.Errorf("depth %d: %s", depth, w.Body)
		}
	}
	l.want(http.StatusCreated, "", "PUT", "/string/k", `{"value": "`+strings.Repeat("[{\\\"", 100)+`"}`)
}

// readBody takes what is there and no more, whatever the length claims.
func TestReadBody(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		length int64
		code   string
	}{
		"known length":    {strings.Repeat("a", 1000), 1000, ""},
		"unknown length":  {strings.Repeat("a", 1000), -1, ""},
		"empty":           {"", 0, ""},
		"past the limit":  {strings.Repeat("a", 1001), -1, "body-too-large"},
		"claims too much": {"", 1001, "body-too-large"},
	} {
		r := httptest.NewRequest("PUT", "/", nil)
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(c.body)), c.length
		got, err := readBody(nil, r, 1000)
		if c.code != "" {
			var refused *refusal
			if refused, _ = err.(*refusal); refused == nil || refused.code != c.code {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || string(got) != c.body {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	broken := httptest.NewRequest("PUT", "/", nil)
	broken.Body, broken.ContentLength = io.NopCloser(io.MultiReader(bytes.NewReader([]byte("ab")), brokenReader{})), 10
	if _, err := readBody(nil, broken, 1000); err == nil {
		t.Error("half a body is taken for a whole one")
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
