package contracts

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// pattern compiles the regular expression of a rule. The dialect is RE2, which
// takes time linear in the text, whatever the expression.
func (d *decoder) pattern(n *node, r *rule) {
	text, ok := d.text(n, "pattern")
	if !ok {
		return
	}
	if *d.patterns++; *d.patterns > maxPatterns {
		d.complain(n.at, "more than %d patterns in all contracts", maxPatterns)
		return
	}
	if len(text) > maxPatternBytes {
		d.complain(n.at, "pattern is longer than %d bytes", maxPatternBytes)
		return
	}
	if at := multiLineFlag(text); at >= 0 {
		d.complain(inside(n, at), "pattern: (?m) is not supported: with it $ would also match before a line feed")
		return
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		at, message := patternProblem(text, err)
		d.complain(inside(n, at), "pattern: %s", message)
		return
	}
	r.pattern, r.patternPos = compiled, n.at
}

// inside moves the position of a scalar to a byte of its text.
func inside(n *node, offset int) position {
	at := n.at
	if offset > 0 && offset <= len(n.text) && !strings.Contains(n.text, "\n") {
		at.column += utf8.RuneCountInString(n.text[:offset])
	}
	if n.kind == quotedNode {
		at.column++
	}
	return at
}

// patternProblem finds the place a complaint of the regexp library is about.
func patternProblem(text string, err error) (offset int, message string) {
	var syntaxError *syntax.Error
	if !errors.As(err, &syntaxError) {
		return 0, "not a regular expression"
	}
	if syntaxError.Code == syntax.ErrInvalidPerlOp {
		message = fmt.Sprintf("%s %s; look-around and the like do not exist here", syntaxError.Code, display([]byte(syntaxError.Expr)))
	} else {
		message = fmt.Sprintf("%s %s", syntaxError.Code, display([]byte(syntaxError.Expr)))
	}
	return max(strings.Index(text, syntaxError.Expr), 0), message
}

// multiLineFlag finds a group such as (?m) or (?i-m:...) that mentions the
// flag m, outside of classes and escapes; -1 if there is none.
func multiLineFlag(text string) int {
	class := false
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], `\Q`) && !class:
			end := strings.Index(text[i:], `\E`)
			if end < 0 {
				return -1
			}
			i += end + 1
		case text[i] == '\\':
			i++
		case class:
			class = text[i] != ']'
		case text[i] == '[':
			class = true
			// A bracket right after the opening one is a member of the class.
			if strings.HasPrefix(text[i+1:], "^]") {
				i += 2
			} else if strings.HasPrefix(text[i+1:], "]") {
				i++
			}
		case strings.HasPrefix(text[i:], "(?") && flagsMention(text[i+2:]):
			return i
		}
	}
	return -1
}

func flagsMention(flags string) bool {
	end := strings.IndexAny(flags, ":)")
	return end >= 0 && strings.Trim(flags[:end], "imsU-") == "" && strings.Contains(flags[:end], "m")
}

// anchored reports whether an expression can match whole texts only: every way
// through it starts at the beginning and stops at the end.
func anchored(text string) bool {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return false
	}
	return anchoredAt(parsed, syntax.OpBeginText) && anchoredAt(parsed, syntax.OpEndText)
}

func anchoredAt(re *syntax.Regexp, end syntax.Op) bool {
	switch re.Op {
	case end:
		return true
	case syntax.OpCapture:
		return anchoredAt(re.Sub[0], end)
	case syntax.OpConcat:
		if end == syntax.OpBeginText {
			return anchoredAt(re.Sub[0], end)
		}
		return anchoredAt(re.Sub[len(re.Sub)-1], end)
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if !anchoredAt(sub, end) {
				return false
			}
		}
		return true
	}
	return false
}
