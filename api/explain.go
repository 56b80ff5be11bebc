package api

import (
	"net/http"

	"keypact/service"
)

// explanation is a service.Explanation in the words of an answer.
type explanation struct {
	Key         service.Bytes            `json:"key"`
	Contract    *string                  `json:"contract"` // null if none governs the key
	Governed    bool                     `json:"governed"`
	Pattern     string                   `json:"pattern,omitzero"`
	Type        string                   `json:"type,omitzero"`
	Mode        string                   `json:"mode,omitzero"`
	Revision    uint64                   `json:"revision,omitzero"`
	Variables   map[string]service.Bytes `json:"variables,omitzero"`
	RunnersUp   []candidate              `json:"runners_up"`
	Operations  []allowedOperation       `json:"operations"`
	Reads       []allowedOperation       `json:"reads,omitzero"`
	MaxKeyBytes int                      `json:"max_key_bytes"`
	Limits      any                      `json:"limits,omitzero"`
	Violations  []violation              `json:"violations"`
}

// candidate is a contract whose pattern matches a key.
type candidate struct {
	Contract string `json:"contract"`
	Key      string `json:"key"`
}

// allowedOperation is a command with the ranges its arguments may have.
type allowedOperation struct {
	Verb    string `json:"verb"`
	Timeout any    `json:"timeout,omitzero"`
	Count   any    `json:"count,omitzero"`
}

// explain tells which contract governs a key, absent or not, and what follows
// from that.
func (s *server) explain(x *exchange, r *http.Request) {
	if acceptsOf(r).pick(typeJSON) == "" {
		x.fail(notAcceptable(typeJSON), source{})
		return
	}
	key, given := "", false
	err := eachParameter(r.URL.RawQuery, func(name, text string) error {
		switch {
		case name != "key":
			return unknownParameter(name, []string{"key"})
		case given:
			return badParameter(name, "is given more than once")
		}
		key, given = text, true
		return nil
	})
	if err == nil && !given {
		err = badParameter("key", "is required")
	}
	if err == nil {
		err = checkHeaders(r)
	}
	if err != nil {
		x.fail(err, source{})
		return
	}
	x.answerJSON(http.StatusOK, explained([]byte(key), s.service.Explain([]byte(key))), nil, source{})
}

func explained(key []byte, e service.Explanation) explanation {
	out := explanation{
		Key: key, Governed: e.Governed, Pattern: e.Key, Type: string(e.Type), Mode: string(e.Mode), Revision: e.Revision,
		MaxKeyBytes: e.MaxKeyBytes, RunnersUp: []candidate{}, Operations: []allowedOperation{},
	}
	if e.Governed {
		out.Contract, out.Limits = &e.Contract, e.Limits
	}
	for _, v := range e.Variables {
		if out.Variables == nil {
			out.Variables = make(map[string]service.Bytes)
		}
		out.Variables[v.Name] = service.Bytes(v.Value)
	}
	for _, c := range e.RunnersUp {
		out.RunnersUp = append(out.RunnersUp, candidate{c.Contract, c.Key})
	}
	for _, op := range e.Operations {
		out.Operations = append(out.Operations, allowed(op.Verb, op.Timeout, op.Count))
	}
	if e.Reads != nil {
		out.Reads = []allowedOperation{}
	}
	for _, op := range e.Reads {
		out.Reads = append(out.Reads, allowed(op.Verb, op.Timeout, op.Count))
	}
	found := make([]service.Violation, len(e.Violations))
	for i, v := range e.Violations {
		found[i].Violation = v
		found[i].Path = []string{"key"}
	}
	out.Violations, _ = source{}.violations(found)
	for i := range out.Violations {
		out.Violations[i].Pointer, out.Violations[i].Parameter = "", "key"
	}
	return out
}

// allowed writes an operation without the ranges that say nothing.
func allowed[T, C any](verb string, timeout *T, count *C) allowedOperation {
	out := allowedOperation{Verb: verb}
	if timeout != nil {
		out.Timeout = timeout
	}
	if count != nil {
		out.Count = count
	}
	return out
}
