package service

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"
)

// shape checks what an operation says of itself, before anything is read or
// written: tags on its members, then rules between them. The rules are fixed
// when a service is made; nothing of a request ever becomes a tag.
type shape struct {
	limits   Limits
	validate *validator.Validate
}

// maxIssues is how many faults of one request are listed.
const maxIssues = 100

func newShape(limits Limits) (*shape, error) {
	s := &shape{limits: limits, validate: validator.New(validator.WithRequiredStructEnabled())}
	s.validate.RegisterTagNameFunc(memberName)
	tags := map[string]validator.Func{
		"key":        atMost(limits.KeyBytes),
		"element":    atMost(limits.FieldBytes),
		"value":      atMost(limits.ValueBytes),
		"page":       func(fl validator.FieldLevel) bool { return fl.Field().Int() <= int64(limits.PageSize) },
		"wait":       func(fl validator.FieldLevel) bool { return fl.Field().Int() <= int64(limits.Wait) },
		"conditions": conditionsFit,
	}
	for name, check := range tags {
		if err := s.validate.RegisterValidation(name, check); err != nil {
			return nil, fmt.Errorf("register the check %q: %w", name, err)
		}
	}
	return s, nil
}

// memberName is the name a member has in a request.
func memberName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// atMost bounds the length of Bytes. The empty ones are welcome: absence is
// for "required" to refuse.
func atMost(limit int) validator.Func {
	return func(fl validator.FieldLevel) bool { return fl.Field().Len() <= limit }
}

// conditionsFit wants Conditions to be of the words in the tag's parameter,
// and able to hold together.
func conditionsFit(fl validator.FieldLevel) bool {
	given, ok := fl.Field().Interface().(Conditions)
	if !ok {
		return false
	}
	allowed := strings.Fields(fl.Param())
	for _, word := range given {
		found := false
		for _, a := range allowed {
			found = found || string(word) == a
		}
		if !found {
			return false
		}
	}
	_, _, clash := given.contradiction()
	return !clash
}

// check returns an *Error with all faults of the operation, or nil.
func (s *shape) check(op Op) error {
	issues, err := s.issues(op)
	if err != nil || len(issues) == 0 {
		return err
	}
	return shapeError(issues)
}

// shaped is an operation whose door has checked its arguments: nothing more is
// asked of its shape, not even that it is a struct.
type shaped interface {
	Shaped() bool
}

func (s *shape) issues(op Op) ([]Issue, error) {
	op = bare(op)
	if done, ok := op.(shaped); ok && done.Shaped() {
		return nil, nil
	}
	var issues []Issue
	var faults validator.ValidationErrors
	err := s.validate.Struct(op)
	if err != nil && !errors.As(err, &faults) {
		return nil, fmt.Errorf("check the shape of %T: %w", op, err)
	}
	for _, fault := range faults {
		issues = append(issues, s.issue(fault))
	}
	if c, ok := op.(checker); ok {
		issues = append(issues, c.check(s.limits)...)
	}
	return issues, nil
}

// shapeError is too large if size is all that is wrong.
func shapeError(issues []Issue) *Error {
	out := &Error{Kind: KindTooLarge, Code: "too-large", Detail: "The request is larger than the service takes."}
	for _, issue := range issues {
		if !issue.tooLarge {
			out.Kind, out.Code, out.Detail = KindInvalid, "invalid-request", "The request is not well-formed."
		}
	}
	if len(issues) == 1 {
		out.Detail = "'" + strings.Join(issues[0].Path, ".") + "' " + issues[0].Detail + "."
	}
	out.Errors = issues[:min(len(issues), maxIssues)]
	return out
}

// issue puts a fault found by a tag into words.
func (s *shape) issue(fault validator.FieldError) Issue {
	issue := Issue{Path: memberPath(fault.Namespace()), Detail: "is not valid"}
	switch fault.Tag() {
	case "required":
		issue.Detail = "is required"
	case "key":
		issue.Detail = tooLong(s.limits.KeyBytes)
	case "element":
		issue.Detail, issue.tooLarge = tooLong(s.limits.FieldBytes), true
	case "value":
		issue.Detail, issue.tooLarge = tooLong(s.limits.ValueBytes), true
	case "page":
		issue.Detail = fmt.Sprintf("must be at most %d", s.limits.PageSize)
	case "wait":
		issue.Detail = fmt.Sprintf("must be at most %s", s.limits.Wait)
	case "conditions":
		issue.Detail = conditionsAdvice(fault)
	case "oneof":
		issue.Detail = "must be one of " + strings.Join(strings.Fields(fault.Param()), ", ")
	case "min":
		issue.Detail = "must be at least " + fault.Param() + unit(fault.Kind())
	case "max":
		issue.Detail = "must be at most " + fault.Param() + unit(fault.Kind())
	}
	return issue
}

func tooLong(limit int) string { return fmt.Sprintf("must be at most %d bytes long", limit) }

// unit is what the numbers of a limit count.
func unit(kind reflect.Kind) string {
	if kind == reflect.Slice {
		return " elements"
	}
	return ""
}

func conditionsAdvice(fault validator.FieldError) string {
	if given, ok := fault.Value().(Conditions); ok {
		if a, b, clash := given.contradiction(); clash {
			return fmt.Sprintf("%s and %s can never hold together", a, b)
		}
	}
	return "must be of " + strings.Join(strings.Fields(fault.Param()), ", ")
}

// memberPath makes HashSet.fields[2].value the path fields, 2, value. Names of
// embedded structs are no part of a request.
func memberPath(namespace string) []string {
	_, rest, _ := strings.Cut(namespace, ".")
	var path []string
	for _, part := range strings.Split(rest, ".") {
		name, index, listed := strings.Cut(part, "[")
		if name != "" && name[0] >= 'a' && name[0] <= 'z' {
			path = append(path, name)
		}
		if listed {
			path = append(path, strings.TrimSuffix(index, "]"))
		}
	}
	return path
}
