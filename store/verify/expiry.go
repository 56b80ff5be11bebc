package verify

import (
	"bytes"

	"keypact/encoding"
)

// ownExpiry wants a key that expires to be in the index.
func (e *entry) ownExpiry() {
	if e.m.Expires == 0 {
		return
	}
	entry := encoding.AppendExpiryKey(nil, encoding.ExpiryShard(e.key), e.m.Expires, e.ns, e.key, e.m.Version)
	if raw, readable := e.w.get(entry); raw == nil && readable {
		e.fault(CodeExpiry, put(entry, encoding.AppendIndexValue(nil)), "it expires at %d and is not in the index", e.m.Expires)
	}
}

// expiries wants each entry of the expiry index to be its key's.
func (w *walk) expiries() { w.each(encoding.FamilyExpiry, w.expiryRecord) }

func (w *walk) expiryRecord(key, value []byte) error {
	shard, ms, ns, user, version, err := encoding.ParseExpiryKey(key)
	if err != nil {
		return err
	}
	drop := remove(bytes.Clone(key))
	if err := encoding.ParseIndexValue(value); err != nil {
		w.form(user, key, value, encoding.AppendIndexValue(nil))
	}
	raw, readable := w.get(encoding.AppendMetaKey(nil, ns, user))
	if !readable {
		return nil
	}
	var m encoding.Meta
	if raw != nil {
		if err := encoding.ParseMeta(raw, &m); err != nil {
			return nil // the key's own record says so
		}
	}
	switch {
	case raw == nil:
		w.fault(CodeExpiryStray, user, drop, "it is in the expiry index, at %d, and absent", ms)
	case m.Version != version || m.Expires != ms:
		w.fault(CodeExpiryStray, user, drop, "the expiry index has version %d at %d, it has version %d and expires at %d", version, ms, m.Version, m.Expires)
	case shard != encoding.ExpiryShard(user):
		w.fault(CodeExpiryStray, user, drop, "it is in shard %d of the expiry index", shard)
	}
	return nil
}
