package encoding

import (
	"bytes"
	"testing"
)

// runLength is how many elements an entry of a leaf stands for at most.
const runLength = 128

// overhead is one row of the table: bytes stored, bytes that are the user's.
type overhead struct {
	name         string
	stored, user int
	want, limit  int // limit 0: published, not limited
}

var (
	aKey, aMember, aValue = []byte("profile:42"), []byte("nickname"), []byte("Ada Lovelace")
	aScore                = AppendFloat(nil, 1.5)
)

func overheads() []overhead {
	element := func(value []byte, expires int64) int {
		return len(AppendData(nil, &Data{Created: someTime, Expires: expires, Value: value}))
	}
	memberKey := len(AppendMemberKey(nil, 1, aKey, someVersion, aMember))
	listKey := len(AppendListKey(nil, 1, aKey, someVersion, ListMiddle))
	byMember := memberKey + element(aScore, 0)
	byScore := len(AppendScoreKey(nil, 1, aKey, someVersion, 1.5, aMember)) + len(AppendIndexValue(nil))
	key, member, value, score := len(aKey), len(aMember), len(aValue), len(aScore)
	return []overhead{
		{"hash field", memberKey + element(aValue, 0), key + member + value, 22, 24},
		{"hash field with an expiry of its own", memberKey + element(aValue, someTime), key + member + value, 28, 0},
		{"set member", memberKey + element(nil, 0), key + member, 22, 24},
		{"list element", listKey + element(aValue, 0), key + value, 30, 32},
		{"zset, member record", byMember, key + member + score, 22, 0},
		{"zset, score record", byScore, key + member + score, 16, 0},
		{"zset, both records", byMember + byScore, 2 * (key + member + score), 38, 0},
		{"zset, both, against one key, member, score", byMember + byScore, key + member + score, 46 + key + member, 0},
	}
}

// TestOverheadPerElement counts the bytes of one element beyond its user key,
// its member and its value, and before the engine's own. -v prints the table.
func TestOverheadPerElement(t *testing.T) {
	t.Logf("%-42s %5s %5s", "element", "bytes", "limit")
	for _, o := range overheads() {
		got := o.stored - o.user
		t.Logf("%-42s %5d %5d", o.name, got, o.limit)
		if got != o.want {
			t.Errorf("%s: %d bytes, the table says %d", o.name, got, o.want)
		}
		if o.limit > 0 && got > o.limit {
			t.Errorf("%s: %d bytes, limit %d", o.name, got, o.limit)
		}
	}
	share := treeShare(aKey, aMember)
	t.Logf("%-42s %8.2f", "zset, share of the tree (full leaves)", share)
	if share > 1 {
		t.Errorf("zset: the tree adds %.2f bytes to an element", share)
	}
}

// treeShare is the bytes of a full leaf, spread over the elements it counts.
// Levels above add less than a hundredth of it.
func treeShare(key, member []byte) float64 {
	var node TreeNode
	for range runLength {
		node.Entries = append(node.Entries, TreeEntry{Score: 1.5, Member: member, Count: runLength})
	}
	leaf := len(AppendTreeKey(nil, 1, key, someVersion, 1)) + len(AppendTreeNode(nil, &node))
	return float64(leaf) / (runLength * runLength)
}

// TestNULsInKeysCostOneByteEach: they are the only thing whose size depends on
// the bytes of a key.
func TestNULsInKeysCostOneByteEach(t *testing.T) {
	plain := len(AppendMetaKey(nil, 1, bytes.Repeat([]byte("a"), 10)))
	if got := len(AppendMetaKey(nil, 1, bytes.Repeat([]byte{0}, 10))); got != plain+10 {
		t.Errorf("a key of ten NULs takes %d bytes, one of ten letters %d", got, plain)
	}
}
