package contracts

import (
	"fmt"
	"slices"
	"strings"
)

// The caps on a contract.
const (
	maxFields    = 1000
	maxNameBytes = 64
	maxFieldName = 4096
)

// reservedNames are the words that follow /contracts/ in URLs.
var reservedNames = []string{"validate", "explain", "report"}

// reservedKeywords will mean something in a later format.
var reservedKeywords = []string{"rules", "requiredWith", "exactlyOneOf", "ordered", "schema"}

// typeKeywords lists the keywords of a contract that only some types have.
var typeKeywords = map[string][]Type{
	"value":            {TypeString},
	"fields":           {TypeHash},
	"additionalFields": {TypeHash},
	"required":         {TypeHash},
	"items":            {TypeList, TypeSet, TypeZSet},
	"score":            {TypeZSet},
	"maxItems":         {TypeHash, TypeList, TypeSet, TypeZSet},
	"maxResult":        {TypeSet, TypeZSet},
}

// contract reads one contract. It returns nil if there is too little to
// compare it with others.
func (d *decoder) contract(name, body *node) *Contract {
	c := &Contract{Name: name.text, File: d.file, Line: name.at.line, Column: name.at.column, additional: true}
	c.at = Pointer("contracts", c.Name)
	d.contractName(name)
	if body.kind != mappingNode {
		d.complain(body.at, "contract %s must be a mapping, not %s", display([]byte(c.Name)), body.kind)
		return nil
	}
	if n := body.child("type"); n != nil {
		into(&c.Type, word(d, types...), "type")(n)
	} else {
		d.complain(name.at, "contract %s has no type; write one of string, hash, list, set, zset", display([]byte(c.Name)))
	}
	if n := body.child("sensitive"); n != nil {
		into(&c.Sensitive, d.boolean, "sensitive")(n)
	}
	d.contractKey(c, name, body)
	d.mapping(body, "contract "+display([]byte(c.Name)), contractAdvice(c.Type), d.contractKeywords(c, body)...)
	d.someField(c, body)
	d.requiredFields(c, body)
	if c.segments == nil {
		return nil
	}
	return c
}

func (d *decoder) contractName(name *node) {
	valid := name.text != "" && len(name.text) <= maxNameBytes
	for i := range len(name.text) {
		ch := name.text[i]
		valid = valid && (alphanumeric(ch) || i > 0 && (ch == '-' || ch == '_' || ch == '.'))
	}
	switch {
	case !valid:
		d.complain(name.at, "contract name %s: a name is a letter or digit followed by letters, digits, '-', '_' and '.', "+
			"at most %d in all", display([]byte(name.text)), maxNameBytes)
	case slices.Contains(reservedNames, name.text):
		d.complain(name.at, "contract name %s is reserved", display([]byte(name.text)))
	}
}

func (d *decoder) contractKey(c *Contract, name, body *node) {
	n := body.child("key")
	if n == nil {
		d.complain(name.at, "contract %s has no key; write the pattern of the keys it governs, such as session:{userId}",
			display([]byte(c.Name)))
		return
	}
	text, ok := d.text(n, "key")
	if !ok {
		return
	}
	segments, err := parsePattern(text)
	if err != nil {
		d.complain(n.at, "%v", err)
		return
	}
	c.Key, c.segments, c.marks.key = text, segments, n.at
}

// contractKeywords are the keywords a contract of the type can have. While the
// type is unknown all are accepted, so that one mistake makes one message.
func (d *decoder) contractKeywords(c *Contract, body *node) []keyword {
	done := func(*node) {}
	all := []keyword{
		{"key", done}, {"type", done}, {"sensitive", done}, {"required", done},
		{"description", into(&c.Description, d.note, "description")},
		{"owner", into(&c.Owner, d.note, "owner")},
		{"mode", into(&c.Mode, word(d, Enforce, Warn, Off), "mode")},
		{"existing", into(&c.Existing, word(d, Ratcheted, Strict), "existing")},
		{"vars", func(n *node) { d.vars(n, c) }},
		{"value", func(n *node) {
			c.value = d.rule(n, ruleScope{what: "value", at: below(c.at, "value"), inherits: c.Sensitive})
		}},
		{"fields", func(n *node) { d.fields(n, c, body) }},
		{"additionalFields", into(&c.additional, d.boolean, "additionalFields")},
		{"items", func(n *node) {
			c.items = d.rule(n, ruleScope{what: "items", at: below(c.at, "items"), inherits: c.Sensitive})
		}},
		{"score", func(n *node) { d.score(n, c) }},
		{"maxItems", func(n *node) { c.marks.maxItems = n.at; into(&c.maxItems, d.count, "maxItems")(n) }},
		{"maxResult", into(&c.maxResult, d.count, "maxResult")},
		{"ttl", func(n *node) { d.ttl(n, &c.ttl) }},
		{"operations", func(n *node) { d.operations(n, c, body) }},
		{"reads", func(n *node) { d.reads(n, body) }},
	}
	return slices.DeleteFunc(all, func(k keyword) bool { return contractAdvice(c.Type)(k.name) != "" })
}

// contractAdvice explains keywords that a contract of the type cannot have.
func contractAdvice(t Type) func(string) string {
	return func(key string) string {
		if slices.Contains(reservedKeywords, key) {
			return key + " is reserved for a later version"
		}
		owners := typeKeywords[key]
		if t == "" || owners == nil || slices.Contains(owners, t) {
			return ""
		}
		names := make([]string, len(owners))
		for i, owner := range owners {
			names[i] = string(owner)
		}
		return fmt.Sprintf("%s does not apply to a %s; it belongs to type %s", key, t, strings.Join(names, ", "))
	}
}

func (d *decoder) vars(n *node, c *Contract) {
	if c.segments == nil {
		return
	}
	var names []string
	for _, seg := range c.segments {
		if seg.kind != literalSegment {
			names = append(names, seg.text)
		}
	}
	d.each(n, "vars", maxVars, func(key, value *node) {
		i := slices.IndexFunc(c.segments, func(seg segment) bool { return seg.kind != literalSegment && seg.text == key.text })
		if i < 0 {
			d.complain(key.at, "the key %s has no variable %s%s", c.Key, display([]byte(key.text)), meant(key.text, names))
			return
		}
		c.segments[i].rule = d.rule(value, ruleScope{
			what: "variable " + display([]byte(key.text)), at: below(below(c.at, "vars"), key.text), segment: true, inherits: c.Sensitive,
		})
	})
}

func (d *decoder) fields(n *node, c *Contract, body *node) {
	c.fields = make(map[string]*rule)
	if body.child("additionalFields") == nil {
		c.additional = false
	}
	at := below(c.at, "fields")
	d.each(n, "fields", maxFields, func(key, value *node) {
		if len(key.text) > maxFieldName {
			d.complain(key.at, "field name is longer than %d bytes", maxFieldName)
			return
		}
		what := "field " + display([]byte(key.text))
		c.fields[key.text] = d.rule(value, ruleScope{what: what, at: below(at, key.text), inherits: c.Sensitive})
		c.fieldNames = append(c.fieldNames, key.text)
	})
	slices.Sort(c.fieldNames)
}

// someField refuses a hash that may have no field at all.
func (d *decoder) someField(c *Contract, body *node) {
	if c.Type != TypeHash || c.additional || len(c.fields) > 0 {
		return
	}
	at := body.child("fields")
	if at == nil {
		at = body.child("additionalFields")
	}
	if at != nil && (at.kind == mappingNode || at.kind == booleanNode) {
		d.complain(at.at, "contract %s allows no field: list some in fields, or write additionalFields: true", display([]byte(c.Name)))
	}
}

// requiredFields reads the list of required fields once the fields are known.
func (d *decoder) requiredFields(c *Contract, body *node) {
	n := body.child("required")
	if n == nil || c.Type != TypeHash {
		return
	}
	d.list(n, "required", maxFields, func(_ int, item *node) {
		name, ok := d.text(item, "required")
		switch _, declared := c.fields[name]; {
		case !ok:
		case slices.Contains(c.required, name):
			d.complain(item.at, "required lists %s twice", display([]byte(name)))
		case !declared && !c.additional:
			d.complain(item.at, "required field %s is not among the fields%s", display([]byte(name)), meant(name, c.fieldNames))
		default:
			c.required = append(c.required, name)
		}
	})
	slices.Sort(c.required)
	if c.maxItems > 0 && int64(len(c.required)) > c.maxItems {
		d.complain(n.at, "required lists %d fields but maxItems is %d", len(c.required), c.maxItems)
	}
}
