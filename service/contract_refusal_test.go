package service_test

import (
	"context"
	"errors"
	"slices"
	"strings"

	"keypact/service"
	"keypact/store"
)

// refused wants the request refused with these violations, the same ones at
// every door, and nothing written. If isExact is false, more may be found.
func (tr trial) refused(typ, rules, request, want string, isExact bool) {
	l := tr.lab
	l.t.Helper()
	n := tr.prepare()
	l.govern(ruledBy(typ, rules))
	line := tr.name + " " + number(request, n)
	op := func() service.Op { return l.op(split(line)) }
	before := l.records()
	_, err := l.svc.Do(context.Background(), op())
	got := verdict(err)
	if isExact && got != want || !strings.Contains(got, want) {
		l.t.Errorf("under {%s}, %s: %s, want %s", rules, line, got, want)
	}
	found := violationsOf(err)
	for door, other := range tr.otherDoors(op) {
		if !sameViolations(found, other) {
			l.t.Errorf("under {%s}, %s: %s by itself, %s in a %s", rules, line, got, violationText(other, false), door)
		}
	}
	if err := l.unchanged(before); err != nil {
		l.t.Errorf("under {%s}, %s: %v", rules, line, err)
	}
}

// otherDoors sends an operation through the other ways into the service.
func (tr trial) otherDoors(op func() service.Op) map[string][]store.Violation {
	l, ctx := tr.lab, context.Background()
	l.t.Helper()
	found := make(map[string][]store.Violation)
	seen, err := l.svc.Validate(ctx, op())
	if err != nil {
		l.t.Error("validate:", err)
	}
	found["dry run"] = seen.Violations
	results, err := l.svc.Pipeline(ctx, []service.Op{op()})
	if err != nil {
		l.t.Fatal("pipeline:", err)
	}
	found["pipeline"] = violationsOf(results[0].Err)
	if op().Calls()[0].Wait == nil {
		_, err = l.svc.Batch(ctx, []service.Op{op()})
		found["batch"] = violationsOf(err)
	}
	return found
}

func violationsOf(err error) []store.Violation {
	var failed *service.Error
	if errors.As(err, &failed) {
		return failed.Violations
	}
	return nil
}

func sameViolations(a, b []store.Violation) bool {
	return slices.EqualFunc(a, b, func(a, b store.Violation) bool {
		return a.Code == b.Code && slices.Equal(a.Path, b.Path) && a.Detail == b.Detail && a.Rule == b.Rule &&
			a.Phase == b.Phase && a.Limit == b.Limit && a.Actual == b.Actual && a.Verb == b.Verb && string(a.DataKey) == string(b.DataKey)
	})
}
