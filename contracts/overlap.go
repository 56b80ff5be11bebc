package contracts

import "strings"

// relation is how the keys of two patterns relate.
type relation int

const (
	disjoint relation = iota // no key matches both
	narrower                 // all keys of the first match the second, not the other way round
	wider                    // the other way round
	same                     // the same keys
	crossing                 // some keys match both, and each has keys of its own
)

// overlap is a pair of contracts of which neither is more specific.
type overlap struct {
	first, second *Contract
	relation      relation
	witness       string // a key that both match
}

// maxOverlaps bounds the pairs that are reported, which in a hostile file are
// millions.
const maxOverlaps = 100

// overlaps compares all pairs. The result depends on the contracts' names
// only, not on the order in which they were declared.
func overlaps(list []*Contract) []overlap {
	var out []overlap
	for i, a := range list {
		for _, b := range list[i+1:] {
			r := relate(a.segments, b.segments)
			if r == same || r == crossing {
				out = append(out, overlap{a, b, r, witness(a.segments, b.segments)})
				if len(out) == maxOverlaps {
					return out
				}
			}
		}
	}
	return out
}

// relate compares two patterns segment by segment. Segments are independent of
// each other, so a pattern is a subset exactly if it is one at each segment.
func relate(a, b []segment) relation {
	var aNarrower, bNarrower bool
	for i := 0; ; i++ {
		if i == len(a) || i == len(b) {
			if len(a) != len(b) {
				return disjoint
			}
			break
		}
		if a[i].kind == restSegment || b[i].kind == restSegment {
			switch {
			case a[i].kind == b[i].kind:
			case a[i].kind == restSegment:
				bNarrower = true
			default:
				aNarrower = true
			}
			if emptyTail(a[i:]) || emptyTail(b[i:]) {
				return disjoint
			}
			break
		}
		if !meet(a[i], b[i]) {
			return disjoint
		}
		aNarrower = aNarrower || a[i].kind < b[i].kind
		bNarrower = bNarrower || b[i].kind < a[i].kind
	}
	return judge(aNarrower, bNarrower)
}

func judge(aNarrower, bNarrower bool) relation {
	switch {
	case aNarrower && bNarrower:
		return crossing
	case aNarrower:
		return narrower
	case bNarrower:
		return wider
	}
	return same
}

// meet reports whether two segments, neither of them a rest, share a value.
func meet(a, b segment) bool {
	switch {
	case a.kind == literalSegment && b.kind == literalSegment:
		return a.text == b.text
	case a.kind == literalSegment:
		return a.text != ""
	case b.kind == literalSegment:
		return b.text != ""
	}
	return true
}

// emptyTail reports whether nothing but an empty segment is left, which the
// rest of a key, being not empty, never is.
func emptyTail(tail []segment) bool {
	return len(tail) == 1 && tail[0].kind == literalSegment && tail[0].text == ""
}

// witness writes a key that matches both patterns, which must overlap.
func witness(a, b []segment) string {
	var parts []string
	for i := 0; i < len(a) || i < len(b); i++ {
		switch {
		case i < len(a) && a[i].kind == literalSegment:
			parts = append(parts, a[i].text)
		case i < len(b) && b[i].kind == literalSegment:
			parts = append(parts, b[i].text)
		default:
			parts = append(parts, "x")
		}
	}
	return strings.Join(parts, ":")
}
