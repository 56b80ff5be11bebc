package apitest

import (
	"net/http"
	"strings"
	"testing"
)

func loaded(t *testing.T) *Spec {
	t.Helper()
	spec, err := Load("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// sound is an exchange that is as specified.
func sound() Exchange {
	return Exchange{
		Method: "PUT", Target: "/hash/u1/fields", Body: []byte(`{"fields": {"name": "Ada"}}`),
		Header: http.Header{"Content-Type": {"application/json"}},
		Status: http.StatusCreated, AnswerBody: []byte(`{"added": 1, "updated": 0, "count": 1}`),
		AnswerHeader: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"1"}, "Etag": {`"1-1"`}},
	}
}

// refused is a problem that is as specified.
func refused(e *Exchange, status, kind string) {
	e.AnswerHeader = http.Header{"Content-Type": {"application/problem+json"}, "X-Request-Id": {"1"}}
	e.AnswerBody = []byte(`{"type": "urn:keypact:problem:` + kind + `", "title": "T", "status": ` + status +
		`, "code": "c", "detail": "d", "instance": "/requests/1"}`)
}

func TestCheckTakesWhatIsSpecified(t *testing.T) {
	spec := loaded(t)
	for name, change := range map[string]func(*Exchange){
		"a write":             func(*Exchange) {},
		"a number past 2^53":  func(e *Exchange) { e.Body = []byte(`{"fields": {"n": 9007199254740993}}`) },
		"an escaped key":      func(e *Exchange) { e.Target = "/hash/a%2Fb%00/fields" },
		"a slash at the end":  func(e *Exchange) { e.Target = "/hash/u1/fields/" },
		"a malformed request": func(e *Exchange) { e.Status, e.Body = 400, []byte(`{"colour": 1}`); refused(e, "400", "invalid") },
		"an unknown route":    func(e *Exchange) { e.Target, e.Status = "/nothing/here", 404; refused(e, "404", "not-found") },
		"an unknown method": func(e *Exchange) {
			e.Method, e.Status = "PATCH", 405
			refused(e, "405", "method-not-allowed")
			e.AnswerHeader.Set("Allow", "DELETE, GET, PUT")
		},
		"a field named remove": func(e *Exchange) {
			e.Method, e.Target, e.Body = "GET", "/hash/u1/fields/remove", nil
			e.Status, e.AnswerBody = 200, []byte(`{"value": "x"}`)
		},
	} {
		e := sound()
		change(&e)
		if err := spec.Check(e); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckRefusesWhatIsNot(t *testing.T) {
	spec := loaded(t)
	for name, test := range map[string]struct {
		change func(*Exchange)
		says   string
	}{
		"an undocumented status":      {func(e *Exchange) { e.Status = http.StatusAccepted }, "status 202"},
		"an undocumented header":      {func(e *Exchange) { e.AnswerHeader.Set("X-Colour", "blue") }, "X-Colour"},
		"an undocumented member":      {func(e *Exchange) { e.AnswerBody = []byte(`{"added": 1, "updated": 0, "count": 1, "more": 1}`) }, "more"},
		"a member of another type":    {func(e *Exchange) { e.AnswerBody = []byte(`{"added": "1", "updated": 0, "count": 1}`) }, "added"},
		"a missing member":            {func(e *Exchange) { e.AnswerBody = []byte(`{"added": 1, "updated": 0}`) }, "count"},
		"another media type":          {func(e *Exchange) { e.AnswerHeader.Set("Content-Type", "text/html") }, "text/html"},
		"a body where there is none":  {func(e *Exchange) { e.Method, e.Target, e.Body, e.Status = "DELETE", "/hash/u1", nil, 204 }, "no body"},
		"an accepted unknown member":  {func(e *Exchange) { e.Body = []byte(`{"fields": {"name": "Ada"}, "colour": 1}`) }, "colour"},
		"an accepted parameter":       {func(e *Exchange) { e.Target += "?colour=blue" }, "colour"},
		"an accepted malformed value": {func(e *Exchange) { e.Body = []byte(`{"fields": {"name": true}}`) }, "name"},
		"an unknown route answered":   {func(e *Exchange) { e.Target = "/nothing/here" }, "not in the specification"},
		"an error without a problem":  {func(e *Exchange) { e.Status, e.AnswerBody = 409, []byte(`{}`); e.AnswerHeader.Del("Etag") }, "media type"},
		"a problem with another status": {func(e *Exchange) {
			e.Status = http.StatusConflict
			refused(e, "404", "wrong-type")
		}, "the problem says status 404"},
		"a problem of no known type": {func(e *Exchange) { e.Status = http.StatusConflict; refused(e, "409", "made-up") }, "type"},
		"another Allow": {func(e *Exchange) {
			e.Method, e.Status = "PATCH", http.StatusMethodNotAllowed
			refused(e, "405", "method-not-allowed")
			e.AnswerHeader.Set("Allow", "GET")
		}, "Allow"},
	} {
		e := sound()
		test.change(&e)
		if err := spec.Check(e); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
