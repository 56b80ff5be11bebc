package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"sort"

	"keypact/encoding"
	"keypact/store/kv"
)

// treeShape says from how many elements on a collection carries a tree, and how
// large the tree's parts grow.
type treeShape struct {
	from uint64 // a collection of more elements gets a tree; one of less than half of them loses it
	run  uint64 // elements that one entry of a leaf stands for, at most
	node int    // entries of a node, at most
}

// defaultTree is small in nodes, since each write rewrites one per level, and
// large in runs, since only a read that asks for a rank walks one.
var defaultTree = treeShape{from: 256, run: 256, node: 32}

// treeRoot is the node id of every root.
const treeRoot = 1

// tree is the counted tree beside one collection: which element has which rank,
// without walking over those before it. Its leaves count runs of neighbouring
// elements and the nodes above count leaves; the elements themselves stay in
// their own records, so that a rank takes one walk down and a walk over part of
// one run. Names are what follows the family's prefix in the record's key. A
// run begins at its lower bound, which need not be an element; the first bound
// lies before every name there could be.
//
// It is a B+ tree whose entries carry sizes of subtrees instead of keys' values
// (order statistics, Cormen et al., "Introduction to Algorithms", ch. 14 and
// 18). Bounds are cut short as in R. Bayer and K. Unterauer, "Prefix B-trees",
// ACM TODS 2 (1), 1977.
//
// Changes stay in memory until flush. A tree lives as long as its record, that
// is one operation; what an operation leaves undone is never written.
type tree struct {
	r       *record
	family  encoding.Family
	version uint64 // of the data it counts
	shape   treeShape
	nodes   map[uint64]*treeNode
	gone    []uint64 // nodes to delete

	leastLost, greatestLost bool // the root's ends must be looked up again
}

type treeNode struct {
	encoding.TreeNode
	id    uint64
	dirty bool
}

// treeStep is one node on the way down and the entry that was followed.
type treeStep struct {
	node *treeNode
	at   int
}

func (s treeStep) entry() *encoding.TreeEntry { return &s.node.Entries[s.at] }

// tree returns the tree that counts the key's records of a family. It serves
// the present version of the data; a key that has no tree has one that is
// empty and does not exist.
func (r *record) tree(f encoding.Family) *tree {
	if t := r.counted; t != nil && t.version == r.meta.Version && t.family == f {
		return t
	}
	r.counted = &tree{r: r, family: f, version: r.meta.Version, shape: r.tx.s.trees, nodes: map[uint64]*treeNode{}}
	return r.counted
}

// exists reports whether the key has a tree.
func (t *tree) exists() bool { return t.r.exists && t.r.meta.TreeRoot != 0 }

// root is the topmost node.
func (t *tree) root() (*treeNode, error) { return t.node(t.r.meta.TreeRoot) }

// node reads a node, once.
func (t *tree) node(id uint64) (*treeNode, error) {
	if n := t.nodes[id]; n != nil {
		return n, nil
	}
	raw, err := t.r.tx.r.Get(nil, t.key(id))
	if err != nil {
		return nil, fmt.Errorf("tree of key %q: node %d: %w", t.r.key, id, err)
	}
	n := &treeNode{id: id}
	if err := encoding.ParseTreeNode(raw, &n.TreeNode); err != nil {
		return nil, fmt.Errorf("tree of key %q: node %d: %w", t.r.key, id, err)
	}
	if len(n.Entries) == 0 {
		return nil, t.corrupt("node %d is empty", id)
	}
	t.nodes[id] = n
	return n, nil
}

func (t *tree) key(id uint64) []byte {
	return encoding.AppendTreeKey(nil, t.r.ns, t.r.home(), t.version, id)
}

func (t *tree) corrupt(format string, args ...any) error {
	return fmt.Errorf("tree of key %q: %w: %s", t.r.key, encoding.ErrCorrupt, fmt.Sprintf(format, args...))
}

// bound is a name cut up for comparison with the bounds of entries: its score
// as a number that sorts alike, and its member. Sets and lists have the score 0.
type bound struct {
	score  uint64
	member []byte
}

// scoreBits are the 8 bytes of encoding.AppendFloat as a number.
func scoreBits(score float64) uint64 {
	bits := math.Float64bits(score)
	switch {
	case score == 0:
		return 1 << 63
	case bits>>63 == 0:
		return bits | 1<<63
	}
	return ^bits
}

func (t *tree) bound(name []byte) bound {
	if t.family != encoding.FamilyScore {
		return bound{scoreBits(0), name}
	}
	if len(name) >= 8 {
		return bound{binary.BigEndian.Uint64(name), name[8:]}
	}
	// A bound of a section may be shorter than any name.
	var padded [8]byte
	copy(padded[:], name)
	return bound{binary.BigEndian.Uint64(padded[:]), nil}
}

// behind reports whether an entry's run begins behind b.
func (b bound) before(e *encoding.TreeEntry) bool {
	if s := scoreBits(e.Score); s != b.score {
		return b.score < s
	}
	return bytes.Compare(b.member, e.Member) < 0
}

// low is the name form of an entry's bound.
func (t *tree) low(e *encoding.TreeEntry) []byte {
	if t.family != encoding.FamilyScore {
		return append([]byte{}, e.Member...)
	}
	return append(encoding.AppendFloat(nil, e.Score), e.Member...)
}

// find descends to the run where a name belongs.
func (t *tree) find(name []byte) ([]treeStep, error) {
	b := t.bound(name)
	return t.descend(func(n *treeNode) int {
		return max(0, sort.Search(len(n.Entries), func(i int) bool { return b.before(&n.Entries[i]) })-1)
	})
}

// descend goes from the root to a run; choose says which entry to follow.
func (t *tree) descend(choose func(n *treeNode) int) ([]treeStep, error) {
	path := make([]treeStep, 0, 6)
	n, err := t.root()
	for err == nil {
		step := treeStep{n, choose(n)}
		path = append(path, step)
		if n.Level == 0 {
			return path, nil
		}
		var child *treeNode
		if child, err = t.node(step.entry().Child); err == nil && child.Level+1 != n.Level {
			err = t.corrupt("node %d has level %d below %d", child.id, child.Level, n.Level)
		}
		n = child
	}
	return nil, err
}

// run is the range of names of the run at the end of a path; a nil Upper is the
// end of the family.
func (t *tree) run(path []treeStep) kv.Range {
	within := kv.Range{Lower: t.low(path[len(path)-1].entry())}
	for i := len(path) - 1; i >= 0; i-- {
		if s := path[i]; s.at+1 < len(s.node.Entries) {
			within.Upper = t.low(&s.node.Entries[s.at+1])
			break
		}
	}
	return within
}

// preceding counts the elements before the run at the end of a path.
func preceding(path []treeStep) (n uint64) {
	for _, s := range path {
		for _, e := range s.node.Entries[:s.at] {
			n += e.Count
		}
	}
	return n
}

// rank counts the elements before a name, which need not be one.
func (t *tree) rank(name []byte) (uint64, error) {
	path, err := t.find(name)
	if err != nil {
		return 0, err
	}
	n, err := t.r.countNames(t.family, kv.Range{Lower: t.run(path).Lower, Upper: name})
	return preceding(path) + n, err
}

// between counts the elements in [from, to); nil bounds are the ends.
func (t *tree) between(from, to []byte) (uint64, error) {
	low, high := uint64(0), t.r.meta.Count
	if from != nil && to != nil {
		a, err := t.find(from)
		if err != nil {
			return 0, err
		}
		if b := t.bound(to); !t.endsBefore(a, b) {
			return t.r.countNames(t.family, kv.Range{Lower: from, Upper: to})
		}
	}
	var err error
	if from != nil {
		if low, err = t.rank(from); err != nil {
			return 0, err
		}
	}
	if to != nil {
		if high, err = t.rank(to); err != nil {
			return 0, err
		}
	}
	return high - min(low, high), nil
}

// endsBefore reports whether the run at the end of a path ends at or before b.
func (t *tree) endsBefore(path []treeStep, b bound) bool {
	upper := t.run(path).Upper
	if upper == nil {
		return false
	}
	u := t.bound(upper)
	return u.score < b.score || u.score == b.score && bytes.Compare(u.member, b.member) <= 0
}

// seek finds the run that holds the element with a rank, and that element's
// place in the run.
func (t *tree) seek(rank uint64) (within kv.Range, skip, size uint64, err error) {
	if rank >= t.r.meta.Count {
		return within, 0, 0, t.corrupt("rank %d of %d", rank, t.r.meta.Count)
	}
	skip = rank
	path, err := t.descend(func(n *treeNode) int {
		for i := range n.Entries {
			if skip < n.Entries[i].Count {
				return i
			}
			skip -= n.Entries[i].Count
		}
		skip = math.MaxUint64 // the counts end before the rank
		return len(n.Entries) - 1
	})
	if err != nil {
		return within, 0, 0, err
	}
	size = path[len(path)-1].entry().Count
	if skip >= size {
		return within, 0, 0, t.corrupt("it ends before rank %d of %d", rank, t.r.meta.Count)
	}
	return t.run(path), skip, size, nil
}

// at returns the name of the element with a rank.
func (t *tree) at(rank uint64) (name []byte, err error) {
	err = t.visit([]uint64{rank}, func(found []byte) error {
		name = bytes.Clone(found)
		return nil
	})
	return name, err
}

// visit calls visit with the name of the element of each rank; ranks are sorted
// and differ. It walks each run once. A name is valid only during the call.
func (t *tree) visit(ranks []uint64, visit func(name []byte) error) error {
	for len(ranks) > 0 {
		within, skip, size, err := t.seek(ranks[0])
		if err != nil {
			return err
		}
		start := ranks[0] - skip
		n := sort.Search(len(ranks), func(i int) bool { return ranks[i] >= start+size })
		if err := t.visitRun(within, start, size, ranks[:n], visit); err != nil {
			return err
		}
		ranks = ranks[n:]
	}
	return nil
}

// visitRun is visit for ranks within one run, whose first element has the rank
// start. A single element is sought from the nearer end of the run.
func (t *tree) visitRun(within kv.Range, start, size uint64, ranks []uint64, visit func(name []byte) error) error {
	at, step := start, uint64(1)
	if skip := ranks[0] - start; len(ranks) == 1 && skip > size/2 {
		within.Reverse = true
		at, step = start+size-1, math.MaxUint64 // minus one
	}
	err := t.r.eachNameOf(t.family, within, func(name []byte) error {
		if at == ranks[0] {
			if err := visit(name); err != nil {
				return err
			}
			if ranks = ranks[1:]; len(ranks) == 0 {
				return errStop
			}
		}
		at += step
		return nil
	})
	if err == nil && len(ranks) > 0 {
		err = t.corrupt("a run of %d elements ends before rank %d", size, ranks[0])
	}
	return err
}
