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
func (tx *Tx) peek(key []byte) (*record, error) {
	if r := tx.op.find(key); r != nil {
		return r, nil
	}
	meta, err := tx.load(key)
	if err != nil {
		return nil, err
	}
	r := &record{tx: tx, key: bytes.Clone(key), contract: tx.set.Match(key)}
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

func (f *frame) find(key []byte) *record {
	if f.opened != nil {
		return f.opened[string(key)]
	}
	for _, r := range f.records {
		if string(r.key) == string(key) {
			return r
		}
	}
	return nil
}

func (f *frame) add(r *record) {
	f.records = append(f.records, r)
	if f.opened == nil && len(f.records) > few {
		f.opened = make(map[string]*record, 2*few)
		for _, old := range f.records {
			f.opened[string(old.key)] = old
		}
	}
	if f.opened != nil {
		f.opened[string(r.key)] = r
	}
}

// touch says that the operation writes the key: it must be declared, and it
// will be judged.
func (r *record) touch() error {
	if r.state != nil {
		return nil
	}
	call, err := r.tx.writeCall(r.key)
	if err != nil {
		return fmt.Errorf("%w %q", err, r.key)
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
	version, err := r.tx.newVersion(r.key, t)
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
