package service

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Score is the score of a sorted set's member: a double that is never NaN.
//
// In JSON it is a number, or one of the strings "inf", "+inf" and "-inf"; in a
// query the same without quotes. A number that no double reaches (1e400) is
// refused; any other takes the nearest double, as in Redis, so integers are
// exact up to 2^53. It is written with the fewest digits that read back as the
// same double, integers below 10^21 without an exponent, infinities as strings.
type Score float64

var (
	errScoreKind  = errors.New(`must be a number, "inf" or "-inf"`)
	errScoreRange = errors.New("the score is beyond the range of a double")
)

// ParseScore reads a JSON number or an infinity.
func ParseScore(text string) (Score, error) {
	switch strings.ToLower(text) {
	case "inf", "+inf":
		return Score(math.Inf(1)), nil
	case "-inf":
		return Score(math.Inf(-1)), nil
	}
	number, err := ParseNumber(text)
	if errors.Is(err, errNumberSize) {
		return 0, err
	}
	if err != nil {
		return 0, errScoreKind
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return 0, errScoreRange
	}
	return Score(f), nil
}

// UnmarshalJSONFrom reads a number, or an infinity as a string.
func (s *Score) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	kind := dec.PeekKind()
	if kind != '0' && kind != '"' {
		return refuse(dec, errScoreKind)
	}
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	text := string(value)
	if kind == '"' {
		// A number in quotes is a slip on the way to a number.
		if text = strings.Trim(text, `"`); !strings.HasSuffix(strings.ToLower(text), "inf") {
			return errScoreKind
		}
	}
	*s, err = ParseScore(text)
	return err
}

// MarshalJSONTo writes a number, or an infinity as a string.
func (s Score) MarshalJSONTo(enc *jsontext.Encoder) error {
	f := float64(s)
	switch {
	case math.IsInf(f, 1):
		return enc.WriteToken(jsontext.String("inf"))
	case math.IsInf(f, -1):
		return enc.WriteToken(jsontext.String("-inf"))
	case math.IsNaN(f): // no write lets one in; an answer must not fail over it
		return enc.WriteToken(jsontext.String("nan"))
	}
	return enc.WriteToken(jsontext.Float(f))
}

// UnmarshalText reads the score of a query member.
func (s *Score) UnmarshalText(text []byte) (err error) {
	*s, err = ParseScore(string(text))
	return err
}
