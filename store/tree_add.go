package store

import (
	"bytes"
	"math"
	"slices"

	"keypact/encoding"
	"keypact/store/kv"
)

// add counts an element whose record has just been written. A key without a
// tree gets one if it has grown large.
func (t *tree) add(name []byte) error {
	if !t.exists() {
		return t.ensure()
	}
	path, err := t.find(name)
	if err != nil {
		return err
	}
	for _, s := range path {
		s.entry().Count++
		s.node.dirty = true
	}
	if err := t.reach(path[0].node, name); err != nil {
		return err
	}
	if path[len(path)-1].entry().Count > t.shape.run {
		return t.splitRun(path, name)
	}
	return nil
}

// reach moves the ends that the root notes out to a new element of a sorted set.
func (t *tree) reach(root *treeNode, name []byte) error {
	if t.family != encoding.FamilyScore {
		return nil
	}
	score, _, err := encoding.CutFloat(name)
	if total(root.Entries) == 1 {
		root.Least, root.Greatest = score, score
		t.leastLost, t.greatestLost = false, false
	}
	root.Least, root.Greatest = min(root.Least, score), max(root.Greatest, score)
	return err
}

// splitRun parts a run that has grown too long. One that grows at the very end
// or the very front of the collection is left full, so that elements that come
// in order fill their runs.
func (t *tree) splitRun(path []treeStep, name []byte) error {
	within, count := t.run(path), path[len(path)-1].entry().Count
	if within.Upper == nil {
		last, prior, err := t.pair(kv.Range{Lower: within.Lower, Reverse: true}, 1)
		if err != nil {
			return err
		}
		if bytes.Equal(last, name) {
			return t.part(path, count-1, t.separator(prior, name))
		}
	}
	if atFront(path) {
		first, next, err := t.pair(kv.Range{Upper: within.Upper}, 1)
		if err != nil {
			return err
		}
		if bytes.Equal(first, name) {
			return t.part(path, 1, t.separator(name, next))
		}
	}
	left, right, err := t.pair(within, count/2)
	if err != nil {
		return err
	}
	return t.part(path, count/2, t.separator(left, right))
}

// atFront reports whether a path leads to the first run.
func atFront(path []treeStep) bool {
	return !slices.ContainsFunc(path, func(s treeStep) bool { return s.at > 0 })
}

// pair returns the names at a place of a range, counted from 1, and behind it.
func (t *tree) pair(within kv.Range, place uint64) (left, right []byte, err error) {
	seen := uint64(0)
	within.Limit = int(place) + 1
	err = t.r.eachNameOf(t.family, within, func(name []byte) error {
		switch seen++; seen {
		case place:
			left = append([]byte{}, name...)
		case place + 1:
			right = append([]byte{}, name...)
		}
		return nil
	})
	if err == nil && right == nil {
		err = t.corrupt("a run has %d elements, not more than %d", seen, place)
	}
	return left, right, err
}

// separator is a bound between two names: the least beginning of the second
// that the first is less than. Indexes of lists stay whole.
func (t *tree) separator(left, right []byte) encoding.TreeEntry {
	n := 0
	for n < len(left) && n < len(right) && left[n] == right[n] {
		n++
	}
	n = min(n+1, len(right))
	switch t.family {
	case encoding.FamilyScore:
		bits, member := t.bound(right).score, right[8:max(n, 8)]
		return encoding.TreeEntry{Score: fromScoreBits(bits), Member: bytes.Clone(member)}
	case encoding.FamilyList:
		n = len(right)
	}
	return encoding.TreeEntry{Member: bytes.Clone(right[:n])}
}

// fromScoreBits is the score that has these bits.
func fromScoreBits(bits uint64) float64 {
	if bits>>63 == 1 {
		return math.Float64frombits(bits &^ (1 << 63))
	}
	return math.Float64frombits(^bits)
}

// part leaves the first elements in the run at the end of a path and gives the
// rest to a new run behind it, which begins at sep.
func (t *tree) part(path []treeStep, left uint64, sep encoding.TreeEntry) error {
	leaf := path[len(path)-1]
	sep.Count = leaf.entry().Count - left
	leaf.entry().Count = left
	return t.insert(path, sep)
}

// insert puts an entry behind the one at the end of a path. Nodes that become
// too large are split, up to the root.
func (t *tree) insert(path []treeStep, e encoding.TreeEntry) error {
	last := path[len(path)-1]
	n := last.node
	n.Entries = slices.Insert(n.Entries, last.at+1, e)
	n.dirty = true
	if len(n.Entries) <= t.shape.node {
		return nil
	}
	if len(path) == 1 {
		return t.raise(n, last.at)
	}
	return t.splitNode(path, last.at)
}

// raise puts a level between the root and its entries, as the root keeps its id.
func (t *tree) raise(root *treeNode, at int) error {
	child := t.create(root, root.Level, root.Entries)
	root.Level++
	root.Entries = []encoding.TreeEntry{{Child: child.id}}
	root.Entries[0].Score, root.Entries[0].Member = child.Entries[0].Score, child.Entries[0].Member
	root.Entries[0].Count = total(child.Entries)
	return t.splitNode([]treeStep{{root, 0}, {child, at}}, at)
}

// create makes a node.
func (t *tree) create(root *treeNode, level uint8, entries []encoding.TreeEntry) *treeNode {
	n := &treeNode{id: root.NextNode, dirty: true, TreeNode: encoding.TreeNode{Level: level, Entries: entries}}
	root.NextNode++
	root.dirty = true
	t.nodes[n.id] = n
	return n
}

func total(entries []encoding.TreeEntry) (n uint64) {
	for i := range entries {
		n += entries[i].Count
	}
	return n
}

// splitNode parts a node below the root that has grown too large by the entry
// behind at. Like runs, nodes at the ends are left full.
func (t *tree) splitNode(path []treeStep, at int) error {
	n, above := path[len(path)-1].node, path[:len(path)-1]
	cut := len(n.Entries) / 2
	switch {
	case at == len(n.Entries)-2 && atEnd(above):
		cut = len(n.Entries) - 1
	case at == 0 && atFront(above):
		cut = 1
	}
	right := t.create(path[0].node, n.Level, slices.Clone(n.Entries[cut:]))
	n.Entries = n.Entries[:cut:cut]
	n.dirty = true
	e := right.Entries[0]
	e.Count, e.Child = total(right.Entries), right.id
	above[len(above)-1].entry().Count -= e.Count
	return t.insert(above, e)
}

// atEnd reports whether a path leads to the last entry of each node.
func atEnd(path []treeStep) bool {
	return !slices.ContainsFunc(path, func(s treeStep) bool { return s.at+1 < len(s.node.Entries) })
}
