package verify

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"keypact/encoding"
	"keypact/store/kv"
)

// system reads the records of the store as a whole.
func (w *walk) system() {
	w.each(encoding.FamilyFormat, w.formatRecord)
	if !w.format && w.err == nil {
		w.fault(CodeFormat, nil, put(encoding.FormatKey(), encoding.AppendFormat(nil, encoding.Format)), "the format record is missing")
	}
	w.each(encoding.FamilySequence, w.sequenceRecord)
	w.now = max(w.now, w.clock())
	w.each(encoding.FamilyNamespace, w.namespaceRecord)
	w.each(encoding.FamilyCounter, w.counterRecord)
	w.each(encoding.FamilyContract, w.contractRecord)
	w.judges.open(w)
}

// clock is the store's own, which never goes back.
func (w *walk) clock() int64 {
	if w.o.Exact {
		return 0
	}
	return int64(min(w.sequences[string(encoding.ClockKey())], encoding.MaxTime))
}

func (w *walk) formatRecord(key, value []byte) error {
	if !bytes.Equal(key, encoding.FormatKey()) {
		w.unknown(key)
		return nil
	}
	w.format = true
	format, err := encoding.ParseFormat(value)
	if err == nil && format != encoding.Format {
		w.err = fmt.Errorf("the store has format %d, this program reads format %d", format, encoding.Format)
	}
	if err != nil {
		w.fault(CodeFormat, nil, nil, "the format record: %v", err)
	}
	return nil
}

func (w *walk) unknown(key []byte) {
	w.fault(CodeUnknown, nil, nil, "record %s of %s: nothing writes that", shown(key), encoding.Family(key[0]))
}

func (w *walk) sequenceRecord(key, value []byte) error {
	switch string(key) {
	case string(encoding.SequenceKey()), string(encoding.ClockKey()), string(encoding.NamespaceSequenceKey()),
		string(encoding.ContractSequenceKey()), string(encoding.EpochKey()), string(encoding.InstanceKey()):
	default:
		w.unknown(key)
		return nil
	}
	n, err := encoding.ParseSequence(value)
	if err == nil {
		w.sequences[string(key)] = n
	}
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
	w.names[name] = id
	if other, taken := w.namespaces[id]; taken {
		w.fault(CodeNamespace, nil, nil, "namespaces %q and %q both have the id %d", other, name, id)
		return nil
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
	w.shards[ns] = append(w.shards[ns], bytes.Clone(key))
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
	w.form(nil, key, value, encoding.AppendContract(nil, &rec))
	if _, taken := w.contracts[rec.ID]; taken || rec.ID == 0 || rec.Revision == 0 {
		w.fault(CodeContract, nil, nil, "contract %q has number %d (in use: %v) and revision %d", name, rec.ID, taken, rec.Revision)
	}
	w.contracts[rec.ID] = rec
	w.judges.known(name, rec)
	return nil
}

// finish compares counters and sequences with what was found.
func (w *walk) finish() {
	w.finishNamespaces()
	for id := range w.contracts {
		if next := w.sequences[string(encoding.ContractSequenceKey())]; uint64(id) >= next {
			w.fault(CodeSequence, nil, setSequence(encoding.ContractSequenceKey(), uint64(id)+1), "contract number %d: the next one would be %d", id, next)
		}
	}
	w.finishSequences()
	w.finishClock()
}

func (w *walk) finishNamespaces() {
	for ns, name := range w.namespaces {
		if ns == 0 || w.flushed[ns] != nil {
			w.fault(CodeNamespace, nil, nil, "namespace %q has the id %d, which none can have or which was flushed", name, ns)
		}
		if n := int64(w.keys[ns]); w.counters[ns] != n {
			w.fault(CodeCounter, nil, w.recount(ns, n), "namespace %q counts %d keys and has %d", name, w.counters[ns], n)
		}
		if next := w.sequences[string(encoding.NamespaceSequenceKey())]; uint64(ns) >= next {
			w.fault(CodeSequence, nil, setSequence(encoding.NamespaceSequenceKey(), uint64(ns)+1), "namespace %q is number %d, the next one would be %d", name, ns, next)
		}
	}
	for ns := range w.counters {
		if _, named := w.namespaces[ns]; !named && w.flushed[ns] == nil && w.keys[ns] == 0 {
			w.fault(CodeCounter, nil, w.recount(ns, 0), "there is a counter for namespace %d, which has no name", ns)
		}
	}
	var nameless []uint32
	for ns := range w.keys {
		if _, named := w.namespaces[ns]; !named && w.flushed[ns] == nil {
			nameless = append(nameless, ns)
		}
	}
	gaps := w.unnamed()
	for _, ns := range nameless {
		var name mend
		if len(nameless) == 1 && len(gaps) == 1 {
			name = put(encoding.AppendNamespaceKey(nil, gaps[0]), encoding.AppendNamespace(nil, ns))
		}
		w.fault(CodeNamespace, nil, name, "%d keys lie in namespace %d, which has no name", w.keys[ns], ns)
	}
	if len(nameless) > 0 {
		return // they are those of the names that are missing
	}
	for _, name := range gaps {
		w.fault(CodeNamespace, nil, newNamespace(name), "there is no namespace %q", name)
	}
}

// mostNamespaces bounds the search for names that are missing.
const mostNamespaces = 1 << 16

// unnamed are the names that no namespace has: those of all numbers from 0 on
// up to the highest that is a name are in use.
func (w *walk) unnamed() (gaps []string) {
	names, highest := map[int]bool{}, 0
	for name, ns := range w.names {
		n, err := strconv.Atoi(name)
		if err != nil || n < 0 || n >= mostNamespaces || strconv.Itoa(n) != name {
			var drop mend
			if w.keys[ns] == 0 {
				drop = remove(encoding.AppendNamespaceKey(nil, name))
			}
			w.fault(CodeNamespace, nil, drop, "namespace %q has a name that is no number", name)
			continue
		}
		names[n], highest = true, max(highest, n)
	}
	for n := range highest + 1 {
		if !names[n] {
			gaps = append(gaps, strconv.Itoa(n))
		}
	}
	return gaps
}

// newNamespace puts a new and empty namespace behind a name.
func newNamespace(name string) mend {
	return step(func(tx kv.Txn) error {
		next := uint64(1)
		raw, err := tx.Get(nil, encoding.NamespaceSequenceKey())
		if err == nil {
			next, err = encoding.ParseSequence(raw)
		}
		if err != nil && !errors.Is(err, kv.ErrNotFound) || next > math.MaxUint32 {
			return err // the next round finds the sequence mended
		}
		if err := tx.Set(encoding.NamespaceSequenceKey(), encoding.AppendSequence(nil, next+1)); err != nil {
			return err
		}
		return tx.Set(encoding.AppendNamespaceKey(nil, name), encoding.AppendNamespace(nil, uint32(next)))
	})
}

// recount sets a counter, in one part.
func (w *walk) recount(ns uint32, n int64) mend {
	return step(func(tx kv.Txn) error {
		for _, key := range w.shards[ns] {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
		if n == 0 {
			return nil
		}
		return tx.Set(encoding.AppendCounterKey(nil, ns, 0), encoding.AppendCounter(nil, n))
	})
}

// finishSequences wants all of them; that of contracts is made with the first.
func (w *walk) finishSequences() {
	missing := func(key []byte) bool { _, found := w.sequences[string(key)]; return !found }
	if missing(encoding.SequenceKey()) {
		w.fault(CodeSequence, nil, w.raise(0), "the sequence of versions is missing")
	}
	if missing(encoding.NamespaceSequenceKey()) && len(w.namespaces) == 0 {
		w.fault(CodeSequence, nil, nil, "the sequence of namespaces is missing")
	}
	if missing(encoding.EpochKey()) {
		w.fault(CodeSequence, nil, setSequence(encoding.EpochKey(), 1), "the number of the epoch is missing")
	}
	if missing(encoding.InstanceKey()) {
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails
		w.fault(CodeSequence, nil, setSequence(encoding.InstanceKey(), binary.LittleEndian.Uint64(random[:])), "the store's own number is missing")
	}
}

// finishClock wants the clock's mark to be behind no record.
func (w *walk) finishClock() {
	mark, found := w.sequences[string(encoding.ClockKey())]
	mend := setSequence(encoding.ClockKey(), uint64(w.newest))
	switch {
	case !found:
		w.fault(CodeClock, nil, mend, "the mark of the clock is missing")
	case mark > uint64(w.now):
		w.fault(CodeClock, nil, nil, "the clock was last seen at %d; it is %d", mark, w.now)
	case w.report.Keys.Total > 0 && mark < uint64(w.newest):
		w.fault(CodeClock, nil, mend, "the clock was last seen at %d, and a record is from %d", mark, w.newest)
	}
}

// setSequence sets a record of the sequence family, unless it is further on.
func setSequence(key []byte, n uint64) mend {
	return step(func(tx kv.Txn) error { return moveSequence(tx, key, n) })
}

func moveSequence(tx kv.Txn, key []byte, n uint64) error {
	if raw, err := tx.Get(nil, key); err == nil {
		if present, err := encoding.ParseSequence(raw); err == nil && present >= n {
			return nil
		}
	}
	return tx.Set(key, encoding.AppendSequence(nil, n))
}

// versionGap is how far a mended sequence of versions lies behind the highest
// that was found: versions of what is gone were handed out too.
const versionGap = 1 << 40

// versionMost is the highest version that the sequence is moved behind: those
// above come from no store.
const versionMost = 1 << 62

// raise moves the sequence of versions behind a number that is in use, and
// behind all others.
func (w *walk) raise(n uint64) mend {
	if n > versionMost {
		return nil
	}
	w.highest = max(w.highest, n)
	return func(m *mender) error {
		m.last(func(tx kv.Txn) error { return moveSequence(tx, encoding.SequenceKey(), w.highest+versionGap) })
		return nil
	}
}
