package service

import (
	"fmt"
	"testing"

	"keypact/store"
)

// Whether elements go one by one or with the whole key, an emptied key is gone
// and leaves nothing that belongs to nobody.
func TestEmptiedCollectionsAreGone(t *testing.T) {
	for _, n := range []int{1, 64, 65, 200} {
		members, entries := []Bytes{}, []ZSetEntry{}
		same := []Bytes{}
		for i := range n {
			members = append(members, Bytes(fmt.Sprint(i)))
			entries = append(entries, scored(fmt.Sprint(i), float64(i)))
			same = append(same, Bytes("x"))
		}
		all := new(int64(1000))
		list, set := &ListPush{Key: Bytes("k"), Items: same}, &SetAdd{Key: Bytes("k"), Members: members}
		zset := &ZSetAdd{Key: Bytes("k"), Members: entries}
		for _, test := range []struct{ fill, empty Op }{
			{list, &ListPop{Key: Bytes("k"), Count: all}},
			{list, &ListTrim{Key: Bytes("k"), Start: new(int64(5)), Stop: new(int64(1))}},
			{list, &ListRemove{Key: Bytes("k"), Value: Bytes("x")}},
			{list, &ListDelete{Key: Bytes("k")}},
			{set, &SetPop{Key: Bytes("k"), Count: all}},
			{set, &SetRemove{Key: Bytes("k"), Members: members}},
			{set, &SetDiff{SetSources{Keys: texts("k", "k"), Destination: Bytes("k")}}},
			{zset, &ZSetPop{Key: Bytes("k"), Count: all}},
			{zset, &ZSetRemove{Key: Bytes("k"), By: "rank", Min: bound("0"), Max: bound("-1")}},
			{zset, &ZSetRemove{Key: Bytes("k"), By: "score", Min: bound("0"), Max: bound("(inf")}},
			{zset, &ZSetRemove{Key: Bytes("k"), By: "lex", Min: bound("-"), Max: bound("+")}},
			{zset, &ZSetRemove{Key: Bytes("k"), Members: members}},
		} {
			l := openLab(t, "", store.Limits{})
			l.must(t, test.fill, test.empty)
			if got := l.answer(t, &KeyInfo{Key: Bytes("k")}); got != "not found" {
				t.Errorf("%d elements, %T %s left %s", n, test.empty, text(test.empty), got)
			}
			l.checkRecords(t)
			l.must(t, test.fill)
			l.checkRecords(t)
			l.store.Close()
			l.db.Close()
		}
	}
}
