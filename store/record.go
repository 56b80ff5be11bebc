package store

import (
	"bytes"
	"fmt"

	"keypact/contracts"
	"keypact/encoding"
)

// record is one key as the running operation sees it. Changes to meta stay in
// memory until the operation ends.
type record struct {
	tx       *Tx
	space    int    // number of its namespace when it was opened
	ns       uint32 // id of its namespace
	key      []byte
	contract *contracts.Contract
	meta     encoding.Meta // valid if exists
	exists   bool

	loaded  summary // as the operation found it
	stored  bool    // a meta record is on disk, be it an expired one
	onDisk  encoding.Meta
	state   *keyState   // set once the operation touches the key
	dirty   bool        // what a reader sees has changed
	renewed bool        // created or overwritten by this operation
	moved   bool        // the data now belongs to another key
	gone    bool        // it was flushed before the end of the operation: of no use any more
	counted *tree       // beside the data; see tree()
	dropped bool        // a zset lost a place in its order
	lost    uint64      // elements of a hash, set or sorted set taken out
	filling *treeLoader // elements come in their order; see fill
}

// summary is what the rules on whole values look at.
type summary struct {
	exists     bool
	typ        encoding.Type
	count      uint64
	version    uint64
	expires    int64
	contractID uint32
	revision   uint64
	conformant bool
}

func summarize(exists bool, m *encoding.Meta) summary {
	if !exists {
		return summary{}
	}
	return summary{
		exists: true, typ: m.Type, count: m.Count, version: m.Version, expires: m.Expires,
		contractID: m.ContractID, revision: m.ContractRevision, conformant: m.Conformant,
	}
}

// peek opens a key of any type. Expired keys are absent.
func (tx *Tx) peek(key []byte) (*record, error) { return tx.peekIn(tx.op.space, key) }

// peekIn is peek in a namespace, by its number.
func (tx *Tx) peekIn(space int, key []byte) (*record, error) {
	ns := tx.ids[space]
	if r := tx.op.find(ns, key); r != nil {
		return r, nil
	}
	meta, err := tx.load(ns, key)
	if err != nil {
		return nil, err
	}
	r := &record{tx: tx, space: space, ns: ns, key: bytes.Clone(key), contract: tx.set.Match(key)}
	if meta != nil {
		r.stored, r.onDisk = true, *meta
		if meta.Expires == 0 || meta.Expires > tx.now {
			r.exists, r.meta = true, *meta
		}
	}
	r.loaded = summarize(r.exists, &r.meta)
	tx.op.add(r)
	return r, nil
}

// open opens a key for a type. A key of another type is ErrWrongType.
func (tx *Tx) open(key []byte, t encoding.Type) (*record, error) {
	r, err := tx.peek(key)
	if err != nil {
		return nil, err
	}
	if r.exists && r.meta.Type != t {
		return nil, fmt.Errorf("%w: it is a %s", ErrWrongType, r.meta.Type)
	}
	return r, nil
}

func (f *frame) find(ns uint32, key []byte) *record {
	if f.opened != nil {
		return f.opened[idKey{ns, string(key)}]
	}
	for _, r := range f.records {
		if r.ns == ns && string(r.key) == string(key) {
			return r
		}
	}
	return nil
}

func (f *frame) add(r *record) {
	f.records = append(f.records, r)
	if f.opened == nil && len(f.records) > few {
		f.opened = make(map[idKey]*record, 2*few)
		for _, old := range f.records {
			f.opened[idKey{old.ns, string(old.key)}] = old
		}
	}
	if f.opened != nil {
		f.opened[idKey{r.ns, string(r.key)}] = r
	}
}

// errGone says that an operation writes through a handle that it opened before
// it called another operation, or flushed or swapped namespaces. It is a fault of
// the program.
var errGone = fmt.Errorf("%w: the handle was opened before another operation was called", ErrDenied)

// detach writes what the running operation has changed so far and lets go of
// its records, which others are about to change.
func (tx *Tx) detach() error {
	if len(tx.op.records) == 0 {
		return nil
	}
	if err := tx.flush(); err != nil {
		return err
	}
	for _, r := range tx.op.records {
		r.gone, r.state = true, nil
	}
	tx.op.left = append(tx.op.left, tx.op.records...)
	tx.op.records, tx.op.opened = nil, nil
	return nil
}

// touch says that the operation writes the key: it must be declared, and it
// will be judged.
func (r *record) touch() error {
	if r.state != nil {
		return nil
	}
	if r.gone {
		return errGone
	}
	call, err := r.tx.writeCall(r.space, r.key)
	if err != nil {
		return fmt.Errorf("%w %q", err, r.key)
	}
	if limit := r.tx.s.limits.KeyBytes; !r.exists && len(r.key) > limit {
		return tooLong("key", len(r.key), limit)
	}
	r.state = r.tx.judgeLater(r, call)
	return nil
}

// change is touch for a write that alters what a reader sees.
func (r *record) change() error {
	r.dirty = true
	return r.touch()
}

// ensure creates the key, empty, if it is absent.
func (r *record) ensure(t encoding.Type) error {
	if r.exists {
		return r.touch()
	}
	return r.replace(t)
}

// replace makes the key a new, empty value without a time to live. What it
// held is given to the reclaimer.
func (r *record) replace(t encoding.Type) error {
	if err := r.change(); err != nil {
		return err
	}
	version, err := r.newVersion(t)
	if err != nil {
		return err
	}
	r.meta = encoding.Meta{Type: t, Version: version, Created: r.tx.now}
	if t == encoding.TypeList {
		r.tx.s.startList(&r.meta)
	}
	r.exists = true
	r.overwritten()
	return nil
}

// overwritten says that nothing of the former value remains, so that none of
// its faults is tolerated any more.
func (r *record) overwritten() {
	r.renewed = true
	r.state.fresh = true
}

// remove deletes the key.
func (r *record) remove() error {
	if !r.exists {
		return nil
	}
	if err := r.change(); err != nil {
		return err
	}
	r.exists, r.meta = false, encoding.Meta{}
	return nil
}

// setExpiry sets when the key expires, in ms since the epoch; 0 is never. A
// time that is not in the future removes the key.
func (r *record) setExpiry(at int64) error {
	if err := r.touch(); err != nil {
		return err
	}
	if at != 0 {
		r.state.ttlSet = true
		if at <= r.tx.now {
			return r.remove()
		}
	}
	if r.meta.Expires == at {
		return nil
	}
	r.meta.Expires = at
	return r.change()
}

// home is the key that the data records lie under.
func (r *record) home() []byte {
	if r.meta.HasHome {
		return r.meta.Home
	}
	return r.key
}

// revision names the state of the key.
func (r *record) revision() Revision {
	if !r.exists {
		return Revision{}
	}
	return Revision{Version: r.meta.Version, Changes: r.meta.Changes}
}

// collection reports whether a type keeps its elements in records of their own.
func collection(t encoding.Type) bool { return t != encoding.TypeString }
