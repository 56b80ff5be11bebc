package badger

import (
	"bytes"
	"errors"
	"fmt"

	"keypact/store/kv"
)

// maxKeyBytes leaves room for what the engine puts around a key.
const maxKeyBytes = 60_000

// enginePrefix begins the keys that Badger keeps for itself.
var enginePrefix = []byte("!badger!")

// errGroupFull says that the group has no room left; the transaction runs again
// as the first of the next group.
var errGroupFull = fmt.Errorf("%w: the group is full", kv.ErrTooBig)

// errFull is what a write gets that the free space does not allow.
var errFull = fmt.Errorf("%w: free space is below the watermark", kv.ErrFull)

// errEnded is what a transaction answers after its function returned.
var errEnded = errors.New("kv: transaction has ended")

// txn is one transaction of a group. It implements kv.Txn. Writes go straight
// to the group's overlay; the group's undo log takes them back.
type txn struct {
	group     *group
	number    uint32 // within the group
	from      int    // where its part of the undo log begins
	bytes     int
	records   int
	failed    error // a write was refused: the whole transaction fails unless undone
	ended     bool
	after     []func(kv.Txn) error
	published []func()
}

// undo is one step of the way back. A step without an entry forgets a call of
// After or Published, or a refusal.
type undo struct {
	key     []byte // of a write; nil for the others
	before  *entry // what the overlay held for key
	bytes   int    // what the write added to the transaction
	records int
	kind    undoKind
	hook    func() // of a call of Undone
}

type undoKind byte

const (
	undoWrite undoKind = iota
	undoAfter
	undoPublished
	undoRefusal
	undoHook
)

// Get appends the value of key to dst: pending first, then the snapshot's.
func (t *txn) Get(dst, key []byte) ([]byte, error) {
	if t.ended {
		return dst, errEnded
	}
	e := t.group.overlay.get(key)
	if e == nil {
		e = t.group.inFlight.get(key)
	}
	switch {
	case e == nil:
		return t.group.snapshot.Get(dst, key)
	case e.value == nil:
		return dst, kv.ErrNotFound
	}
	return append(dst, e.value...), nil
}

// GetMany visits the records of keys in the order of keys.
func (t *txn) GetMany(keys [][]byte, visit func(i int, value []byte) error) error {
	return getMany(t, keys, visit)
}

// Scan visits the records of r in order, pending ones included.
func (t *txn) Scan(r kv.Range, visit func(key, value []byte) bool) error {
	if t.ended {
		return errEnded
	}
	m := merge{below: t.group.snapshot}
	if len(t.group.overlay.entries) > 0 {
		// A copy, so that visit may write.
		m.over = append(m.over, t.group.overlay.sorted().Copy())
	}
	if f := t.group.inFlight; f != nil && len(f.entries) > 0 {
		m.over = append(m.over, f.sorted())
	}
	return m.scan(r, visit)
}

// Touch does nothing: one committer runs all transactions in turn.
func (t *txn) Touch(key []byte) error { return t.writable(key) }

// Set writes a record.
func (t *txn) Set(key, value []byte) error {
	if err := t.writable(key); err != nil {
		return err
	}
	if len(value) == 0 {
		return t.refuse(fmt.Errorf("%w: record %x: empty value", kv.ErrInvalid, key))
	}
	if !t.group.accepts(key, value) {
		return t.refuse(errFull)
	}
	both := make([]byte, len(key)+len(value))
	n := copy(both, key)
	copy(both[n:], value)
	return t.write(&entry{key: both[:n:n], value: both[n:], owner: t.number})
}

// Delete removes a record.
func (t *txn) Delete(key []byte) error {
	if err := t.writable(key); err != nil {
		return err
	}
	if !t.group.accepts(key, nil) {
		return t.refuse(errFull)
	}
	return t.write(&entry{key: bytes.Clone(key), owner: t.number})
}

// writable checks a key that is to be written.
func (t *txn) writable(key []byte) error {
	switch {
	case t.ended:
		return errEnded
	case len(key) == 0:
		return t.refuse(fmt.Errorf("%w: empty key", kv.ErrInvalid))
	case len(key) > maxKeyBytes:
		return t.refuse(fmt.Errorf("%w: key of %d bytes, at most %d", kv.ErrInvalid, len(key), maxKeyBytes))
	case key[0] == partByte || bytes.HasPrefix(key, enginePrefix):
		return t.refuse(fmt.Errorf("%w: key %x begins with a reserved prefix", kv.ErrInvalid, key[:1]))
	}
	return nil
}

// write puts e into the overlay if the transaction and its group have room.
func (t *txn) write(e *entry) error {
	g := t.group
	before := g.overlay.get(e.key)
	step := undo{key: e.key, before: before, bytes: len(e.key) + len(e.value), records: 1}
	if before != nil && before.owner == t.number {
		step.bytes, step.records = len(e.value)-len(before.value), 0
	}
	if b, n := t.bytes+step.bytes, t.records+step.records; b > g.limits.txnBytes || n > g.limits.txnRecords {
		return t.refuse(fmt.Errorf("%w: %d bytes in %d records, at most %d in %d", kv.ErrTooBig,
			b, n, g.limits.txnBytes, g.limits.txnRecords))
	}
	if !g.charge(before, e) {
		return t.refuse(errGroupFull)
	}
	t.bytes += step.bytes
	t.records += step.records
	g.undo = append(g.undo, step)
	g.overlay.put(e)
	return nil
}

// refuse fails the transaction with its first refusal, whatever its function
// makes of the error, unless it goes back to before it.
func (t *txn) refuse(err error) error {
	if t.failed == nil {
		t.failed = err
		t.group.undo = append(t.group.undo, undo{kind: undoRefusal})
	}
	if errors.Is(err, errGroupFull) {
		t.group.overflow = true
	}
	return err
}

// Mark notes the present state.
func (t *txn) Mark() int { return len(t.group.undo) }

// Undo returns to a mark of this transaction.
func (t *txn) Undo(mark int) {
	if t.ended {
		return
	}
	g := t.group
	for mark = max(mark, t.from); len(g.undo) > mark; {
		last := len(g.undo) - 1
		step := g.undo[last]
		g.undo[last] = undo{}
		g.undo = g.undo[:last]
		switch step.kind {
		case undoWrite:
			g.uncharge(g.overlay.get(step.key), step.before)
			g.overlay.restore(step.key, step.before)
			t.bytes -= step.bytes
			t.records -= step.records
		case undoAfter:
			t.after = t.after[:max(len(t.after)-1, 0)] // none if t undoes others' work
		case undoPublished:
			t.published = t.published[:max(len(t.published)-1, 0)]
		case undoRefusal:
			t.failed = nil
		case undoHook:
			shielded(step.hook, g.onPanic)
		}
	}
}

// Size is what the transaction has written, undone writes excluded; a record
// written twice counts once, with its last value.
func (t *txn) Size() (bytes, records int) { return t.bytes, t.records }

// After queues fn to run right behind this transaction.
func (t *txn) After(fn func(kv.Txn) error) {
	t.after = append(t.after, fn)
	t.group.undo = append(t.group.undo, undo{kind: undoAfter})
}

// Undone queues fn to run if what was done so far is taken back.
func (t *txn) Undone(fn func()) {
	t.group.undo = append(t.group.undo, undo{kind: undoHook, hook: fn})
}

// Published queues fn to run when the transaction is durable and visible.
func (t *txn) Published(fn func()) {
	t.published = append(t.published, fn)
	t.group.undo = append(t.group.undo, undo{kind: undoPublished})
}

var _ kv.Txn = (*txn)(nil)
