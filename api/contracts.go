package api

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/go-chi/chi/v5"

	"keypact/service"
)

// contractPattern is the route of one contract.
const contractPattern = "/contracts/{name}"

// reserved reports whether the name is that of a page beside the contracts,
// which no contract may have.
func reserved(name string) bool {
	return slices.Contains([]string{"validate", "explain", "report"}, name)
}

// listContracts answers with the contracts in force, by name.
func (s *server) listContracts(x *exchange, r *http.Request) {
	var answer struct {
		Contracts []any `json:"contracts"`
	}
	answer.Contracts = []any{}
	for _, c := range s.service.Contracts() {
		// A reload between the two calls may have taken the contract away.
		if document, err := s.service.Contract(c.Name); err == nil {
			answer.Contracts = append(answer.Contracts, document)
		}
	}
	x.showPage(r, answer)
}

// showContract answers with one contract in the words of its file.
func (s *server) showContract(x *exchange, r *http.Request) {
	ctx := chi.RouteContext(r.Context())
	name, err := url.PathUnescape(ctx.URLParam("name"))
	if err != nil {
		x.fail(badParameter("name", "is not percent-encoded as it should be"), source{})
		return
	}
	if reserved(name) {
		x.refuseMethod(s.allowed(ctx.RoutePath))
		return
	}
	document, err := s.service.Contract(name)
	if err != nil {
		x.fail(err, source{})
		return
	}
	x.showPage(r, document)
}

// showPage answers a page that reads, and that takes no parameters.
func (x *exchange) showPage(r *http.Request, value any) {
	if acceptsOf(r).pick(typeJSON) == "" {
		x.fail(notAcceptable(typeJSON), source{})
		return
	}
	err := eachParameter(r.URL.RawQuery, func(name, _ string) error { return unknownParameter(name, nil) })
	if err == nil {
		err = checkHeaders(r)
	}
	if err != nil {
		x.fail(err, source{})
		return
	}
	x.answerJSON(http.StatusOK, value, nil, source{})
}

// verdict is the answer to a write that is only asked about.
type verdict struct {
	Valid    bool        `json:"valid"`
	Errors   []violation `json:"errors"`
	Warnings []violation `json:"warnings,omitzero"`
}

// validate judges one operation, given as in a batch, and writes nothing.
func (s *server) validate(x *exchange, r *http.Request) {
	var op service.Op
	err := s.bindJSONPage(r, func(body []byte) (err error) {
		op, err = s.decodeOne(body)
		return err
	})
	if err != nil {
		x.fail(err, source{})
		return
	}
	found, err := s.service.Validate(r.Context(), op)
	if err != nil {
		x.fail(err, source{})
		return
	}
	answer := verdict{Valid: found.Valid, Errors: []violation{}}
	if len(found.Violations) > 0 {
		answer.Errors, _ = source{}.violations(found.Violations)
	}
	if len(found.Warnings) > 0 {
		answer.Warnings, _ = source{}.violations(found.Warnings)
	}
	x.answerJSON(http.StatusOK, answer, nil, source{})
}

// decodeOne reads a body that is one operation of a batch.
func (s *server) decodeOne(body []byte) (service.Op, error) {
	d := newDecoder(body)
	defer d.done()
	raw, err := d.json.ReadValue()
	if err != nil {
		return nil, syntaxError(err, "#")
	}
	op, err := s.decodeOperation(raw, "#")
	if err != nil {
		return nil, err
	}
	return op, atEnd(d.json)
}
