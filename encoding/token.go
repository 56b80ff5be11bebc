package encoding

import "encoding/binary"

const (
	tokenExpires = 1 << 0
	tokenRate    = 1 << 1

	tokenKnown = tokenExpires | tokenRate
)

// Scope is what a token allows, one bit each. The numbers are frozen.
type Scope byte

// The scopes.
const (
	ScopeRead  Scope = 1 << 0
	ScopeWrite Scope = 1 << 1
	ScopeAdmin Scope = 1 << 2

	scopeKnown = ScopeRead | ScopeWrite | ScopeAdmin
)

// Token is what the store keeps of an access token; the secret itself is not
// kept.
type Token struct {
	Name     string
	Scopes   Scope
	Created  int64    // ms since the epoch
	Expires  int64    // ms since the epoch; 0 is never
	Rate     uint64   // requests a second; 0 is no limit
	Patterns []string // of the keys it may touch; none is all keys
}

// AppendTokenKey appends the key of a token. hash is the SHA-256 of the secret.
func AppendTokenKey(dst []byte, hash [32]byte) []byte {
	return append(append(dst, byte(FamilyToken)), hash[:]...)
}

// ParseTokenKey reads the key of a token.
func ParseTokenKey(k []byte) (hash [32]byte, err error) {
	c := cursor{rest: k}
	c.family(FamilyToken)
	copy(hash[:], c.take(32, "hash"))
	return hash, c.end("token key")
}

// AppendToken appends t. Times outside 0..MaxTime take the nearest the record
// can hold.
func AppendToken(dst []byte, t *Token) []byte {
	var flags byte
	if t.Expires != 0 {
		flags |= tokenExpires
	}
	if t.Rate != 0 {
		flags |= tokenRate
	}
	dst = append(dst, flags, byte(t.Scopes))
	dst = appendTime(dst, t.Created)
	if t.Expires != 0 {
		dst = appendTime(dst, clampExpiry(t.Expires))
	}
	if t.Rate != 0 {
		dst = binary.AppendUvarint(dst, t.Rate)
	}
	dst = appendBlock(dst, []byte(t.Name))
	dst = binary.AppendUvarint(dst, uint64(len(t.Patterns)))
	for _, pattern := range t.Patterns {
		dst = appendBlock(dst, []byte(pattern))
	}
	return dst
}

// ParseToken reads src into t. After an error t holds nothing of use.
func ParseToken(src []byte, t *Token) error {
	c := cursor{rest: src}
	flags := c.flags(tokenKnown)
	*t = Token{Scopes: Scope(c.u8("scopes"))}
	if t.Scopes&^scopeKnown != 0 {
		c.fail("unknown scope")
	}
	t.Created = c.time("creation time")
	if flags&tokenExpires != 0 {
		t.Expires = c.expiry("expiry time")
	}
	if flags&tokenRate != 0 {
		t.Rate = c.nonzero("rate")
	}
	t.Name = string(c.block("name"))
	count := c.uvarint("patterns")
	if count > uint64(len(c.rest)) { // each takes a byte at least
		c.fail("patterns")
		count = 0
	}
	for range count {
		t.Patterns = append(t.Patterns, string(c.block("pattern")))
	}
	return c.end("token value")
}
