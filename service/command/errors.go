package command

import (
	"errors"
	"strings"

	"keypact/service"
	"keypact/store"
)

// codeReply marks an error whose detail is a finished reply.
const codeReply = "reply"

// fail is the error of an operation whose text is the reply.
func fail(text Error) error {
	return &service.Error{Kind: service.KindInvalid, Code: codeReply, Detail: string(text)}
}

// ErrInternal is what a failure of the service itself answers; the log says more.
const ErrInternal = Error("ERR internal error")

// errWrongType is what a key of another type answers.
const errWrongType = Error("WRONGTYPE Operation against a key holding the wrong kind of value")

// kindTexts are the replies to errors by their kind, where a client reads the
// code. A text that ends with a blank gets the error's detail.
var kindTexts = map[service.Kind]string{
	service.KindWrongType:    string(errWrongType),
	service.KindNotFound:     string(errNoKey),
	service.KindBusy:         "TRYAGAIN ",
	service.KindFull:         "MISCONF No space left: ",
	service.KindPrecondition: "ERR condition not met",
}

// codeTexts are the replies to errors by their code.
var codeTexts = map[string]Error{
	"not-an-integer": errNotInteger,
	"not-a-number":   errNotFloat,
	"overflow":       "ERR increment or decrement would overflow",
	"nan":            "ERR resulting score is not a number (NaN)",
}

// errorReply renders an error of a call, which may have texts of its own.
func (c Call) errorReply(err error) Error {
	var e *service.Error
	if errors.As(err, &e) {
		if text, ok := c.Errors[e.Code]; ok {
			return text
		}
	}
	return ErrorReply(err)
}

// ErrorReply renders an error of the service or of parsing.
func ErrorReply(err error) Error {
	var reply Error
	if errors.As(err, &reply) {
		return reply
	}
	var e *service.Error
	if !errors.As(err, &e) {
		return ErrInternal
	}
	switch {
	case e.Code == codeReply:
		return Error(e.Detail)
	case e.Kind == service.KindContract && len(e.Violations) > 0:
		return violationReply(e.Violations[0])
	}
	if text, ok := codeTexts[e.Code]; ok {
		return text
	}
	if text, ok := kindTexts[e.Kind]; ok {
		if strings.HasSuffix(text, " ") {
			text += line(e.Detail)
		}
		return Error(text)
	}
	return Error("ERR " + line(e.Detail))
}

// violationReply is CONTRACT, the violation's code, and a sentence.
func violationReply(v store.Violation) Error {
	return Error("CONTRACT " + v.Code + " " + line(v.Detail))
}

// line keeps an error on its line.
func line(text string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(text) }
