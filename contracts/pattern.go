package contracts

import (
	"bytes"
	"fmt"
	"strings"
)

// segmentKind orders the kinds of segments from the most to the least specific.
type segmentKind int

const (
	literalSegment segmentKind = iota // exactly these bytes
	varSegment                        // one segment, not empty
	restSegment                       // the rest of the key, not empty; last place only
)

// segment is one part of a key pattern between two colons.
type segment struct {
	kind segmentKind
	text string // the literal's bytes, or the variable's name
	rule *rule  // the variable's constraint, or nil
}

// The caps on key patterns.
const (
	maxSegments = 32
	maxVars     = 16
	maxVarName  = 64
)

// parsePattern reads a key pattern: segments separated by colons, each a
// literal, {name} or, in the last place, {name...}. Doubled braces stand for
// themselves inside a literal.
func parsePattern(text string) ([]segment, error) {
	if text == "" {
		return nil, fmt.Errorf("key is empty")
	}
	if len(text) > 2*MaxKeyBytes {
		return nil, fmt.Errorf("key pattern is longer than %d bytes", 2*MaxKeyBytes)
	}
	parts := strings.Split(text, ":")
	if len(parts) > maxSegments {
		return nil, fmt.Errorf("key has %d segments, at most %d are allowed", len(parts), maxSegments)
	}
	segments := make([]segment, len(parts))
	seen := make(map[string]bool)
	for i, part := range parts {
		seg, err := parseSegment(part)
		if err != nil {
			return nil, err
		}
		if err := placeSegment(seg, i == len(parts)-1, seen); err != nil {
			return nil, err
		}
		segments[i] = seg
	}
	return segments, nil
}

// placeSegment checks what only the whole pattern can tell.
func placeSegment(seg segment, last bool, seen map[string]bool) error {
	if seg.kind == literalSegment {
		return nil
	}
	if seg.kind == restSegment && !last {
		return fmt.Errorf("{%s...} must be the last segment of the key", seg.text)
	}
	if seen[seg.text] {
		return fmt.Errorf("variable %q is used twice in the key", seg.text)
	}
	seen[seg.text] = true
	if len(seen) > maxVars {
		return fmt.Errorf("key has more than %d variables", maxVars)
	}
	return nil
}

func parseSegment(part string) (segment, error) {
	if name, ok := wholeVariable(part); ok {
		return variable(name)
	}
	var literal strings.Builder
	for i := 0; i < len(part); i++ {
		ch := part[i]
		if ch != '{' && ch != '}' {
			literal.WriteByte(ch)
			continue
		}
		if i+1 == len(part) || part[i+1] != ch {
			return segment{}, braceError(part, ch)
		}
		literal.WriteByte(ch)
		i++
	}
	return segment{kind: literalSegment, text: literal.String()}, nil
}

// wholeVariable reports whether the part is one variable in single braces.
func wholeVariable(part string) (string, bool) {
	if len(part) < 2 || part[0] != '{' || part[len(part)-1] != '}' {
		return "", false
	}
	name := part[1 : len(part)-1]
	return name, !strings.ContainsAny(name, "{}")
}

func variable(name string) (segment, error) {
	kind := varSegment
	if rest, ok := strings.CutSuffix(name, "..."); ok {
		name, kind = rest, restSegment
	}
	if !isName(name) || len(name) > maxVarName {
		return segment{}, fmt.Errorf("variable %q: a name is a letter or underscore followed by letters, digits and "+
			"underscores, at most %d in all", name, maxVarName)
	}
	return segment{kind: kind, text: name}, nil
}

func isName(name string) bool {
	for i := range len(name) {
		ch := name[i]
		letter := 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z' || ch == '_'
		if !letter && (i == 0 || ch < '0' || ch > '9') {
			return false
		}
	}
	return name != ""
}

func braceError(part string, brace byte) error {
	if strings.Contains(part, "{") && strings.Contains(part, "}") {
		return fmt.Errorf("segment %q mixes a variable with other text; a variable is a whole segment, "+
			"and a literal brace is written twice", part)
	}
	return fmt.Errorf("segment %q has an unpaired %q; a literal brace is written twice", part, string(brace))
}

// cutSegment takes the first segment off a key. More is false when nothing
// follows; a key that ends in a colon has an empty last segment.
func cutSegment(key []byte) (first, rest []byte, more bool) {
	if i := bytes.IndexByte(key, ':'); i >= 0 {
		return key[:i], key[i+1:], true
	}
	return key, nil, false
}

// bind walks a key that matches the pattern and shows every variable with the
// bytes it stands for.
func bind(segments []segment, key []byte, visit func(seg *segment, value []byte)) {
	for i := range segments {
		seg := &segments[i]
		if seg.kind == restSegment {
			visit(seg, key)
			return
		}
		first, rest, _ := cutSegment(key)
		if seg.kind == varSegment {
			visit(seg, first)
		}
		key = rest
	}
}
