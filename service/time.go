package service

import (
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Time is a moment, to the millisecond, from the year 1970 to 9999. The zero
// Time is "not given".
//
// In JSON and in a query it is RFC 3339 text such as "2027-04-23T12:00:00Z",
// with any offset; what is finer than a millisecond is cut off. It is written
// in UTC with three decimals.
type Time struct {
	ms    int64
	given bool
}

var (
	errTimeKind  = errors.New(`must be an RFC 3339 time such as "2027-04-23T12:00:00Z"`)
	errTimeRange = errors.New("must lie between the years 1970 and 9999")
)

// maxTime is the last moment of the year 9999, in ms since the epoch.
var maxTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() - 1

// TimeOf is the moment that is ms milliseconds after the epoch.
func TimeOf(ms int64) Time { return Time{ms: ms, given: true} }

// ParseTime reads RFC 3339 text.
func ParseTime(text string) (Time, error) {
	// The standard library also takes a comma before the fraction.
	if strings.Contains(text, ",") {
		return Time{}, errTimeKind
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return Time{}, errTimeKind
	}
	ms := t.UnixMilli()
	if ms < 0 || ms > maxTime {
		return Time{}, errTimeRange
	}
	return TimeOf(ms), nil
}

// IsZero reports whether no time is given.
func (t Time) IsZero() bool { return !t.given }

// Milli is the time in ms since the epoch.
func (t Time) Milli() int64 { return t.ms }

// String writes the time in UTC; empty if none is given. A time that lies
// beyond the year 9999, as a very long time to live may reach, is written as
// the last moment of that year.
func (t Time) String() string {
	if !t.given {
		return ""
	}
	return time.UnixMilli(min(t.ms, maxTime)).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// UnmarshalJSONFrom reads a string.
func (t *Time) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		return refuse(dec, errTimeKind)
	}
	text, err := readString(dec)
	if err != nil {
		return err
	}
	*t, err = ParseTime(string(text))
	return err
}

// MarshalJSONTo writes a string; null if no time is given.
func (t Time) MarshalJSONTo(enc *jsontext.Encoder) error {
	if !t.given {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteToken(jsontext.String(t.String()))
}

// UnmarshalText reads a query member.
func (t *Time) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTime(string(text))
	return err
}
