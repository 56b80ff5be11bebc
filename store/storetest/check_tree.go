package storetest

import (
	"bytes"
	"sort"

	"keypact/encoding"
)

// counted is what was seen of a key that has a tree.
type counted struct {
	names []string // of the elements, in their order
	nodes map[uint64]*encoding.TreeNode
}

// treeFamily is the family whose records the tree of a type counts.
func treeFamily(t encoding.Type) encoding.Family {
	switch t {
	case encoding.TypeZSet:
		return encoding.FamilyScore
	case encoding.TypeList:
		return encoding.FamilyList
	}
	return encoding.FamilyMember
}

// count keeps the name of an element for the key's tree, if it has one.
func (e *entry) count(f encoding.Family, name []byte) {
	if e.tree != nil && treeFamily(e.meta.Type) == f {
		e.tree.names = append(e.tree.names, string(name))
	}
}

func (w *walk) treeRecord(key, value []byte) error {
	ns, home, version, id, err := encoding.ParseTreeKey(key)
	if err != nil {
		return err
	}
	n := new(encoding.TreeNode)
	if err := encoding.ParseTreeNode(bytes.Clone(value), n); err != nil {
		return err
	}
	e := w.owner(place{ns, string(home), version}, key, encoding.TypeSet, encoding.TypeZSet, encoding.TypeList)
	switch {
	case e == nil:
	case e.tree == nil:
		w.fault("key %s has node %d of a tree and no root", e.key, id)
	default:
		e.tree.nodes[id] = n
	}
	return nil
}

// finishTree compares a key's tree with its elements, from the root down.
func (w *walk) finishTree(e *entry) {
	root := e.tree.nodes[e.meta.TreeRoot]
	if root == nil || !root.Root {
		w.fault("key %s: node %d is no root", e.key, e.meta.TreeRoot)
		return
	}
	nodes := len(e.tree.nodes)
	if n := w.finishNode(e, e.meta.TreeRoot, 0, len(e.tree.names), root.NextNode); n != e.meta.Count {
		w.fault("key %s: its tree counts %d elements, not %d", e.key, n, e.meta.Count)
	}
	if left := len(e.tree.nodes); left > 0 {
		w.fault("key %s: %d of %d nodes hang on no other", e.key, left, nodes)
	}
	if names := e.tree.names; e.meta.Type == encoding.TypeZSet && len(names) > 0 {
		least, _, _ := encoding.CutFloat([]byte(names[0]))
		greatest, _, _ := encoding.CutFloat([]byte(names[len(names)-1]))
		if root.Least != least || root.Greatest != greatest {
			w.fault("key %s: its tree goes from %v to %v, it from %v to %v", e.key, root.Least, root.Greatest, least, greatest)
		}
	}
}

// finishNode judges the node that counts the elements [from, to), and those
// below it, and returns what it counts. Nodes that were seen are let go of.
func (w *walk) finishNode(e *entry, id uint64, from, to int, next uint64) (sum uint64) {
	n := e.tree.nodes[id]
	delete(e.tree.nodes, id)
	if n == nil || len(n.Entries) == 0 || id >= next {
		w.fault("key %s: node %d of its tree is missing, empty, or not made yet (the next is %d)", e.key, id, next)
		return 0
	}
	for i, entry := range n.Entries {
		end := to
		if i+1 < len(n.Entries) {
			end = e.tree.position(e.meta.Type, n.Entries[i+1])
		}
		start := e.tree.position(e.meta.Type, entry)
		if i == 0 && start > from || i > 0 && low(e.meta.Type, n.Entries[i-1]) >= low(e.meta.Type, entry) {
			w.fault("key %s: entry %d of node %d begins at %x", e.key, i, id, low(e.meta.Type, entry))
		}
		if i == 0 {
			start = from
		}
		if uint64(end-start) != entry.Count || entry.Count == 0 {
			w.fault("key %s: entry %d of node %d counts %d elements of %d", e.key, i, id, entry.Count, end-start)
		}
		if n.Level > 0 {
			child := e.tree.nodes[entry.Child]
			if child != nil && (child.Level != n.Level-1 || child.Root || len(child.Entries) > 0 && low(e.meta.Type, child.Entries[0]) != low(e.meta.Type, entry)) {
				w.fault("key %s: node %d does not fit below entry %d of node %d", e.key, entry.Child, i, id)
			}
			if below := w.finishNode(e, entry.Child, start, end, next); below != entry.Count {
				w.fault("key %s: node %d counts %d elements, not %d", e.key, entry.Child, below, entry.Count)
			}
		}
		sum += entry.Count
	}
	return sum
}

// position is how many elements lie before the bound of an entry.
func (c *counted) position(t encoding.Type, entry encoding.TreeEntry) int {
	return sort.SearchStrings(c.names, low(t, entry))
}

// low is the bound of an entry in the form of names.
func low(t encoding.Type, entry encoding.TreeEntry) string {
	if t == encoding.TypeZSet {
		return string(append(encoding.AppendFloat(nil, entry.Score), entry.Member...))
	}
	return string(entry.Member)
}

// withinMarks reports whether a name lies between the marks of a sorted set.
func (e *entry) withinMarks(score float64, member []byte) bool {
	name := append(encoding.AppendFloat(nil, score), member...)
	return bytes.Compare(name, e.meta.LowWater) >= 0 &&
		(e.meta.HighWater == nil || bytes.Compare(name, e.meta.HighWater) <= 0)
}
