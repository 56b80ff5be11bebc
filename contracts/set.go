package contracts

import (
	"cmp"
	"slices"
)

// MaxKeyBytes is the longest key of any set, in bytes. A set may lower it.
const MaxKeyBytes = 1024

// Set is a compiled, immutable collection of contracts. It is safe for
// concurrent use.
type Set struct {
	contracts   []*Contract // sorted by name
	byName      map[string]*Contract
	trie        *branch
	unmatched   *Contract
	maxKeyBytes int
}

// Empty returns the set without contracts: every key is welcome as long as it
// is no longer than [MaxKeyBytes].
func Empty() *Set {
	set, _ := newSet(nil, defaults{maxKeyBytes: MaxKeyBytes, unmatched: unmatchedAllow})
	return set
}

// The words of the top-level keyword "unmatched".
const (
	unmatchedAllow = "allow"
	unmatchedWarn  = "warn"
	unmatchedDeny  = "deny"
)

// defaults are the values that hold for a whole set.
type defaults struct {
	mode        Mode
	existing    Existing
	maxKeyBytes int
	unmatched   string
}

// newSet puts compiled contracts in order and builds the index over their key
// patterns. Overlaps are found by the caller, who knows the positions.
func newSet(list []*Contract, d defaults) (*Set, []overlap) {
	list = slices.Clone(list)
	slices.SortFunc(list, byContractName)
	set := &Set{
		contracts:   list,
		byName:      make(map[string]*Contract, len(list)),
		maxKeyBytes: d.maxKeyBytes,
		unmatched:   unmatchedContract(d),
	}
	set.unmatched.neighbours = make(map[string]string)
	for _, c := range list {
		c.maxKeyBytes = d.maxKeyBytes
		set.byName[c.Name] = c
		first := c.segments[0]
		if _, taken := set.unmatched.neighbours[first.text]; first.kind == literalSegment && !taken {
			set.unmatched.neighbours[first.text] = c.Key
		}
	}
	set.trie = plant(list)
	return set, overlaps(list)
}

// unmatchedContract is the contract of all keys that no contract matches. Its
// mode says what becomes of them: off accepts silently, warn accepts and
// warns, enforce rejects.
func unmatchedContract(d defaults) *Contract {
	mode := map[string]Mode{unmatchedAllow: Off, unmatchedWarn: Warn, unmatchedDeny: Enforce}[d.unmatched]
	return &Contract{
		Mode:        mode,
		Existing:    cmp.Or(d.existing, Ratcheted),
		at:          "#/unmatched",
		additional:  true,
		maxKeyBytes: d.maxKeyBytes,
	}
}

// Contracts returns all contracts, sorted by name. The slice is the caller's.
func (s *Set) Contracts() []*Contract { return slices.Clone(s.contracts) }

// Get returns the contract of that name, or nil.
func (s *Set) Get(name string) *Contract { return s.byName[name] }

// MaxKeyBytes is the longest key this set admits, in bytes, whatever contract
// governs it.
func (s *Set) MaxKeyBytes() int { return s.maxKeyBytes }

// Match returns the one contract that governs a key: the most specific of
// those whose pattern has the key's shape, or the set's contract of unmatched
// keys. It never returns nil and does not allocate. The constraints on a
// pattern's variables do not steer the match; CheckKey judges them.
func (s *Set) Match(key []byte) *Contract {
	if c := s.trie.match(key); c != nil {
		return c
	}
	return s.unmatched
}

// Assigned is what the store knows about a contract: its number, which never
// changes for a name, and its revision, which rises when the content does.
type Assigned struct {
	ID       uint32
	Revision uint64
}

// AssignRevisions returns a copy of the set in which every contract named in
// the map carries its number and revision. Contracts that are not named keep
// what they had; names without a contract are ignored.
func (s *Set) AssignRevisions(assigned map[string]Assigned) *Set {
	list := make([]*Contract, len(s.contracts))
	for i, c := range s.contracts {
		copied := *c
		if a, ok := assigned[c.Name]; ok {
			copied.ID, copied.Revision = a.ID, a.Revision
		}
		list[i] = &copied
	}
	out := &Set{
		contracts:   list,
		byName:      make(map[string]*Contract, len(list)),
		trie:        plant(list),
		unmatched:   s.unmatched,
		maxKeyBytes: s.maxKeyBytes,
	}
	for _, c := range list {
		out.byName[c.Name] = c
	}
	return out
}
