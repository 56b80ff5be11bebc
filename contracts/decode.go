package contracts

import (
	"slices"
	"strings"
	"time"
)

// decoder reads the nodes of one source. What it cannot read it reports, and
// goes on, so that one attempt finds everything that is wrong.
type decoder struct {
	file     string
	problems *problems
	patterns *int // how many regular expressions the set has so far
}

func (d *decoder) complain(at position, format string, args ...any) {
	d.problems.add(d.file, at, format, args...)
}

// keyword is one key of a mapping and how to read its value.
type keyword struct {
	name string
	read func(*node)
}

// mapping reads a mapping by its keywords. A key that is not among them is
// reported with the advice of foreign, if that has any, else with the nearest
// keyword.
func (d *decoder) mapping(n *node, what string, foreign func(key string) string, keywords ...keyword) {
	if n.kind != mappingNode {
		d.complain(n.at, "%s must be a mapping, not %s", what, n.kind)
		return
	}
	names := make([]string, len(keywords))
	for i, k := range keywords {
		names[i] = k.name
	}
	for _, e := range n.entries {
		if i := slices.Index(names, e.key.text); i >= 0 {
			keywords[i].read(e.value)
			continue
		}
		if foreign != nil {
			if advice := foreign(e.key.text); advice != "" {
				d.complain(e.key.at, "%s", advice)
				continue
			}
		}
		d.complain(e.key.at, "unknown key %s in %s%s", display([]byte(e.key.text)), what, meant(e.key.text, names))
	}
}

// meant completes a message about an unknown word.
func meant(word string, candidates []string) string {
	if near := nearest(word, candidates); near != "" {
		return "; did you mean " + display([]byte(near)) + "?"
	}
	return ""
}

// each visits the entries of a mapping whose keys are names.
func (d *decoder) each(n *node, what string, most int, visit func(key, value *node)) {
	if n.kind != mappingNode {
		d.complain(n.at, "%s must be a mapping, not %s", what, n.kind)
		return
	}
	if len(n.entries) > most {
		d.complain(n.entries[most].key.at, "%s has %d entries, at most %d are allowed", what, len(n.entries), most)
		return
	}
	for _, e := range n.entries {
		visit(e.key, e.value)
	}
}

// list visits the elements of a list that must not be empty.
func (d *decoder) list(n *node, what string, most int, visit func(i int, item *node)) {
	switch {
	case n.kind != sequenceNode:
		d.complain(n.at, "%s must be a list, not %s", what, n.kind)
	case len(n.items) == 0:
		d.complain(n.at, "%s must not be empty", what)
	case len(n.items) > most:
		d.complain(n.items[most].at, "%s has %d entries, at most %d are allowed", what, len(n.items), most)
	default:
		for i, item := range n.items {
			visit(i, item)
		}
	}
}

// into makes a keyword out of a place to store the value and a way to read it.
func into[T any](target *T, read func(n *node, what string) (T, bool), what string) func(*node) {
	return func(n *node) {
		if value, ok := read(n, what); ok {
			*target = value
		}
	}
}

func (d *decoder) text(n *node, what string) (string, bool) {
	switch n.kind {
	case quotedNode, plainNode:
		return n.text, true
	case numberNode, booleanNode, specialNode:
		d.complain(n.at, "%s must be text; put %s in quotes", what, n.text)
	default:
		d.complain(n.at, "%s must be text, not %s", what, n.kind)
	}
	return "", false
}

// note reads text for people.
func (d *decoder) note(n *node, what string) (string, bool) {
	text, ok := d.text(n, what)
	if ok && len(text) > maxNote {
		d.complain(n.at, "%s is longer than %d bytes", what, maxNote)
		return "", false
	}
	return text, ok
}

func (d *decoder) boolean(n *node, what string) (bool, bool) {
	if n.kind != booleanNode {
		d.complain(n.at, "%s must be true or false, not %s", what, d.shown(n))
		return false, false
	}
	return strings.EqualFold(n.text, "true"), true
}

// shown names a scalar by its text and anything else by its kind.
func (d *decoder) shown(n *node) string {
	if n.kind == mappingNode || n.kind == sequenceNode || n.kind == nullNode {
		return string(n.kind)
	}
	return display([]byte(n.text))
}

// word reads one of a few words.
func word[T ~string](d *decoder, words ...T) func(*node, string) (T, bool) {
	return func(n *node, what string) (T, bool) {
		text := make([]string, len(words))
		for i, w := range words {
			text[i] = string(w)
		}
		if n.kind == plainNode || n.kind == quotedNode {
			if slices.Contains(text, n.text) {
				return T(n.text), true
			}
		}
		d.complain(n.at, "%s must be one of %s, not %s%s", what, strings.Join(text, ", "), d.shown(n), meant(n.text, text))
		return "", false
	}
}

// duration reads a positive duration of whole milliseconds.
func (d *decoder) duration(n *node, what string) (time.Duration, bool) {
	if n.kind == numberNode {
		d.complain(n.at, "%s must be a duration with its unit; write %ss for seconds", what, n.text)
		return 0, false
	}
	text, ok := d.text(n, what)
	if !ok {
		return 0, false
	}
	value, err := ParseDuration(text)
	switch {
	case err != nil:
		d.complain(n.at, "%s: %v", what, err)
	case value <= 0:
		d.complain(n.at, "%s must be more than zero", what)
	case value%time.Millisecond != 0:
		d.complain(n.at, "%s must be whole milliseconds", what)
	default:
		return value, true
	}
	return 0, false
}
