package api

import (
	"bytes"
	"net/http"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keypact/service"
)

// answers is how a route answers.
type answers struct {
	json     bool   // a body may follow, so JSON must be acceptable
	raw      bool   // a value, in JSON or raw
	reads    bool   // the answer shows the key, so its ETag is that of a representation
	location string // what follows the key in the URL of a key it creates; "-" is the URL of the request
}

// collections has what follows a key in the URL that shows a key of a type, by
// the first segment of the route.
var collections = map[string]string{
	"string": "", "hash": "", "set": "", "list": "/items", "zset": "/members", "sets": "", "keys": "",
}

func answersOf(rt route, d door) answers {
	a := answers{
		json:  d.form != formGone,
		raw:   d.form == formValue && bodyless(rt.method),
		reads: rt.method == http.MethodGet || rt.method == http.MethodHead,
	}
	a.location = collections[strings.Split(rt.pattern, "/")[1]]
	if rt.method == http.MethodPut && strings.HasSuffix(rt.pattern, "}") {
		a.location = "-"
	}
	return a
}

// serve answers one request: bind, run, write.
func (e *endpoint) serve(x *exchange, r *http.Request) {
	x.pattern = e.pattern
	x.tagged = e.tagged
	accept := acceptsOf(r)
	if e.answers.json && !e.answers.raw && accept.pick(typeJSON) == "" {
		x.fail(notAcceptable(typeJSON), source{})
		return
	}
	op, src, err := e.bind(r)
	if err != nil {
		x.fail(err, src)
		return
	}
	result, err := e.server.service.Do(r.Context(), op)
	if err != nil {
		x.fail(err, src)
		return
	}
	x.warn(result.Warnings, src)
	if raw, ok := result.Value.(rawValue); ok && e.answers.raw {
		x.answerValue(r, accept, raw, result)
		return
	}
	e.answer(x, r, op, result, src)
}

// answer writes what an operation returned.
func (e *endpoint) answer(x *exchange, r *http.Request, op service.Op, result service.Result, src source) {
	status := http.StatusOK
	switch {
	case result.Created:
		status = http.StatusCreated
		if at := e.location(r, op); at != "" {
			x.set("Location", at)
		}
	case result.Value == nil || result.Empty:
		status = http.StatusNoContent
	}
	if result.Value == nil || result.Empty {
		x.tag(result, "", false)
		if status == http.StatusCreated {
			x.set("Content-Length", "0")
		}
		x.WriteHeader(status)
		return
	}
	suffix := ""
	if e.answers.reads {
		suffix = "json"
	}
	x.tag(result, suffix, moving(result.Value))
	x.answerJSON(status, result.Value, result.Warnings, src)
}

// mover is an answer that shows a time to live: it changes without a write.
type mover interface{ Moving() bool }

func moving(value any) bool {
	m, ok := value.(mover)
	return ok && m.Moving()
}

// tag sets the entity tag: the revision of the key and, for what shows the
// key, a suffix for the representation. It is weak where the body moves by
// itself. An absent key has none, nor has an answer about many keys.
func (x *exchange) tag(result service.Result, suffix string, weak bool) {
	if !x.tagged || result.ETag == (service.Revision{}) {
		return
	}
	x.set("Etag", entityTag(service.RevisionText(result.ETag), suffix, weak))
}

func entityTag(revision, suffix string, weak bool) string {
	tag := `"` + revision
	if weak {
		tag = `W/"` + revision
	}
	if suffix != "" {
		tag += "-" + suffix
	}
	return tag + `"`
}

// encoder is a JSON encoder that can be used again.
type encoder struct {
	text bytes.Buffer
	json *jsontext.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.json = jsontext.NewEncoder(&e.text)
	return e
}}

// answerJSON writes a JSON body, an object, with the warnings of contracts in
// it if there are any.
func (x *exchange) answerJSON(status int, value any, warnings []service.Violation, src source) {
	e := encoders.Get().(*encoder)
	defer func() {
		if e.text.Cap() <= keptBody {
			encoders.Put(e)
		}
	}()
	e.text.Reset()
	e.json.Reset(&e.text)
	err := json.MarshalEncode(e.json, value)
	body := e.text.Bytes()
	if err == nil && len(warnings) > 0 {
		body, err = withWarnings(body, warnings, src)
	}
	if err != nil {
		x.server.log.Error("an answer cannot be written", "request", x.id, "route", x.route(), "error", err)
		x.fail(&refusal{kind: service.KindInternal, code: "internal", detail: "The answer cannot be written. The log says more."}, src)
		return
	}
	x.send(status, typeJSON, body)
}

// withWarnings adds a member to an object.
func withWarnings(object []byte, warnings []service.Violation, src source) ([]byte, error) {
	list, _ := src.violations(warnings)
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	object = bytes.TrimRight(object, "\n")
	if len(object) == 0 || object[len(object)-1] != '}' {
		return object, nil
	}
	out := append([]byte{}, object[:len(object)-1]...)
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = append(out, `"warnings":`...)
	out = append(out, text...)
	return append(out, "}\n"...), nil
}
