package contracts

import (
	"fmt"
	"time"
)

// ttlRule is what a contract says about lifetimes. The zero rule is "optional".
type ttlRule struct {
	declared  bool
	forbidden bool
	required  bool
	least     time.Duration // 0 = none
	most      time.Duration // 0 = none
	fallback  time.Duration // 0 = none
}

// TTLState is the lifetime a key would have after an operation.
type TTLState struct {
	Has       bool          // the key expires
	Remaining time.Duration // from the operation's one reading of the clock
	Set       bool          // an operation of the list set the lifetime; only then the minimum is judged
}

// CheckTTL judges the lifetime a key would have. It is to be asked about keys
// that would exist only. A remaining time equal to a limit passes.
func (c *Contract) CheckTTL(state TTLState) []Violation {
	if c.Mode == Off || !c.Governed() {
		return nil
	}
	switch t := &c.ttl; {
	case !state.Has && t.required:
		return settle([]Violation{c.ttlViolation(CodeTTLRequired, "required", c.ttlAdvice())})
	case !state.Has:
		return nil
	case t.forbidden:
		v := c.violation(CodeTTLForbidden, below(c.at, "ttl"), "the key must not expire")
		return settle([]Violation{measuredTTL(v, state)})
	case t.most > 0 && state.Remaining > t.most:
		v := c.ttlViolation(CodeTTLMax, "max", "the TTL must be at most "+formatDuration(t.most))
		v.Limit, v.Actual = seconds(t.most), seconds(state.Remaining)
		return settle([]Violation{measuredTTL(v, state)})
	case t.least > 0 && state.Set && state.Remaining < t.least:
		v := c.ttlViolation(CodeTTLMin, "min", "the TTL must be at least "+formatDuration(t.least))
		v.Limit, v.Actual = seconds(t.least), seconds(state.Remaining)
		return settle([]Violation{v})
	}
	return nil
}

func (c *Contract) ttlViolation(code, keyword, detail string) Violation {
	v := c.violation(code, below(below(c.at, "ttl"), keyword), detail)
	v.Phase = PhaseResult
	return v
}

// measuredTTL lets the ratchet tolerate a lifetime that only gets shorter.
func measuredTTL(v Violation, state TTLState) Violation {
	v.Phase = PhaseResult
	v.measure, v.measured = uint64(max(state.Remaining, 0)), true
	return v
}

func (c *Contract) ttlAdvice() string {
	t := &c.ttl
	switch {
	case t.least > 0 && t.most > 0:
		return fmt.Sprintf("the key must expire: set a TTL between %s and %s", formatDuration(t.least), formatDuration(t.most))
	case t.most > 0:
		return "the key must expire: set a TTL of at most " + formatDuration(t.most)
	case t.least > 0:
		return "the key must expire: set a TTL of at least " + formatDuration(t.least)
	}
	return "the key must expire: set a TTL"
}

// seconds gives a duration as a violation's number.
func seconds(d time.Duration) any {
	if d%time.Second == 0 {
		return int64(d / time.Second)
	}
	return d.Seconds()
}
