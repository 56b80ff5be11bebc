package store

import (
	"keypact/encoding"
	"keypact/store/kv"
)

// flush writes the nodes that changed. The record's meta must be written after
// it. A collection that has become small loses its tree.
func (t *tree) flush() error {
	if t == nil || t.version != t.r.meta.Version || t.r.meta.TreeRoot == 0 {
		return nil
	}
	if t.r.meta.Count < t.shape.from/2 {
		return t.discard()
	}
	if err := t.settleEnds(); err != nil {
		return err
	}
	for _, id := range t.gone {
		if err := t.r.tx.w.Delete(t.key(id)); err != nil {
			return err
		}
	}
	t.gone = t.gone[:0]
	var buf []byte
	for id, n := range t.nodes {
		if !n.dirty {
			continue
		}
		n.dirty = false
		buf = encoding.AppendTreeNode(buf[:0], &n.TreeNode)
		if err := t.r.tx.w.Set(t.key(id), buf); err != nil {
			return err
		}
	}
	return nil
}

// settleEnds looks the least and the greatest score up where they were lost.
func (t *tree) settleEnds() error {
	if !t.leastLost && !t.greatestLost {
		return nil
	}
	root, err := t.root()
	if err != nil {
		return err
	}
	if t.leastLost {
		if root.Least, err = t.end(false); err != nil {
			return err
		}
	}
	if t.greatestLost {
		if root.Greatest, err = t.end(true); err != nil {
			return err
		}
	}
	root.dirty = true
	t.leastLost, t.greatestLost = false, false
	return nil
}

// end finds the score of the first element, or of the last, and notes it as a
// water mark.
func (t *tree) end(last bool) (score float64, err error) {
	found := false
	err = t.r.eachNameOf(t.family, kv.Range{Reverse: last, Limit: 1}, func(name []byte) error {
		found = true
		t.r.setMark(name, last)
		score, _, err = encoding.CutFloat(name)
		return err
	})
	if err == nil && !found {
		err = t.corrupt("it counts %d elements and there are none", t.r.meta.Count)
	}
	return score, err
}

// discard deletes all nodes.
func (t *tree) discard() error {
	if err := t.discardNode(t.r.meta.TreeRoot); err != nil {
		return err
	}
	for _, id := range t.gone {
		if err := t.r.tx.w.Delete(t.key(id)); err != nil {
			return err
		}
	}
	t.r.meta.TreeRoot = 0
	t.r.counted = nil
	return nil
}

func (t *tree) discardNode(id uint64) error {
	n, err := t.node(id)
	if err != nil {
		return err
	}
	if n.Level > 0 {
		for i := range n.Entries {
			if err := t.discardNode(n.Entries[i].Child); err != nil {
				return err
			}
		}
	}
	return t.r.tx.w.Delete(t.key(id))
}
