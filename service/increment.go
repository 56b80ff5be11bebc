package service

import (
	"math"
	"strconv"

	"keypact/store"
)

// increment is a step of a counter, as strings and hash fields have it: by an
// integer, exact in 64 bits, or by a decimal number, exact in all its digits.
type increment struct {
	by      Number
	decimal bool // count in decimal numbers even if by is whole
	negate  bool // count down
}

// number is the step as it was given, or 1.
func (inc increment) number() Number {
	if inc.by == "" {
		return "1"
	}
	return inc.by
}

// whole reports whether the step counts in 64-bit integers.
func (inc increment) whole() bool {
	return !inc.decimal && inc.number().Whole()
}

// check wants an integer step to fit 64 bits, as it will be applied.
func (inc increment) check() []Issue {
	if !inc.whole() {
		return nil
	}
	if _, ok := inc.step(); !ok {
		return []Issue{{Path: []string{"by"}, Detail: "must be a 64-bit integer, or a number with a fraction"}}
	}
	return nil
}

// step is the integer to add.
func (inc increment) step() (int64, bool) {
	by, ok := inc.number().Int64()
	if inc.negate {
		return -by, ok && by != math.MinInt64
	}
	return by, ok
}

// apply adds the step to a stored value; an absent one counts as 0.
func (inc increment) apply(old []byte, found bool) ([]byte, error) {
	if !found {
		old = []byte("0")
	}
	if inc.whole() {
		by, _ := inc.step()
		return addInteger(old, by)
	}
	return addDecimal(old, inc.number())
}

// addInteger adds to a 64-bit integer in canonical form, as INCRBY does: no
// plus sign, no blanks, no leading zeros, no -0 (store.ErrNotInteger). A sum
// beyond 64 bits is store.ErrOverflow.
func addInteger(old []byte, by int64) ([]byte, error) {
	n, err := strconv.ParseInt(string(old), 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != string(old) {
		return nil, store.ErrNotInteger
	}
	if by > 0 && n > math.MaxInt64-by || by < 0 && n < math.MinInt64-by {
		return nil, store.ErrOverflow
	}
	return strconv.AppendInt(nil, n+by, 10), nil
}

// addDecimal adds exactly, where INCRBYFLOAT rounds to 17 digits: 0.1 and 0.2
// make 0.3 in both. The old value may have an exponent, a plus sign and leading
// zeros; anything else, inf and nan among it, is store.ErrNotNumber. A sum
// beyond the doubles, or too long to write out, is store.ErrOverflow.
func addDecimal(old []byte, by Number) ([]byte, error) {
	have, ok := parseDecimal(string(old))
	if !ok {
		return nil, store.ErrNotNumber
	}
	step, ok := parseDecimal(string(by))
	if !ok {
		return nil, store.ErrNotNumber
	}
	text, ok := have.plus(step).text()
	if !ok {
		return nil, store.ErrOverflow
	}
	if f, err := strconv.ParseFloat(text, 64); err != nil || math.IsInf(f, 0) {
		return nil, store.ErrOverflow
	}
	return []byte(text), nil
}
