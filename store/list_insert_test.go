package store

import (
	"fmt"
	"testing"

	"keypact/store/kv/badger"
)

func insertBefore(key, pivot, item string) Op {
	return act{[]Call{call("LINSERT", key)}, func(tx *Tx) (any, error) {
		l, err := tx.List([]byte(key))
		if err != nil {
			return nil, err
		}
		return l.Insert([]byte(pivot), []byte(item), false)
	}}
}

// However far apart the elements of a list lie, those around a crowded place
// move apart before the list is written anew.
func TestCrowdedPlacesSpread(t *testing.T) {
	for _, power := range []int{16, 32, 40, 48} {
		s := openStore(t, openDB(t, badger.Options{}), "")
		s.lists.stride, s.lists.shift = 1<<power, 4
		const size = 300
		for i := range size {
			must(t, s, rpush("l", fmt.Sprint(i)))
		}
		before := one(t, s, readList("l")).Revision.Version
		for i := range 120 {
			must(t, s, insertBefore("l", "150", fmt.Sprint("new", i)))
		}
		out := one(t, s, readList("l"))
		if out.Revision.Version != before {
			t.Errorf("stride 2^%d: it was written anew", power)
		}
		items := out.Value.([][]byte)
		for i := range 120 {
			if got := string(items[150+i]); got != fmt.Sprint("new", i) {
				t.Fatalf("stride 2^%d: element %d is %s", power, 150+i, got)
			}
		}
		if len(items) != size+120 || string(items[149]) != "149" || string(items[270]) != "150" {
			t.Errorf("stride 2^%d: %d elements", power, len(items))
		}
	}
}

// readList reads a whole list.
func readList(key string) Op {
	return act{[]Call{{Verb: "LRANGE", Key: []byte(key), Read: true}}, func(tx *Tx) (any, error) {
		l, err := tx.List([]byte(key))
		if err != nil {
			return nil, err
		}
		return l.Range(0, -1)
	}}
}
