package contracts

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// CheckKey judges the key itself, which must be one that Match gave this
// contract for: its length, its variables, and whether keys without contract
// are welcome at all. The limit on length holds in every mode, off included,
// and its violation always has mode enforce. Removing data needs no CheckKey.
func (c *Contract) CheckKey(key []byte) []Violation {
	var out []Violation
	if len(key) > c.maxKeyBytes {
		out = append(out, c.keyTooLong(len(key)))
	}
	if c.Mode != Off {
		if c.Governed() {
			out = c.checkVars(out, key)
		} else {
			out = append(out, c.violation(CodeKeyUnmatched, "#/unmatched", c.unmatchedDetail(key)))
		}
	}
	return settle(out, key)
}

func (c *Contract) keyTooLong(length int) Violation {
	v := c.violation(CodeKeyLength, "#/defaults/maxKeyBytes", "key "+atMost(int64(c.maxKeyBytes), "byte"))
	v.Mode = Enforce
	v.Limit, v.Actual = int64(c.maxKeyBytes), int64(length)
	return v
}

// unmatchedDetail names the pattern that was probably meant, judging by the
// first segment of the key.
func (c *Contract) unmatchedDetail(key []byte) string {
	const detail = "no contract governs this key"
	first, _, _ := cutSegment(key)
	pattern := c.neighbours[string(first)]
	if pattern == "" {
		pattern = c.neighbours[nearest(string(first), slices.Collect(maps.Keys(c.neighbours)))]
	}
	if pattern == "" {
		return detail
	}
	return detail + "; did you mean one like " + display([]byte(pattern)) + "?"
}

func (c *Contract) checkVars(out []Violation, key []byte) []Violation {
	for i := range c.segments {
		if seg := &c.segments[i]; seg.kind != literalSegment {
			value := key
			if seg.kind == varSegment {
				value, _, _ = cutSegment(key)
			}
			for _, v := range seg.rule.check(c, value) {
				v.Detail = fmt.Sprintf("variable %q of the key %s", seg.text, v.Detail)
				if v.Code == CodeValueEncoding {
					v.Code = CodeKeyEncoding
				} else {
					v.Code = CodeKeyVar
				}
				out = append(out, v)
			}
		}
		_, key, _ = cutSegment(key)
	}
	return out
}

// CheckType compares the type a command works on with the contract's. A key of
// another type that is already stored is the store's concern, not this one's.
func (c *Contract) CheckType(t Type) []Violation {
	if c.Mode == Off || c.Type == "" || c.Type == t {
		return nil
	}
	v := c.violation(CodeTypeLocked, below(c.at, "type"), fmt.Sprintf("keys like %q hold a %s, not a %s", c.Key, c.Type, t))
	return settle([]Violation{v}, []byte(t))
}

// CheckValue judges the whole value of a string. Contracts of another type
// have nothing to say about it.
func (c *Contract) CheckValue(value []byte) []Violation {
	if c.Mode == Off {
		return nil
	}
	out := c.value.check(c, value)
	if out == nil {
		return nil
	}
	return settle(out, value)
}

// CheckField judges one field of a hash: whether it may exist, and if it is
// declared, its value.
func (c *Contract) CheckField(field, value []byte) []Violation {
	if c.Mode == Off || c.Type != TypeHash {
		return nil
	}
	r, declared := c.fields[string(field)]
	out := r.check(c, value)
	if !declared && !c.additional {
		out = append(out, c.undeclared(field))
	}
	if out == nil {
		return nil
	}
	return settle(out, field, value)
}

// CheckFieldName judges only whether a hash may have a field of that name.
func (c *Contract) CheckFieldName(field []byte) []Violation {
	if c.Mode == Off || c.Type != TypeHash || c.additional {
		return nil
	}
	if _, declared := c.fields[string(field)]; declared {
		return nil
	}
	return settle([]Violation{c.undeclared(field)}, field)
}

func (c *Contract) undeclared(field []byte) Violation {
	return c.violation(CodeFieldUnknown, below(c.at, "additionalFields"), c.unknownField(field))
}

// unknownField names the field, which a sensitive contract does not, and the
// declared field that was probably meant.
func (c *Contract) unknownField(field []byte) string {
	detail := "field " + display(field) + " is not declared"
	if c.Sensitive {
		detail = "the field is not declared"
	}
	if meant := nearest(string(field), c.fieldNames); meant != "" {
		return detail + "; did you mean " + display([]byte(meant)) + "?"
	}
	return detail
}

// longestName is how many bytes of a name a message repeats.
const longestName = 64

// display quotes a name for a message: single quotes, escapes for whatever
// cannot be printed, an ellipsis for whatever is too long.
func display(name []byte) string {
	cut := name
	if len(cut) > longestName {
		cut = cut[:longestName]
		for len(cut) > 0 && !utf8.RuneStart(name[len(cut)]) {
			cut = cut[:len(cut)-1]
		}
	}
	quoted := strconv.Quote(string(cut))
	if len(cut) < len(name) {
		return "'" + quoted[1:len(quoted)-1] + "...'"
	}
	return "'" + quoted[1:len(quoted)-1] + "'"
}

// CheckItem judges one element of a list or one member of a set or sorted set.
func (c *Contract) CheckItem(item []byte) []Violation {
	if c.Mode == Off {
		return nil
	}
	out := c.items.check(c, item)
	if out == nil {
		return nil
	}
	return settle(out, item)
}

// MissingField is the violation of a hash that lacks a required field. Which
// fields are missing is for the caller to find, among RequiredFields.
func (c *Contract) MissingField(name string) Violation {
	v := c.violation(CodeFieldMissing, below(c.at, "required"), "field "+display([]byte(name))+" is required")
	v.Phase = PhaseResult
	return settle([]Violation{v}, []byte(name))[0]
}

// CheckCount judges how many elements, members or fields the key would hold.
func (c *Contract) CheckCount(n uint64) []Violation {
	if c.Mode == Off || c.maxItems == 0 || n <= uint64(c.maxItems) {
		return nil
	}
	v := c.violation(CodeItemsMax, below(c.at, "maxItems"), "must hold at most "+plural(c.maxItems, c.unit()))
	v.Phase = PhaseResult
	v.Limit, v.Actual = c.maxItems, clamp(n)
	v.measure, v.measured = n, true
	return settle([]Violation{v})
}

// CheckResult judges how many elements an operation over this key would yield.
func (c *Contract) CheckResult(n int64) []Violation {
	if c.Mode == Off || c.maxResult == 0 || n <= c.maxResult {
		return nil
	}
	v := c.violation(CodeResultItems, below(c.at, "maxResult"), "the result must have at most "+plural(c.maxResult, c.unit()))
	v.Phase = PhaseResult
	v.Limit, v.Actual = c.maxResult, n
	return settle([]Violation{v})
}

func (c *Contract) unit() string {
	switch c.Type {
	case TypeHash:
		return "field"
	case TypeList:
		return "element"
	}
	return "member"
}

func clamp(n uint64) int64 { return int64(min(n, 1<<63-1)) }
