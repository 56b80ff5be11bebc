package contracts

import (
	"math"
	"slices"
	"time"
)

func (d *decoder) score(n *node, c *Contract) {
	r := &scoreRule{at: below(c.at, "score")}
	c.score, c.marks.score = r, n.at
	kind := kindNumber
	if t := n.child("type"); t != nil {
		into(&kind, word(d, kindInteger, kindNumber), "score type")(t)
	}
	r.integer = kind == kindInteger
	like := &rule{kind: kind}
	keywords := d.numberRule(like)
	d.mapping(n, "score", nil, append(keywords, keyword{"type", func(*node) {}})...)
	d.numberOrder(n, like.minimum, like.maximum)
	r.minimum, r.maximum, r.multipleOf, r.step = like.minimum, like.maximum, like.multipleOf, like.step
	r.least, r.most = d.double(n, "minimum", r.minimum), d.double(n, "maximum", r.maximum)
}

// double gives the bound as the double it is compared as.
func (d *decoder) double(n *node, keyword string, bound *decimal) float64 {
	if bound == nil {
		return 0
	}
	f := bound.float()
	if math.IsInf(f, 0) {
		d.complain(n.child(keyword).at, "%s is beyond the range of a score", keyword)
	}
	return f
}

func (d *decoder) ttl(n *node, t *ttlRule) {
	t.declared = true
	if n.kind != mappingNode {
		switch {
		case n.kind == plainNode && n.text == "required":
			d.complain(n.at, "ttl: write {required: true}, if possible with a max")
		default:
			form, ok := word(d, "optional", "forbidden")(n, "ttl (or a mapping of required, min, max and default)")
			t.forbidden = ok && form == "forbidden"
		}
		return
	}
	if len(n.entries) == 0 {
		d.complain(n.at, "ttl says nothing; write optional, forbidden, or some of required, min, max and default")
	}
	d.mapping(n, "ttl", nil,
		keyword{"required", into(&t.required, d.boolean, "ttl required")},
		keyword{"min", into(&t.least, d.duration, "ttl min")},
		keyword{"max", into(&t.most, d.duration, "ttl max")},
		keyword{"default", into(&t.fallback, d.duration, "ttl default")},
	)
	complain := func(keyword string, wrong bool, message string, a, b time.Duration) {
		if wrong {
			d.complain(n.child(keyword).at, message, formatDuration(a), formatDuration(b))
		}
	}
	complain("min", t.most > 0 && t.least > t.most, "ttl min %s is more than max %s", t.least, t.most)
	complain("default", t.fallback > 0 && t.fallback < t.least, "ttl default %s is less than min %s", t.fallback, t.least)
	complain("default", t.most > 0 && t.fallback > t.most, "ttl default %s is more than max %s", t.fallback, t.most)
}

// reads accepts the two words; the effect is in operations.
func (d *decoder) reads(n, body *node) {
	text, ok := word(d, "open", "listed")(n, "reads")
	if ok && text == "listed" && body.child("operations") == nil {
		d.complain(n.at, "reads: listed needs operations, the list of what is allowed")
	}
}

// operations reads a list of commands, or a mapping of commands to the ranges
// of their arguments.
func (d *decoder) operations(n *node, c *Contract, body *node) {
	reads := body.child("reads")
	c.readsListed = reads != nil && reads.text == "listed"
	c.operations = make(map[string]*operation)
	switch {
	case n.kind == mappingNode && len(n.entries) == 0, n.kind == sequenceNode && len(n.items) == 0:
		d.complain(n.at, "operations must not be empty; leave it out to allow all commands")
	case n.kind == mappingNode:
		d.each(n, "operations", maxFields, func(key, value *node) { d.operation(c, key, value) })
	default:
		d.list(n, "operations", maxFields, func(_ int, item *node) { d.operation(c, item, nil) })
	}
	slices.Sort(c.verbs)
}

func (d *decoder) operation(c *Contract, name, arguments *node) {
	verb, ok := d.text(name, "operation")
	if !ok {
		return
	}
	if c.Type != "" {
		if advice := verbAdvice(verb, c.Type, c.readsListed); advice != "" {
			d.complain(name.at, "operation %s %s", display([]byte(verb)), advice)
			return
		}
	}
	if c.operations[verb] != nil {
		d.complain(name.at, "operations lists %s twice", verb)
		return
	}
	op := &operation{at: below(below(c.at, "operations"), verb)}
	c.operations[verb], c.verbs = op, append(c.verbs, verb)
	if arguments == nil || arguments.kind == nullNode {
		return
	}
	d.arguments(op, verb, arguments)
}

func (d *decoder) arguments(op *operation, verb string, n *node) {
	var keywords []keyword
	for _, argument := range rangedArguments[verb] {
		switch argument {
		case "timeout":
			keywords = append(keywords, keyword{argument, func(n *node) { op.timeout = d.timeoutSpan(n, verb+" timeout") }})
		case "count":
			keywords = append(keywords, keyword{argument, func(n *node) { op.count = d.countSpan(n, verb+" count") }})
		}
	}
	d.mapping(n, verb, func(key string) string {
		if len(rangedArguments[verb]) == 0 {
			return verb + " has no argument whose range can be limited; write " + verb + ": {}"
		}
		return ""
	}, keywords...)
}

func (d *decoder) timeoutSpan(n *node, what string) *span {
	var least, most time.Duration
	d.mapping(n, what, nil,
		keyword{"min", into(&least, d.duration, what+" min")},
		keyword{"max", into(&most, d.duration, what+" max")})
	return d.span(n, what, span{int64(least), int64(most)})
}

func (d *decoder) countSpan(n *node, what string) *span {
	var s span
	d.mapping(n, what, nil,
		keyword{"min", into(&s.least, d.count, what+" min")},
		keyword{"max", into(&s.most, d.count, what+" max")})
	return d.span(n, what, s)
}

func (d *decoder) span(n *node, what string, s span) *span {
	switch {
	case n.kind == mappingNode && len(n.entries) == 0:
		d.complain(n.at, "%s says nothing; write min, max or both", what)
	case s.least > 0 && s.most > 0 && s.least > s.most:
		d.complain(n.child("min").at, "%s: min is more than max", what)
	}
	return &s
}
