package api

import (
	"net/http"

	"keypact/service"
)

// refusal is what a door refuses by itself, before any operation has run.
type refusal struct {
	kind   service.Kind
	status int // where it differs from the kind's; 0 if it does not
	code   string
	detail string
	faults []fault
	header http.Header // to answer with; may be nil
}

// Error is the code and the detail.
func (f *refusal) Error() string { return f.code + ": " + f.detail }

// fault is one thing wrong with a request, and its place: in the body, in the
// path or the query, or in a header.
type fault struct {
	Pointer   string `json:"pointer,omitzero"`
	Parameter string `json:"parameter,omitzero"`
	Header    string `json:"header,omitzero"`
	Detail    string `json:"detail"`
}

// invalid refuses a malformed request.
func invalid(code string, faults ...fault) *refusal {
	return &refusal{kind: service.KindInvalid, code: code, detail: sentence(faults), faults: faults}
}

// sentence says what is wrong in one sentence: the fault itself if there is
// but one.
func sentence(faults []fault) string {
	if len(faults) != 1 {
		return "The request has several faults."
	}
	f := faults[0]
	switch {
	case f.Parameter != "":
		return "The parameter '" + printable(f.Parameter) + "' " + f.Detail + "."
	case f.Header != "":
		return "The header " + f.Header + " " + f.Detail + "."
	case f.Pointer == "#" || f.Pointer == "":
		return "The body " + f.Detail + "."
	}
	return "The member '" + f.Pointer + "' " + f.Detail + "."
}

func badParameter(name, detail string) *refusal {
	return invalid("bad-parameter", fault{Parameter: printable(name), Detail: detail})
}

func badHeader(name, detail string) *refusal {
	return invalid("bad-header", fault{Header: name, Detail: detail})
}

func badBody(code, pointer, detail string) *refusal {
	return invalid(code, fault{Pointer: pointer, Detail: detail})
}
