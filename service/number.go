package service

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Number is an exact decimal number in its canonical text: 1000 for 1e3, 1.5
// for 1.50, 0 for -0.0. It never passes through a float. Empty is "not given".
//
// In JSON it is a number, in a query the same notation. A number of more than
// 4,096 characters, as given or written out, is refused.
type Number string

var (
	errNumberKind = errors.New("must be a number")
	errNumberSize = fmt.Errorf("the number is too long: at most %d characters, written out without an exponent", maxNumber)
)

// ParseNumber reads a JSON number.
func ParseNumber(text string) (Number, error) {
	if len(text) > maxNumber {
		return "", errNumberSize
	}
	literal := jsontext.Value(text)
	// Blanks around the number are legal JSON, but no part of a number.
	if literal.Kind() != '0' || !literal.IsValid() || text[len(text)-1] <= ' ' || text[0] <= ' ' {
		return "", errNumberKind
	}
	if n, ok := ReadNumber(text); ok {
		return n, nil
	}
	return "", errNumberSize
}

// ReadNumber reads a number as the commands of Redis do: also with a plus sign,
// leading zeros, and nothing before or behind the point. Infinities, NaN and
// hexadecimal numbers are none; nor is a number that is too long.
func ReadNumber(text string) (Number, bool) {
	d, ok := parseDecimal(text)
	if !ok {
		return "", false
	}
	canonical, ok := d.text()
	return Number(canonical), ok
}

// NumberOf is the Number of an integer.
func NumberOf(n int64) Number { return Number(strconv.FormatInt(n, 10)) }

// Int64 is the number as a 64-bit integer; false if it is none.
func (n Number) Int64() (int64, bool) {
	i, err := strconv.ParseInt(string(n), 10, 64)
	return i, err == nil
}

// Whole reports whether the number has no fraction, whatever its size.
func (n Number) Whole() bool {
	d, ok := parseDecimal(string(n))
	return ok && d.integer()
}

// UnmarshalJSONFrom reads a JSON number.
func (n *Number) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '0' {
		return refuse(dec, errNumberKind)
	}
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*n, err = ParseNumber(string(value))
	return err
}

// MarshalJSONTo writes a JSON number, digit for digit; null if there is none.
func (n Number) MarshalJSONTo(enc *jsontext.Encoder) error {
	if n == "" {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteValue(jsontext.Value(n))
}

// UnmarshalText reads the number of a query member.
func (n *Number) UnmarshalText(text []byte) (err error) {
	*n, err = ParseNumber(string(text))
	return err
}
