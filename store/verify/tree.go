package verify

import (
	"bytes"
	"fmt"
	"slices"

	"keypact/encoding"
)

// treeFamily is the family whose records the tree of a type counts; 0 if the
// type has no tree.
func treeFamily(t encoding.Type) encoding.Family {
	switch t {
	case encoding.TypeSet:
		return encoding.FamilyMember
	case encoding.TypeZSet:
		return encoding.FamilyScore
	case encoding.TypeList:
		return encoding.FamilyList
	}
	return 0
}

// treeWalk moves over the runs of a counted tree, from the first on, while the
// elements they count pass by. It holds the nodes from the root down to the
// present leaf and stops at the first thing that does not fit, so that it reads
// no more nodes than the elements call for, whatever the nodes say.
type treeWalk struct {
	e     *entry
	wrong string // the first thing that does not fit
	path  []treeLevel
	root  encoding.TreeNode
	nodes uint64 // read so far
	low   []byte // bound of the present run
	next  []byte // bound of the next one; nil is the end
	run   uint64 // elements of the present run that have passed
	sum   uint64 // elements that have passed
	first []byte
	last  []byte
}

// treeLevel is one node on the path.
type treeLevel struct {
	id     uint64
	node   encoding.TreeNode
	at     int    // the present entry
	counts uint64 // what the entry above says that the node counts; not of the root
}

func (l *treeLevel) entry() *encoding.TreeEntry { return &l.node.Entries[l.at] }

func (w *walk) newTreeWalk(e *entry) *treeWalk {
	w.report.Trees++
	t := &treeWalk{e: e}
	if !t.push(e.m.TreeRoot, 0, nil) {
		return t
	}
	t.root = t.path[0].node
	if !t.root.Root {
		t.fail("node %d is no root", e.m.TreeRoot)
	}
	if t.descend() {
		t.low = t.bound(t.leaf().entry())
		t.next = t.nextBound()
	}
	return t
}

func (t *treeWalk) fail(format string, args ...any) {
	if t.wrong == "" {
		t.wrong = fmt.Sprintf(format, args...)
	}
}

func (t *treeWalk) leaf() *treeLevel { return &t.path[len(t.path)-1] }

// push reads a node and puts it at the end of the path. above is the entry that
// names it, nil for the root.
func (t *treeWalk) push(id, counts uint64, above *treeLevel) bool {
	key := append(t.e.prefix(encoding.FamilyTree), encoding.AppendTreeKey(nil, 0, nil, 0, id)[treeKeyHead:]...)
	raw, _ := t.e.w.get(key)
	l := treeLevel{id: id, counts: counts}
	switch {
	case raw == nil:
		t.fail("node %d is missing", id)
	case encoding.ParseTreeNode(raw, &l.node) != nil:
		t.fail("node %d cannot be read", id)
	case len(l.node.Entries) == 0:
		t.fail("node %d is empty", id)
	case t.scored(&l.node):
		t.fail("node %d has scores, which a %s has not", id, t.e.m.Type)
	case above == nil:
	case id >= t.root.NextNode:
		t.fail("node %d was not made yet, the next is %d", id, t.root.NextNode)
	case l.node.Root || l.node.Level+1 != above.node.Level || !bytes.Equal(t.bound(&l.node.Entries[0]), t.bound(above.entry())):
		t.fail("node %d does not fit below entry %d of node %d", id, above.at, above.id)
	}
	if t.wrong != "" {
		return false
	}
	t.nodes++
	t.path = append(t.path, l)
	return true
}

// scored reports whether a node has scores beside elements that have none.
func (t *treeWalk) scored(n *encoding.TreeNode) bool {
	return t.e.m.Type != encoding.TypeZSet && (n.Least != 0 || n.Greatest != 0 ||
		slices.ContainsFunc(n.Entries, func(e encoding.TreeEntry) bool { return e.Score != 0 }))
}

// treeKeyHead is what a tree's key has before the node's number, for an empty
// home: family, namespace, end mark and version.
const treeKeyHead = 1 + 4 + 2 + versionBytes

// descend goes from the end of the path down to a leaf.
func (t *treeWalk) descend() bool {
	for t.wrong == "" && t.leaf().node.Level > 0 {
		l := *t.leaf()
		t.push(l.entry().Child, l.entry().Count, &l)
	}
	return t.wrong == ""
}

// bound is that of an entry in the form of names.
func (t *treeWalk) bound(e *encoding.TreeEntry) []byte {
	if t.e.m.Type == encoding.TypeZSet {
		return append(encoding.AppendFloat(nil, e.Score), e.Member...)
	}
	return e.Member
}

// nextBound is where the run behind the present one begins.
func (t *treeWalk) nextBound() []byte {
	for i := len(t.path) - 1; i >= 0; i-- {
		if l := &t.path[i]; l.at+1 < len(l.node.Entries) {
			// Never nil, as the bound of the empty member may be.
			return append([]byte{}, t.bound(&l.node.Entries[l.at+1])...)
		}
	}
	return nil
}

// pass counts the next element.
func (t *treeWalk) pass(name []byte) {
	if t.wrong != "" {
		return
	}
	if t.sum == 0 {
		t.first = bytes.Clone(name)
		if bytes.Compare(name, t.low) < 0 {
			t.fail("it begins at %x, behind the first element", t.low)
		}
	}
	for t.wrong == "" && t.next != nil && bytes.Compare(name, t.next) >= 0 {
		t.advance()
	}
	t.run++
	t.sum++
	t.last = append(t.last[:0], name...)
}

// advance closes the present run and moves to the next.
func (t *treeWalk) advance() {
	t.closeRun()
	for t.wrong == "" {
		l := t.leaf()
		if l.at+1 < len(l.node.Entries) {
			l.at++
			break
		}
		t.closeNode()
	}
	if !t.descend() {
		return
	}
	low := t.bound(t.leaf().entry())
	if bytes.Compare(low, t.low) <= 0 {
		t.fail("node %d has bounds that do not rise", t.leaf().id)
	}
	t.low, t.run = append([]byte{}, low...), 0
	t.next = t.nextBound()
}

func (t *treeWalk) closeRun() {
	if l := t.leaf(); l.entry().Count != t.run || t.run == 0 {
		t.fail("entry %d of node %d counts %d elements of %d", l.at, l.id, l.entry().Count, t.run)
	}
}

// closeNode takes the node at the end of the path off it.
func (t *treeWalk) closeNode() {
	l := t.leaf()
	sum := uint64(0)
	for i := range l.node.Entries {
		sum += l.node.Entries[i].Count
	}
	if want := l.counts; len(t.path) > 1 && sum != want {
		t.fail("node %d counts %d elements, not %d", l.id, sum, want)
	}
	t.path = t.path[:len(t.path)-1]
}

// finish judges the tree behind the last element.
func (t *treeWalk) finish() {
	if t.wrong != "" {
		return
	}
	if t.next != nil {
		t.fail("it goes on behind the last element")
	}
	t.closeRun()
	for t.wrong == "" && len(t.path) > 0 {
		t.closeNode()
	}
	if t.wrong == "" && t.sum != t.e.m.Count {
		t.fail("it counts %d elements, not %d", t.sum, t.e.m.Count)
	}
	if t.wrong == "" && t.nodes != t.e.nodes {
		t.fail("%d of %d nodes hang on no other", t.e.nodes-t.nodes, t.e.nodes)
	}
	if t.e.m.Type != encoding.TypeZSet || t.wrong != "" {
		return
	}
	least, _, _ := encoding.CutFloat(t.first)
	greatest, _, _ := encoding.CutFloat(t.last)
	if t.root.Least != least || t.root.Greatest != greatest {
		t.fail("it goes from %v to %v, the elements from %v to %v", t.root.Least, t.root.Greatest, least, greatest)
	}
}

// count has the tree count an element.
func (e *entry) count(name []byte) {
	if e.tree != nil {
		e.tree.pass(name)
	}
}

// node reads one node of a tree.
func (w *walk) node(e *entry, c *cursor) error {
	id, rest, err := encoding.CutIndex(c.name())
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%w: tree key: %d bytes left over", encoding.ErrCorrupt, len(rest))
	}
	var n encoding.TreeNode
	if err == nil {
		err = encoding.ParseTreeNode(c.value, &n)
	}
	if e.nodes++; err != nil {
		if e.tree != nil {
			e.tree.fail("node %d cannot be read", id)
			return nil
		}
		e.fault(CodeTree, remove(bytes.Clone(c.key)), "record %s of tree: %v", shown(c.key), err)
		e.nodes--
		return nil
	}
	w.scratch = encoding.AppendTreeNode(w.scratch[:0], &n)
	w.form(e.key, c.key, c.value, w.scratch)
	return nil
}

// finishTree judges the tree of a key.
func (e *entry) finishTree() {
	switch {
	case e.tree == nil && e.nodes > 0:
		e.fault(CodeTree, e.dropTree(), "it has %d nodes of a tree and no root", e.nodes)
	case e.tree != nil && e.data > 0:
		if e.tree.finish(); e.tree.wrong != "" {
			e.fault(CodeTree, e.dropTree(), "its tree: %s", e.tree.wrong)
		}
	}
}

// dropTree takes the tree away. The store makes another when the key changes
// next, and walks over its elements until then.
func (e *entry) dropTree() mend {
	edit := e.edit(func(m *encoding.Meta) { m.TreeRoot = 0 })
	return func(m *mender) error {
		if err := edit(m); err != nil {
			return err
		}
		return m.removeAll(e.prefix(encoding.FamilyTree), nil)
	}
}
