package backup_test

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"keypact/backup"
	"keypact/encoding"
	"keypact/store"
	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/storetest"
)

// op is an operation made of a function.
type op struct {
	verb string
	keys []string
	do   func(tx *store.Tx) error
}

func (o op) Calls() (calls []store.Call) {
	for _, key := range o.keys {
		calls = append(calls, store.Call{Verb: o.verb, Key: []byte(key)})
	}
	return calls
}

func (o op) Apply(tx *store.Tx) (any, error) { return nil, o.do(tx) }

func setString(key, value string, expires int64) op {
	return op{"SET", []string{key}, func(tx *store.Tx) error {
		k, err := tx.Key([]byte(key))
		return errors.Join(err, k.PutString([]byte(value), "text/plain", expires, false))
	}}
}

func remove(key string) op {
	return op{"DEL", []string{key}, func(tx *store.Tx) error {
		k, err := tx.Key([]byte(key))
		return errors.Join(err, k.Remove())
	}}
}

// openStore opens a store without a worker; the caller closes it.
func openStore(t failer, db kv.DB) *store.Store {
	t.Helper()
	s, err := store.Open(background, db, store.Options{Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func do(t failer, s *store.Store, ops ...store.Op) {
	t.Helper()
	if _, err := s.Do(background, store.Atomic, ops); err != nil {
		t.Fatal(err)
	}
}

// everything has a key of each type, one that expires, one that was renamed,
// and one that waits to be reclaimed.
func everything(n int) []store.Op {
	return []store.Op{
		setString("string", strings.Repeat("v", 700_000), 0),
		setString("session", "v", noon+1000),
		op{"HSET", []string{"hash"}, func(tx *store.Tx) error {
			h, err := tx.Hash([]byte("hash"))
			for i := range n {
				_, _, put := h.Put([]byte(strconv.Itoa(i)), []byte("v"))
				err = errors.Join(err, put)
			}
			return err
		}},
		op{"RPUSH", []string{"list"}, func(tx *store.Tx) error {
			l, err := tx.List([]byte("list"))
			for i := range n {
				err = errors.Join(err, l.Push(store.Left, []byte(strconv.Itoa(i))), l.Push(store.Right, []byte("x")))
			}
			return err
		}},
		op{"SADD", []string{"set"}, func(tx *store.Tx) error {
			s, err := tx.Set([]byte("set"))
			for i := range n {
				_, add := s.Add([]byte(strconv.Itoa(i)))
				err = errors.Join(err, add)
			}
			return err
		}},
		op{"ZADD", []string{"old"}, func(tx *store.Tx) error {
			z, err := tx.ZSet([]byte("old"))
			for i := range n {
				_, put := z.Put([]byte(strconv.Itoa(i)), float64(i)/3, store.When{})
				err = errors.Join(err, put)
			}
			return err
		}},
		op{"RENAME", []string{"old", "zset"}, func(tx *store.Tx) error {
			k, err := tx.Key([]byte("old"))
			return errors.Join(err, k.Rename([]byte("zset")))
		}},
	}
}

// TestStore backs up a store with all that can be in it. What comes back is
// sound, equal record by record, and a store of its own that goes on.
func TestStore(t *testing.T) {
	db := openMemory(t)
	defer func() { _ = db.Close() }()
	s := openStore(t, db)
	do(t, s, everything(700)...)
	do(t, s, op{"HSET", []string{"dead"}, func(tx *store.Tx) error {
		h, err := tx.Hash([]byte("dead"))
		_, _, put := h.Put([]byte("f"), []byte("v"))
		return errors.Join(err, put)
	}})
	do(t, s, remove("dead"))
	full := write(t, db, backup.Point{})
	do(t, s, remove("hash"))
	do(t, s, setString("string", "short", 0))
	if err := s.Sweep(background); err != nil { // the reclaimer deletes records
		t.Fatal(err)
	}
	increment := write(t, db, full.header.Point)
	want, versions := dump(t, db), sequence(t, db)
	s.Close()

	again, err := restoreInto(t, full.file, increment.file)
	defer func() { _ = again.Close() }()
	if err != nil {
		t.Fatal(err)
	}
	sound(t, again)
	if diff := storetest.Diff(want, dump(t, again)); diff != "" {
		t.Errorf("%.2000s", diff)
	}
	if instance(t, again) == full.header.Instance {
		t.Error("the restored store has the instance id of the other")
	}
	if got := sequence(t, again); got < versions+1<<39 {
		t.Errorf("versions go on at %d, where the other store is at %d", got, versions)
	}
	s = openStore(t, again)
	do(t, s, everything(10)...)
	s.Close()
	sound(t, again)
}

func sequence(t *testing.T, db kv.DB) (next uint64) {
	t.Helper()
	err := db.View(background, func(r kv.Reader) error {
		raw, err := r.Get(nil, encoding.SequenceKey())
		if err == nil {
			next, err = encoding.ParseSequence(raw)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func sound(t *testing.T, db kv.DB) {
	t.Helper()
	err := db.View(background, func(r kv.Reader) error {
		for _, fault := range storetest.Check(r, noon) {
			t.Error(fault)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBesideWriters takes full backups and increments while writers move money
// between accounts, delete keys and make new ones. Every chain restores to a
// sound store in which nothing was lost or made.
func TestBesideWriters(t *testing.T) {
	db := openMemory(t)
	defer func() { _ = db.Close() }()
	s := openStore(t, db)
	defer s.Close()
	for i := range accounts {
		do(t, s, setString(account(i), "100", 0))
	}
	stop, ended := make(chan struct{}), make(chan error, 3)
	for n := range cap(ended) {
		go func() { ended <- keepMoving(s, n, stop) }()
	}
	var files [][]byte
	var point backup.Point
	for range 5 {
		w := write(t, db, point)
		files, point = append(files, w.file), w.header.Point
	}
	close(stop)
	for range cap(ended) {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n <= len(files); n++ {
		again, err := restoreInto(t, files[:n]...)
		if err != nil {
			t.Fatal(err)
		}
		sound(t, again)
		if got := total(t, again); got != 100*accounts {
			t.Errorf("after %d files there are %d", n, got)
		}
		_ = again.Close()
	}
	if bytes.Equal(files[0], files[1]) {
		t.Error("nothing was written meanwhile")
	}
}

const accounts = 8

func account(i int) string { return fmt.Sprintf("account:%d", i) }

// keepMoving moves one from account to account, and beside that makes and
// deletes a key, until stop is closed.
func keepMoving(s *store.Store, n int, stop <-chan struct{}) error {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return nil
		default:
		}
		from, to := account((i+n)%accounts), account((i*3+n+1)%accounts)
		if from == to {
			continue
		}
		temporary := fmt.Sprintf("temporary:%d:%d", n, i%7)
		ops := []store.Op{move(from, to), setString(temporary, "v", 0)}
		if i%2 == 0 {
			ops[1] = op{"DEL", []string{temporary}, func(tx *store.Tx) error {
				k, err := tx.Key([]byte(temporary))
				if err != nil || !k.Exists() {
					return err
				}
				return k.Remove()
			}}
		}
		if _, err := s.Do(background, store.Atomic, ops); err != nil {
			return err
		}
	}
}

func move(from, to string) op {
	return op{"SET", []string{from, to}, func(tx *store.Tx) error {
		for key, by := range map[string]int{from: -1, to: 1} {
			s, err := tx.String([]byte(key))
			if err != nil {
				return err
			}
			n, err := strconv.Atoi(string(s.Value()))
			if err != nil {
				return err
			}
			k, err := tx.Key([]byte(key))
			if err != nil {
				return err
			}
			if err := k.PutString(strconv.AppendInt(nil, int64(n+by), 10), "", 0, false); err != nil {
				return err
			}
		}
		return nil
	}}
}

func total(t *testing.T, db *badger.DB) (sum int) {
	t.Helper()
	err := db.View(background, func(r kv.Reader) error {
		values, err := storetest.Read(r, noon)
		for i := range accounts {
			n, bad := strconv.Atoi(values[account(i)].Elements[0].Value)
			sum, err = sum+n, errors.Join(err, bad)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
