package service

import (
	"math"

	"keypact/store"
)

// Lifetime is the answer of operations on a key's time to live; both are null
// if the key does not expire.
type Lifetime struct {
	TTLMillis *int64 `json:"ttl_ms"`
	ExpiresAt Time   `json:"expires_at"`
}

// Moving reports whether the answer shows a time that moves on by itself.
func (l Lifetime) Moving() bool { return l.TTLMillis != nil }

func lifetime(tx *store.Tx, expires int64) Lifetime {
	if expires == 0 {
		return Lifetime{}
	}
	return Lifetime{TTLMillis: new(expires - tx.Now()), ExpiresAt: TimeOf(expires)}
}

// KeyTTLGet says when a key expires. An absent key is not found.
type KeyTTLGet struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls declares TTL.
func (op KeyTTLGet) Calls() []store.Call {
	return []store.Call{{Verb: "TTL", Key: op.Key, Read: true}}
}

// Apply reads.
func (op KeyTTLGet) Apply(tx *store.Tx) (any, error) {
	k, err := presentKey(tx, op.Key)
	if err != nil {
		return nil, err
	}
	return lifetime(tx, k.Expires()), nil
}

// presentKey opens a key of any type that must be there.
func presentKey(tx *store.Tx, key Bytes) (*store.Key, error) {
	k, err := tx.Key(key)
	if err == nil && !k.Exists() {
		err = store.ErrNotFound
	}
	return k, err
}

// KeyTTLSet sets when a key expires. An absent key is not found; a moment that
// has passed deletes the key at once, and the answer has no lifetime. The
// conditions look at the time to live: absent and present ask for none and for
// any, greater and less compare the new moment with the old one, where a key
// that does not expire has an endless one. Unmet, they change nothing (412).
type KeyTTLSet struct {
	Key Bytes `json:"key" validate:"required,key"`
	Expiry
	If Conditions `json:"if,omitzero" validate:"conditions=absent present greater less"`
}

func (op KeyTTLSet) check(l Limits) []Issue {
	if !op.Expiry.given() {
		return []Issue{{Path: []string{"ttl"}, Detail: "must be given: either ttl or expires_at"}}
	}
	return op.Expiry.check(l)
}

// Calls declares EXPIRE.
func (op KeyTTLSet) Calls() []store.Call {
	return []store.Call{{Verb: "EXPIRE", Key: op.Key}}
}

// Apply writes.
func (op KeyTTLSet) Apply(tx *store.Tx) (any, error) {
	k, err := presentKey(tx, op.Key)
	if err != nil {
		return nil, err
	}
	at := op.ExpiresAt.Milli()
	if op.TTL != 0 {
		at = tx.Now() + op.TTL.Milliseconds()
	}
	if !op.allows(k.Expires(), at) {
		return nil, store.ErrPrecondition
	}
	if at <= tx.Now() {
		return Lifetime{}, k.Remove()
	}
	return lifetime(tx, at), k.Expire(at)
}

// allows judges the conditions on the old and the new moment; 0 is never.
func (op KeyTTLSet) allows(old, at int64) bool {
	endless := old
	if old == 0 {
		endless = math.MaxInt64
	}
	return !(op.If.Has(Absent) && old != 0 ||
		op.If.Has(Present) && old == 0 ||
		op.If.Has(Greater) && at <= endless ||
		op.If.Has(Less) && at >= endless)
}

// KeyTTLClear makes a key stay until it is deleted. An absent key is not found;
// a key that does not expire stays as it is.
type KeyTTLClear struct {
	Key Bytes `json:"key" validate:"required,key"`
}

// Calls declares PERSIST.
func (op KeyTTLClear) Calls() []store.Call {
	return []store.Call{{Verb: "PERSIST", Key: op.Key}}
}

// Apply writes.
func (op KeyTTLClear) Apply(tx *store.Tx) (any, error) {
	k, err := presentKey(tx, op.Key)
	if err != nil {
		return nil, err
	}
	return nil, k.Expire(0)
}
