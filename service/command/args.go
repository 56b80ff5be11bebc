package command

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
)

// Args are the words of a command behind its name, taken from the left.
type Args struct {
	host *Host
	name string // of the command, in capitals
	list [][]byte
	at   int
}

// Texts of errors that many commands have in common.
const (
	errSyntax     = Error("ERR syntax error")
	errNotInteger = Error("ERR value is not an integer or out of range")
	errNotFloat   = Error("ERR value is not a valid float")
	errNoKey      = Error("ERR no such key")
	errOutOfRange = Error("ERR value is out of range")
	errPositive   = Error("ERR value is out of range, must be positive")
)

// wrongNumber is the error of too few or too many words.
func wrongNumber(name string) Error {
	return Error("ERR wrong number of arguments for '" + strings.ToLower(name) + "' command")
}

// Len is how many words are left.
func (a *Args) Len() int { return len(a.list) - a.at }

// More reports whether a word is left.
func (a *Args) More() bool { return a.at < len(a.list) }

// Next takes a word; it must be there.
func (a *Args) Next() []byte {
	a.at++
	return a.list[a.at-1]
}

// Text takes a word as text.
func (a *Args) Text() string { return string(a.Next()) }

// Rest takes all words that are left.
func (a *Args) Rest() [][]byte {
	rest := a.list[a.at:]
	a.at = len(a.list)
	return rest
}

// Take takes n words; they must be there.
func (a *Args) Take(n int) [][]byte {
	words := a.list[a.at : a.at+n]
	a.at += n
	return words
}

// Token takes the next word if it is the given one, in capitals or not.
func (a *Args) Token(word string) bool {
	if a.More() && strings.EqualFold(string(a.list[a.at]), word) {
		a.at++
		return true
	}
	return false
}

// OneOf takes the next word if it is one of those given, in capitals or not,
// and returns it in capitals; empty if it is none of them.
func (a *Args) OneOf(words ...string) string {
	for _, word := range words {
		if a.Token(word) {
			return word
		}
	}
	return ""
}

// End is a syntax error if words are left.
func (a *Args) End() error {
	if a.More() {
		return errSyntax
	}
	return nil
}

// Int takes an integer. A word that is none, or none at all, is an error.
func (a *Args) Int() (int64, error) {
	if !a.More() {
		return 0, errSyntax
	}
	return parseInt(a.Next())
}

// AtLeast takes an integer that is not less than another. what is the text of
// the error about a word that is no such integer.
func (a *Args) AtLeast(least int64, what Error) (int64, error) {
	if !a.More() {
		return 0, errSyntax
	}
	if n, err := parseInt(a.Next()); err == nil && n >= least {
		return n, nil
	}
	return 0, what
}

// Float takes a number, which may be infinite.
func (a *Args) Float() (float64, error) {
	if !a.More() {
		return 0, errSyntax
	}
	return parseFloat(a.Next())
}

// Keys takes a number of keys and as many keys, as ZUNION and others have them.
// what is the text of the error about a number that is not positive.
func (a *Args) Keys(what Error) ([][]byte, error) {
	n, err := a.Int()
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, what
	}
	if n > int64(a.Len()) {
		return nil, errSyntax
	}
	return a.Take(int(n)), nil
}

// Timeout takes the seconds a blocking command waits, with a fraction; 0 is for
// ever.
func (a *Args) Timeout() (time.Duration, error) {
	if !a.More() {
		return 0, errSyntax
	}
	seconds, err := parseFloat(a.Next())
	switch {
	case err != nil || math.IsInf(seconds, 0):
		return 0, Error("ERR timeout is not a float or out of range")
	case seconds < 0:
		return 0, Error("ERR timeout is negative")
	case seconds > math.MaxInt64/1e9:
		return 0, Error("ERR timeout is out of range")
	}
	return time.Duration(math.Ceil(seconds*1e3)) * time.Millisecond, nil
}

// parseInt reads an integer in its one canonical form, as Redis does: no sign
// but a minus, no leading zero, nothing around it.
func parseInt(word []byte) (int64, error) {
	n, err := strconv.ParseInt(string(word), 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != string(word) {
		return 0, errNotInteger
	}
	return n, nil
}

// parseFloat reads a number as strtod does; NaN, digits parted by an underscore
// and anything around the number are refused.
func parseFloat(word []byte) (float64, error) {
	if len(word) == 0 || bytes.ContainsRune(word, '_') {
		return 0, errNotFloat
	}
	text := strings.ToLower(string(word))
	if strings.Contains(text, "0x") && !strings.Contains(text, "p") {
		text += "p0" // strtod asks for no exponent
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) {
		return 0, errNotFloat
	}
	return f, nil
}
