package contracts

import (
	"slices"
	"time"
)

// document is a contract in the words of the file format, with every default
// filled in.
type document struct {
	Name             string                       `json:"name"`
	Key              string                       `json:"key"`
	Description      string                       `json:"description,omitzero"`
	Owner            string                       `json:"owner,omitzero"`
	Type             Type                         `json:"type,omitzero"`
	Mode             Mode                         `json:"mode"`
	Existing         Existing                     `json:"existing"`
	Revision         uint64                       `json:"revision,omitzero"`
	Sensitive        bool                         `json:"sensitive,omitzero"`
	Vars             map[string]*ruleDocument     `json:"vars,omitzero"`
	Value            *ruleDocument                `json:"value,omitzero"`
	Fields           map[string]*ruleDocument     `json:"fields,omitzero"`
	AdditionalFields *bool                        `json:"additionalFields,omitzero"`
	Required         []string                     `json:"required,omitzero"`
	Items            *ruleDocument                `json:"items,omitzero"`
	Score            *scoreDocument               `json:"score,omitzero"`
	MaxItems         int64                        `json:"maxItems,omitzero"`
	MaxResult        int64                        `json:"maxResult,omitzero"`
	TTL              any                          `json:"ttl,omitzero"`
	Operations       map[string]operationDocument `json:"operations,omitzero"`
	Reads            string                       `json:"reads,omitzero"`
}

type ruleDocument struct {
	Type       valueKind `json:"type"`
	MinBytes   *int64    `json:"minBytes,omitzero"`
	MaxBytes   *int64    `json:"maxBytes,omitzero"`
	MinLength  *int64    `json:"minLength,omitzero"`
	MaxLength  *int64    `json:"maxLength,omitzero"`
	Encoding   string    `json:"encoding,omitzero"`
	Pattern    string    `json:"pattern,omitzero"`
	Excludes   []string  `json:"excludes,omitzero"`
	Enum       any       `json:"enum,omitzero"`
	Format     string    `json:"format,omitzero"`
	AllowEmpty bool      `json:"allowEmpty,omitzero"`
	Sensitive  bool      `json:"sensitive,omitzero"`
	Minimum    *decimal  `json:"minimum,omitzero"`
	Maximum    *decimal  `json:"maximum,omitzero"`
	MultipleOf *decimal  `json:"multipleOf,omitzero"`
}

type scoreDocument struct {
	Type       valueKind `json:"type"`
	Minimum    *decimal  `json:"minimum,omitzero"`
	Maximum    *decimal  `json:"maximum,omitzero"`
	MultipleOf *decimal  `json:"multipleOf,omitzero"`
}

type ttlDocument struct {
	Required bool   `json:"required"`
	Min      string `json:"min,omitzero"`
	Max      string `json:"max,omitzero"`
	Default  string `json:"default,omitzero"`
}

type operationDocument struct {
	Timeout *TimeoutRange `json:"timeout,omitzero"`
	Count   *CountRange   `json:"count,omitzero"`
}

// TimeoutRange is an inclusive range of durations in the notation of contract
// files; an empty end is open.
type TimeoutRange struct {
	Min string `json:"min,omitzero"`
	Max string `json:"max,omitzero"`
}

// CountRange is an inclusive range of counts; an end of 0 is open.
type CountRange struct {
	Min int64 `json:"min,omitzero"`
	Max int64 `json:"max,omitzero"`
}

// Document describes the contract in the words of the file format, all
// defaults filled in, as a value that any JSON encoder writes. Encoded with
// sorted map keys the text is the same for the same contract.
func (c *Contract) Document() any {
	d := c.document()
	d.Revision = c.Revision
	return d
}

// document leaves out what the store assigned.
func (c *Contract) document() *document {
	d := &document{
		Name: c.Name, Key: c.Key, Description: c.Description, Owner: c.Owner,
		Type: c.Type, Mode: c.Mode, Existing: c.Existing, Sensitive: c.Sensitive,
		Value: c.value.document(), Items: c.items.document(), Score: c.score.document(),
		Required: slices.Clone(c.required), MaxItems: c.maxItems, MaxResult: c.maxResult,
	}
	if !c.Governed() {
		return d
	}
	d.TTL = c.ttl.document()
	for _, seg := range c.segments {
		if seg.rule != nil {
			if d.Vars == nil {
				d.Vars = make(map[string]*ruleDocument)
			}
			d.Vars[seg.text] = seg.rule.document()
		}
	}
	if c.Type == TypeHash {
		d.AdditionalFields = &c.additional
		if c.fields != nil {
			d.Fields = make(map[string]*ruleDocument, len(c.fields))
		}
		for name, r := range c.fields {
			d.Fields[name] = r.document()
		}
	}
	if c.operations != nil {
		d.Operations, d.Reads = make(map[string]operationDocument, len(c.operations)), "open"
		for verb, op := range c.operations {
			d.Operations[verb] = operationDocument{Timeout: op.timeoutRange(), Count: op.countRange()}
		}
	}
	if c.readsListed {
		d.Reads = "listed"
	}
	return d
}

func (r *rule) document() *ruleDocument {
	if r == nil {
		return nil
	}
	d := &ruleDocument{
		Type: r.kind, MinBytes: r.minBytes.pointer(), MaxBytes: r.maxBytes.pointer(),
		MinLength: r.minLength.pointer(), MaxLength: r.maxLength.pointer(),
		AllowEmpty: r.allowEmpty, Sensitive: r.sensitive,
		Minimum: r.minimum, Maximum: r.maximum, MultipleOf: r.multipleOf,
	}
	if r.utf8 {
		d.Encoding = "utf-8"
	}
	if r.pattern != nil {
		d.Pattern = r.pattern.String()
	}
	for _, e := range r.excludes {
		d.Excludes = append(d.Excludes, e.word)
	}
	if r.format != nil {
		d.Format = r.format.name
	}
	switch {
	case r.enumNumber != nil:
		d.Enum = slices.Clone(r.enumNumber)
	case r.enum != nil:
		d.Enum = slices.Clone(r.enum)
	}
	return d
}

func (l limit) pointer() *int64 {
	if !l.set {
		return nil
	}
	return &l.n
}

func (r *scoreRule) document() *scoreDocument {
	if r == nil {
		return nil
	}
	d := &scoreDocument{Type: kindNumber, Minimum: r.minimum, Maximum: r.maximum, MultipleOf: r.multipleOf}
	if r.integer {
		d.Type = kindInteger
	}
	return d
}

func (t *ttlRule) document() any {
	text := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return formatDuration(d)
	}
	switch {
	case t.forbidden:
		return "forbidden"
	case !t.required && t.least == 0 && t.most == 0 && t.fallback == 0:
		return "optional"
	}
	return &ttlDocument{Required: t.required, Min: text(t.least), Max: text(t.most), Default: text(t.fallback)}
}

func (op *operation) timeoutRange() *TimeoutRange {
	if op.timeout == nil {
		return nil
	}
	text := func(n int64) string {
		if n == 0 {
			return ""
		}
		return formatDuration(time.Duration(n))
	}
	return &TimeoutRange{Min: text(op.timeout.least), Max: text(op.timeout.most)}
}

func (op *operation) countRange() *CountRange {
	if op.count == nil {
		return nil
	}
	return &CountRange{Min: op.count.least, Max: op.count.most}
}
