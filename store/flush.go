package store

import (
	"keypact/contracts"
	"keypact/encoding"
	"keypact/store/kv"
)

// flush writes the meta records of the keys that the operation changed, and
// all that hangs on them: expiry index, reclaim records, aliases.
func (tx *Tx) flush() error {
	for _, r := range tx.op.records {
		if r.state == nil {
			continue
		}
		if r.dirty {
			if err := r.flush(); err != nil {
				return err
			}
		}
		r.state.after = summarize(r.exists, &r.meta)
	}
	return nil
}

func (r *record) flush() error {
	r.tx.op.did.wrote = true
	emptied := r.exists && collection(r.meta.Type) && r.meta.Count == 0
	if emptied {
		r.exists = false
	}
	if r.exists {
		r.applyDefaultTTL()
	}
	if err := r.freshen(); err != nil {
		return err
	}
	if err := r.counted.flush(); err != nil {
		return err
	}
	if err := r.settleMarks(); err != nil {
		return err
	}
	if err := r.dropGeneration(emptied); err != nil {
		return err
	}
	if err := r.index(); err != nil {
		return err
	}
	r.feed()
	r.announce()
	return r.writeMeta()
}

// feed notes that operations which wait for elements of the key may find some:
// it came into existence, was replaced or has gained elements.
func (r *record) feed() {
	if !r.exists || r.meta.Type != encoding.TypeList && r.meta.Type != encoding.TypeZSet {
		return
	}
	if r.renewed || !r.loaded.exists || r.meta.Count > r.loaded.count {
		r.tx.op.did.fed = append(r.tx.op.did.fed, spaceKey{r.space, string(r.key)})
	}
}

// dropGeneration gives away what the former value of the key left behind.
func (r *record) dropGeneration(emptied bool) error {
	if !r.stored || r.moved || r.exists && r.meta.Version == r.onDisk.Version {
		return nil
	}
	if emptied && r.meta.Version == r.onDisk.Version {
		return dropAlias(r.tx.w, r.ns, &r.onDisk)
	}
	return r.tx.s.discard(r.tx.w, r.ns, r.key, &r.onDisk)
}

// discard hands the data of a dead generation to the reclaimer.
func (s *Store) discard(w kv.Txn, ns uint32, key []byte, dead *encoding.Meta) error {
	if err := dropAlias(w, ns, dead); err != nil {
		return err
	}
	if !collection(dead.Type) {
		return nil
	}
	home := key
	if dead.HasHome {
		home = dead.Home
	}
	return s.queueReclaim(w, encoding.Reclaim{NS: ns, Home: home, Version: dead.Version, Type: dead.Type})
}

// dropAlias removes the record that says who owns data under a foreign home.
func dropAlias(w kv.Txn, ns uint32, dead *encoding.Meta) error {
	if !dead.HasHome {
		return nil
	}
	return w.Delete(encoding.AppendAliasKey(nil, ns, dead.Home, dead.Version))
}

// index keeps the expiry index equal to the meta record.
func (r *record) index() error {
	var before, after []byte
	shard := encoding.ExpiryShard(r.key)
	if r.stored && r.onDisk.Expires != 0 {
		before = encoding.AppendExpiryKey(nil, shard, r.onDisk.Expires, r.ns, r.key, r.onDisk.Version)
	}
	if r.exists && r.meta.Expires != 0 {
		after = encoding.AppendExpiryKey(nil, shard, r.meta.Expires, r.ns, r.key, r.meta.Version)
	}
	if string(before) == string(after) {
		return nil
	}
	if before != nil {
		if err := r.tx.w.Delete(before); err != nil {
			return err
		}
	}
	if after != nil {
		return r.tx.w.Set(after, encoding.AppendIndexValue(nil))
	}
	return nil
}

// writeMeta writes or deletes the meta record and keeps count of the keys.
func (r *record) writeMeta() error {
	key := metaKey(r.ns, r.key)
	if !r.exists {
		r.meta = encoding.Meta{}
		if !r.stored {
			return nil
		}
		r.tx.op.did.keys.add(r.ns, -1)
		return r.tx.w.Delete(key)
	}
	if !r.stored {
		r.tx.op.did.keys.add(r.ns, 1)
	}
	r.meta.Changes++
	r.stampContract()
	return r.tx.w.Set(key, encoding.AppendMeta(nil, &r.meta))
}

// applyDefaultTTL gives a new value the lifetime its contract supplies where
// the request gave none.
func (r *record) applyDefaultTTL() {
	ttl := r.contract.DefaultTTL()
	if r.renewed && r.meta.Expires == 0 && ttl > 0 && r.contract.Mode != contracts.Off {
		r.meta.Expires = r.tx.now + ttl.Milliseconds()
	}
}

// stampContract notes which revision of which contract the value is known to
// conform to. A value that is new has had every part of it judged; one that was
// written under another contract since its last verdict is known no longer.
func (r *record) stampContract() {
	c, m := r.contract, &r.meta
	if r.renewed && c.ID != 0 {
		m.ContractID, m.ContractRevision, m.Conformant = c.ID, c.Revision, !r.state.tainted
		return
	}
	if r.state.tainted || m.ContractID != c.ID || m.ContractRevision != c.Revision {
		m.Conformant = false
	}
}
