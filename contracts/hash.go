package contracts

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
)

// Hash identifies the content of the contract: what it says with all defaults
// filled in, not how it is written, where, in which order, or which number and
// revision it was given. It is the SHA-256 of the contract's document as JSON
// with sorted keys and sorted lists.
func (c *Contract) Hash() [32]byte {
	d := c.document()
	d.Value.sort()
	d.Items.sort()
	for _, r := range d.Vars {
		r.sort()
	}
	for _, r := range d.Fields {
		r.sort()
	}
	return hashOf("contract", d)
}

// Hash identifies the content of the whole set.
func (s *Set) Hash() [32]byte {
	content := struct {
		MaxKeyBytes int
		Unmatched   Mode
		Contracts   [][32]byte
	}{MaxKeyBytes: s.maxKeyBytes, Unmatched: s.unmatched.Mode}
	for _, c := range s.contracts {
		content.Contracts = append(content.Contracts, c.Hash())
	}
	return hashOf("set", content)
}

// sort puts the lists in order whose order means nothing. They are copies.
func (r *ruleDocument) sort() {
	if r == nil {
		return
	}
	slices.Sort(r.Excludes)
	switch enum := r.Enum.(type) {
	case []string:
		slices.Sort(enum)
	case []decimal:
		slices.SortFunc(enum, decimal.compare)
	}
}

// hashOf hashes the kind, so that no set can have the hash of a contract, and
// the content. Content that cannot be encoded does not occur; if it did, it
// would still have a hash of its own.
func hashOf(kind string, content any) [32]byte {
	text, err := json.Marshal(content)
	if err != nil {
		text = fmt.Appendf(nil, "%v %#v", err, content)
	}
	prefix := binary.BigEndian.AppendUint32([]byte(kind), fileFormat)
	return sha256.Sum256(append(prefix, text...))
}
