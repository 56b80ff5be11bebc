package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"keypact/contracts"
	"keypact/store"
	"keypact/store/kv"
)

func TestEveryErrorHasOneKind(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{store.ErrNotFound, "not_found not-found"},
		{fmt.Errorf("%w: it is a list", store.ErrWrongType), "wrong_type wrong-type"},
		{store.ErrPrecondition, "precondition condition-not-met"},
		{fmt.Errorf("%w: the value has 9 bytes", store.ErrTooBig), "too_large too-large"},
		{fmt.Errorf("put: %w", kv.ErrTooBig), "too_large too-large"},
		{store.ErrOverflow, "invalid overflow"},
		{store.ErrNotInteger, "invalid not-an-integer"},
		{store.ErrNotNumber, "invalid not-a-number"},
		{store.ErrNaN, "invalid not-a-number"},
		{store.ErrRange, "invalid out-of-range"},
		{store.ErrSameKey, "invalid same-key"},
		{fmt.Errorf("commit: %w", kv.ErrConflict), "busy conflict"},
		{kv.ErrFull, "full storage-full"},
		{kv.ErrReadOnly, "full read-only"},
		{kv.ErrOutcomeUnknown, "internal outcome-unknown"},
		{kv.ErrClosed, "busy closing"},
		{context.Canceled, "busy canceled"},
		{context.DeadlineExceeded, "busy timeout"},
		{fmt.Errorf("%w %q: %w", store.ErrDenied, "secret", kv.ErrReadOnly), "internal internal"},
		{errors.New("open /var/lib/secret: permission denied"), "internal internal"},
		{fmt.Errorf("wrapped: %w", invalid("x", "y", "z")), "invalid x"},
		{&store.OperationError{Operation: 3, Err: store.ErrNotFound}, "not_found not-found"},
		{&store.ContractError{Violations: []store.Violation{{}}}, "contract contract-violation"},
	} {
		got := classify(c.err)
		if fmt.Sprint(got.Kind, " ", got.Code) != c.want {
			t.Errorf("%v: %s %s, want %s", c.err, got.Kind, got.Code, c.want)
		}
		if !slices.Contains(Kinds(), got.Kind) {
			t.Errorf("%v has the unlisted kind %s", c.err, got.Kind)
		}
		if got.Detail == "" || strings.Contains(got.Detail, "secret") || strings.Contains(got.Detail, "kv:") {
			t.Errorf("%v: detail %q", c.err, got.Detail)
		}
		if busy := got.Kind == KindBusy; busy != (got.RetryAfter > 0) {
			t.Errorf("%v: retry after %v", c.err, got.RetryAfter)
		}
	}
	if got := classify(fmt.Errorf("%w: it is a list", store.ErrWrongType)).Detail; got != "The key holds another type: it is a list." {
		t.Error(got)
	}
}

func TestAContractErrorSaysWhose(t *testing.T) {
	of := func(name string) store.Violation {
		return store.Violation{Violation: contracts.Violation{Contract: name, Revision: 7}}
	}
	for _, c := range []struct {
		found []store.Violation
		want  string
	}{
		{[]store.Violation{of("profile")}, "1 violation of contract 'profile' (revision 7). Nothing was written."},
		{[]store.Violation{of("profile"), of("profile")}, "2 violations of contract 'profile' (revision 7). Nothing was written."},
		{[]store.Violation{of("a"), of("b")}, "2 violations of several contracts. Nothing was written."},
		{[]store.Violation{of("")}, "1 violation of the rules for keys without a contract. Nothing was written."},
	} {
		if got := classify(&store.ContractError{Violations: c.found}).Detail; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
