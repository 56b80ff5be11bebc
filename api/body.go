package api

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"sync"

	"keypact/service"
)

// media is the media type of a request's body.
type media struct {
	json bool
	kept string // what a string keeps of it: the header as it came, empty if it says nothing
	none bool   // no Content-Type
}

// maxMediaType is the longest Content-Type that is kept with a value, in bytes.
const maxMediaType = 255

// mediaTypeOf reads Content-Type. A form as curl -d declares it says nothing
// about the body.
func mediaTypeOf(r *http.Request) (media, error) {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return media{}, unsupported("A body with a Content-Encoding is not taken: send it as it is.")
	}
	header := r.Header.Get("Content-Type")
	switch header {
	case "application/json":
		return media{json: true}, nil
	case "":
		return media{none: true}, nil
	}
	kind, params, err := mime.ParseMediaType(header)
	if err != nil || len(header) > maxMediaType || !strings.Contains(kind, "/") {
		return media{}, unsupported("The Content-Type is not a media type of at most 255 bytes.")
	}
	switch kind {
	case "application/json":
		if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
			return media{}, unsupported("JSON is UTF-8.")
		}
		return media{json: true}, nil
	case "application/x-www-form-urlencoded":
		return media{}, nil
	}
	return media{kept: header}, nil
}

func unsupported(detail string) *refusal {
	return &refusal{kind: service.KindUnsupportedMedia, code: "unsupported-media-type", detail: detail}
}

// refuseBody refuses a body where none is looked at.
func refuseBody(r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil
	}
	if n, _ := io.ReadFull(r.Body, make([]byte, 1)); n == 0 {
		return nil
	}
	return badBody("unexpected-body", "#", "must be empty: this request has its members in the path and the query")
}

// bodies lends the memory that JSON bodies are read into. What is decoded from
// one is copied, so it can be lent again.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// keptBody is the largest buffer that is worth keeping, in bytes.
const keptBody = 64 << 10

// firstRead is the least memory a body is read into, in bytes.
const firstRead = 512

// bindBody fills in members from a JSON body. No body at all is one without
// members.
func (e *endpoint) bindBody(v reflect.Value, media media, r *http.Request) error {
	return e.server.withJSON(media, r, func(body []byte) error {
		if len(body) == 0 {
			return nil
		}
		return e.server.decodeObject(body, e, v)
	})
}

// withJSON reads a JSON body and lends it to a function, which must not keep
// any of it.
func (s *server) withJSON(media media, r *http.Request, use func(body []byte) error) error {
	if !media.json {
		if err := refuseBody(r); err != nil {
			return unsupported("The body must be JSON: send Content-Type: application/json.")
		}
		return use(nil)
	}
	lent := bodies.Get().(*[]byte)
	defer func() {
		if cap(*lent) <= keptBody {
			bodies.Put(lent)
		}
	}()
	body, err := readBody((*lent)[:0], r, s.limits.BodyBytes)
	*lent = body
	if err != nil {
		return err
	}
	return use(body)
}

// bindRaw takes the body itself as the value.
func (e *endpoint) bindRaw(op service.Op, v reflect.Value, media media, r *http.Request) error {
	body, err := readBody([]byte{}, r, e.server.limits.BodyBytes)
	if err != nil {
		return err
	}
	if keeper, ok := op.(rawSetter); ok {
		keeper.SetRaw(body, media.kept)
		return nil
	}
	e.plan.member("value").of(v).SetBytes(body)
	return nil
}

// readBody appends the whole body to dst, but never holds more than the limit
// and what it takes to see that there is more. It reads to the limit before
// anybody looks at the content, so that a body that is both too long and
// malformed is too long.
func readBody(dst []byte, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return dst, tooLong(r, limit)
	}
	if want := r.ContentLength + 1; want > int64(cap(dst)) {
		// A length is a claim. Only a small one gets its memory in advance.
		dst = make([]byte, 0, min(want, keptBody))
	}
	if cap(dst) == 0 { // the length is not known
		dst = make([]byte, 0, firstRead)
	}
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, err := r.Body.Read(dst[len(dst):min(int64(cap(dst)), limit+1)])
		dst = dst[:len(dst)+n]
		if int64(len(dst)) > limit {
			return dst, tooLong(r, limit)
		}
		if errors.Is(err, io.EOF) {
			return dst, nil
		}
		if err != nil {
			return dst, badBody("incomplete-body", "#", "ends before it is complete")
		}
	}
}

// tooLong refuses a body. A client that is not told to stop first may see a
// broken connection instead of the answer, so as much again as the limit is
// read and dropped.
func tooLong(r *http.Request, limit int64) *refusal {
	if r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, limit)
	}
	return &refusal{
		kind: service.KindTooLarge, code: "body-too-large",
		detail: fmt.Sprintf("The body is longer than %d bytes. Nothing was written.", limit),
	}
}
