package service

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"keypact/contracts"
)

// TTL is a time to live, or a time to wait: positive, in whole milliseconds,
// at most 106,751 days (about 292 years). Zero is "not given".
//
// In JSON it is a string with a unit ("90s", "1h", "7d", "1500ms", "1h30m") or
// a whole number of seconds; in a query the same without quotes. Zero, negative
// and overflowing times, parts of a millisecond and parts of a second without
// a unit are refused.
type TTL time.Duration

var (
	errTTLKind     = errors.New(`must be a duration such as "90s", "1h" or "7d", or a whole number of seconds`)
	errTTLPositive = errors.New("must be longer than zero")
	errTTLWhole    = errors.New("must be a whole number of milliseconds")
	errTTLSeconds  = errors.New(`must be a whole number of seconds, or a string with a unit such as "1500ms"`)
	errTTLRange    = errors.New("is out of range: at most 106751 days")
)

// ParseTTL reads a duration with its unit.
func ParseTTL(text string) (TTL, error) {
	d, err := contracts.ParseDuration(text)
	if err != nil {
		if text == "" {
			return 0, errTTLKind
		}
		return 0, err
	}
	if d <= 0 {
		return 0, errTTLPositive
	}
	if d%time.Millisecond != 0 {
		return 0, errTTLWhole
	}
	return TTL(d), nil
}

// parseSeconds reads a number of seconds; 9e1 is one, 1.5 is not.
func parseSeconds(text string) (TTL, error) {
	number, err := ParseNumber(text)
	if err != nil {
		return 0, err
	}
	if !number.Whole() {
		return 0, errTTLSeconds
	}
	if number[0] == '-' || number == "0" {
		return 0, errTTLPositive
	}
	seconds, ok := number.Int64()
	if !ok || seconds > math.MaxInt64/int64(time.Second) {
		return 0, errTTLRange
	}
	return TTL(seconds) * TTL(time.Second), nil
}

// Duration is the time as the standard library has it.
func (t TTL) Duration() time.Duration { return time.Duration(t) }

// Milliseconds is the whole time in milliseconds.
func (t TTL) Milliseconds() int64 { return time.Duration(t).Milliseconds() }

// Pointer is nil if the time is not given.
func (t TTL) Pointer() *time.Duration {
	if t == 0 {
		return nil
	}
	d := time.Duration(t)
	return &d
}

// UnmarshalJSONFrom reads a string with a unit or a number of seconds.
func (t *TTL) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		text, err := readString(dec)
		if err != nil {
			return err
		}
		*t, err = ParseTTL(string(text))
		return err
	case '0':
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		*t, err = parseSeconds(string(value))
		return err
	}
	return refuse(dec, errTTLKind)
}

// MarshalJSONTo writes whole seconds as "90s", all else as "1500ms".
func (t TTL) MarshalJSONTo(enc *jsontext.Encoder) error {
	ms := t.Milliseconds()
	if ms%1000 == 0 {
		return enc.WriteToken(jsontext.String(strconv.FormatInt(ms/1000, 10) + "s"))
	}
	return enc.WriteToken(jsontext.String(strconv.FormatInt(ms, 10) + "ms"))
}

// UnmarshalText reads a query member: "90s", or "90" for seconds.
func (t *TTL) UnmarshalText(text []byte) error {
	seconds, err := parseSeconds(string(text))
	if errors.Is(err, errNumberKind) {
		*t, err = ParseTTL(string(text))
		return err
	}
	*t = seconds
	return err
}
