package contracts

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// decimal is an exact decimal number of any size: the digits before the point
// without leading zeros and those after it without trailing zeros. Zero has no
// digits and no sign. The digits may alias the text they were read from, so
// that reading and comparing allocate nothing.
type decimal struct {
	negative bool
	whole    []byte
	fraction []byte
}

// parsePlain reads a number as it must stand in a stored string: an optional
// minus sign, digits without leading zeros, optionally a point and more digits.
// No plus sign, no exponent, no negative zero, no separators. Integer reports
// whether there was no point.
func parsePlain(text []byte) (d decimal, integer, ok bool) {
	rest := text
	if len(rest) > 0 && rest[0] == '-' {
		d.negative, rest = true, rest[1:]
	}
	d.whole = rest[:digitPrefix(rest)]
	rest = rest[len(d.whole):]
	if len(d.whole) == 0 || len(d.whole) > 1 && d.whole[0] == '0' {
		return decimal{}, false, false
	}
	integer = len(rest) == 0
	if !integer {
		d.fraction = rest[1:]
		if rest[0] != '.' || len(d.fraction) == 0 || digitPrefix(d.fraction) != len(d.fraction) {
			return decimal{}, false, false
		}
	}
	d.whole = bytes.TrimLeft(d.whole, "0")
	d.fraction = bytes.TrimRight(d.fraction, "0")
	if d.negative && d.isZero() {
		return decimal{}, false, false
	}
	return d, integer, true
}

func digitPrefix(text []byte) int {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}

// maxExponent bounds the numbers of a contract file. Doubles end below 309.
const maxExponent = 400

// parseJSONNumber reads a number by the grammar of JSON, exponent included.
// It refuses exponents beyond maxExponent.
func parseJSONNumber(text string) (decimal, bool) {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		digits := strings.TrimPrefix(text[i+1:], "+")
		n, err := strconv.Atoi(digits)
		if err != nil || n > maxExponent || n < -maxExponent || strings.HasPrefix(digits, "+") {
			return decimal{}, false
		}
		exponent = n
	}
	unsigned := strings.TrimPrefix(mantissa, "-")
	d, _, ok := parsePlain([]byte(unsigned))
	if !ok || d.negative || len(unsigned) > 2*maxExponent {
		return decimal{}, false
	}
	d = d.shift(exponent)
	d.negative = len(unsigned) < len(mantissa) && !d.isZero()
	return d, true
}

// shift moves the point by n places to the right, or to the left for negative n.
func (d decimal) shift(n int) decimal {
	digits := append(bytes.Clone(d.whole), d.fraction...)
	point := len(d.whole) + n
	if point < 0 {
		digits = append(bytes.Repeat([]byte{'0'}, -point), digits...)
		point = 0
	}
	if point > len(digits) {
		digits = append(digits, bytes.Repeat([]byte{'0'}, point-len(digits))...)
	}
	return decimal{
		negative: d.negative,
		whole:    bytes.TrimLeft(digits[:point:point], "0"),
		fraction: bytes.TrimRight(digits[point:], "0"),
	}
}

func (d decimal) isZero() bool { return len(d.whole) == 0 && len(d.fraction) == 0 }

// compare is exact: negative if d is less than other, 0 if equal, else positive.
func (d decimal) compare(other decimal) int {
	if d.negative != other.negative {
		if d.negative {
			return -1
		}
		return 1
	}
	n := d.compareSize(other)
	if d.negative {
		return -n
	}
	return n
}

func (d decimal) compareSize(other decimal) int {
	if len(d.whole) != len(other.whole) {
		return len(d.whole) - len(other.whole)
	}
	if n := bytes.Compare(d.whole, other.whole); n != 0 {
		return n
	}
	return bytes.Compare(d.fraction, other.fraction)
}

// maxStepDigits keeps the arithmetic of multipleOf within 64 bits.
const maxStepDigits = 18

// step is a positive number that others are to be multiples of.
type step struct {
	unit   uint64 // the number without its point
	places int    // how many digits stand after the point
}

// asStep turns a positive number of at most maxStepDigits digits into a step.
func (d decimal) asStep() (step, bool) {
	digits := append(bytes.Clone(d.whole), d.fraction...)
	if d.negative || d.isZero() || len(digits) > maxStepDigits {
		return step{}, false
	}
	unit, err := strconv.ParseUint(string(digits), 10, 64)
	return step{unit: unit, places: len(d.fraction)}, err == nil
}

// divides reports whether d is a whole multiple of the step, exactly. A
// multiple has no more digits after the point than the step has.
func (s step) divides(d decimal) bool {
	if len(d.fraction) > s.places {
		return false
	}
	var rest uint64
	for _, digit := range d.whole {
		rest = (rest*10 + uint64(digit-'0')) % s.unit
	}
	for i := range s.places {
		digit := byte('0')
		if i < len(d.fraction) {
			digit = d.fraction[i]
		}
		rest = (rest*10 + uint64(digit-'0')) % s.unit
	}
	return rest == 0
}

// String writes the number without exponent, as a JSON number.
func (d decimal) String() string {
	var b strings.Builder
	if d.negative {
		b.WriteByte('-')
	}
	if len(d.whole) == 0 {
		b.WriteByte('0')
	}
	b.Write(d.whole)
	if len(d.fraction) > 0 {
		b.WriteByte('.')
		b.Write(d.fraction)
	}
	return b.String()
}

// MarshalJSON writes the number exactly.
func (d decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// longestActual bounds how many digits of a number a violation repeats.
const longestActual = 40

// plain gives the number as a violation's Limit or Actual: an int64 if it is
// one, a float64 if that says exactly the same, else its text; nil if it is so
// long that nobody wants to read it.
func (d decimal) plain() any {
	if len(d.whole)+len(d.fraction) > longestActual {
		return nil
	}
	text := d.String()
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && !math.IsInf(f, 0) && strconv.FormatFloat(f, 'f', -1, 64) == text {
		return f
	}
	return text
}

// float is the double nearest to the number, infinite if it is beyond them.
func (d decimal) float() float64 {
	f, _ := strconv.ParseFloat(d.String(), 64)
	return f
}
