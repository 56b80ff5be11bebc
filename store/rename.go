package store

import (
	"errors"

	"keypact/contracts"
	"keypact/encoding"
)

// ErrSameKey says that a key cannot be copied onto itself.
var ErrSameKey = errors.New("source and destination are the same key")

// Rename gives the value of the key another name, time to live included, and
// replaces what stood there. Only the meta record moves, so the size of the
// value does not matter, unless the destination's contract has yet to see the
// content, which it then reads in full. An absent key is ErrNotFound; a key
// renamed to itself stays as it is.
func (k *Key) Rename(to []byte) error {
	src := k.r
	if !src.exists {
		return ErrNotFound
	}
	dst, err := src.tx.peekIn(src.space, to)
	if err != nil {
		return err
	}
	if dst == src {
		return src.touch()
	}
	if err := errors.Join(src.change(), dst.change()); err != nil {
		return err
	}
	known := dst.knows(src)
	dst.take(src)
	if err := dst.settleHome(src); err != nil {
		return err
	}
	src.moved, src.exists = true, false
	if known {
		return nil
	}
	return dst.judgeArrival()
}

// knows reports whether the contract of the destination need not look at the
// content of the source.
func (r *record) knows(src *record) bool {
	c := r.contract
	if !c.Governed() || c.Mode == contracts.Off {
		return true
	}
	return r.tx.conforms(src.loaded, c)
}

// take makes the source's value the destination's.
func (r *record) take(src *record) {
	home := src.home()
	r.meta = src.meta
	r.exists = true
	r.overwritten()
	r.meta.HasHome, r.meta.Home = false, nil
	if collection(r.meta.Type) && string(home) != string(r.key) {
		r.meta.HasHome, r.meta.Home = true, home
	}
	if c := r.contract; r.meta.ContractID != c.ID || r.meta.ContractRevision != c.Revision {
		r.meta.ContractID, r.meta.ContractRevision, r.meta.Conformant = 0, 0, false
	}
}

// settleHome keeps the record that says whose data lies under a foreign home.
func (r *record) settleHome(src *record) error {
	w, ns := r.tx.w, r.ns
	if r.meta.HasHome {
		return w.Set(encoding.AppendAliasKey(nil, ns, r.meta.Home, r.meta.Version), encoding.AppendAlias(nil, r.key))
	}
	if src.meta.HasHome {
		return w.Delete(encoding.AppendAliasKey(nil, ns, src.meta.Home, src.meta.Version))
	}
	return nil
}

// judgeArrival judges every element of a value that got here without being
// written.
func (r *record) judgeArrival() error {
	tx := r.tx
	defer tx.resulting(len(tx.op.found))
	return r.eachElement(func(name, value []byte) error {
		if found := r.checkElement(name, value); len(found) > 0 {
			r.state.tainted = true
			tx.violate(found, r.state.call, r.key, r.state.call.keyPath())
		}
		return nil
	})
}

// CopyTo makes another key a copy of this one, time to live included, in place
// of what stood there. Every element is written; inside an Atomic list a value
// that one transaction cannot hold is ErrTooBig of the engine. An absent key is
// ErrNotFound, a key onto itself ErrSameKey.
func (k *Key) CopyTo(to []byte) error { return k.copyTo(k.r.space, to) }

func (k *Key) copyTo(space int, to []byte) error {
	src := k.r
	if !src.exists {
		return ErrNotFound
	}
	if src.ns == src.tx.ids[space] && string(src.key) == string(to) {
		return ErrSameKey
	}
	if err := src.tx.bulky(src.meta.Count); err != nil {
		return err
	}
	dst, err := src.tx.peekIn(space, to)
	if err != nil {
		return err
	}
	if err := dst.replace(src.meta.Type); err != nil {
		return err
	}
	dst.meta.Expires, dst.meta.MediaType = src.meta.Expires, src.meta.MediaType
	src.tx.At(Place{Identity: "destination"})
	defer src.tx.resulting(len(src.tx.op.found))
	return dst.copyFrom(src)
}

// copyFrom fills a new value with the elements of another, in the order that
// its tree, if it has one, counts them.
func (r *record) copyFrom(src *record) error {
	if r.meta.Type != TypeZSet {
		if r.meta.Type == TypeSet {
			r.fill(encoding.FamilyMember)
		}
		if err := src.eachElement(r.copyElement); err != nil {
			return err
		}
		return r.filled()
	}
	r.fill(encoding.FamilyScore)
	z := &ZSet{handle{src}}
	if err := z.walk(everything, false, func(member []byte, score float64) error {
		return r.putScore(member, score, nil)
	}); err != nil {
		return err
	}
	return r.filled()
}

// copyElement writes one element of another value of the same type, which is no
// sorted set. Elements of a list arrive in their order.
func (r *record) copyElement(name, value []byte) error {
	switch r.meta.Type {
	case TypeHash:
		return r.putField(name, value, false)
	case TypeList:
		l := &List{handle{r}}
		return r.putItem(l.grow(Right), value)
	case TypeSet:
		return r.putMember(name)
	}
	return r.setValue(append([]byte{}, value...))
}
