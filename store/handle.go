package store

// handle is what the handles of all types have in common: one key as the
// running operation sees it.
type handle struct{ r *record }

// Exists reports whether the key is there; an expired one is not.
func (h handle) Exists() bool { return h.r.exists }

// Count is the number of elements; 0 for an absent key.
func (h handle) Count() uint64 {
	if !h.r.exists {
		return 0
	}
	return h.r.meta.Count
}

// Expires is when the key expires, in ms since the epoch; 0 is never.
func (h handle) Expires() int64 {
	if !h.r.exists {
		return 0
	}
	return h.r.meta.Expires
}

// Expire sets when the key expires, in ms since the epoch; 0 is never. A time
// that is not in the future removes the key. An absent key, or one that the
// operation has just emptied, stays absent.
func (h handle) Expire(at int64) error {
	if !h.r.exists || collection(h.r.meta.Type) && h.r.meta.Count == 0 {
		return nil
	}
	return h.r.setExpiry(at)
}

// Remove deletes the key in one step, however large it is. An absent key is
// left alone.
func (h handle) Remove() error { return h.r.remove() }

// Same reports whether two handles stand for one key of one namespace.
func (h handle) Same(other *Key) bool { return h.r == other.r }
