package contracts

import (
	"fmt"
	"strings"
	"time"
)

// operation is one permitted command with the ranges of its arguments.
type operation struct {
	at      string
	timeout *span // nil = any
	count   *span // nil = any
}

// span is an inclusive range; 0 stands for an absent end.
type span struct{ least, most int64 }

// Call is the use of one command on one key.
type Call struct {
	Verb string // canonical, in capitals: INCRBY also for INCR
	Read bool   // the command changes nothing
	// Timeout is how long a blocking command waits, nil if the request did not
	// say. Zero means for ever, as in Redis.
	Timeout *time.Duration
	// Count is how many elements are asked for, nil if the request did not
	// say, which means one.
	Count *int64
}

// CheckOperation judges whether a command may be used on the key at all, and
// whether its arguments are within the contract's ranges. Reads pass unless
// the contract lists them too.
func (c *Contract) CheckOperation(call Call) []Violation {
	if c.Mode == Off || c.operations == nil || call.Read && !c.readsListed {
		return nil
	}
	op := c.operations[call.Verb]
	if op == nil {
		op = c.operations[CanonicalVerb(call.Verb)]
	}
	if op == nil {
		detail := fmt.Sprintf("%s is not allowed here; allowed: %s", call.Verb, strings.Join(c.verbs, ", "))
		v := c.violation(CodeOperationDenied, below(c.at, "operations"), detail)
		return settle([]Violation{v}, []byte(call.Verb))
	}
	var out []Violation
	if op.timeout != nil && !op.timeout.admitsTimeout(call.Timeout) {
		out = append(out, c.timeoutViolation(op, call))
	}
	if op.count != nil && !op.count.admits(countOf(call)) {
		out = append(out, c.countViolation(op, call))
	}
	if out == nil {
		return nil
	}
	return settle(out, []byte(call.Verb))
}

func (s *span) admits(n int64) bool {
	return (s.least == 0 || n >= s.least) && (s.most == 0 || n <= s.most)
}

// admitsTimeout refuses an absent timeout and zero, which both mean for ever.
func (s *span) admitsTimeout(timeout *time.Duration) bool {
	return timeout != nil && *timeout > 0 && s.admits(int64(*timeout))
}

func countOf(call Call) int64 {
	if call.Count == nil {
		return 1
	}
	return *call.Count
}

func (c *Contract) timeoutViolation(op *operation, call Call) Violation {
	s, rule := op.timeout, below(op.at, "timeout")
	show := func(n int64) string { return formatDuration(time.Duration(n)) }
	v := c.violation(CodeArgumentRange, rule, "timeout of "+call.Verb+" must be "+s.describe(show))
	if call.Timeout == nil {
		v.Detail += "; without one it would wait for ever"
		return v
	}
	v.Actual = seconds(*call.Timeout)
	if s.most > 0 && (*call.Timeout <= 0 || int64(*call.Timeout) > s.most) {
		v.Limit, v.Rule = seconds(time.Duration(s.most)), below(rule, "max")
	} else if s.least > 0 {
		v.Limit, v.Rule = seconds(time.Duration(s.least)), below(rule, "min")
	}
	if *call.Timeout == 0 {
		v.Detail += "; 0 would wait for ever"
	}
	return v
}

func (c *Contract) countViolation(op *operation, call Call) Violation {
	s, rule := op.count, below(op.at, "count")
	v := c.violation(CodeArgumentRange, rule, "count of "+call.Verb+" must be "+s.describe(func(n int64) string { return fmt.Sprint(n) }))
	v.Actual = countOf(call)
	if s.most > 0 && countOf(call) > s.most {
		v.Limit, v.Rule = s.most, below(rule, "max")
	} else {
		v.Limit, v.Rule = s.least, below(rule, "min")
	}
	return v
}

func (s *span) describe(show func(int64) string) string {
	switch {
	case s.least > 0 && s.most > 0:
		return "between " + show(s.least) + " and " + show(s.most)
	case s.most > 0:
		return "at most " + show(s.most)
	}
	return "at least " + show(s.least)
}
