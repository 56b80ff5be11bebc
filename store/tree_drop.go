package store

import (
	"slices"

	"keypact/encoding"
)

// drop counts an element less, whose record has just been deleted. A large key
// without a tree gets one.
func (t *tree) drop(name []byte) error {
	if !t.exists() {
		return t.ensure()
	}
	path, err := t.find(name)
	if err != nil {
		return err
	}
	if err := t.recede(path, name); err != nil {
		return err
	}
	for _, s := range path {
		if s.entry().Count == 0 {
			return t.corrupt("an element more is dropped than node %d counts", s.node.id)
		}
		s.entry().Count--
		s.node.dirty = true
	}
	t.shrinkRun(path[len(path)-1])
	return t.shrinkNodes(path)
}

// recede notes that an end of the root may be an end no more. The score of the
// least element can only vanish with an element of the first run, and it stays
// if all scores are the same.
func (t *tree) recede(path []treeStep, name []byte) error {
	if t.family != encoding.FamilyScore {
		return nil
	}
	score, _, err := encoding.CutFloat(name)
	root := path[0].node
	if err != nil || !t.leastLost && !t.greatestLost && root.Least == root.Greatest {
		return err
	}
	t.leastLost = t.leastLost || score == root.Least && atFront(path)
	t.greatestLost = t.greatestLost || score == root.Greatest && atEnd(path)
	return nil
}

// shrinkRun joins a run that has become short with a neighbour in its node.
func (t *tree) shrinkRun(leaf treeStep) {
	n, count := leaf.node, leaf.entry().Count
	if count >= max(t.shape.run/4, 1) || len(n.Entries) == 1 {
		return
	}
	most := t.shape.run - t.shape.run/4
	switch {
	case leaf.at > 0 && (count == 0 || n.Entries[leaf.at-1].Count+count <= most):
		n.merge(leaf.at - 1)
	case leaf.at+1 < len(n.Entries) && (count == 0 || n.Entries[leaf.at+1].Count+count <= most):
		n.merge(leaf.at)
	}
}

// merge joins the runs at and behind at; the first bound stays.
func (n *treeNode) merge(at int) {
	n.Entries[at].Count += n.Entries[at+1].Count
	n.Entries = slices.Delete(n.Entries, at+1, at+2)
}

// shrinkNodes goes up a path and joins nodes that have become small with their
// neighbours. A root with a single child takes its place.
func (t *tree) shrinkNodes(path []treeStep) error {
	path, err := t.cutEmpty(path)
	if err != nil {
		return err
	}
	for depth := len(path) - 1; depth > 0; depth-- {
		if len(path[depth].node.Entries) >= max(t.shape.node/4, 2) {
			break
		}
		if err := t.joinNode(path[depth-1], path[depth].node); err != nil {
			return err
		}
	}
	root := path[0].node
	for root.Level > 0 && len(root.Entries) == 1 {
		child, err := t.node(root.Entries[0].Child)
		if err != nil {
			return err
		}
		root.Level, root.Entries, root.dirty = child.Level, child.Entries, true
		t.forget(child)
	}
	return nil
}

// cutEmpty takes away the nodes at the end of a path that count nothing any
// more. What remains of the path is returned.
func (t *tree) cutEmpty(path []treeStep) ([]treeStep, error) {
	if last := len(path) - 1; last == 0 || total(path[last].node.Entries) > 0 {
		return path, nil
	}
	for last := len(path) - 1; last > 0; last-- {
		t.forget(path[last].node)
		path = path[:last]
		if above := path[last-1]; len(above.node.Entries) > 1 {
			first := above.node.Entries[0]
			above.node.Entries = slices.Delete(above.node.Entries, above.at, above.at+1)
			if above.at > 0 {
				return path, nil
			}
			return path, t.widen(above.node, first)
		}
	}
	return path, t.corrupt("its root counts nothing")
}

// widen makes a node begin at the bound of another entry, and the first of each
// level below it.
func (t *tree) widen(n *treeNode, low encoding.TreeEntry) error {
	for {
		first := &n.Entries[0]
		first.Score, first.Member = low.Score, low.Member
		n.dirty = true
		if n.Level == 0 {
			return nil
		}
		child, err := t.node(first.Child)
		if err != nil {
			return err
		}
		n = child
	}
}

// joinNode joins a small node with a sibling that has room.
func (t *tree) joinNode(above treeStep, n *treeNode) error {
	for _, at := range [2]int{above.at - 1, above.at} { // the left one of the two
		if at < 0 || at+1 >= len(above.node.Entries) {
			continue
		}
		left, right, err := t.siblings(above.node, at)
		if err != nil {
			return err
		}
		if len(left.Entries)+len(right.Entries) > t.shape.node-t.shape.node/4 {
			continue
		}
		left.Entries = append(slices.Clone(left.Entries), right.Entries...)
		left.dirty, above.node.dirty = true, true
		above.node.merge(at)
		t.forget(right)
		return nil
	}
	return nil
}

// siblings are the two nodes below the entries at and behind at.
func (t *tree) siblings(above *treeNode, at int) (left, right *treeNode, err error) {
	if left, err = t.node(above.Entries[at].Child); err == nil {
		right, err = t.node(above.Entries[at+1].Child)
	}
	return left, right, err
}

// forget lets go of a node.
func (t *tree) forget(n *treeNode) {
	delete(t.nodes, n.id)
	t.gone = append(t.gone, n.id)
}
