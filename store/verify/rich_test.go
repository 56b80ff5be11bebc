package verify_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/store"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// member names the elements of tests.
func member(i int) []byte { return []byte("m" + strconv.Itoa(i)) }

// rich writes all that can be in a store: each type small and with a tree of
// several levels, a list that is uneven and one that was cut so that dead
// elements lie at both ends of it, keys that expire, that were renamed and that
// a contract judged, a dead value, a flushed namespace, and a value that is
// being filled.
func rich(t *testing.T) kv.DB {
	t.Helper()
	db, err := badger.Open(badger.Options{
		InMemory: true, MemTableBytes: 1 << 20, MaxTxnBytes: 64 << 10, MaxTxnWrites: 500,
		Clock: func() time.Time { return time.UnixMilli(noon) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	set, err := contracts.Parse(contracts.Source{Name: "c", Data: []byte("format: 1\ncontracts: {c: {key: 'c:{id}', type: string, ttl: optional}}")})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), db, store.Options{
		Contracts: set, Sweep: -1, Tuning: store.Tuning{TreeFrom: 4, TreeRun: 2, TreeNode: 3, ListShift: 1, ListCut: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	do := func(writes ...write) {
		t.Helper()
		for _, w := range writes {
			if out, err := st.Do(t.Context(), store.Each, []store.Op{w}); err != nil || out[0].Err != nil {
				t.Fatal(err, out[0].Err)
			}
		}
	}
	do(set7("flushed"), zset7("flushed too"), expiring("flushed text"))
	if _, err := st.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	do(expiring("c:1"), hash("h"), set7("s"), zset7("z"), zset7("old"), rename("old", "new"), hash("ho"), rename("ho", "hash"), zset7("dead"), remove("dead"))
	do(uneven("u")...)
	do(pushed("l", 9), write{[]string{"l"}, func(tx *store.Tx) error {
		l, err := tx.List([]byte("l"))
		if err == nil {
			_, err = l.Trim(3, 5)
		}
		return err
	}})
	do(pushed("r", 3))
	if err := db.Update(t.Context(), stagedValue); err != nil {
		t.Fatal(err)
	}
	return db
}

// stagedValue is what an operation leaves that fills a value when the process
// is killed.
func stagedValue(tx kv.Txn) error {
	const version = 500_000
	raw, err := tx.Get(nil, encoding.AppendNamespaceKey(nil, "0"))
	if err != nil {
		return err
	}
	ns, err := encoding.ParseNamespace(raw)
	if err != nil {
		return err
	}
	stage := encoding.AppendStage(nil, &encoding.Stage{Type: encoding.TypeSet, Epoch: 1, Created: noon})
	data := encoding.AppendData(nil, &encoding.Data{Created: noon})
	return errors.Join(tx.Set(encoding.AppendStageKey(nil, ns, []byte("staged"), version), stage),
		tx.Set(encoding.AppendMemberKey(nil, ns, []byte("staged"), version, []byte("m")), data))
}

func expiring(key string) write {
	return write{[]string{key}, func(tx *store.Tx) error {
		k, err := tx.Key([]byte(key))
		return errors.Join(err, k.PutString([]byte("v"), "", noon+1000, false))
	}}
}

func hash(key string) write {
	return write{[]string{key}, func(tx *store.Tx) error {
		h, err := tx.Hash([]byte(key))
		for i := range 3 {
			_, _, put := h.Put(member(i), []byte("v"))
			err = errors.Join(err, put)
		}
		return err
	}}
}

func set7(key string) write {
	return write{[]string{key}, func(tx *store.Tx) error {
		s, err := tx.Set([]byte(key))
		for i := range 7 {
			_, add := s.Add(member(i))
			err = errors.Join(err, add)
		}
		return err
	}}
}

func zset7(key string) write {
	return write{[]string{key}, func(tx *store.Tx) error {
		z, err := tx.ZSet([]byte(key))
		for i := range 7 {
			_, put := z.Put(member(i), float64(i)/2, store.When{})
			err = errors.Join(err, put)
		}
		return err
	}}
}

func pushed(key string, n int) write {
	return write{[]string{key}, func(tx *store.Tx) error {
		l, err := tx.List([]byte(key))
		for i := range n {
			err = errors.Join(err, l.Push(store.Right, member(i)))
		}
		return err
	}}
}

// uneven is a list of more elements than are ever written anew, with one that
// came between two.
func uneven(key string) []write {
	return []write{pushed(key, 8), {[]string{key}, func(tx *store.Tx) error {
		l, err := tx.List([]byte(key))
		if err == nil {
			_, err = l.Insert(member(4), []byte("between"), true)
		}
		return err
	}}}
}

func rename(from, to string) write {
	return write{[]string{from, to}, func(tx *store.Tx) error {
		k, err := tx.Key([]byte(from))
		return errors.Join(err, k.Rename([]byte(to)))
	}}
}

func remove(key string) write {
	return write{[]string{key}, func(tx *store.Tx) error {
		k, err := tx.Key([]byte(key))
		return errors.Join(err, k.Remove())
	}}
}
