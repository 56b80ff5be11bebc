package verify

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"

	"keypact/encoding"
)

// member judges a field of a hash, or a member of a set or sorted set.
func (w *walk) member(e *entry, c *cursor) error {
	data, err := w.element(e, c)
	if err != nil {
		return err
	}
	name := c.name()
	switch e.m.Type {
	case encoding.TypeHash:
		e.judgeField(name, data.Value)
	case encoding.TypeSet:
		e.judgeItem(name)
		if len(data.Value) > 0 {
			key, value := bytes.Clone(c.key), encoding.AppendData(nil, &encoding.Data{Created: data.Created})
			e.fault(CodeValue, put(key, value), "member %q of a set has a value", name)
		}
		e.count(name)
	case encoding.TypeZSet:
		score, rest, err := encoding.CutFloat(data.Value)
		if err != nil || len(rest) > 0 {
			return fmt.Errorf("score %x: %w", data.Value, errors.Join(err, encoding.ErrCorrupt))
		}
		e.judgeItem(name)
		e.judgeScore(score)
		w.scratch = append(encoding.AppendFloat(w.scratch[:0], score), name...)
		e.digest += maphash.Bytes(w.seed, w.scratch)
	}
	return nil
}

// element reads an element and counts it.
func (w *walk) element(e *entry, c *cursor) (data encoding.Data, err error) {
	e.data++
	if err := encoding.ParseData(c.value, &data); err != nil {
		return data, err
	}
	w.scratch = encoding.AppendData(w.scratch[:0], &data)
	w.form(e.key, c.key, c.value, w.scratch)
	if data.Expires != 0 {
		e.fault(CodeUnknown, nil, "element %x expires by itself: nothing writes that yet", c.name())
	}
	w.seen(e.key, data.Created)
	return data, nil
}

// score judges an entry of the order of a sorted set.
func (w *walk) score(e *entry, c *cursor) error {
	e.scores++
	name := c.name()
	score, _, err := encoding.CutFloat(name)
	if err := errors.Join(err, encoding.ParseIndexValue(c.value)); err != nil {
		return err
	}
	if bytes.Compare(name, e.m.LowWater) < 0 || e.m.HighWater != nil && bytes.Compare(name, e.m.HighWater) > 0 {
		e.fault(CodeMarks, e.dropMarks(), "member %q with score %v lies outside its water marks", name[8:], score)
	}
	e.digest -= maphash.Bytes(w.seed, name)
	e.count(name)
	return nil
}

func (e *entry) dropMarks() mend {
	return e.edit(func(m *encoding.Meta) { m.LowWater, m.HighWater = nil, nil })
}

// finishZSet compares the two orders of a sorted set. They are not in memory
// together: only the sums of their digests are, and where those differ both are
// read again.
func (e *entry) finishZSet() {
	// Members that the order has and the key counts are not gone for good.
	restored := e.data < e.m.Count && e.scores == e.m.Count
	if !restored {
		if e.lost() {
			return
		}
		e.finishCount()
	}
	if e.data == e.scores && e.digest == 0 {
		return
	}
	before := e.w.report.Found
	e.membersInOrder()
	e.orderOfMembers(restored)
	if e.w.report.Found == before {
		e.fault(CodeOrder, nil, "its orders differ, and each entry has its fellow")
	}
}

// membersInOrder names members that the order lacks.
func (e *entry) membersInOrder() {
	w := e.w
	prefix, order := e.prefix(encoding.FamilyMember), e.prefix(encoding.FamilyScore)
	w.again(prefix, func(key, value []byte) {
		var data encoding.Data
		if encoding.ParseData(value, &data) != nil || len(data.Value) != 8 {
			return // reported
		}
		member := key[len(prefix):]
		entry := append(append(bytes.Clone(order), data.Value...), member...)
		if raw, readable := w.get(entry); raw == nil && readable {
			e.fault(CodeOrder, put(entry, encoding.AppendIndexValue(nil)), "member %q is not in the order of scores", member)
		}
	})
}

// orderOfMembers names entries of the order that are no member's. With restore
// the members follow from them, else they are taken away.
func (e *entry) orderOfMembers(restore bool) {
	w := e.w
	prefix, members := e.prefix(encoding.FamilyScore), e.prefix(encoding.FamilyMember)
	w.again(prefix, func(key, _ []byte) {
		name := key[len(prefix):]
		score, member, err := encoding.CutFloat(name)
		if err != nil {
			return // reported
		}
		record := append(bytes.Clone(members), member...)
		raw, readable := w.get(record)
		if !readable {
			return
		}
		var data encoding.Data
		switch {
		case raw == nil && restore:
			data = encoding.Data{Created: e.m.Created, Value: name[:8]}
			e.fault(CodeOrder, put(record, encoding.AppendData(nil, &data)), "member %q is only in the order of scores, with score %v", member, score)
		case raw == nil || encoding.ParseData(raw, &data) == nil && !bytes.Equal(data.Value, name[:8]):
			e.fault(CodeOrder, remove(bytes.Clone(key)), "member %q does not have score %v, which is in the order", member, score)
		}
	})
}

// again visits records that the walk has counted already.
func (w *walk) again(prefix []byte, visit func(key, value []byte)) {
	if w.err != nil {
		return
	}
	err := w.r.Scan(prefixRange(prefix), func(key, value []byte) bool {
		visit(key, value)
		if w.err == nil {
			w.err = w.ctx.Err()
		}
		return w.err == nil
	})
	if err != nil && w.err == nil {
		w.err = err
	}
}
