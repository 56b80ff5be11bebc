package service

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Condition is one word of Conditions.
type Condition string

// The conditions a write may have. What they look at (the key, an element, a
// score, a time to live) is said by each operation.
const (
	Absent  Condition = "absent"  // only if it is not there
	Present Condition = "present" // only if it is there
	Greater Condition = "greater" // only if the new one is greater
	Less    Condition = "less"    // only if the new one is less
)

// Conditions say when a write is to happen; all must hold. If they do not,
// nothing is written and the answer is 412.
//
// In JSON they are one word or a list of words, in a query one word or several
// with commas between.
type Conditions []Condition

var errConditionsKind = errors.New("must be a word or a list of words")

// Has reports whether a condition is among them.
func (c Conditions) Has(word Condition) bool { return slices.Contains(c, word) }

// Only builds Conditions from words.
func Only(words ...Condition) Conditions { return words }

// contradiction says which two conditions can never hold together.
func (c Conditions) contradiction() (a, b Condition, found bool) {
	for _, pair := range [][2]Condition{{Absent, Present}, {Greater, Less}, {Absent, Greater}, {Absent, Less}} {
		if c.Has(pair[0]) && c.Has(pair[1]) {
			return pair[0], pair[1], true
		}
	}
	return "", "", false
}

// UnmarshalJSONFrom reads a string or a list of strings.
func (c *Conditions) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*c = nil
	if dec.PeekKind() != '[' {
		return c.readWord(dec)
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if err := c.readWord(dec); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (c *Conditions) readWord(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		return refuse(dec, errConditionsKind)
	}
	word, err := readString(dec)
	*c = append(*c, Condition(word))
	return err
}

// MarshalJSONTo writes one word as a string, several as a list.
func (c Conditions) MarshalJSONTo(enc *jsontext.Encoder) error {
	if len(c) == 1 {
		return enc.WriteToken(jsontext.String(string(c[0])))
	}
	if err := enc.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for _, word := range c {
		if err := enc.WriteToken(jsontext.String(string(word))); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndArray)
}

// UnmarshalText reads words with commas between.
func (c *Conditions) UnmarshalText(text []byte) error {
	*c = nil
	for word := range strings.SplitSeq(string(text), ",") {
		*c = append(*c, Condition(word))
	}
	return nil
}
