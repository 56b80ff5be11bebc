package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"keypact/encoding"
)

func (w *walk) formatRecord(_, value []byte) error {
	format, err := encoding.ParseFormat(value)
	if err == nil && format != encoding.Format {
		err = fmt.Errorf("format %d", format)
	}
	w.format = true
	return err
}

func (w *walk) sequenceRecord(key, value []byte) error {
	next, err := encoding.ParseSequence(value)
	w.sequences[string(key)] = next
	return err
}

func (w *walk) namespaceRecord(key, value []byte) error {
	name, err := encoding.ParseNamespaceKey(key)
	if err != nil {
		return err
	}
	id, err := encoding.ParseNamespace(value)
	if err != nil {
		return err
	}
	if other, taken := w.namespaces[id]; taken {
		w.fault("namespaces %q and %q are both number %d", other, name, id)
	}
	w.namespaces[id] = name
	return nil
}

func (w *walk) counterRecord(key, value []byte) error {
	ns, _, err := encoding.ParseCounterKey(key)
	if err != nil {
		return err
	}
	n, err := encoding.ParseCounter(value)
	w.counters[ns] += n
	return err
}

func (w *walk) contractRecord(key, value []byte) error {
	name, err := encoding.ParseContractKey(key)
	if err != nil {
		return err
	}
	var rec encoding.ContractRecord
	if err := encoding.ParseContract(value, &rec); err != nil {
		return err
	}
	if _, taken := w.contracts[rec.ID]; taken || rec.ID == 0 || rec.Revision == 0 {
		w.fault("contract %q has number %d (in use: %v) and revision %d", name, rec.ID, taken, rec.Revision)
	}
	w.contracts[rec.ID] = rec
	return nil
}

// expiryRecord wants each entry of the expiry index to be its key's.
func (w *walk) expiryRecord(key, value []byte) error {
	shard, ms, ns, user, version, err := encoding.ParseExpiryKey(key)
	if err := errors.Join(err, encoding.ParseIndexValue(value)); err != nil {
		return err
	}
	owner := nsKey{ns, string(user)}
	e := w.keys[owner]
	switch {
	case e == nil:
		w.fault("expiry index: key %s is absent", owner)
	case e.meta.Version != version || e.meta.Expires != ms:
		w.fault("expiry index: key %s version %d at %d, meta has version %d at %d", owner, version, ms, e.meta.Version, e.meta.Expires)
	case shard != encoding.ExpiryShard(user):
		w.fault("expiry index: key %s is in shard %d", owner, shard)
	default:
		w.expiries[owner]++
	}
	return nil
}

// reclaimRecord takes the data of a dead version off the list of strays.
func (w *walk) reclaimRecord(key, value []byte) error {
	seq, err := encoding.ParseReclaimKey(key)
	if err != nil {
		return err
	}
	var rec encoding.Reclaim
	if err := encoding.ParseReclaim(value, &rec); err != nil {
		return err
	}
	if rec.WholeNamespace {
		w.reclaimSpace(&rec)
		return nil
	}
	p := place{rec.NS, string(rec.Home), rec.Version}
	if e := w.places[p]; rec.Part() && e != nil {
		e.outside = slices.DeleteFunc(e.outside, func(index uint64) bool { return index >= rec.From && index < rec.To })
		return nil
	}
	if _, dead := w.versions[rec.Version]; rec.Part() && dead {
		return nil // the list died later, which another record says
	}
	if e := w.places[p]; e != nil {
		w.fault("reclaim %d names the live data of key %s", seq, e.key)
	}
	if other, taken := w.versions[rec.Version]; taken {
		w.fault("reclaim %d: version %d of %q is in use for %s too", seq, rec.Version, rec.Home, other)
	}
	w.versions[rec.Version] = p
	if next := w.sequences[string(encoding.SequenceKey())]; seq >= next || rec.Version >= next {
		w.fault("reclaim %d of %s: the next version is %d", seq, p, next)
	}
	least, stray := w.unowned[p]
	if stray && rec.Cursor != nil && bytes.Compare([]byte(least), rec.Cursor) < 0 {
		w.fault("reclaim %d has passed record %x", seq, least)
	}
	delete(w.unowned, p)
	return nil
}

// reclaimSpace takes the data of a flushed namespace off the list of strays.
func (w *walk) reclaimSpace(rec *encoding.Reclaim) {
	w.flushed[rec.NS] = true
	for p := range w.unowned {
		if p.ns == rec.NS {
			delete(w.unowned, p)
		}
	}
}

// finishSystem compares counters and sequences with what was found.
func (w *walk) finishSystem() {
	keys := map[uint32]int64{}
	for k := range w.keys {
		keys[k.ns]++
	}
	for ns := range w.namespaces {
		if w.counters[ns] != keys[ns] {
			w.fault("namespace %d counts %d keys and has %d", ns, w.counters[ns], keys[ns])
		}
		if next := w.sequences[string(encoding.NamespaceSequenceKey())]; uint64(ns) >= next {
			w.fault("namespace %d: the next one would be %d", ns, next)
		}
	}
	for ns := range keys {
		if _, known := w.namespaces[ns]; !known && !w.flushed[ns] {
			w.fault("%d keys lie in namespace %d, which has no name", keys[ns], ns)
		}
	}
	for id := range w.contracts {
		if next := w.sequences[string(encoding.ContractSequenceKey())]; uint64(id) >= next {
			w.fault("contract number %d: the next one would be %d", id, next)
		}
	}
	if high := int64(w.sequences[string(encoding.ClockKey())]); len(w.keys) > 0 && (high > w.now || high < w.newest) {
		w.fault("the clock was last seen at %d; it is %d, and a record is from %d", high, w.now, w.newest)
	}
}
