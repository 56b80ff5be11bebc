package badger

import (
	"encoding/binary"
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// Record is one record of a group. A nil Value deletes the key. Neither slice
// may be changed or, by a wrapper that keeps it, be assumed to change.
type Record struct{ Key, Value []byte }

// Log is the seam under the committer: everything that reaches the disk passes
// through it. It exists so that tests can put a power-loss wrapper in between
// (Options.WrapLog).
type Log interface {
	// Write applies one group at timestamp ts, all or nothing, in no particular
	// order, each key once. Reads at ts and later then see it. Timestamps rise.
	// Calls come from one goroutine.
	Write(ts uint64, group []Record) error
	// Sync returns when everything written before the call survives a power
	// loss. It may run beside Write.
	Sync() error
}

// engineLog writes groups to Badger.
//
// Badger's value log is never used: its collection rewrites records behind the
// committer's back (a rotation in between would leave a log that db.Sync no
// longer covers), a failed sync of it is only logged, records may reach the
// disk before the values they point to, and a value that cannot be read comes
// back empty without an error. Values too long for the tree are cut into parts
// instead, each a record of its own under a reserved first byte.
type engineLog struct {
	db     *badger.DB
	files  *memtableLogs
	limits limits
	redo   redoFile
	parts  map[string]uint32 // key -> parts, of each value that is cut

	deletes *deletes
}

const (
	partByte  = 0xFF      // first byte of the keys of parts
	partBytes = 512 << 10 // of one part; the tree takes values below 1 MiB
	cutMark   = 0x01      // user meta of a record whose value is cut
)

// appendPartKey builds the key of part i of key's value.
func appendPartKey(dst, key []byte, i uint32) []byte {
	dst = append(dst, partByte)
	dst = append(dst, key...)
	return binary.BigEndian.AppendUint32(dst, i)
}

// Write commits the group as one Badger transaction, or, if it is too large for
// that, as several behind a redo file. Parts that it leaves without an owner go
// in transactions behind it: should they stay, the next open finds them.
func (l *engineLog) Write(ts uint64, group []Record) error {
	stale, err := l.write(ts, group)
	if err != nil {
		return fmt.Errorf("write group at %d: %w", ts, err)
	}
	return l.drop(ts, stale)
}

func (l *engineLog) write(ts uint64, group []Record) (stale [][]byte, err error) {
	if l.fits(group) {
		return l.apply(ts, group)
	}
	// What came before must not be lost where this is kept.
	if err := l.files.sync(); err != nil {
		return nil, err
	}
	if err := l.redo.save(ts, group); err != nil {
		return nil, err
	}
	if stale, err = l.apply(ts, group); err != nil {
		return nil, err
	}
	if err := l.files.sync(); err != nil {
		return nil, err
	}
	return stale, l.redo.clear()
}

// fits reports whether one Badger transaction takes the group.
func (l *engineLog) fits(group []Record) bool {
	bytes, records := 0, 0
	for _, r := range group {
		b, n := costOf(r.Key, r.Value)
		bytes, records = bytes+b, records+n
	}
	return bytes <= l.limits.groupBytes && records <= l.limits.groupRecords
}

// repeat applies the group whose writing was cut off between two transactions.
func (l *engineLog) repeat() error {
	ts, group, err := l.redo.load()
	if err != nil || group == nil {
		return err
	}
	l.parts = map[string]uint32{} // read anew afterwards
	if _, err := l.apply(ts, group); err != nil {
		return fmt.Errorf("repeat group at %d: %w", ts, err)
	}
	if err := l.files.sync(); err != nil {
		return err
	}
	return l.redo.clear()
}

// apply commits the group in as few Badger transactions as hold it and returns
// the keys of parts that have no owner any more.
func (l *engineLog) apply(ts uint64, group []Record) (stale [][]byte, err error) {
	b := batch{log: l, ts: ts, txn: l.db.NewTransactionAt(ts, true)}
	defer func() { b.txn.Discard() }()
	for _, r := range group {
		was := l.parts[string(r.Key)]
		now, err := b.set(r)
		if err != nil {
			return nil, err
		}
		for i := now; i < was; i++ {
			stale = append(stale, appendPartKey(nil, r.Key, i))
		}
		if now > 0 {
			l.parts[string(r.Key)] = now
		} else if was > 0 {
			delete(l.parts, string(r.Key))
		}
	}
	return stale, b.commit()
}

// batch writes records in one Badger transaction after the other.
type batch struct {
	log            *engineLog
	ts             uint64
	txn            *badger.Txn
	bytes, records int // of the present transaction
	deletes        int64
	deleted        int64 // bytes of their keys
}

// set writes r and returns into how many parts its value was cut.
func (b *batch) set(r Record) (parts uint32, err error) {
	switch {
	case r.Value == nil:
		if err := b.room(len(r.Key)); err != nil {
			return 0, err
		}
		b.deletes, b.deleted = b.deletes+1, b.deleted+int64(len(r.Key))
		return 0, b.txn.Delete(r.Key)
	case len(r.Value) <= partBytes:
		return 0, b.put(badger.NewEntry(r.Key, r.Value))
	}
	rest := r.Value
	for len(rest) > 0 {
		part := rest[:min(partBytes, len(rest))]
		if err := b.put(badger.NewEntry(appendPartKey(nil, r.Key, parts), part)); err != nil {
			return 0, err
		}
		rest = rest[len(part):]
		parts++
	}
	head := binary.BigEndian.AppendUint32(nil, parts)
	return parts, b.put(badger.NewEntry(r.Key, head).WithMeta(cutMark))
}

func (b *batch) put(e *badger.Entry) error {
	if err := b.room(len(e.Key) + len(e.Value)); err != nil {
		return err
	}
	return b.txn.SetEntry(e)
}

// room begins the next transaction if the present one has no room for a record.
func (b *batch) room(bytes int) error {
	bytes += recordCost
	if b.bytes+bytes > b.log.limits.groupBytes || b.records == b.log.limits.groupRecords {
		if err := b.commit(); err != nil {
			return err
		}
		b.txn.Discard()
		*b = batch{log: b.log, ts: b.ts, txn: b.log.db.NewTransactionAt(b.ts, true)}
	}
	b.bytes, b.records = b.bytes+bytes, b.records+1
	return nil
}

func (b *batch) commit() error { return b.log.commit(b.txn, b.ts, b.deletes, b.deleted) }

// drop deletes keys, in as many transactions as it takes.
func (l *engineLog) drop(ts uint64, keys [][]byte) error {
	step := min(10_000, l.limits.groupRecords)
	for len(keys) > 0 {
		some := keys[:min(step, len(keys))]
		keys = keys[len(some):]
		t := l.db.NewTransactionAt(ts, true)
		bytes := int64(0)
		for _, k := range some {
			bytes += int64(len(k))
			if err := t.Delete(k); err != nil {
				t.Discard()
				return fmt.Errorf("drop parts at %d: %w", ts, err)
			}
		}
		if err := l.commit(t, ts, int64(len(some)), bytes); err != nil {
			return fmt.Errorf("drop parts at %d: %w", ts, err)
		}
	}
	return nil
}

// commit writes t, which deletes so many keys of so many bytes, and notes a
// rotation of the memtable, which happens at most once for each Badger
// transaction, before its records are written.
func (l *engineLog) commit(t *badger.Txn, ts uint64, deletes, bytes int64) error {
	if err := t.CommitAt(ts, nil); err != nil {
		return err
	}
	rotated, err := l.files.follow()
	l.deletes.note(deletes, bytes, rotated)
	return err
}

// Sync makes everything written so far durable.
func (l *engineLog) Sync() error { return l.files.sync() }

// load learns at ts, the newest timestamp, which values are cut, and drops
// parts without an owner at the next one.
func (l *engineLog) load(ts uint64) error {
	l.parts = map[string]uint32{}
	t := l.db.NewTransactionAt(ts, false)
	defer t.Discard()
	it := t.NewIterator(badger.IteratorOptions{Prefix: []byte{partByte}})
	defer it.Close()
	var orphans [][]byte
	for it.Rewind(); it.Valid(); it.Next() {
		k := it.Item().KeyCopy(nil)
		key, i := k[1:len(k)-4], binary.BigEndian.Uint32(k[len(k)-4:])
		n, err := partsOf(t, key)
		if err != nil {
			return err
		}
		if i >= n {
			orphans = append(orphans, k)
			continue
		}
		l.parts[string(key)] = n
	}
	return l.drop(ts+1, orphans)
}

// partsOf returns into how many parts key's value is cut; 0 if it is not.
func partsOf(t *badger.Txn, key []byte) (n uint32, err error) {
	item, err := t.Get(key)
	if err == badger.ErrKeyNotFound {
		return 0, nil
	}
	if err != nil || item.UserMeta()&cutMark == 0 {
		return 0, err
	}
	err = item.Value(func(v []byte) error {
		n, err = cutHead(key, v)
		return err
	})
	return n, err
}

// cutHead reads the record that stands for a value in parts.
func cutHead(key, v []byte) (parts uint32, err error) {
	if len(v) != 4 {
		return 0, fmt.Errorf("record %x: damaged head of a long value", key)
	}
	return binary.BigEndian.Uint32(v), nil
}
