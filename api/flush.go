package api

import (
	"net/http"

	"github.com/go-json-experiment/json"

	"keypact/service"
)

// ownPages are the pages of this service, and clients that are no browsers.
var ownPages = http.NewCrossOriginProtection()

// flush empties a namespace. The body must name it. Pages from elsewhere are
// refused, whatever CORS allows: emptying a store is no page's business.
func (s *server) flush(x *exchange, r *http.Request) {
	if ownPages.Check(r) != nil {
		x.fail(&refusal{kind: service.KindForbidden, code: "cross-origin", detail: "Pages from elsewhere may not flush."}, source{})
		return
	}
	var flush service.Flush
	err := s.bindJSONPage(r, func(body []byte) error { return decodeFlush(body, &flush) })
	if err != nil {
		x.fail(err, source{})
		return
	}
	flushed, err := s.service.Flush(r.Context(), flush)
	if err != nil {
		x.fail(err, source{body: true})
		return
	}
	x.answerJSON(http.StatusOK, flushed, nil, source{})
}

// decodeFlush reads {"namespace": ".."}.
func decodeFlush(body []byte, flush *service.Flush) error {
	d := newDecoder(body)
	defer d.done()
	if d.json.PeekKind() == 'n' {
		return badBody("bad-member", "#", "must be an object")
	}
	if err := json.UnmarshalDecode(d.json, flush, decoding); err != nil {
		return memberError(err, "#", "#")
	}
	return atEnd(d.json)
}
