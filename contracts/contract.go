package contracts

import "time"

// Type is the data type a contract prescribes, in the words of the TYPE
// command. The empty Type belongs to the contract of unmatched keys, which
// prescribes none.
type Type string

// The five data types.
const (
	TypeString Type = "string"
	TypeHash   Type = "hash"
	TypeList   Type = "list"
	TypeSet    Type = "set"
	TypeZSet   Type = "zset"
)

// Mode says what happens to a write that violates a contract.
type Mode string

// Enforce rejects the write, Warn commits it and reports the violations, Off
// evaluates nothing but still reserves the contract's keys. No mode lifts the
// limit on the length of keys.
const (
	Enforce Mode = "enforce"
	Warn    Mode = "warn"
	Off     Mode = "off"
)

// Existing says how data is treated that was stored before its contract was
// tightened.
type Existing string

// Ratcheted tolerates a violation that was there before the write, as
// long as it does not get worse (see [Ratchet]). Strict demands that
// whatever is touched obeys the contract afterwards.
const (
	Ratcheted Existing = "ratchet"
	Strict    Existing = "strict"
)

// Contract is one compiled contract. The exported fields may be read by
// anyone and are written by nobody after the set was built.
type Contract struct {
	Name        string // unique in its set; empty for the contract of unmatched keys
	Key         string // the key pattern as written
	Description string
	Owner       string
	Type        Type
	Mode        Mode
	Existing    Existing
	Sensitive   bool   // values must not appear in errors, logs or samples
	ID          uint32 // assigned by the store through AssignRevisions, 0 before
	Revision    uint64 // assigned by the store through AssignRevisions, 0 before
	File        string // where the contract was declared; never part of a violation
	Line        int
	Column      int

	at          string // JSON pointer of the contract, "#/contracts/name"
	segments    []segment
	value       *rule
	fields      map[string]*rule
	fieldNames  []string // sorted
	additional  bool     // hash: fields that are not declared are welcome
	required    []string // sorted
	items       *rule
	score       *scoreRule
	maxItems    int64 // 0 = none
	maxResult   int64 // 0 = none
	ttl         ttlRule
	operations  map[string]*operation // nil = all
	verbs       []string              // the names in operations, sorted
	readsListed bool
	maxKeyBytes int
	marks       marks
	neighbours  map[string]string // unmatched keys: first literal of a pattern to the pattern
}

// marks are the positions of those parts of a contract that a lint points at.
type marks struct {
	key, maxItems, score position
}

// position is a place in a source, both parts counted from 1.
type position struct{ line, column int }

// Governed reports whether this is a declared contract, as opposed to the one
// that stands for all keys no contract matches.
func (c *Contract) Governed() bool { return c.Name != "" }

// MaxResult is the largest number of elements that algebra over this key (a
// union, an intersection, a difference) may yield; 0 means that the contract
// sets no limit. Where several keys are read the smallest limit holds. A
// contract in mode off sets none.
func (c *Contract) MaxResult() int64 {
	if c.Mode == Off {
		return 0
	}
	return c.maxResult
}

// MaxItems is the largest number of elements or fields of the key, 0 for none.
func (c *Contract) MaxItems() int64 { return c.maxItems }

// DefaultTTL is the lifetime a new key gets when its request names none; 0
// means that the contract supplies none, as it does in mode off.
func (c *Contract) DefaultTTL() time.Duration {
	if c.Mode == Off {
		return 0
	}
	return c.ttl.fallback
}

// RequiredFields lists the fields a hash must have while it exists, sorted.
// The slice is shared: it must not be changed.
func (c *Contract) RequiredFields() []string {
	if c.Mode == Off {
		return nil
	}
	return c.required
}

var types = []Type{TypeString, TypeHash, TypeList, TypeSet, TypeZSet}
