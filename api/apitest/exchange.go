package apitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Exchange is one request and its answer, bodies read.
type Exchange struct {
	Method string
	Target string // path and query, percent-encoded as sent
	Header http.Header
	Body   []byte

	Status       int
	AnswerHeader http.Header
	AnswerBody   []byte
}

// Record makes an exchange of a request and its answer. The bodies are given
// beside them, because they have been read.
func Record(request *http.Request, body []byte, answer *http.Response, answerBody []byte) Exchange {
	return Exchange{
		Method: request.Method, Target: request.URL.RequestURI(), Header: request.Header, Body: body,
		Status: answer.StatusCode, AnswerHeader: answer.Header, AnswerBody: answerBody,
	}
}

// Check says what in the exchange is not as specified, or returns nil.
//
// A request that is answered with anything but a refusal of its form (400, 405,
// 406, 413, 415, 416) must be as the specification says: if it is not, the
// service takes what it does not promise. What the service refuses it may
// refuse; whether it should is for its own tests.
func (s *Spec) Check(e Exchange) error {
	target, err := url.ParseRequestURI(e.Target)
	if err != nil {
		return s.checkComponent("BadRequest", e)
	}
	route, parameters, methods := s.Operation(e.Method, target.EscapedPath())
	switch {
	case len(methods) == 0:
		return s.checkUnknown("NotFound", http.StatusNotFound, e)
	case route == nil:
		return errors.Join(s.checkUnknown("MethodNotAllowed", http.StatusMethodNotAllowed, e), checkAllow(methods, e))
	}
	input, err := s.input(e, route, parameters)
	if err != nil {
		return err
	}
	var faults []error
	if !refusesForm(e.Status) {
		faults = append(faults, checkRequest(input))
	}
	response := route.Operation.Responses.Status(e.Status)
	if response == nil {
		faults = append(faults, fmt.Errorf("status %d is not specified", e.Status))
	} else {
		faults = append(faults, s.checkAnswer(response.Value, input, e))
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("%s %s: %w", e.Method, route.Path, err)
	}
	return nil
}

// refusesForm says that the status refuses the request as it stands, so that it
// need not be as specified.
func refusesForm(status int) bool {
	return slices.Contains([]int{
		http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusRequestedRangeNotSatisfiable,
	}, status)
}

func (s *Spec) input(e Exchange, route *routers.Route, parameters map[string]string) (*openapi3filter.RequestValidationInput, error) {
	request, err := http.NewRequest(e.Method, "http://keypact"+e.Target, bytes.NewReader(e.Body))
	if err != nil {
		return nil, err
	}
	if e.Header != nil {
		request.Header = e.Header.Clone()
	}
	options := &openapi3filter.Options{
		SkipSettingDefaults: true, IncludeResponseStatus: true, RejectWhenRequestBodyNotSpecified: true, MultiError: true,
	}
	options.WithCustomSchemaErrorFunc(func(err *openapi3.SchemaError) string {
		return "/" + strings.Join(err.JSONPointer(), "/") + ": " + err.Reason
	})
	return &openapi3filter.RequestValidationInput{
		Request: request, PathParams: parameters, QueryParams: request.URL.Query(), Route: route, Options: options,
	}, nil
}

// checkRequest holds the request against its operation. Raw bodies have no
// schema: that their media type is offered is all there is to say.
func checkRequest(input *openapi3filter.RequestValidationInput) error {
	operation, request := input.Route.Operation, input.Request
	options := *input.Options
	input.Options = &options
	if operation.RequestBody != nil && !isJSON(request.Header.Get("Content-Type")) {
		media := operation.RequestBody.Value.Content.Get(request.Header.Get("Content-Type"))
		if request.ContentLength > 0 && media == nil {
			return fmt.Errorf("request: media type %q is not specified", request.Header.Get("Content-Type"))
		}
		options.ExcludeRequestBody = true
	}
	options.ExcludeRequestQueryParams = operation.Parameters.GetByInAndName("query", "words") != nil // any names
	for name := range input.QueryParams {
		if options.ExcludeRequestQueryParams {
			break
		}
		// The namespace has one value until there are more.
		if name != "ns" && operation.Parameters.GetByInAndName("query", name) == nil {
			return fmt.Errorf("request: query parameter %q is not specified", name)
		}
	}
	if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	return nil
}

// checkAnswer holds headers and body against one response of the document.
func (s *Spec) checkAnswer(response *openapi3.Response, input *openapi3filter.RequestValidationInput, e Exchange) error {
	if err := checkHeaders(response, e); err != nil {
		return err
	}
	if e.Method == http.MethodHead {
		return nil // its body is cut off below the handler
	}
	if len(response.Content) == 0 {
		if len(e.AnswerBody) > 0 {
			return fmt.Errorf("answer: status %d has no body in the specification, but came with %q", e.Status, clip(e.AnswerBody))
		}
		return nil
	}
	contentType := e.AnswerHeader.Get("Content-Type")
	if response.Content.Get(contentType) == nil {
		return fmt.Errorf("answer: media type %q of status %d is not specified", contentType, e.Status)
	}
	if !isJSON(contentType) {
		return nil
	}
	answer := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: e.Status, Header: e.AnswerHeader, Options: input.Options,
		Body: io.NopCloser(bytes.NewReader(e.AnswerBody)),
	}
	if err := openapi3filter.ValidateResponse(context.Background(), answer); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return checkProblemStatus(e)
}

// checkProblemStatus: the status in a problem is the one it came with.
func checkProblemStatus(e Exchange) error {
	if ofRedis(e) || e.Status < http.StatusBadRequest || e.Status == http.StatusServiceUnavailable && !isProblem(e.AnswerHeader) {
		return nil
	}
	if !isProblem(e.AnswerHeader) {
		return fmt.Errorf("answer: status %d is no application/problem+json", e.Status)
	}
	value, err := decode(e.AnswerBody)
	if err != nil {
		return err
	}
	problem, _ := value.(map[string]any)
	if got := fmt.Sprint(problem["status"]); got != strconv.Itoa(e.Status) {
		return fmt.Errorf("answer: the problem says status %s, the answer %d", got, e.Status)
	}
	return nil
}

// ofRedis says that the exchange is with the command door, whose errors are no
// problems.
func ofRedis(e Exchange) bool {
	return e.Target == "/redis" || strings.HasPrefix(e.Target, "/redis/") || strings.HasPrefix(e.Target, "/redis?")
}

// everywhere are the headers any answer may carry.
var everywhere = []string{
	"Content-Type", "Content-Length", "Date", "Vary", "Cache-Control", "X-Content-Type-Options", "Last-Modified",
	"Content-Security-Policy", "Referrer-Policy", "X-Frame-Options", "Connection", "Content-Encoding",
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
}

func checkHeaders(response *openapi3.Response, e Exchange) error {
	for name := range e.AnswerHeader {
		known := slices.Contains(everywhere, name)
		for specified := range response.Headers {
			known = known || http.CanonicalHeaderKey(specified) == name
		}
		if !known {
			return fmt.Errorf("answer: header %s of status %d is not specified", name, e.Status)
		}
	}
	for name, header := range response.Headers {
		if header.Value.Required && e.AnswerHeader.Get(name) == "" {
			return fmt.Errorf("answer: header %s of status %d is missing", name, e.Status)
		}
	}
	return nil
}

// checkUnknown judges the answer to what the document does not have.
func (s *Spec) checkUnknown(component string, status int, e Exchange) error {
	if e.Status != status && e.Status != http.StatusBadRequest {
		return fmt.Errorf("%s %s is not in the specification, but is answered %d", e.Method, e.Target, e.Status)
	}
	if e.Status == http.StatusBadRequest {
		component = "BadRequest"
	}
	if ofRedis(e) {
		component = map[int]string{http.StatusMethodNotAllowed: "RedisMethodNotAllowed"}[e.Status]
		if component == "" {
			component = "RedisRefused"
		}
	}
	return s.checkComponent(component, e)
}

func (s *Spec) checkComponent(name string, e Exchange) error {
	response := s.Doc.Components.Responses[name].Value
	if err := checkHeaders(response, e); err != nil {
		return fmt.Errorf("%s %s: %w", e.Method, e.Target, err)
	}
	if e.Method == http.MethodHead {
		return nil
	}
	value, err := decode(e.AnswerBody)
	if err == nil && response.Content.Get(e.AnswerHeader.Get("Content-Type")) == nil {
		err = fmt.Errorf("media type %q is not specified", e.AnswerHeader.Get("Content-Type"))
	}
	if err == nil {
		err = response.Content.Get(e.AnswerHeader.Get("Content-Type")).Schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020())
	}
	if err == nil {
		err = checkProblemStatus(e)
	}
	if err != nil {
		return fmt.Errorf("%s %s: answer %d: %w", e.Method, e.Target, e.Status, err)
	}
	return nil
}

// checkAllow: a refused method is answered with those that are offered.
func checkAllow(methods []string, e Exchange) error {
	if e.Status != http.StatusMethodNotAllowed {
		return nil
	}
	got := strings.Split(e.AnswerHeader.Get("Allow"), ", ")
	slices.Sort(got)
	if !slices.Equal(got, methods) {
		return fmt.Errorf("%s %s: Allow lists %v, the specification has %v", e.Method, e.Target, got, methods)
	}
	return nil
}

func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

func isProblem(h http.Header) bool {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return media == "application/problem+json"
}

func clip(b []byte) []byte { return b[:min(len(b), 200)] }
