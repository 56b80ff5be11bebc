package contracts

import (
	"cmp"
	"fmt"
	"strconv"
)

// fileFormat is the version of the file format this package reads.
const fileFormat = 1

// maxContracts bounds a set, because every pair of contracts is compared.
const maxContracts = 4096

// Parse compiles the contracts of all sources into one set. It is all or
// nothing: if anything is wrong anywhere it returns no set and a *LoadError
// that lists everything it found, each with file, line and column. Without
// sources the set is the empty one. Parse does not panic on any input. The
// order of sources, and of contracts in them, has no influence on the set.
func Parse(sources ...Source) (*Set, error) {
	l := loader{
		problems: &problems{order: make(map[string]int)},
		names:    make(map[string]*Contract),
		defaults: defaults{mode: Enforce, existing: Ratcheted, maxKeyBytes: MaxKeyBytes, unmatched: unmatchedAllow},
	}
	for i, source := range sources {
		if _, dup := l.problems.order[source.Name]; !dup {
			l.problems.order[source.Name] = i
		}
		l.source(source)
	}
	for _, c := range l.list {
		c.Mode = cmp.Or(c.Mode, l.defaults.mode)
		c.Existing = cmp.Or(c.Existing, l.defaults.existing)
	}
	if len(l.list) > maxContracts {
		c := l.list[maxContracts]
		l.problems.add(c.File, position{c.Line, c.Column}, "more than %d contracts", maxContracts)
		return nil, l.problems.err()
	}
	set, conflicts := newSet(l.list, l.defaults)
	for _, conflict := range conflicts {
		l.conflict(conflict)
	}
	if err := l.problems.err(); err != nil {
		return nil, err
	}
	return set, nil
}

// loader gathers what the sources declare.
type loader struct {
	problems *problems
	defaults defaults
	list     []*Contract
	names    map[string]*Contract
	patterns int
	// where the parts were declared that a set has only once
	defaultsAt, unmatchedAt string
}

func (l *loader) source(source Source) {
	root := parseYAML(source, l.problems)
	if root == nil {
		return
	}
	d := &decoder{file: source.Name, problems: l.problems, patterns: &l.patterns}
	if !d.fileFormat(root) {
		return
	}
	d.mapping(root, "the file", nil,
		keyword{"format", func(*node) {}},
		keyword{"defaults", func(n *node) {
			if d.once(n, "defaults", &l.defaultsAt) {
				d.defaults(n, &l.defaults)
			}
		}},
		keyword{"unmatched", func(n *node) {
			if d.once(n, "unmatched", &l.unmatchedAt) {
				into(&l.defaults.unmatched, word(d, unmatchedAllow, unmatchedWarn, unmatchedDeny), "unmatched")(n)
			}
		}},
		keyword{"contracts", func(n *node) {
			if n.kind != nullNode {
				d.each(n, "contracts", maxContracts, func(name, body *node) { l.contract(d, name, body) })
			}
		}},
	)
}

// fileFormat reports whether the file can be read at all. A newer file is not
// read further: guessing at its meaning would be worse than stopping.
func (d *decoder) fileFormat(root *node) bool {
	n := root.child("format")
	if n == nil {
		d.complain(root.at, "format is missing; the file must say format: %d", fileFormat)
		return false
	}
	version, err := strconv.ParseInt(n.text, 10, 64)
	switch {
	case n.kind != numberNode || err != nil || version < 1 || n.text != strconv.FormatInt(version, 10):
		d.complain(n.at, "format must be %d, not %s", fileFormat, d.shown(n))
		return false
	case version > fileFormat:
		d.complain(n.at, "format %d is newer than this program, which reads format %d", version, fileFormat)
		return false
	}
	return true
}

// once reports whether a part is declared for the first time in all sources.
func (d *decoder) once(n *node, what string, at *string) bool {
	if *at != "" {
		d.complain(n.at, "%s is declared already at %s", what, *at)
		return false
	}
	*at = fmt.Sprintf("%s:%d:%d", d.file, n.at.line, n.at.column)
	return true
}

func (d *decoder) defaults(n *node, target *defaults) {
	d.mapping(n, "defaults", nil,
		keyword{"mode", into(&target.mode, word(d, Enforce, Warn, Off), "mode")},
		keyword{"existing", into(&target.existing, word(d, Ratcheted, Strict), "existing")},
		keyword{"maxKeyBytes", func(n *node) {
			size, ok := d.size(n, "maxKeyBytes")
			if ok && (size < 1 || size > MaxKeyBytes) {
				d.complain(n.at, "maxKeyBytes must be between 1 and %d, not %d", MaxKeyBytes, size)
			} else if ok {
				target.maxKeyBytes = int(size)
			}
		}},
	)
}

func (l *loader) contract(d *decoder, name, body *node) {
	c := d.contract(name, body)
	if first := l.names[name.text]; first != nil {
		d.complain(name.at, "contract %s is declared already at %s:%d:%d", display([]byte(name.text)), first.File, first.Line, first.Column)
		return
	}
	if c != nil {
		l.names[c.Name] = c
		l.list = append(l.list, c)
	}
}

// conflict reports two contracts of which neither is more specific, at the
// one that was declared later.
func (l *loader) conflict(o overlap) {
	first, second := o.first, o.second
	order := l.problems.order
	if cmp.Or(cmp.Compare(order[first.File], order[second.File]), cmp.Compare(first.Line, second.Line),
		cmp.Compare(first.Column, second.Column)) > 0 {
		first, second = second, first
	}
	reason := "neither is more specific than the other"
	if o.relation == same {
		reason = "they match the same keys"
	}
	l.problems.add(second.File, second.marks.key, "key %s of contract %s overlaps key %s of contract %s at %s:%d:%d: %s, both match %s",
		second.Key, display([]byte(second.Name)), first.Key, display([]byte(first.Name)),
		first.File, first.marks.key.line, first.marks.key.column, reason, display([]byte(o.witness)))
}

func byContractName(a, b *Contract) int { return cmp.Compare(a.Name, b.Name) }
