package contracts

// branch is a node of the index over key patterns: the patterns that agree on
// all segments so far. A match costs one map look-up per literal segment, no
// matter how many contracts there are.
type branch struct {
	literals map[string]*branch
	variable *branch
	end      *Contract // the pattern ends here
	rest     *Contract // the pattern ends here with {name...}
}

// plant builds the index. The patterns must be free of forbidden overlaps;
// where they are not, the first one planted wins and the load is refused.
func plant(list []*Contract) *branch {
	root := &branch{}
	for _, c := range list {
		root.insert(c)
	}
	return root
}

func (b *branch) insert(c *Contract) {
	for _, seg := range c.segments {
		switch seg.kind {
		case restSegment:
			if b.rest == nil {
				b.rest = c
			}
			return
		case varSegment:
			if b.variable == nil {
				b.variable = &branch{}
			}
			b = b.variable
		default:
			next := b.literals[seg.text]
			if next == nil {
				next = &branch{}
				if b.literals == nil {
					b.literals = make(map[string]*branch)
				}
				b.literals[seg.text] = next
			}
			b = next
		}
	}
	if b.end == nil {
		b.end = c
	}
}

// match finds the most specific pattern for the remaining part of a key. At
// each segment a literal is tried before a variable and that before the rest.
// Of two patterns that both match, one is a strict subset of the other, hence
// at least as specific at every segment, so the first hit is the right one.
// No branch is visited twice.
func (b *branch) match(key []byte) *Contract {
	first, rest, more := cutSegment(key)
	if next := b.literals[string(first)]; next != nil {
		if c := next.follow(rest, more); c != nil {
			return c
		}
	}
	if b.variable != nil && len(first) > 0 {
		if c := b.variable.follow(rest, more); c != nil {
			return c
		}
	}
	if len(key) > 0 {
		return b.rest
	}
	return nil
}

func (b *branch) follow(rest []byte, more bool) *Contract {
	if more {
		return b.match(rest)
	}
	return b.end
}

// matchAll visits every contract whose pattern has the key's shape, the most
// specific first.
func (b *branch) matchAll(key []byte, visit func(*Contract)) {
	first, rest, more := cutSegment(key)
	for _, next := range []*branch{b.literals[string(first)], b.variable} {
		switch {
		case next == nil, next == b.variable && len(first) == 0:
		case more:
			next.matchAll(rest, visit)
		case next.end != nil:
			visit(next.end)
		}
	}
	if len(key) > 0 && b.rest != nil {
		visit(b.rest)
	}
}
