package contracts

import (
	"math"
	"strconv"
)

// scoreRule is what a score of a sorted set must look like. A score is a
// double, so its bounds are compared as doubles: a text within the bounds never
// becomes a score outside them by rounding.
type scoreRule struct {
	at         string
	integer    bool
	minimum    *decimal
	maximum    *decimal
	multipleOf *decimal
	least      float64
	most       float64
	step       step
}

// CheckScore judges the score of one member of a sorted set. A score that is
// not a finite number is refused whatever the contract says about scores.
// Whether a score is a multiple of multipleOf is decided by the shortest
// decimal text that stands for the double, which is what a reader is shown.
func (c *Contract) CheckScore(score float64) []Violation {
	if c.Mode == Off || c.Type != TypeZSet {
		return nil
	}
	out := c.score.check(c, score)
	if out == nil {
		return nil
	}
	var text [16]byte
	return settle(out, strconv.AppendUint(text[:0], math.Float64bits(score), 16))
}

func (r *scoreRule) check(c *Contract, score float64) []Violation {
	if math.IsNaN(score) || math.IsInf(score, 0) {
		return []Violation{c.violation(CodeNumberNotFinite, below(c.at, "score"), "must be a finite number")}
	}
	if r == nil {
		return nil
	}
	var out []Violation
	if r.integer && score != math.Trunc(score) {
		v := c.violation(CodeFormatInteger, below(r.at, "type"), "must be an integer")
		out = append(out, r.numbers(c, v, nil, score))
	}
	if r.minimum != nil && score < r.least {
		v := c.violation(CodeNumberMinimum, below(r.at, "minimum"), "must be at least "+r.minimum.String())
		out = append(out, r.numbers(c, v, r.minimum.plain(), score))
	}
	if r.maximum != nil && score > r.most {
		v := c.violation(CodeNumberMaximum, below(r.at, "maximum"), "must be at most "+r.maximum.String())
		out = append(out, r.numbers(c, v, r.maximum.plain(), score))
	}
	if r.multipleOf != nil && !r.isMultiple(score) {
		v := c.violation(CodeNumberMultipleOf, below(r.at, "multipleOf"), "must be a multiple of "+r.multipleOf.String())
		out = append(out, r.numbers(c, v, r.multipleOf.plain(), score))
	}
	return out
}

// isMultiple judges the shortest decimal text of the score. The longest such
// text without exponent has some 330 characters.
func (r *scoreRule) isMultiple(score float64) bool {
	var buffer [360]byte
	text := strconv.AppendFloat(buffer[:0], math.Abs(score), 'f', -1, 64)
	d, _, ok := parsePlain(text)
	return ok && r.step.divides(d)
}

func (r *scoreRule) numbers(c *Contract, v Violation, limit any, score float64) Violation {
	if c.Sensitive {
		return v
	}
	v.Limit, v.Actual = limit, score
	if score == math.Trunc(score) && math.Abs(score) < 1<<62 {
		v.Actual = int64(score)
	}
	return v
}
