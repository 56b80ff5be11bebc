package store

import (
	"errors"
	"fmt"
	"strings"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/store/kv"
)

// The functions of this file are the only ones that write or delete the data
// of live keys. Each judges the contract's rule on the element it writes; it
// is called only for an element that changes, so what was there before and
// stays as it is meets no rule.

// judge notes the violations of an element the operation writes.
func (r *record) judge(found []contracts.Violation) {
	if len(found) == 0 {
		return
	}
	r.state.tainted = true
	for _, v := range found {
		identity := strings.HasPrefix(v.Code, "field.")
		r.tx.violate([]contracts.Violation{v}, r.state.call, r.key, r.tx.op.place.path(identity))
	}
}

// judgeIdentity is judge for rules on a member, which is its own identity.
func (r *record) judgeIdentity(found []contracts.Violation) {
	if len(found) == 0 {
		return
	}
	r.state.tainted = true
	r.tx.violate(found, r.state.call, r.key, r.tx.op.place.path(true))
}

// setValue makes the key's string value v, which it keeps.
func (r *record) setValue(v []byte) error {
	if len(v) > r.tx.s.limits.ValueBytes {
		return tooLong("value", len(v), r.tx.s.limits.ValueBytes)
	}
	if err := r.change(); err != nil {
		return err
	}
	r.judge(r.contract.CheckValue(v))
	r.meta.Value = v
	return nil
}

// confirmValue judges a string value that an overwrite leaves as it is.
func (r *record) confirmValue() error {
	if err := r.touch(); err != nil {
		return err
	}
	r.judge(r.contract.CheckValue(r.meta.Value))
	return nil
}

// putField writes a hash field. existed says whether it replaces one.
func (r *record) putField(field, value []byte, existed bool) error {
	if err := r.elementSizes(field, value); err != nil {
		return err
	}
	if err := r.change(); err != nil {
		return err
	}
	r.state.remember(field, existed)
	r.judge(r.contract.CheckField(field, value))
	if !existed {
		r.meta.Count++
	}
	return r.put(encoding.AppendMemberKey(nil, r.ns, r.home(), r.meta.Version, field), value)
}

// dropField removes a hash field that exists.
func (r *record) dropField(field []byte) error {
	if err := r.change(); err != nil {
		return err
	}
	r.state.remember(field, true)
	r.meta.Count--
	r.lost++
	return r.tx.w.Delete(encoding.AppendMemberKey(nil, r.ns, r.home(), r.meta.Version, field))
}

// putItem writes a new list element at an index of the list's own.
func (r *record) putItem(index uint64, item []byte) error {
	if err := r.setItem(index, item); err != nil {
		return err
	}
	return r.countItem(index)
}

// setItem writes the list element at an index, where there is one already.
func (r *record) setItem(index uint64, item []byte) error {
	if len(item) > r.tx.s.limits.ValueBytes {
		return tooLong("element", len(item), r.tx.s.limits.ValueBytes)
	}
	if err := r.change(); err != nil {
		return err
	}
	r.judge(r.contract.CheckItem(item))
	return r.put(r.listKey(index), item)
}

// moveItem writes an element of the list, unchanged, to another index.
func (r *record) moveItem(index uint64, item []byte) error {
	if err := r.change(); err != nil {
		return err
	}
	if err := r.put(r.listKey(index), item); err != nil {
		return err
	}
	return r.countItem(index)
}

// countItem counts an element that has just been written in the tree, which
// only an uneven list has.
func (r *record) countItem(index uint64) error {
	if r.meta.Uneven == 0 {
		return nil
	}
	return r.tree(encoding.FamilyList).add(itemName(index))
}

// dropItem removes the record of the element at an index.
func (r *record) dropItem(index uint64) error {
	if err := r.change(); err != nil {
		return err
	}
	if err := r.tx.w.Delete(r.listKey(index)); err != nil || r.meta.Uneven == 0 {
		return err
	}
	return r.tree(encoding.FamilyList).drop(itemName(index))
}

// putMember adds a set member that is absent.
func (r *record) putMember(member []byte) error {
	if err := r.elementSizes(member, nil); err != nil {
		return err
	}
	if err := r.change(); err != nil {
		return err
	}
	r.judgeIdentity(r.contract.CheckItem(member))
	r.meta.Count++
	if err := r.put(encoding.AppendMemberKey(nil, r.ns, r.home(), r.meta.Version, member), nil); err != nil {
		return err
	}
	return r.countName(encoding.FamilyMember, member)
}

// dropMember removes a set member that exists.
func (r *record) dropMember(member []byte) error {
	if err := r.change(); err != nil {
		return err
	}
	r.meta.Count--
	r.lost++
	if err := r.tx.w.Delete(encoding.AppendMemberKey(nil, r.ns, r.home(), r.meta.Version, member)); err != nil {
		return err
	}
	return r.tree(encoding.FamilyMember).drop(member)
}

// putScore gives a zset member a score. old is its present score, nil if the
// member is new.
func (r *record) putScore(member []byte, score float64, old *float64) error {
	if err := r.elementSizes(member, nil); err != nil {
		return err
	}
	if err := r.change(); err != nil {
		return err
	}
	if old == nil || r.contract.Existing == contracts.Strict {
		r.judgeIdentity(r.contract.CheckItem(member))
	}
	r.judge(r.contract.CheckScore(score))
	if old == nil {
		r.meta.Count++
	} else if err := r.dropName(*old, member); err != nil {
		return err
	}
	if err := r.put(encoding.AppendMemberKey(nil, r.ns, r.home(), r.meta.Version, member), encoding.AppendFloat(nil, score)); err != nil {
		return err
	}
	return r.putName(score, member)
}

// putName writes the record that keeps a zset member in the order of scores.
func (r *record) putName(score float64, member []byte) error {
	if err := r.tx.w.Set(r.scoreKey(score, member), encoding.AppendIndexValue(nil)); err != nil {
		return err
	}
	name := scoreName(score, member)
	r.widenMarks(name)
	return r.countName(encoding.FamilyScore, name)
}

// dropName removes the record that keeps a zset member in the order of scores.
func (r *record) dropName(score float64, member []byte) error {
	if err := r.tx.w.Delete(r.scoreKey(score, member)); err != nil {
		return err
	}
	r.dropped = true
	return r.tree(encoding.FamilyScore).drop(scoreName(score, member))
}

// scoreName is the name of a zset member in the order of scores.
func scoreName(score float64, member []byte) []byte {
	return append(encoding.AppendFloat(make([]byte, 0, 8+len(member)), score), member...)
}

// dropScore removes a zset member that exists.
func (r *record) dropScore(member []byte, score float64) error {
	if err := r.change(); err != nil {
		return err
	}
	r.meta.Count--
	r.lost++
	if err := r.dropName(score, member); err != nil {
		return err
	}
	return r.tx.w.Delete(encoding.AppendMemberKey(nil, r.ns, r.home(), r.meta.Version, member))
}

// carry writes an element of the key's former generation, unchanged. The name
// is what its record has behind the prefix: of a sorted set that in the order.
func (r *record) carry(name, value []byte) error {
	r.meta.Count++
	if r.meta.Type != encoding.TypeZSet {
		err := r.put(encoding.AppendMemberKey(nil, r.ns, r.home(), r.meta.Version, name), value)
		if err != nil || r.meta.Type == encoding.TypeHash {
			return err
		}
		return r.countName(encoding.FamilyMember, name)
	}
	score, member, err := encoding.CutFloat(name)
	if err != nil {
		return fmt.Errorf("order of key %q: %w", r.key, err)
	}
	if err := r.put(encoding.AppendMemberKey(nil, r.ns, r.home(), r.meta.Version, member), name[:8]); err != nil {
		return err
	}
	return r.putName(score, member)
}

// put writes one data record.
func (r *record) put(key, value []byte) error {
	r.dryly(key, value)
	return r.tx.w.Set(key, encoding.AppendData(nil, &encoding.Data{Created: r.tx.now, Value: value}))
}

// element reads the value of the data record under key. A missing one is
// ErrNotFound of the engine.
func (r *record) element(key []byte) ([]byte, error) {
	raw, err := r.tx.r.Get(nil, key)
	if err != nil {
		return nil, err
	}
	return r.parse(raw)
}

// parse unwraps a data record's value, which shares raw's memory.
func (r *record) parse(raw []byte) ([]byte, error) {
	var data encoding.Data
	if err := encoding.ParseData(raw, &data); err != nil {
		return nil, fmt.Errorf("data of key %q: %w", r.key, err)
	}
	return data.Value, nil
}

// member reads the data of a field or member; found is false if it is absent.
func (r *record) member(member []byte) (value []byte, found bool, err error) {
	if !r.exists {
		return nil, false, nil
	}
	value, err = r.element(encoding.AppendMemberKey(nil, r.ns, r.home(), r.meta.Version, member))
	if errors.Is(err, kv.ErrNotFound) {
		return nil, false, nil
	}
	return value, err == nil, err
}

// prefix is what the engine keys of the key's data in one family start with.
func (r *record) prefix(f encoding.Family) []byte {
	return encoding.AppendDataPrefix(nil, f, r.ns, r.home(), r.meta.Version)
}

func (r *record) listKey(index uint64) []byte {
	return encoding.AppendListKey(nil, r.ns, r.home(), r.meta.Version, index)
}

func (r *record) scoreKey(score float64, member []byte) []byte {
	return encoding.AppendScoreKey(nil, r.ns, r.home(), r.meta.Version, score, member)
}

func (r *record) elementSizes(name, value []byte) error {
	if len(name) > r.tx.s.limits.ElementBytes {
		return tooLong("field or member", len(name), r.tx.s.limits.ElementBytes)
	}
	if len(value) > r.tx.s.limits.ValueBytes {
		return tooLong("value", len(value), r.tx.s.limits.ValueBytes)
	}
	return nil
}

func tooLong(what string, n, limit int) error {
	return fmt.Errorf("%w: the %s has %d bytes, the limit is %d", ErrTooBig, what, n, limit)
}
