package contracts

import (
	"crypto/sha256"
	"slices"
	"strings"
)

// Violation is one broken rule. The same object is used wherever a contract is
// judged, whatever becomes of the write.
type Violation struct {
	Code   string   // what is wrong, one of Codes
	Path   []string // where in the operation, such as {"fields", "level"}; filled in by the caller
	Detail string   // the sentence for a person, without stored values
	Rule   string   // JSON pointer of the broken rule, "#/contracts/profile/fields/level/maximum"
	// Limit and Actual are a number or a length each: int64, float64, or the
	// text of a number that fits neither. Durations count in seconds. Both are
	// nil where there is nothing to compare and where the data is sensitive.
	Limit, Actual any
	Phase         string // PhaseRequest or PhaseResult; the caller may move a violation to the result
	Contract      string // name, empty for the contract of unmatched keys
	Revision      uint64
	Key           string // key pattern of the contract
	Mode          Mode   // of the contract; always Enforce for the limit on key length

	// subject identifies the judged value for the ratchet. It is a pointer so
	// that printing a violation cannot print the value.
	subject *string
	// measure is the size of what is too large. A measured violation may
	// stay or shrink under the ratchet.
	measure  uint64
	measured bool
}

// The phases of a violation: the request asks for something forbidden, or the
// state it leads to is.
const (
	PhaseRequest = "request"
	PhaseResult  = "result"
)

// The closed list of codes. They are stable: wording may change, codes do not.
const (
	CodeKeyLength        = "key.length"
	CodeKeyUnmatched     = "key.unmatched"
	CodeKeyVar           = "key.var"
	CodeKeyEncoding      = "key.encoding"
	CodeTypeLocked       = "type.locked"
	CodeValueBytes       = "value.bytes"
	CodeValueLength      = "value.length"
	CodeValueEncoding    = "value.encoding"
	CodeValuePattern     = "value.pattern"
	CodeValueExcludes    = "value.excludes"
	CodeValueEnum        = "value.enum"
	CodeFormatURL        = "format.url"
	CodeFormatDate       = "format.date"
	CodeFormatDateTime   = "format.datetime"
	CodeFormatEmail      = "format.email"
	CodeFormatUUID       = "format.uuid"
	CodeFormatIPv4       = "format.ipv4"
	CodeFormatIPv6       = "format.ipv6"
	CodeFormatHostname   = "format.hostname"
	CodeFormatE164       = "format.e164"
	CodeFormatInteger    = "format.integer"
	CodeFormatNumber     = "format.number"
	CodeNumberMinimum    = "number.minimum"
	CodeNumberMaximum    = "number.maximum"
	CodeNumberMultipleOf = "number.multipleOf"
	CodeNumberNotFinite  = "number.notFinite"
	CodeFieldUnknown     = "field.unknown"
	CodeFieldMissing     = "field.missing"
	CodeItemsMax         = "items.max"
	CodeTTLRequired      = "ttl.required"
	CodeTTLForbidden     = "ttl.forbidden"
	CodeTTLMin           = "ttl.min"
	CodeTTLMax           = "ttl.max"
	CodeOperationDenied  = "operation.denied"
	CodeArgumentRange    = "argument.range"
	CodeResultItems      = "result.items"
)

var codes = []string{
	CodeArgumentRange, CodeFieldMissing, CodeFieldUnknown, CodeFormatDate, CodeFormatDateTime, CodeFormatE164,
	CodeFormatEmail, CodeFormatHostname, CodeFormatInteger, CodeFormatIPv4, CodeFormatIPv6, CodeFormatNumber,
	CodeFormatURL, CodeFormatUUID, CodeItemsMax, CodeKeyEncoding, CodeKeyLength, CodeKeyUnmatched, CodeKeyVar,
	CodeNumberMaximum, CodeNumberMinimum, CodeNumberMultipleOf, CodeNumberNotFinite, CodeOperationDenied, CodeResultItems, CodeTTLForbidden,
	CodeTTLMax, CodeTTLMin, CodeTTLRequired, CodeTypeLocked, CodeValueBytes, CodeValueEncoding, CodeValueEnum,
	CodeValueExcludes, CodeValueLength, CodeValuePattern,
}

// Codes lists every code a violation can carry, sorted.
func Codes() []string {
	out := slices.Clone(codes)
	slices.Sort(out)
	return out
}

// violation starts a violation of the contract at the given rule.
func (c *Contract) violation(code, rule, detail string) Violation {
	return Violation{
		Code:     code,
		Detail:   detail,
		Rule:     rule,
		Phase:    PhaseRequest,
		Contract: c.Name,
		Revision: c.Revision,
		Key:      c.Key,
		Mode:     c.Mode,
	}
}

// settle gives the violations of one judged value their common subject and
// their order: by code, then by rule.
func settle(out []Violation, parts ...[]byte) []Violation {
	if len(out) == 0 {
		return nil
	}
	subject := identify(parts)
	for i := range out {
		out[i].subject = &subject
	}
	slices.SortStableFunc(out, func(a, b Violation) int {
		if n := strings.Compare(a.Code, b.Code); n != 0 {
			return n
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	return out
}

// identify tells judged values apart: equal text for equal parts, different
// text for different ones. It is a digest, so it neither keeps a large value
// alive nor keeps a secret one at all.
func identify(parts [][]byte) string {
	all := sha256.New()
	for _, part := range parts {
		sum := sha256.Sum256(part)
		all.Write(sum[:])
	}
	return string(all.Sum(nil))
}
