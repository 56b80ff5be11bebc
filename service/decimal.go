package service

import (
	"math/big"
	"strconv"
	"strings"
)

// maxNumber is how many characters a number may have, as it is given and when
// it is written out in full. The longest double has 1,077; arithmetic stays cheap.
const maxNumber = 4096

// decimal is the exact number digits * 10^exponent. The digits neither start
// nor end with a zero; zero has none, and no sign.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// parseDecimal reads a sign, digits with at most one point among them, and an
// exponent: what a JSON number may be, and also +5, 05, .5 and 5. as Redis
// reads them. Words such as inf and hexadecimal numbers are refused.
func parseDecimal(text string) (decimal, bool) {
	if len(text) > maxNumber {
		return decimal{}, false
	}
	mantissa, exponent, ok := cutExponent(text)
	if !ok {
		return decimal{}, false
	}
	var d decimal
	if rest, found := strings.CutPrefix(mantissa, "-"); found {
		d.negative, mantissa = true, rest
	} else {
		mantissa = strings.TrimPrefix(mantissa, "+")
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return decimal{}, false
	}
	d.digits, d.exponent = digits, exponent-len(fraction)
	return d.normal(), true
}

// cutExponent parts 1.5e3 into 1.5 and 3.
func cutExponent(text string) (mantissa string, exponent int, ok bool) {
	i := strings.IndexAny(text, "eE")
	if i < 0 {
		return text, 0, true
	}
	exponent, err := strconv.Atoi(text[i+1:])
	return text[:i], exponent, err == nil && -2*maxNumber < exponent && exponent < 2*maxNumber
}

// normal strips zeros from both ends.
func (d decimal) normal() decimal {
	d.digits = strings.TrimLeft(d.digits, "0")
	short := strings.TrimRight(d.digits, "0")
	d.exponent += len(d.digits) - len(short)
	d.digits = short
	if short == "" {
		return decimal{}
	}
	return d
}

// text writes the number without an exponent; false if that takes more than
// maxNumber characters.
func (d decimal) text() (string, bool) {
	if d.digits == "" {
		return "0", true
	}
	var b strings.Builder
	if d.negative {
		b.WriteByte('-')
	}
	point := len(d.digits) + d.exponent // digits before the point
	if max(len(d.digits), point, len(d.digits)-point)+3 > maxNumber {
		return "", false
	}
	switch {
	case point <= 0:
		b.WriteString("0." + strings.Repeat("0", -point) + d.digits)
	case point >= len(d.digits):
		b.WriteString(d.digits + strings.Repeat("0", point-len(d.digits)))
	default:
		b.WriteString(d.digits[:point] + "." + d.digits[point:])
	}
	return b.String(), true
}

// integer reports whether the number has no fraction.
func (d decimal) integer() bool { return d.exponent >= 0 }

// plus adds exactly. Both exponents are bounded by parseDecimal.
func (d decimal) plus(other decimal) decimal {
	exponent := min(d.exponent, other.exponent)
	sum := d.scaled(exponent)
	sum.Add(sum, other.scaled(exponent))
	out := decimal{negative: sum.Sign() < 0, exponent: exponent}
	out.digits = sum.Abs(sum).String()
	return out.normal()
}

// scaled is the number as a multiple of 10^exponent, which must not exceed the
// number's own.
func (d decimal) scaled(exponent int) *big.Int {
	n := new(big.Int)
	if d.digits == "" {
		return n
	}
	n.SetString(d.digits+strings.Repeat("0", d.exponent-exponent), 10)
	if d.negative {
		n.Neg(n)
	}
	return n
}
