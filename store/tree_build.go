package store

import (
	"bytes"
	"math"

	"keypact/encoding"
	"keypact/store/kv"
)

// ensure gives a large key that has no tree its tree, from the records that are
// there. Keys from before there were trees get theirs at their first change.
func (t *tree) ensure() error {
	if t.exists() || t.r.meta.Count <= t.shape.from || t.off() {
		return nil
	}
	l := t.loader()
	err := t.r.eachNameOf(t.family, kv.Range{}, func(name []byte) error {
		l.next(name)
		return nil
	})
	if err != nil {
		return err
	}
	return l.finish()
}

// off reports whether no tree is to be made: where trees are switched off, and
// in a dry run that keeps nothing of what it writes.
func (t *tree) off() bool {
	return t.r.tx.s.noTrees || t.r.tx.stage != nil && t.r.tx.stage.dry
}

// treeLoader builds a tree out of names that come in order.
type treeLoader struct {
	t       *tree
	entries []encoding.TreeEntry
	total   uint64
	first   []byte
	last    []byte
}

func (t *tree) loader() *treeLoader { return &treeLoader{t: t} }

// next counts one more element. The name is valid only during the call.
func (l *treeLoader) next(name []byte) {
	if l.total == 0 {
		l.first = bytes.Clone(name)
		l.entries = append(l.entries, l.t.lowest())
	} else if run := &l.entries[len(l.entries)-1]; run.Count >= l.t.shape.run-l.t.shape.run/4 {
		l.entries = append(l.entries, l.t.separator(l.last, name))
	}
	l.entries[len(l.entries)-1].Count++
	l.total++
	l.last = append(l.last[:0], name...)
}

// lowest is the bound before all names.
func (t *tree) lowest() encoding.TreeEntry {
	switch t.family {
	case encoding.FamilyScore:
		return encoding.TreeEntry{Score: math.Inf(-1)}
	case encoding.FamilyList:
		return encoding.TreeEntry{Member: make([]byte, 8)}
	}
	return encoding.TreeEntry{}
}

// finish makes the key's tree of what was counted, unless that is little.
func (l *treeLoader) finish() error {
	t := l.t
	if l.total <= t.shape.from || t.off() {
		return nil
	}
	root := &treeNode{id: treeRoot, dirty: true}
	root.Root, root.NextNode = true, treeRoot+1
	if t.family == encoding.FamilyScore {
		var err error
		if root.Least, _, err = encoding.CutFloat(l.first); err == nil {
			root.Greatest, _, err = encoding.CutFloat(l.last)
		}
		if err != nil {
			return err
		}
	}
	entries := l.entries
	for len(entries) > t.shape.node {
		entries = t.pack(root, entries)
		root.Level++
	}
	root.Entries = entries
	t.nodes[root.id] = root
	t.r.meta.TreeRoot = root.id
	return nil
}

// pack puts entries into nodes of even size and returns an entry for each.
func (t *tree) pack(root *treeNode, entries []encoding.TreeEntry) (above []encoding.TreeEntry) {
	size := t.shape.node - t.shape.node/4
	nodes := (len(entries) + size - 1) / size
	for i := range nodes {
		part := entries[i*len(entries)/nodes : (i+1)*len(entries)/nodes]
		e := part[0]
		e.Count = total(part)
		e.Child = t.create(root, root.Level, part[:len(part):len(part)]).id
		above = append(above, e)
	}
	return above
}
