package contracts

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// valueKind is the type of a value inside a string, field, member or element.
type valueKind string

const (
	kindString  valueKind = "string"
	kindInteger valueKind = "integer"
	kindNumber  valueKind = "number"
)

// rule is what a value, a field, an element or a variable must look like.
type rule struct {
	at         string // JSON pointer of the rule
	kind       valueKind
	minBytes   limit
	maxBytes   limit
	minLength  limit
	maxLength  limit
	utf8       bool
	pattern    *regexp.Regexp
	patternPos position
	excludes   []exclusion
	enum       []string
	enumSet    map[string]bool
	enumNumber []decimal
	format     *format
	allowEmpty bool
	sensitive  bool
	minimum    *decimal
	maximum    *decimal
	multipleOf *decimal
	step       step
}

// limit is a length that may be absent.
type limit struct {
	n   int64
	set bool
}

// exclusion is a class of characters, or one character, that must not occur.
type exclusion struct {
	word string // as written
	at   string // JSON pointer
	is   func(rune) bool
	raw  []byte // the one character, if is is nil
}

// exclusionClasses are the classes a contract can name. White space is
// Unicode's, plus U+FEFF, which other languages' \s includes.
var exclusionClasses = map[string]func(rune) bool{
	"whitespace": func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' },
	"control":    func(r rune) bool { return unicode.Is(unicode.Cc, r) },
	"invisible":  func(r rune) bool { return unicode.Is(unicode.Cf, r) },
}

// check judges one value. The result is nil, and nothing is allocated, if the
// value obeys. The caller settles what is returned.
func (r *rule) check(c *Contract, value []byte) []Violation {
	if r == nil || r.allowEmpty && len(value) == 0 {
		return nil
	}
	if r.kind != kindString {
		return r.checkNumber(c, value)
	}
	out := r.checkSize(c, nil, value)
	return r.checkText(c, out, value)
}

func (r *rule) checkSize(c *Contract, out []Violation, value []byte) []Violation {
	size := int64(len(value))
	if r.minBytes.set && size < r.minBytes.n {
		out = append(out, r.measured(c, CodeValueBytes, "minBytes", atLeast(r.minBytes.n, "byte"), r.minBytes.n, size))
	}
	if r.maxBytes.set && size > r.maxBytes.n {
		out = append(out, r.measured(c, CodeValueBytes, "maxBytes", atMost(r.maxBytes.n, "byte"), r.maxBytes.n, size))
	}
	if !r.minLength.set && !r.maxLength.set {
		return out
	}
	// Malformed bytes count as one character each, so they cannot hide.
	length := int64(utf8.RuneCount(value))
	if r.minLength.set && length < r.minLength.n {
		out = append(out, r.measured(c, CodeValueLength, "minLength", atLeast(r.minLength.n, "character"), r.minLength.n, length))
	}
	if r.maxLength.set && length > r.maxLength.n {
		out = append(out, r.measured(c, CodeValueLength, "maxLength", atMost(r.maxLength.n, "character"), r.maxLength.n, length))
	}
	return out
}

func (r *rule) checkText(c *Contract, out []Violation, value []byte) []Violation {
	if r.utf8 && !utf8.Valid(value) {
		out = append(out, r.broken(c, CodeValueEncoding, "encoding", "must be valid UTF-8"))
	}
	if r.pattern != nil && !r.pattern.Match(value) {
		out = append(out, r.broken(c, CodeValuePattern, "pattern", "must match the pattern "+r.pattern.String()))
	}
	for i := range r.excludes {
		if r.excludes[i].found(value) {
			v := r.broken(c, CodeValueExcludes, "", "must not contain "+r.excludes[i].describe())
			v.Rule = r.excludes[i].at
			out = append(out, v)
		}
	}
	if r.enumSet != nil && !r.enumSet[string(value)] {
		out = append(out, r.broken(c, CodeValueEnum, "enum", r.enumDetail()))
	}
	if r.format != nil && !r.format.valid(value) {
		out = append(out, r.broken(c, r.format.code, "format", r.formatDetail()))
	}
	return out
}

func (r *rule) checkNumber(c *Contract, value []byte) []Violation {
	d, integer, ok := parsePlain(value)
	if r.kind == kindInteger && !(ok && integer) {
		return []Violation{r.broken(c, CodeFormatInteger, "type",
			"must be an integer such as 42: digits, without leading zeros, plus sign or exponent"+r.orEmpty())}
	}
	if !ok {
		return []Violation{r.broken(c, CodeFormatNumber, "type",
			"must be a decimal number such as 12.5: digits, without leading zeros, plus sign or exponent"+r.orEmpty())}
	}
	var out []Violation
	if r.minimum != nil && d.compare(*r.minimum) < 0 {
		out = append(out, r.measured(c, CodeNumberMinimum, "minimum", "must be at least "+r.minimum.String(), r.minimum.plain(), d.plain()))
	}
	if r.maximum != nil && d.compare(*r.maximum) > 0 {
		out = append(out, r.measured(c, CodeNumberMaximum, "maximum", "must be at most "+r.maximum.String(), r.maximum.plain(), d.plain()))
	}
	if r.multipleOf != nil && !r.step.divides(d) {
		out = append(out, r.measured(c, CodeNumberMultipleOf, "multipleOf", "must be a multiple of "+r.multipleOf.String(),
			r.multipleOf.plain(), d.plain()))
	}
	if r.enumNumber != nil && !r.enumHas(d) {
		out = append(out, r.broken(c, CodeValueEnum, "enum", r.enumDetail()))
	}
	return out
}

func (r *rule) enumHas(d decimal) bool {
	for _, allowed := range r.enumNumber {
		if d.compare(allowed) == 0 {
			return true
		}
	}
	return false
}

// broken is a violation of this rule without numbers.
func (r *rule) broken(c *Contract, code, keyword, detail string) Violation {
	return c.violation(code, below(r.at, keyword), detail)
}

// measured is a violation that shows the limit and what was found, unless the
// data is sensitive.
func (r *rule) measured(c *Contract, code, keyword, detail string, limit, actual any) Violation {
	v := r.broken(c, code, keyword, detail)
	if !r.sensitive {
		v.Limit, v.Actual = limit, actual
	}
	return v
}

func (e *exclusion) found(value []byte) bool {
	if e.is == nil {
		return bytes.Contains(value, e.raw)
	}
	for i := 0; i < len(value); {
		ch, size := utf8.DecodeRune(value[i:])
		if e.is(ch) {
			return true
		}
		i += size
	}
	return false
}

func (e *exclusion) describe() string {
	switch e.word {
	case "whitespace":
		return "white space"
	case "control", "invisible":
		return e.word + " characters"
	}
	return fmt.Sprintf("%q", e.word)
}

// shownChoices is how many allowed values a message lists.
const shownChoices = 20

func (r *rule) enumDetail() string {
	shown, more := r.enum, ""
	if len(shown) > shownChoices {
		shown, more = shown[:shownChoices], ", ..."
	}
	return "must be one of: " + strings.Join(shown, ", ") + more + r.orEmpty()
}

func (r *rule) formatDetail() string {
	if r.allowEmpty {
		return r.format.detail + ", or empty"
	}
	return r.format.detail
}

func (r *rule) orEmpty() string {
	if r.allowEmpty {
		return ", or empty"
	}
	return ""
}

func atLeast(n int64, unit string) string { return "must be at least " + plural(n, unit) + " long" }
func atMost(n int64, unit string) string  { return "must be at most " + plural(n, unit) + " long" }

func plural(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
