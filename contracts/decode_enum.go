package contracts

// enum reads the allowed values, in the spelling the type asks for.
func (d *decoder) enum(n *node, r *rule, what string) {
	d.list(n, "enum", maxEnum, func(_ int, item *node) {
		text, ok := d.choice(item, r)
		if !ok {
			return
		}
		if r.enumSet[text] {
			d.complain(item.at, "enum lists %s twice", display([]byte(text)))
			return
		}
		if r.enumSet == nil {
			r.enumSet = make(map[string]bool)
		}
		r.enumSet[text] = true
		r.enum = append(r.enum, text)
	})
}

// choice reads one allowed value. Numbers are kept in their canonical
// spelling, so that 1e3 and 1000 are one value.
func (d *decoder) choice(item *node, r *rule) (string, bool) {
	if r.kind == kindString {
		return d.text(item, "enum of type string")
	}
	value, ok := d.number(item, "enum of type "+string(r.kind))
	if !ok {
		return "", false
	}
	if r.kind == kindInteger && len(value.fraction) > 0 {
		d.complain(item.at, "enum of type integer: %s is no integer", value)
		return "", false
	}
	r.enumNumber = append(r.enumNumber, value)
	return value.String(), true
}

// ruleLimits checks a rule against itself: no limit may contradict another,
// and every allowed value must pass the rule that allows it.
func (d *decoder) ruleLimits(n *node, r *rule, what string) {
	d.order(n, "minBytes", "maxBytes", r.minBytes, r.maxBytes)
	d.order(n, "minLength", "maxLength", r.minLength, r.maxLength)
	// A character takes at least one byte.
	d.order(n, "minLength", "maxBytes", r.minLength, r.maxBytes)
	d.numberOrder(n, r.minimum, r.maximum)
	enum := n.child("enum")
	if enum == nil || enum.kind != sequenceNode {
		return
	}
	c := &Contract{Mode: Enforce}
	for _, item := range enum.items {
		text := item.text
		if value, ok := parseJSONNumber(item.text); ok && r.kind != kindString {
			text = value.String()
		}
		if !r.enumSet[text] {
			continue
		}
		for _, v := range r.check(c, []byte(text)) {
			if v.Code != CodeValueEnum {
				d.complain(item.at, "%s: enum allows %s, which the rule itself refuses: %s", what, display([]byte(text)), v.Detail)
			}
		}
	}
}

func (d *decoder) order(n *node, lower, upper string, least, most limit) {
	if least.set && most.set && least.n > most.n {
		d.complain(n.child(lower).at, "%s %d is more than %s %d", lower, least.n, upper, most.n)
	}
}

func (d *decoder) numberOrder(n *node, least, most *decimal) {
	if least != nil && most != nil && least.compare(*most) > 0 {
		d.complain(n.child("minimum").at, "minimum %s is more than maximum %s", least, most)
	}
}
