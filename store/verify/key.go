package verify

import (
	"bytes"

	"keypact/encoding"
)

// metaRecord judges the record of a key by itself. It returns nil if that
// cannot be read.
func (w *walk) metaRecord(key, value []byte) *entry {
	ns, user, err := encoding.ParseMetaKey(key)
	if err != nil {
		w.corrupt(nil, key, err)
		return nil
	}
	e, err := w.newEntry(ns, user, value)
	if err != nil {
		w.blind = true
		w.corrupt(user, key, err)
		return nil
	}
	w.scratch = encoding.AppendMeta(w.scratch[:0], &e.m)
	w.form(e.key, key, value, w.scratch)
	w.keys[ns]++
	w.countKey(e.m.Type)
	e.verdict = w.judges.begin(e, true)
	if e.m.Type == encoding.TypeString {
		e.judgeValue(e.m.Value)
		e.finishVerdict()
	}
	e.m.Value = nil
	w.seen(e.key, e.m.Created)
	e.fields()
	e.ownVersion()
	e.ownContract()
	e.ownExpiry()
	if e.m.HasHome && !w.hasAlias(e) {
		var name mend
		if w.hasData(e.place) {
			name = put(e.prefix(encoding.FamilyAlias), encoding.AppendAlias(nil, e.key))
		}
		e.fault(CodeAlias, name, "its data lies under key %q, where no alias names it", e.m.Home)
	}
	return e
}

func (w *walk) countKey(t encoding.Type) {
	k := &w.report.Keys
	k.Total++
	switch t {
	case encoding.TypeString:
		k.String++
	case encoding.TypeHash:
		k.Hash++
	case encoding.TypeList:
		k.List++
	case encoding.TypeSet:
		k.Set++
	case encoding.TypeZSet:
		k.ZSet++
	}
}

// fields wants those to go together that each say something else.
func (e *entry) fields() {
	m := &e.m
	if m.Changes == 0 {
		e.fault(CodeMeta, e.edit(func(m *encoding.Meta) { m.Changes = 1 }), "it has no change")
	}
	if m.Type == encoding.TypeString && (m.Count != 0 || m.HasHome) {
		e.fault(CodeMeta, e.edit(func(m *encoding.Meta) { m.Count, m.HasHome, m.Home = 0, false, nil }),
			"a string counts %d elements, has a home: %v", m.Count, m.HasHome)
	} else if m.HasHome && bytes.Equal(m.Home, e.key) {
		e.fault(CodeMeta, e.edit(func(m *encoding.Meta) { m.HasHome, m.Home = false, nil }), "it has itself as its home")
	}
	if m.TreeRoot != 0 && treeFamily(m.Type) == 0 {
		e.fault(CodeTree, e.edit(func(m *encoding.Meta) { m.TreeRoot = 0 }), "a %s has a tree", m.Type)
	}
	if m.Type != encoding.TypeZSet && (m.LowWater != nil || m.HighWater != nil) {
		e.fault(CodeMarks, e.dropMarks(), "a %s has water marks", m.Type)
	}
	if m.Type != encoding.TypeList && (m.Uneven != 0 || m.Stride != 0) {
		e.fault(CodeMeta, e.edit(func(m *encoding.Meta) { m.Uneven, m.Stride = 0, 0 }), "a %s is laid out like a list", m.Type)
	}
	if m.FieldExpires != 0 {
		e.fault(CodeUnknown, nil, "its fields expire: nothing writes that yet")
	}
}

// ownVersion wants a version that is the key's alone.
func (e *entry) ownVersion() {
	w, version := e.w, e.m.Version
	first := w.claim(version)
	switch {
	case version == 0:
		e.fault(CodeVersion, nil, "it has version 0")
	case w.dead[e.place] != nil || w.stages[e.place] != nil:
		what, mend := "being filled", remove(w.stages[e.place])
		if d := w.dead[e.place]; d != nil {
			what, mend = "reclaimed", d.drop()
		}
		e.fault(CodeLive, mend, "its data, version %d, is being %s", version, what)
	case !first:
		e.fault(CodeVersion, nil, "it has version %d, which is in use elsewhere too", version)
	case version >= w.next():
		e.fault(CodeSequence, w.raise(version), "it has version %d, the next one is %d", version, w.next())
	}
}

// ownContract wants a contract and a revision that were given out.
func (e *entry) ownContract() {
	m := &e.m
	forget := e.edit(func(m *encoding.Meta) { m.ContractID, m.ContractRevision, m.Conformant = 0, 0, false })
	if m.ContractID == 0 {
		if m.Conformant {
			e.fault(CodeJudged, forget, "it conforms to no contract")
		}
		return
	}
	c, known := e.w.contracts[m.ContractID]
	if !known || m.ContractRevision == 0 || m.ContractRevision > c.Revision {
		e.fault(CodeJudged, forget, "it was judged by contract %d revision %d; known: %v, newest: %d",
			m.ContractID, m.ContractRevision, known, c.Revision)
	}
}

// finishEntry compares what a key says of itself with what was found.
func (w *walk) finishEntry(e *entry) {
	if e.m.Type == encoding.TypeString {
		return
	}
	w.report.Elements += e.data
	switch e.m.Type {
	case encoding.TypeList:
		e.finishList()
	case encoding.TypeZSet:
		e.finishZSet()
	default:
		e.finishCount()
	}
	e.finishTree()
	e.finishVerdict()
}

// finishCount compares the number of elements.
func (e *entry) finishCount() {
	if e.lost() {
		return
	}
	if n := e.data; n != e.m.Count {
		e.fault(CodeCount, e.edit(func(m *encoding.Meta) { m.Count = n }), "a %s counts %d elements and has %d", e.m.Type, e.m.Count, n)
	}
}

// lost reports a key without any element.
func (e *entry) lost() bool {
	if e.data > 0 {
		return false
	}
	e.fault(CodeLost, nil, "a %s counts %d elements and has none", e.m.Type, e.m.Count)
	return true
}
