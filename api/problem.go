package api

import (
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"keypact/service"
)

// problemType starts the type of every problem.
const problemType = "urn:keypact:problem:"

// kindRow is how one kind of failure looks in HTTP.
type kindRow struct {
	status int
	name   string // last part of the problem's type
	title  string
}

// kinds is the table of failures. Types are stable; titles may change.
var kinds = map[service.Kind]kindRow{
	service.KindInvalid:          {http.StatusBadRequest, "invalid", "The request is malformed."},
	service.KindUnauthenticated:  {http.StatusUnauthorized, "unauthenticated", "The request is not authenticated."},
	service.KindForbidden:        {http.StatusForbidden, "forbidden", "This is not allowed."},
	service.KindNotFound:         {http.StatusNotFound, "not-found", "There is nothing here."},
	service.KindMethod:           {http.StatusMethodNotAllowed, "method-not-allowed", "The route does not have this method."},
	service.KindNotAcceptable:    {http.StatusNotAcceptable, "not-acceptable", "No acceptable representation."},
	service.KindWrongType:        {http.StatusConflict, "wrong-type", "The key holds another type."},
	service.KindConflict:         {http.StatusConflict, "conflict", "The request conflicts with the stored state."},
	service.KindPrecondition:     {http.StatusPreconditionFailed, "precondition", "The condition is not met."},
	service.KindTooLarge:         {http.StatusRequestEntityTooLarge, "too-large", "Too large."},
	service.KindUnsupportedMedia: {http.StatusUnsupportedMediaType, "unsupported-media-type", "The media type is not supported."},
	service.KindContract:         {http.StatusUnprocessableEntity, "contract-violation", "The write violates its data contract."},
	service.KindRate:             {http.StatusTooManyRequests, "rate", "Too many requests."},
	service.KindBusy:             {http.StatusServiceUnavailable, "busy", "Try again."},
	service.KindFull:             {http.StatusInsufficientStorage, "full", "The store is full."},
	service.KindInternal:         {http.StatusInternalServerError, "internal", "The server failed."},
}

// ProblemType is the type of the problems of one kind, such as
// "urn:keypact:problem:not-found". An unknown kind is internal.
func ProblemType(kind service.Kind) string {
	row, ok := kinds[kind]
	if !ok {
		row = kinds[service.KindInternal]
	}
	return problemType + row.name
}

// maxFaults is how many faults, or violations, one answer lists.
const maxFaults = 100

// problem is the body of an answer that tells of a failure (RFC 9457).
type problem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Code     string `json:"code"`
	Detail   string `json:"detail"`
	Instance string `json:"instance"`

	Contract   *governing    `json:"contract,omitzero"`
	Operation  string        `json:"operation,omitzero"`
	DataKey    service.Bytes `json:"data_key,omitzero"`
	ErrorCount int           `json:"error_count,omitzero"`
	Truncated  *bool         `json:"truncated,omitzero"`
	Errors     any           `json:"errors,omitzero"`
}

// fail answers with the problem that an error is. src says where the members
// of the request came from. This is the only writer of problems.
func (x *exchange) fail(err error, src source) {
	var p problem
	var refused *refusal
	var failed *service.Error
	switch {
	case errors.As(err, &refused):
		p = x.problem(refused.kind, refused.code, refused.detail)
		if refused.status != 0 {
			p.Status = refused.status
		}
		if len(refused.faults) > 0 {
			p.Errors = refused.faults
		}
		for name, values := range refused.header {
			x.Header()[name] = values
		}
	case errors.As(err, &failed):
		p = x.failure(failed, src)
	default:
		x.server.log.Error("an error without a kind", "request", x.id, "error", err)
		p = x.problem(service.KindInternal, "internal", "The service failed. The log says more.")
	}
	if x.redis {
		x.refuseRedis(&redisError{p.Status, "ERR " + p.Detail})
		return
	}
	x.writeProblem(&p)
}

// problem starts a problem of a kind.
func (x *exchange) problem(kind service.Kind, code, detail string) problem {
	row, ok := kinds[kind]
	if !ok {
		row = kinds[service.KindInternal]
	}
	return problem{
		Type: problemType + row.name, Title: row.title, Status: row.status,
		Code: code, Detail: detail, Instance: "/requests/" + x.id,
	}
}

// failure is the problem that an error of the service is.
func (x *exchange) failure(failed *service.Error, src source) problem {
	p := x.problem(failed.Kind, failed.Code, failed.Detail)
	switch {
	case failed.Kind == service.KindContract:
		p.violated(failed.Violations, src)
	case len(failed.Errors) > 0:
		p.Errors = src.faults(failed.Errors)
	}
	if failed.RetryAfter > 0 {
		seconds := int(math.Ceil(failed.RetryAfter.Seconds()))
		x.set("Retry-After", strconv.Itoa(seconds))
	}
	return p
}

// faults gives issues of the service their places in the request.
func (src source) faults(issues []service.Issue) []fault {
	out := make([]fault, 0, min(len(issues), maxFaults))
	for _, issue := range issues[:min(len(issues), maxFaults)] {
		at := src.place(issue.Path)
		out = append(out, fault{Pointer: at.pointer, Parameter: at.parameter, Detail: issue.Detail})
	}
	return out
}

func (x *exchange) writeProblem(p *problem) {
	body, err := json.Marshal(p)
	if err != nil {
		x.server.log.Error("a problem cannot be written", "request", x.id, "error", err)
		body = []byte(`{"type":"` + problemType + `internal","title":"The server failed.","status":500,"code":"internal"}`)
		p.Status = http.StatusInternalServerError
	}
	h := x.Header()
	x.set("Cache-Control", "no-store")
	delete(h, "Etag")
	x.send(p.Status, "application/problem+json", append(body, '\n'))
}
