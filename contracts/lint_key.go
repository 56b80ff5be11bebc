package contracts

import (
	"strings"
	"unicode"
)

// keyLength compares what the pattern needs and permits with the limit on keys.
func (l *linter) keyLength(c *Contract) {
	least, most := keyBytes(c.segments)
	limit := int64(l.set.maxKeyBytes)
	switch {
	case least > limit:
		l.find(c, c.marks.key, SeverityError, LintKeyLength,
			"contract '%s' governs nothing: its shortest key has %d bytes, the limit is %d", c.Name, least, limit)
	case most > limit:
		l.find(c, c.marks.key, SeverityWarning, LintKeyLength,
			"the variables of contract '%s' permit keys of %d bytes, the limit is %d", c.Name, most, limit)
	}
}

// keyBytes bounds the length of the keys of a pattern. A variable without a
// limit of its own counts as short in both: the limit on keys limits it.
func keyBytes(segments []segment) (least, most int64) {
	for i := range segments {
		seg := &segments[i]
		if i > 0 {
			least, most = least+1, most+1
		}
		if seg.kind == literalSegment {
			least, most = least+int64(len(seg.text)), most+int64(len(seg.text))
			continue
		}
		shortest, longest := int64(1), int64(1)
		if r := seg.rule; r != nil {
			shortest = max(shortest, r.minBytes.n, r.minLength.n)
			longest = max(shortest, min(longestBytes(r, 0), 1<<40))
		}
		least, most = least+shortest, most+longest
	}
	return least, most
}

// shadowed finds {name...} patterns whose keys all go to two more specific
// contracts: one for the next segment alone, one for that and what follows.
func (l *linter) shadowed() {
	shapes := make(map[string]*Contract, len(l.set.contracts))
	for _, c := range l.set.contracts {
		shapes[shape(c.segments)] = c
	}
	for _, c := range l.set.contracts {
		last := len(c.segments) - 1
		if c.segments[last].kind != restSegment {
			continue
		}
		prefix := c.segments[:last:last]
		one := shapes[shape(append(prefix, segment{kind: varSegment}))]
		more := shapes[shape(append(prefix, segment{kind: varSegment}, segment{kind: restSegment}))]
		if one != nil && more != nil {
			l.find(c, c.marks.key, SeverityWarning, LintShadowed,
				"contract '%s' is shadowed: '%s' and '%s' take its keys", c.Name, one.Name, more.Name)
		}
	}
}

// shape writes a pattern without the names of its variables. Literals are
// quoted by doubling braces, as in a key.
func shape(segments []segment) string {
	var b strings.Builder
	for _, seg := range segments {
		b.WriteByte(':')
		switch seg.kind {
		case literalSegment:
			b.WriteString(strings.NewReplacer("{", "{{", "}", "}}").Replace(seg.text))
		case varSegment:
			b.WriteString("{}")
		case restSegment:
			b.WriteString("{...}")
		}
	}
	return b.String()
}

// keyCase finds patterns that are one after folding upper and lower case,
// which are two to the server.
func (l *linter) keyCase() {
	seen := make(map[string]*Contract, len(l.set.contracts))
	for _, c := range l.set.contracts {
		folded := strings.ToLower(shape(c.segments))
		if other := seen[folded]; other != nil {
			l.find(c, c.marks.key, SeverityWarning, LintKeyCase,
				"key %s of contract '%s' differs from %s of '%s' in upper and lower case only; both are different keys",
				c.Key, c.Name, other.Key, other.Name)
			continue
		}
		seen[folded] = c
	}
}

// spelling finds literals with combining characters, which a client may write
// composed as well.
func (l *linter) spelling(c *Contract) {
	for _, seg := range c.segments {
		if seg.kind == literalSegment && strings.ContainsFunc(seg.text, func(r rune) bool { return unicode.Is(unicode.Mn, r) }) {
			l.find(c, c.marks.key, SeverityWarning, LintKeyNormalization,
				"key %s of contract '%s' has a combining character; the composed spelling is a different key", c.Key, c.Name)
			return
		}
	}
}
