package contracts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Source is one file of contracts, already read. Its name appears in problems.
type Source struct {
	Name string
	Data []byte
}

// Problem is one reason to refuse a set. Line and column count from 1, columns
// in characters.
type Problem struct {
	File    string
	Line    int
	Column  int
	Message string
}

// String writes the problem as file:line:column: message.
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// LoadError holds everything that is wrong with a set of sources, in the order
// of the sources and of the lines in them. Beyond 100 problems the rest is
// only counted.
type LoadError struct {
	Problems []Problem
	Omitted  int
}

// Error writes one line per problem.
func (e *LoadError) Error() string {
	lines := make([]string, 0, len(e.Problems)+1)
	for _, p := range e.Problems {
		lines = append(lines, p.String())
	}
	if e.Omitted > 0 {
		lines = append(lines, fmt.Sprintf("... and %d more", e.Omitted))
	}
	return strings.Join(lines, "\n")
}

const maxProblems = 100

// problems collects what is wrong while a set is loaded.
type problems struct {
	order map[string]int // position of a source among the sources
	list  []Problem
	total int
}

func (p *problems) add(file string, at position, format string, args ...any) {
	p.total++
	// A hostile file could have millions; what is kept is enough to sort and show.
	if len(p.list) < 10*maxProblems {
		p.list = append(p.list, Problem{File: file, Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...)})
	}
}

func (p *problems) err() error {
	if p.total == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(p.order[a.File], p.order[b.File]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	shown := p.list[:min(len(p.list), maxProblems)]
	return &LoadError{Problems: slices.Clone(shown), Omitted: p.total - len(shown)}
}
