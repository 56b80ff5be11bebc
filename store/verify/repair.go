package verify

import (
	"context"
	"errors"

	"keypact/encoding"
	"keypact/store/kv"
)

// mend is what puts a fault right, in steps that each fit into a transaction
// with others and do no harm if they run again.
type mend func(m *mender) error

// mender carries out the mends of one walk, some steps at a time. The walk goes
// on over its snapshot, which does not show them.
type mender struct {
	ctx     context.Context
	db      kv.DB
	r       kv.Reader // the snapshot
	pending []func(tx kv.Txn) error
	final   func(tx kv.Txn) error // to run when the walk has ended
	steps   int
	done    map[Code]uint64

	buries    bool // data that belongs to no key may be deleted
	postponed bool // there was some, and it may not
}

// stepsAtOnce is how many steps share a transaction.
const stepsAtOnce = 100

func (m *mender) mend(code Code, mend mend) error {
	if code == CodeOrphan && !m.buries {
		m.postponed = true
		return nil
	}
	m.done[code]++
	return mend(m)
}

// do queues one step.
func (m *mender) do(step func(tx kv.Txn) error) error {
	m.steps++
	if m.pending = append(m.pending, step); len(m.pending) < stepsAtOnce {
		return nil
	}
	return m.send()
}

// last queues the one step that needs to know what the whole walk found.
func (m *mender) last(step func(tx kv.Txn) error) {
	m.steps++
	m.final = step
}

// flush carries out what is queued.
func (m *mender) flush() error {
	if m.final != nil {
		m.pending, m.final = append(m.pending, m.final), nil
	}
	return m.send()
}

// send runs the queued steps in a transaction, or, where that grows too big,
// each in one of its own.
func (m *mender) send() error {
	steps := m.pending
	m.pending = nil
	err := m.update(steps)
	if !errors.Is(err, kv.ErrTooBig) {
		return err
	}
	for i := range steps {
		if err := m.update(steps[i : i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (m *mender) update(steps []func(tx kv.Txn) error) error {
	if len(steps) == 0 {
		return nil
	}
	return m.db.Update(m.ctx, func(tx kv.Txn) error {
		for _, step := range steps {
			if err := step(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// removeAll deletes the records that a prefix has in the snapshot, but those
// that keep, which may be nil, wants to stay. It is given what follows the
// prefix.
func (m *mender) removeAll(prefix []byte, keep func(name []byte) bool) error {
	var failed error
	within := prefixRange(prefix)
	within.KeysOnly = true
	err := m.r.Scan(within, func(key, _ []byte) bool {
		if keep != nil && keep(key[len(prefix):]) {
			return true
		}
		failed = remove(append([]byte{}, key...))(m)
		return failed == nil
	})
	return errors.Join(failed, err)
}

// step makes a mend of one step.
func step(do func(tx kv.Txn) error) mend {
	return func(m *mender) error { return m.do(do) }
}

// put writes a record, whose key and value must stay as they are.
func put(key, value []byte) mend {
	return step(func(tx kv.Txn) error { return tx.Set(key, value) })
}

// remove deletes a record, whose key must stay as it is.
func remove(key []byte) mend {
	return step(func(tx kv.Txn) error { return tx.Delete(key) })
}

// edit changes the meta record of a key as it is by then.
func (e *entry) edit(change func(m *encoding.Meta)) mend {
	return step(func(tx kv.Txn) error {
		key := encoding.AppendMetaKey(nil, e.ns, e.key)
		raw, err := tx.Get(nil, key)
		if err != nil {
			return err
		}
		var m encoding.Meta
		if err := encoding.ParseMeta(raw, &m); err != nil {
			return err
		}
		change(&m)
		return tx.Set(key, encoding.AppendMeta(nil, &m))
	})
}

// dropAlias deletes an alias record if it is still one of no key: the same walk
// may have found whose it is.
func (w *walk) dropAlias(c *cursor) mend {
	key := append([]byte{}, c.key...)
	place := string(c.place())
	return step(func(tx kv.Txn) error {
		raw, err := tx.Get(nil, key)
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		present, err := encoding.ParseAlias(raw)
		if err != nil {
			return err
		}
		_, ns, _, _, _, err := encoding.ParseDataPrefix(key)
		if err != nil {
			return err
		}
		raw, err = tx.Get(nil, encoding.AppendMetaKey(nil, ns, present))
		if err == nil {
			e, err := w.newEntry(ns, present, raw)
			if err != nil || e.m.HasHome && e.place == place {
				return err
			}
		} else if !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		return tx.Delete(key)
	})
}

// bury deletes the data of a place that belongs to no key. That waits for a
// walk behind all other mends, and for one that knows of no key that lacks its
// data: it might be this.
func (w *walk) bury(place string) mend {
	return func(m *mender) error {
		for _, f := range mergedFamilies[1:] {
			if f == encoding.FamilyAlias {
				continue
			}
			if err := m.removeAll(append([]byte{byte(f)}, place...), nil); err != nil {
				return err
			}
		}
		return nil
	}
}
