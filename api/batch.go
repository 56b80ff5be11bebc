package api

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keypact/service"
)

// batchAnswer is the body that answers a batch.
type batchAnswer struct {
	Results []any `json:"results"`
}

// nothing is the answer, in a batch, of a write whose route has no body.
type nothing struct{}

// batch runs named operations as one transaction, all or nothing.
func (s *server) batch(x *exchange, r *http.Request) {
	var ops []service.Op
	src := source{batch: true}
	err := s.bindJSONPage(r, func(body []byte) (err error) {
		ops, err = s.decodeBatch(body)
		return err
	})
	if err != nil {
		x.fail(err, src)
		return
	}
	results, err := s.service.Batch(r.Context(), ops)
	if err != nil {
		x.fail(err, src)
		return
	}
	answer := batchAnswer{Results: make([]any, len(results))}
	var warnings []service.Violation
	for i, result := range results {
		answer.Results[i] = result.Value
		if result.Value == nil {
			answer.Results[i] = nothing{}
		}
		for _, w := range result.Warnings {
			w.Operation = i
			warnings = append(warnings, w)
		}
	}
	x.warn(warnings, src)
	x.answerJSON(http.StatusOK, answer, warnings, src)
}

// bindJSONPage reads the JSON body of a page that is no operation.
func (s *server) bindJSONPage(r *http.Request, use func(body []byte) error) error {
	if acceptsOf(r).pick(typeJSON) == "" {
		return notAcceptable(typeJSON)
	}
	if err := checkHeaders(r); err != nil {
		return err
	}
	if err := refuseQuery(r.URL.RawQuery); err != nil {
		return err
	}
	media, err := mediaTypeOf(r)
	if err != nil {
		return err
	}
	return s.withJSON(media, r, func(body []byte) error {
		if len(body) == 0 {
			return badBody("bad-json", "#", "must not be empty")
		}
		if err := s.checkDepth(body); err != nil {
			return err
		}
		return use(body)
	})
}

// decodeBatch reads {"operations": [..]}.
func (s *server) decodeBatch(body []byte) ([]service.Op, error) {
	d := newDecoder(body)
	defer d.done()
	dec := d.json
	err := begin(dec, '{', "#", "must be an object")
	if err != nil {
		return nil, err
	}
	var ops []service.Op
	var unknown error
	given := false
	for err == nil && dec.PeekKind() != '}' {
		var name jsontext.Value
		if name, err = dec.ReadValue(); err != nil {
			break
		}
		if string(unquoted(name)) == "operations" {
			given = true
			if ops, err = s.decodeOperations(dec); err != nil {
				return nil, err
			}
			continue
		}
		unknown = badBody("unknown-member", pointerTo(string(unquoted(name))), "is unknown here; there are operations")
		err = dec.SkipValue()
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	switch {
	case err != nil:
		return nil, syntaxError(err, "#")
	case unknown != nil:
		return nil, unknown
	case !given:
		return nil, badBody("bad-member", "#/operations", "is required")
	}
	return ops, atEnd(dec)
}

// decodeOperations reads the list of a batch. An error is one for the client.
func (s *server) decodeOperations(dec *jsontext.Decoder) ([]service.Op, error) {
	if err := begin(dec, '[', "#/operations", "must be a list"); err != nil {
		return nil, err
	}
	var ops []service.Op
	for dec.PeekKind() != ']' {
		raw, err := dec.ReadValue()
		if err != nil {
			return nil, syntaxError(err, "#")
		}
		if len(ops) == s.limits.BatchOperations {
			return nil, &refusal{
				kind: service.KindTooLarge, code: "too-many-operations",
				detail: fmt.Sprintf("A batch has at most %d operations. Nothing was written.", s.limits.BatchOperations),
			}
		}
		op, err := s.decodeOperation(raw, pointerTo("operations", strconv.Itoa(len(ops))))
		if err != nil {
			return nil, err
		}
		ops = append(ops, op)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, syntaxError(err, "#")
	}
	if len(ops) == 0 {
		return nil, badBody("bad-member", "#/operations", "must not be empty")
	}
	return ops, nil
}

// decodeOperation reads one operation: the command it is named by, then the
// members of the struct that stands for it, path members included. root is the
// pointer to it.
func (s *server) decodeOperation(raw jsontext.Value, root string) (service.Op, error) {
	if raw.Kind() != '{' {
		return nil, badBody("bad-member", root, "must be an object")
	}
	command, given, err := commandOf(raw)
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, badBody("bad-member", root+"/op", "is required: the name of a command, such as HSET")
	}
	op, _, ok := service.NewOp(command)
	if !ok || command != strings.ToUpper(command) {
		return nil, badBody("unknown-command", root+"/op", "is no command of this service (in capitals): '"+printable(command)+"'")
	}
	v := reflect.ValueOf(op).Elem()
	p := s.plans[v.Type()]
	d := newDecoder(raw)
	defer d.done()
	known := func(name []byte) *member { return p.member(string(name)) }
	if err := decodeMembers(d.json, v, members{plan: p, known: known, skip: "op", root: root}); err != nil {
		return nil, err
	}
	if calls := op.Calls(); len(calls) > 0 && calls[0].Wait != nil {
		return nil, badBody("bad-member", root+"/wait", "cannot be given here: nothing waits inside a transaction")
	}
	if err := service.CheckVerb(op, command); err != nil {
		return nil, badBody("other-command", root+"/op", "does not fit the other members")
	}
	return op, nil
}

// commandOf finds the member op of an operation, which is known to be sound
// JSON.
func commandOf(raw jsontext.Value) (command string, given bool, err error) {
	d := newDecoder(raw)
	defer d.done()
	if _, err := d.json.ReadToken(); err != nil {
		return "", false, syntaxError(err, "#")
	}
	for d.json.PeekKind() != '}' {
		name, err := d.json.ReadValue()
		if err != nil {
			return "", false, syntaxError(err, "#")
		}
		if string(unquoted(name)) != "op" {
			if err := d.json.SkipValue(); err != nil {
				return "", false, syntaxError(err, "#")
			}
			continue
		}
		value, err := d.json.ReadValue()
		if err != nil || value.Kind() != '"' {
			return "", false, nil
		}
		return string(unquoted(value)), true, nil
	}
	return "", false, nil
}
