package service_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"keypact/service"
	"keypact/service/sourcetest"
)

// exampleContracts are the five contracts of the source documents.
func exampleContracts(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../examples/contracts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSourceContracts tries each of the five at each of its limits and past it,
// by every operation and command that can.
func TestSourceContracts(t *testing.T) {
	for contract, tries := range sourcetest.Tries() {
		t.Run(contract, func(t *testing.T) {
			l := openContractLab(t, exampleContracts(t))
			n := 0
			for _, try := range tries {
				for _, name := range strings.Fields(try.Ops) {
					n++
					l.try(name, try, n)
					l.clear()
				}
			}
		})
	}
}

// try runs one try by one of its operations.
func (l *contractLab) try(name string, try sourcetest.Try, n int) {
	l.t.Helper()
	for _, line := range try.Setup {
		l.must(sourcetest.Number(line, n))
	}
	before := l.records()
	got, details := l.attempt(name, sourcetest.Number(try.Members, n))
	if want := sourcetest.Number(try.Want, n); !sourcetest.Same(got, want) {
		l.t.Errorf("%s, by %s: %s, want %s", try.Name, name, got, want)
	}
	if !strings.Contains(details, try.Detail) {
		l.t.Errorf("%s, by %s: details %q, want %q", try.Name, name, details, try.Detail)
	}
	if try.Want == sourcetest.OK {
		return
	}
	if err := l.unchanged(before); err != nil {
		l.t.Errorf("%s, by %s: %v", try.Name, name, err)
	}
}

// attempt runs an operation that may be malformed, and gathers the details of
// its violations.
func (l *contractLab) attempt(name, members string) (got, details string) {
	l.t.Helper()
	op := l.empty(name)
	if err := json.Unmarshal([]byte("{"+members+"}"), op, json.RejectUnknownMembers(true)); err != nil {
		return sourcetest.Malformed, err.Error()
	}
	_, err := l.svc.Do(context.Background(), op)
	var failed *service.Error
	if errors.As(err, &failed) && failed.Kind == service.KindInvalid {
		return sourcetest.Malformed, failed.Detail
	}
	for _, v := range violationsOf(err) {
		details += v.Detail + "\n"
	}
	return escaped(err), details
}

// escaped is a verdict whose paths are JSON Pointers, as they are in the table.
func escaped(err error) string {
	var failed *service.Error
	if errors.As(err, &failed) {
		for i := range failed.Violations {
			for j, part := range failed.Violations[i].Path {
				failed.Violations[i].Path[j] = strings.NewReplacer("~", "~0", "/", "~1").Replace(part)
			}
		}
	}
	return verdict(err)
}
