package service

// glob is a pattern as Redis's KEYS and SCAN read it: * is any bytes, ? any one
// byte, [abc], [a-z] and [^a] one byte of a class, and \ takes the next byte
// as it is. A class without its closing bracket ends with the pattern. Bytes
// are compared, never letters of several bytes.
//
// The matching follows stringmatchlen in Redis's util.c, but goes back to the
// last * only, which keeps it within length * length steps.
type glob struct {
	pattern []byte
	prefix  []byte // what every match starts with
}

func newGlob(pattern []byte) *glob {
	g := &glob{pattern: pattern}
	for p := pattern; len(p) > 0; {
		if p[0] == '*' || p[0] == '?' || p[0] == '[' {
			break
		}
		if p[0] == '\\' && len(p) > 1 {
			p = p[1:]
		}
		g.prefix = append(g.prefix, p[0])
		p = p[1:]
	}
	return g
}

// Glob makes a test of a pattern, which it keeps.
func Glob(pattern []byte) func(text []byte) bool { return newGlob(pattern).Match }

// GlobPrefix is what every text that matches a pattern starts with.
func GlobPrefix(pattern []byte) []byte { return newGlob(pattern).Prefix() }

// Prefix is what every matching text starts with, so that a search can start
// and end there.
func (g *glob) Prefix() []byte { return g.prefix }

// Match reports whether the whole text matches.
func (g *glob) Match(text []byte) bool {
	pattern := g.pattern
	var retryPattern, retryText []byte // behind the last *, and what it is tried on next
	starred := false
	for {
		if len(pattern) > 0 && pattern[0] == '*' {
			pattern = pattern[1:]
			starred, retryPattern, retryText = true, pattern, text
			continue
		}
		if len(pattern) == 0 && len(text) == 0 {
			return true
		}
		if len(pattern) > 0 && len(text) > 0 {
			if rest, ok := matchOne(pattern, text[0]); ok {
				pattern, text = rest, text[1:]
				continue
			}
		}
		if !starred || len(retryText) == 0 {
			return false
		}
		retryText = retryText[1:]
		pattern, text = retryPattern, retryText
	}
}

// matchOne matches one byte against the first element of a pattern that does
// not start with *, and returns what follows the element.
func matchOne(pattern []byte, b byte) (rest []byte, ok bool) {
	switch pattern[0] {
	case '?':
		return pattern[1:], true
	case '[':
		return matchClass(pattern[1:], b)
	case '\\':
		if len(pattern) > 1 {
			pattern = pattern[1:]
		}
	}
	return pattern[1:], pattern[0] == b
}

// matchClass matches one byte against a class, whose opening bracket is cut.
func matchClass(class []byte, b byte) (rest []byte, ok bool) {
	negated := len(class) > 0 && class[0] == '^'
	if negated {
		class = class[1:]
	}
	for len(class) > 0 && class[0] != ']' {
		switch {
		case class[0] == '\\' && len(class) > 1:
			ok = ok || class[1] == b
			class = class[2:]
		case len(class) > 2 && class[1] == '-':
			low, high := min(class[0], class[2]), max(class[0], class[2])
			ok = ok || low <= b && b <= high
			class = class[3:]
		default:
			ok = ok || class[0] == b
			class = class[1:]
		}
	}
	if len(class) > 0 {
		class = class[1:]
	}
	return class, ok != negated
}
