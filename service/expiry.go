package service

import "keypact/store"

// Expiry is how a write says when its key expires: after a while, or at a
// moment. Not both. Without either, a new key does not expire, and an existing
// one keeps what it has (but SET drops it).
type Expiry struct {
	TTL       TTL  `json:"ttl,omitzero"`
	ExpiresAt Time `json:"expires_at,omitzero"`
}

// given reports whether the request says anything about expiry.
func (e Expiry) given() bool { return e.TTL != 0 || !e.ExpiresAt.IsZero() }

// check refuses two answers to one question.
func (e Expiry) check(Limits) []Issue {
	if e.TTL != 0 && !e.ExpiresAt.IsZero() {
		return []Issue{{Path: []string{"expires_at"}, Detail: "must not be given together with ttl"}}
	}
	return nil
}

// at is the moment of expiry in ms since the epoch, 0 if none is given. A
// moment that has passed is refused: what is written is meant to be there.
func (e Expiry) at(tx *store.Tx) (int64, error) {
	switch {
	case e.TTL != 0:
		return tx.Now() + e.TTL.Milliseconds(), nil
	case e.ExpiresAt.IsZero():
		return 0, nil
	case e.ExpiresAt.Milli() <= tx.Now():
		return 0, invalid("expired", "expires_at", "must lie in the future")
	}
	return e.ExpiresAt.Milli(), nil
}

// Remaining is how an answer says when its key expires. Both are zero, and
// left out, if it does not.
type Remaining struct {
	TTLMillis int64 `json:"ttl_ms,omitzero"`
	ExpiresAt Time  `json:"expires_at,omitzero"`
}

// Moving reports whether the answer shows a time that moves on by itself, so
// that two reads of the same state differ.
func (r Remaining) Moving() bool { return r.TTLMillis != 0 }

// remaining makes an answer of a moment of expiry, 0 for none.
func remaining(tx *store.Tx, expires int64) Remaining {
	if expires == 0 {
		return Remaining{}
	}
	return Remaining{TTLMillis: expires - tx.Now(), ExpiresAt: TimeOf(expires)}
}
