package contracts

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity says how much a finding matters.
type Severity string

// An error is a contract that does not do what it seems to; a warning is a
// choice that should be a deliberate one.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// The rules of the lint.
const (
	LintTTLUndeclared     = "ttl-undeclared"     // error: the contract does not say whether keys expire
	LintPatternUnanchored = "pattern-unanchored" // error: a pattern also accepts texts that merely contain a match
	LintFloatScore        = "zset-float-score"   // scores are neither integers nor of fixed precision
	LintFieldsUnbounded   = "fields-unbounded"   // a hash may have any number of fields
	LintItemsUnbounded    = "items-unbounded"    // a collection may have any number of elements
	LintKeyLength         = "key-length"         // the key pattern does not fit the limit on keys
	LintWorstCaseSize     = "worst-case-size"    // one key may hold more than a request or response
	LintShadowed          = "shadowed"           // more specific contracts take all the keys
	LintUnmatchedOpen     = "unmatched-open"     // keys without contract are accepted silently
	LintLeadingZeros      = "leading-zeros"      // 7 and 007 are two members
	LintKeyCase           = "key-case"           // two patterns differ in upper and lower case only
	LintKeyNormalization  = "key-normalization"  // a pattern has combining characters, which have twins
)

// Finding is one remark of the lint.
type Finding struct {
	Rule     string
	Severity Severity
	Contract string // empty if the finding is about the whole set
	File     string
	Line     int
	Column   int
	Message  string
}

// String writes the finding as file:line:column: severity: message (rule).
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s (%s)", f.File, f.Line, f.Column, f.Severity, f.Message, f.Rule)
}

// Lint looks for contracts that load but are probably not what was meant. The
// findings are sorted by file, line, column and rule.
func Lint(set *Set) []Finding {
	l := &linter{set: set}
	for _, c := range set.contracts {
		l.ttl(c)
		l.patterns(c)
		l.score(c)
		l.bounds(c)
		l.keyLength(c)
		l.worstCase(c)
		l.spelling(c)
	}
	l.shadowed()
	l.keyCase()
	l.unmatched()
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
	return l.findings
}

type linter struct {
	set      *Set
	findings []Finding
}

func (l *linter) find(c *Contract, at position, severity Severity, rule, format string, args ...any) {
	if at.line == 0 {
		at = position{c.Line, c.Column}
	}
	l.findings = append(l.findings, Finding{
		Rule: rule, Severity: severity, Contract: c.Name, File: c.File, Line: at.line, Column: at.column,
		Message: fmt.Sprintf(format, args...),
	})
}

func (l *linter) ttl(c *Contract) {
	if !c.ttl.declared {
		l.find(c, position{}, SeverityError, LintTTLUndeclared,
			"contract '%s' does not say whether its keys expire; write ttl: {required: true, max: ...}, ttl: optional or ttl: forbidden", c.Name)
	}
}

// patterns looks at every regular expression of the contract.
func (l *linter) patterns(c *Contract) {
	c.eachRule(func(r *rule) {
		if r.pattern == nil {
			return
		}
		text := r.pattern.String()
		if !anchored(text) {
			l.find(c, r.patternPos, SeverityError, LintPatternUnanchored,
				"pattern %s also accepts texts that merely contain a match; write ^(...)$", text)
		}
		member := r == c.items && (c.Type == TypeSet || c.Type == TypeZSet)
		if member && r.pattern.MatchString("7") && r.pattern.MatchString("007") {
			l.find(c, r.patternPos, SeverityWarning, LintLeadingZeros,
				"pattern %s accepts 7 and 007, which are two members; write ^(0|[1-9][0-9]*)$ to accept one spelling", text)
		}
	})
}

// eachRule visits the rules of a contract in a fixed order.
func (c *Contract) eachRule(visit func(*rule)) {
	for i := range c.segments {
		if r := c.segments[i].rule; r != nil {
			visit(r)
		}
	}
	for _, r := range []*rule{c.value, c.items} {
		if r != nil {
			visit(r)
		}
	}
	for _, name := range c.fieldNames {
		visit(c.fields[name])
	}
}

func (l *linter) score(c *Contract) {
	if c.Type == TypeZSet && (c.score == nil || !c.score.integer && c.score.multipleOf == nil) {
		l.find(c, c.marks.score, SeverityWarning, LintFloatScore,
			"scores of contract '%s' are binary fractions, which makes equal scores a matter of luck; "+
				"write score: {type: integer} or a multipleOf", c.Name)
	}
}

func (l *linter) bounds(c *Contract) {
	switch {
	case c.Type == TypeString || c.maxItems > 0:
	case c.Type != TypeHash:
		l.find(c, position{}, SeverityWarning, LintItemsUnbounded,
			"a %s of contract '%s' may grow without end; write maxItems", c.Type, c.Name)
	case c.additional:
		l.find(c, position{}, SeverityWarning, LintFieldsUnbounded,
			"a hash of contract '%s' may have any number of fields; write maxItems, or fields without additionalFields", c.Name)
	}
}

func (l *linter) unmatched() {
	if len(l.set.contracts) > 0 && l.set.unmatched.Mode == Off {
		first := slices.MinFunc(l.set.contracts, func(a, b *Contract) int { return cmp.Compare(a.File, b.File) })
		l.findings = append(l.findings, Finding{
			Rule: LintUnmatchedOpen, Severity: SeverityWarning, File: first.File, Line: 1, Column: 1,
			Message: "keys that no contract governs are accepted silently; write unmatched: warn or deny where data must be under contract",
		})
	}
}
