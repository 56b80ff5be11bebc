package contracts

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The caps on the parts of a rule.
const (
	maxPatternBytes = 1024
	maxPatterns     = 1000
	maxEnum         = 1000
	maxExcludes     = 32
	maxNote         = 4096
)

// textKeywords apply to text only, numberKeywords to numbers only.
var (
	textKeywords = []string{"minBytes", "maxBytes", "minLength", "maxLength", "encoding", "pattern", "excludes", "format"}

	numberKeywords = []string{"minimum", "maximum", "multipleOf"}
)

// ruleScope says where a rule stands.
type ruleScope struct {
	what     string // "field 'level'", for messages
	at       string // JSON pointer
	segment  bool   // a variable of a key, which is never empty
	inherits bool   // sensitivity of the contract
}

// rule reads the mapping of a value, field, element or variable.
func (d *decoder) rule(n *node, scope ruleScope) *rule {
	r := &rule{at: scope.at, kind: kindString}
	if kind := n.child("type"); kind != nil {
		into(&r.kind, d.valueKind, scope.what+" type")(kind)
	}
	keywords := append(d.textRule(r), d.numberRule(r)...)
	keywords = slices.DeleteFunc(keywords, func(k keyword) bool { return foreignTo(r.kind, k.name) })
	keywords = append(keywords,
		keyword{"type", func(*node) {}},
		keyword{"enum", func(n *node) { d.enum(n, r, scope.what) }},
	)
	if !scope.segment {
		keywords = append(keywords,
			keyword{"allowEmpty", into(&r.allowEmpty, d.boolean, "allowEmpty")},
			keyword{"sensitive", into(&r.sensitive, d.boolean, "sensitive")},
		)
	}
	d.mapping(n, scope.what, d.ruleAdvice(r.kind, scope), keywords...)
	r.sensitive = r.sensitive || scope.inherits
	d.ruleLimits(n, r, scope.what)
	return r
}

func foreignTo(kind valueKind, keyword string) bool {
	if kind == kindString {
		return slices.Contains(numberKeywords, keyword)
	}
	return slices.Contains(textKeywords, keyword)
}

func (d *decoder) valueKind(n *node, what string) (valueKind, bool) {
	if n.kind == plainNode && (n.text == "boolean" || n.text == "bool") {
		d.complain(n.at, "%s: there is no type boolean; write enum: ['true', 'false']", what)
		return "", false
	}
	return word(d, kindString, kindInteger, kindNumber)(n, what)
}

// ruleAdvice explains keywords that exist, but not here.
func (d *decoder) ruleAdvice(kind valueKind, scope ruleScope) func(string) string {
	return func(key string) string {
		switch {
		case key == "schema":
			return "schema is reserved for a later version"
		case key == "required":
			return "required is a list of field names on the contract, such as required: [nickname]"
		case key == "allowEmpty" && scope.segment:
			return "allowEmpty does not apply to a variable: a segment of a key is never empty"
		case foreignTo(kind, key):
			return fmt.Sprintf("%s does not apply to type %s in %s", key, kind, scope.what)
		}
		return ""
	}
}

func (d *decoder) textRule(r *rule) []keyword {
	length := func(target *limit, what string, read func(*node, string) (int64, bool), least int64) func(*node) {
		return func(n *node) {
			value, ok := read(n, what)
			if ok && value < least {
				d.complain(n.at, "%s must be at least %d, not %d", what, least, value)
				return
			}
			*target = limit{value, ok}
		}
	}
	return []keyword{
		{"minBytes", length(&r.minBytes, "minBytes", d.size, 0)},
		{"maxBytes", length(&r.maxBytes, "maxBytes", d.size, 1)},
		{"minLength", length(&r.minLength, "minLength", d.whole, 0)},
		{"maxLength", length(&r.maxLength, "maxLength", d.whole, 1)},
		{"encoding", func(n *node) { _, r.utf8 = word(d, "utf-8")(n, "encoding") }},
		{"pattern", func(n *node) { d.pattern(n, r) }},
		{"excludes", func(n *node) { d.excludes(n, r) }},
		{"format", func(n *node) { d.namedFormat(n, r) }},
	}
}

func (d *decoder) numberRule(r *rule) []keyword {
	bound := func(target **decimal, what string) func(*node) {
		return func(n *node) {
			value, ok := d.number(n, what)
			if ok && r.kind == kindInteger && len(value.fraction) > 0 {
				d.complain(n.at, "%s must be an integer because the type is, not %s", what, value)
			} else if ok {
				*target = &value
			}
		}
	}
	return []keyword{
		{"minimum", bound(&r.minimum, "minimum")},
		{"maximum", bound(&r.maximum, "maximum")},
		{"multipleOf", func(n *node) {
			bound(&r.multipleOf, "multipleOf")(n)
			r.multipleOf, r.step = d.step(n, r.multipleOf)
		}},
	}
}

// step checks the number of multipleOf.
func (d *decoder) step(n *node, value *decimal) (*decimal, step) {
	if value == nil {
		return nil, step{}
	}
	s, ok := value.asStep()
	if !ok {
		d.complain(n.at, "multipleOf must be more than zero and have at most %d digits", maxStepDigits)
		return nil, step{}
	}
	return value, s
}

func (d *decoder) excludes(n *node, r *rule) {
	d.list(n, "excludes", maxExcludes, func(i int, item *node) {
		text, ok := d.text(item, "excludes")
		if !ok {
			return
		}
		e := exclusion{word: text, at: below(below(r.at, "excludes"), fmt.Sprint(i)), is: exclusionClasses[text]}
		if e.is == nil {
			if utf8.RuneCountInString(text) != 1 {
				names := []string{"whitespace", "control", "invisible"}
				d.complain(item.at, "excludes: %s is neither one character nor one of %s%s", display([]byte(text)),
					strings.Join(names, ", "), meant(text, names))
				return
			}
			e.raw = []byte(text)
		}
		for _, other := range r.excludes {
			if other.word == text {
				d.complain(item.at, "excludes lists %s twice", display([]byte(text)))
				return
			}
		}
		r.excludes = append(r.excludes, e)
	})
}

func (d *decoder) namedFormat(n *node, r *rule) {
	text, ok := d.text(n, "format")
	if !ok {
		return
	}
	if r.format = formatNamed(text); r.format != nil {
		return
	}
	advice := meant(text, formatNames())
	if other := otherFormatNames[text]; other != "" {
		advice = "; did you mean " + display([]byte(other)) + "?"
	}
	d.complain(n.at, "unknown format %s%s (known are %s)", display([]byte(text)), advice, strings.Join(formatNames(), ", "))
}
