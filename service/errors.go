package service

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"keypact/store"
)

// Kind is what sort of failure an Error is. Doors map each kind to a status.
type Kind string

// The kinds of failure. Some are raised by doors only.
const (
	KindInvalid          Kind = "invalid"
	KindUnauthenticated  Kind = "unauthenticated"
	KindForbidden        Kind = "forbidden"
	KindNotFound         Kind = "not_found"
	KindMethod           Kind = "method"
	KindNotAcceptable    Kind = "not_acceptable"
	KindWrongType        Kind = "wrong_type"
	KindConflict         Kind = "conflict"
	KindPrecondition     Kind = "precondition"
	KindTooLarge         Kind = "too_large"
	KindUnsupportedMedia Kind = "unsupported_media"
	KindContract         Kind = "contract"
	KindRate             Kind = "rate"
	KindBusy             Kind = "busy"
	KindFull             Kind = "full"
	KindInternal         Kind = "internal"
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{
		KindInvalid, KindUnauthenticated, KindForbidden, KindNotFound, KindMethod, KindNotAcceptable, KindWrongType,
		KindConflict, KindPrecondition, KindTooLarge, KindUnsupportedMedia, KindContract, KindRate, KindBusy, KindFull,
		KindInternal,
	}
}

// Error is the one form in which failures leave this package. Its texts are
// fit for the client: they hold no stored value and nothing of the inside.
type Error struct {
	Kind       Kind
	Code       string            // stable and finer than Kind, such as "overflow"
	Detail     string            // a sentence for a person
	Violations []store.Violation // KindContract only
	Errors     []Issue           // what is wrong with the request, place by place
	RetryAfter time.Duration     // KindBusy only
}

// Issue is one fault of a request. The path leads to it through the names of
// members and the positions in lists.
type Issue struct {
	Path   []string
	Detail string

	tooLarge bool
}

// Error is the code and the detail.
func (e *Error) Error() string { return e.Code + ": " + e.Detail }

// retryAfter is when a busy service is worth another try.
const retryAfter = time.Second

// invalid is an error about one member of the request.
func invalid(code, member, detail string) *Error {
	return &Error{Kind: KindInvalid, Code: code, Detail: detail, Errors: []Issue{{Path: []string{member}, Detail: detail}}}
}

// failures gives each error of the rooms below its kind and code. An empty
// detail takes the text of the error itself, which the store writes for
// clients.
var failures = []struct {
	err    error
	kind   Kind
	code   string
	detail string
}{
	{store.ErrNotFound, KindNotFound, "not-found", "The key or the element does not exist."},
	{store.ErrWrongType, KindWrongType, "wrong-type", ""},
	{store.ErrPrecondition, KindPrecondition, "condition-not-met", "The condition of the write is not met. Nothing was written."},
	{store.ErrTooBig, KindTooLarge, "too-large", ""},
	{store.ErrOverflow, KindInvalid, "overflow", "The result would leave the range of the number. Nothing was written."},
	{store.ErrNotInteger, KindInvalid, "not-an-integer", "The stored value is not a 64-bit integer in canonical form."},
	{store.ErrNotNumber, KindInvalid, "not-a-number", "The stored value is not a decimal number."},
	{store.ErrNaN, KindInvalid, "not-a-number", "The result would not be a number. Nothing was written."},
	{store.ErrSameKey, KindInvalid, "same-key", "The source and the destination are the same key."},
	{store.ErrNoNamespace, KindInvalid, "no-such-namespace", "There is no namespace of that name."},
	{store.ErrWatched, KindPrecondition, "watched", "A watched key has changed. Nothing was written."},
	{store.ErrRange, KindInvalid, "out-of-range", "The index or the offset lies outside the value."},
	{store.ErrTransactionTooBig, KindTooLarge, "too-large", "The operation would write more than one transaction may hold. Nothing was written."},
	{store.ErrConflict, KindBusy, "conflict", "Other writers won too often. Nothing was written; try again."},
	{store.ErrFull, KindFull, "storage-full", "The free space is below its reserve: writes are refused while reads go on."},
	{store.ErrReadOnly, KindFull, "read-only", "The store was opened without the right to write."},
	{store.ErrOutcomeUnknown, KindInternal, "outcome-unknown", "It is not known whether the write landed."},
	{store.ErrClosed, KindBusy, "closing", "The service is shutting down."},
	{context.Canceled, KindBusy, "canceled", "The request ended before its turn came."},
	{context.DeadlineExceeded, KindBusy, "timeout", "The request's time was over before its turn came."},
}

// classify makes any error an *Error. What it does not know is internal, and
// its text is for the log only.
func classify(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var refused *store.ContractError
	if errors.As(err, &refused) {
		return contractFailure(refused)
	}
	if errors.Is(err, store.ErrDenied) {
		return internal()
	}
	for _, f := range failures {
		if errors.Is(err, f.err) {
			return failure(err, f.kind, f.code, f.detail)
		}
	}
	return internal()
}

func failure(err error, kind Kind, code, detail string) *Error {
	if detail == "" {
		detail = sentence(err.Error())
	}
	out := &Error{Kind: kind, Code: code, Detail: detail}
	if kind == KindBusy {
		out.RetryAfter = retryAfter
	}
	return out
}

func internal() *Error {
	return &Error{Kind: KindInternal, Code: "internal", Detail: "The service failed. The log says more."}
}

func contractFailure(refused *store.ContractError) *Error {
	return &Error{
		Kind: KindContract, Code: "contract-violation", Detail: summary(refused.Violations), Violations: refused.Violations,
	}
}

// summary counts the violations and names the contracts.
func summary(found []store.Violation) string {
	noun := "1 violation of "
	if len(found) != 1 {
		noun = strconv.Itoa(len(found)) + " violations of "
	}
	first := found[0]
	for _, v := range found {
		if v.Contract != first.Contract {
			return noun + "several contracts. Nothing was written."
		}
	}
	if first.Contract == "" {
		return noun + "the rules for keys without a contract. Nothing was written."
	}
	return noun + "contract '" + first.Contract + "' (revision " + strconv.FormatUint(first.Revision, 10) + "). Nothing was written."
}

// sentence makes an error's text one.
func sentence(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
