package verify

import (
	"bytes"
	"encoding/binary"
	"slices"

	"keypact/encoding"
	"keypact/store/kv"
)

// reclaim is a reclaim record.
type reclaim struct {
	seq     uint64
	key     []byte // of the record
	version uint64
	home    []byte
	cursor  []byte // nil is the beginning
}

// drop takes the record away.
func (d *reclaim) drop() mend { return remove(d.key) }

// restart has the reclaimer look at everything again.
func (d *reclaim) restart() mend {
	return step(func(tx kv.Txn) error {
		raw, err := tx.Get(nil, d.key)
		if err != nil {
			return err
		}
		var rec encoding.Reclaim
		if err := encoding.ParseReclaim(raw, &rec); err != nil {
			return err
		}
		rec.Cursor = nil
		return tx.Set(d.key, encoding.AppendReclaim(nil, &rec))
	})
}

// parts are the parts of one list that wait to be reclaimed. The list may live,
// or have died since; if it was cut down to nothing they are all that waits.
type parts []span

// span is the list indexes [from, to).
type span struct{ from, to uint64 }

// remaining is what the reclaimer has yet to look at of a part.
func remaining(rec *encoding.Reclaim) span {
	s := span{rec.From, rec.To}
	if _, _, _, index, err := encoding.ParseListKey(rec.Cursor); err == nil {
		s.from = max(s.from, index)
	}
	return s
}

func (p parts) cover(index uint64) bool {
	return slices.ContainsFunc(p, func(s span) bool { return index >= s.from && index < s.to })
}

// waiting reads what waits to be reclaimed and what is being filled.
func (w *walk) waiting() {
	w.each(encoding.FamilyReclaim, w.reclaimRecord)
	w.each(encoding.FamilyStage, w.stageRecord)
}

func (w *walk) reclaimRecord(key, value []byte) error {
	seq, err := encoding.ParseReclaimKey(key)
	if err != nil {
		return err
	}
	key = bytes.Clone(key)
	var rec encoding.Reclaim
	if err := encoding.ParseReclaim(bytes.Clone(value), &rec); err != nil {
		w.fault(CodeReclaim, nil, remove(key), "record %s: %v", shown(key), err)
		return nil
	}
	w.report.Reclaim++
	w.form(nil, key, value, encoding.AppendReclaim(nil, &rec))
	d := &reclaim{seq: seq, key: key, version: rec.Version, home: rec.Home, cursor: rec.Cursor}
	if !w.claim(seq) {
		w.fault(CodeVersion, rec.Home, nil, "reclaim record %d has a number that is in use", seq)
	}
	if next := w.next(); seq >= next || rec.Version >= next {
		w.fault(CodeSequence, rec.Home, w.raise(max(seq, rec.Version)), "reclaim record %d of version %d: the next number is %d", seq, rec.Version, next)
	}
	if rec.Queued > w.now {
		w.seen(rec.Home, rec.Queued)
	}
	switch place := placeOf(rec.NS, rec.Home, rec.Version); {
	case rec.WholeNamespace && w.flushed[rec.NS] != nil:
		w.fault(CodeReclaim, nil, d.drop(), "reclaim record %d names namespace %d, and so does another", seq, rec.NS)
	case rec.WholeNamespace:
		w.flushed[rec.NS] = d
	case rec.Part():
		w.parts[place] = append(w.parts[place], remaining(&rec))
	case w.dead[place] != nil || !w.claim(rec.Version):
		w.fault(CodeReclaim, rec.Home, d.drop(), "reclaim record %d names version %d, which is in use elsewhere", seq, rec.Version)
	default:
		w.dead[place] = d
	}
	return nil
}

func (w *walk) stageRecord(key, value []byte) error {
	ns, home, version, err := encoding.ParseStageKey(key)
	if err != nil {
		return err
	}
	var rec encoding.Stage
	if err := encoding.ParseStage(value, &rec); err != nil {
		w.fault(CodeCorrupt, home, remove(bytes.Clone(key)), "record %s of stage: %v", shown(key), err)
		return nil
	}
	w.report.Stages++
	w.form(home, key, value, encoding.AppendStage(nil, &rec))
	if epoch := w.sequences[string(encoding.EpochKey())]; rec.Epoch > epoch {
		w.fault(CodeSequence, home, setSequence(encoding.EpochKey(), rec.Epoch+1), "a stage is of epoch %d, the store is in %d", rec.Epoch, epoch)
	}
	if !w.claim(version) {
		w.fault(CodeVersion, home, nil, "a stage has version %d, which is in use", version)
	} else if version >= w.next() {
		w.fault(CodeSequence, home, w.raise(version), "a stage has version %d, the next one is %d", version, w.next())
	}
	w.stages[placeOf(ns, home, version)] = bytes.Clone(key)
	return nil
}

// waits reports whether a place is one that somebody will delete or publish.
func (w *walk) waits(place string) bool {
	return w.dead[place] != nil || w.stages[place] != nil || w.flushed[binary.BigEndian.Uint32([]byte(place[:4]))] != nil
}

// covered finds out what becomes of data without a key.
func (w *walk) covered(s *stray, place string) {
	switch {
	case w.dead[place] != nil:
		s.reclaim = w.dead[place]
	case w.stages[place] != nil:
	case w.flushed[s.ns] != nil:
		s.reclaim = w.flushed[s.ns]
	default:
		s.orphan, s.parts = true, w.parts[place]
	}
}
