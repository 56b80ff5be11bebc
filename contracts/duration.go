package contracts

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

var errDurationRange = errors.New("duration is out of range: at most 106751 days")

const day = 24 * time.Hour

// ParseDuration reads a duration as contracts and requests write it: the
// standard library's notation ("90s", "1h30m", "1500ms"), optionally after
// whole days ("7d", "1d12h"). A unit is always needed. Negative durations are
// read as such; overflow is an error, never a wrap.
func ParseDuration(text string) (time.Duration, error) {
	if len(text) > 64 {
		return 0, fmt.Errorf("duration is longer than 64 characters")
	}
	days, rest, hasDays := strings.Cut(text, "d")
	if !hasDays {
		return parsePart(text, text)
	}
	n := digitPrefix([]byte(days))
	if n == 0 || n != len(days) {
		return 0, durationError(text)
	}
	whole, err := strconv.ParseInt(days, 10, 64)
	if err != nil || whole > int64(math.MaxInt64/day) {
		return 0, errDurationRange
	}
	total := time.Duration(whole) * day
	if rest == "" {
		return total, nil
	}
	if digitPrefix([]byte(rest)) == 0 {
		return 0, durationError(text)
	}
	part, err := parsePart(rest, text)
	if err != nil {
		return 0, err
	}
	if part > math.MaxInt64-total {
		return 0, errDurationRange
	}
	return total + part, nil
}

// parsePart hides the standard library's wording. It tells an overflow from
// nonsense by the number of digits, and wants a unit even for zero.
func parsePart(part, text string) (time.Duration, error) {
	d, err := time.ParseDuration(part)
	if err == nil && part != "0" {
		return d, nil
	}
	if digitPrefix([]byte(part)) >= 6 {
		return 0, errDurationRange
	}
	return 0, durationError(text)
}

func durationError(text string) error {
	return fmt.Errorf("%q is not a duration; write a number with its unit, such as 90s, 1h or 7d", text)
}

// formatDuration writes a duration as a contract would: "1h", not "1h0m0s",
// and whole days as days.
func formatDuration(d time.Duration) string {
	if d >= day && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
