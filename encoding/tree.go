package encoding

import "encoding/binary"

const treeRoot = 1 << 0 // the root's own fields follow

// treeEntryMin is the least an entry takes: score, length of an empty member,
// count. It bounds what a count read from a record may make us allocate.
const treeEntryMin = 8 + 1 + 1

// TreeNode is one node of the counted tree beside a zset's score records, a
// set's members or a list's elements. Each entry stands for a run of elements
// in the order of those records and says how many there are; the ranks are sums
// over entries. Beside sets and lists scores are 0, and the member of a list's
// element is its index, u64 BE.
type TreeNode struct {
	Level   uint8 // 0 is a leaf, whose entries are runs of records
	Entries []TreeEntry

	// Root only.
	Root            bool
	Least, Greatest float64 // scores of the first and the last element
	NextNode        uint64  // id of the next node to be made
}

// TreeEntry is one entry of a node.
type TreeEntry struct {
	Score  float64 // with Member, the lower bound of the run: it begins there, or behind
	Member []byte
	Count  uint64 // elements in the run
	Child  uint64 // node id; above level 0 only
}

// AppendTreeKey appends the key of a node.
func AppendTreeKey(dst []byte, ns uint32, home []byte, version uint64, node uint64) []byte {
	dst = AppendDataPrefix(dst, FamilyTree, ns, home, version)
	return binary.BigEndian.AppendUint64(dst, node)
}

// ParseTreeKey reads a node's key. The home key aliases k unless it holds a NUL.
func ParseTreeKey(k []byte) (ns uint32, home []byte, version uint64, node uint64, err error) {
	c := cursor{rest: k}
	c.family(FamilyTree)
	ns, home, version = c.data()
	node = c.u64BE("node id")
	return ns, home, version, node, c.end("tree key")
}

// AppendTreeNode appends n.
func AppendTreeNode(dst []byte, n *TreeNode) []byte {
	if n.Root {
		dst = append(dst, treeRoot, n.Level)
		dst = AppendFloat(dst, n.Least)
		dst = AppendFloat(dst, n.Greatest)
		dst = binary.AppendUvarint(dst, n.NextNode)
	} else {
		dst = append(dst, 0, n.Level)
	}
	dst = binary.AppendUvarint(dst, uint64(len(n.Entries)))
	for i := range n.Entries {
		e := &n.Entries[i]
		dst = AppendFloat(dst, e.Score)
		dst = appendBlock(dst, e.Member)
		dst = binary.AppendUvarint(dst, e.Count)
		if n.Level > 0 {
			dst = binary.AppendUvarint(dst, e.Child)
		}
	}
	return dst
}

// ParseTreeNode reads src into n. Members alias src; the room of n.Entries is
// used again. After an error n holds nothing of use.
func ParseTreeNode(src []byte, n *TreeNode) error {
	c := cursor{rest: src}
	*n = TreeNode{Entries: n.Entries[:0]}
	n.Root = c.flags(treeRoot)&treeRoot != 0
	n.Level = c.u8("level")
	if n.Root {
		n.Least = c.float("least score")
		n.Greatest = c.float("greatest score")
		n.NextNode = c.uvarint("next node")
	}
	count := c.uvarint("entries")
	if count > uint64(len(c.rest)/treeEntryMin) {
		c.fail("entries")
		count = 0
	}
	for range count {
		e := TreeEntry{Score: c.float("score"), Member: c.block("member"), Count: c.uvarint("count")}
		if n.Level > 0 {
			e.Child = c.uvarint("child")
		}
		n.Entries = append(n.Entries, e)
	}
	return c.end("tree node")
}
