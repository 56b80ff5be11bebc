package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

func renameOp(from, to string) Op {
	return act{[]Call{call("RENAME", from), call("RENAME", to)}, func(tx *Tx) (any, error) {
		k, err := tx.Key([]byte(from))
		if err != nil {
			return nil, err
		}
		return nil, k.Rename([]byte(to))
	}}
}

func copyOp(from, to string) Op {
	return act{[]Call{{Verb: "COPY", Key: []byte(from), Read: true}, call("COPY", to)}, func(tx *Tx) (any, error) {
		k, err := tx.Key([]byte(from))
		if err != nil {
			return nil, err
		}
		return nil, k.CopyTo([]byte(to))
	}}
}

// wantRecords compares how many records of each family are on disk.
func wantRecords(t *testing.T, db kv.DB, when string, want map[encoding.Family]int) {
	t.Helper()
	if got := dump(t, db); !maps.Equal(got, want) {
		t.Errorf("%s: records %v, want %v", when, got, want)
	}
}

func sweep(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestRenameMovesOnlyTheMeta(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	for i := range 50 {
		must(t, s, hset("a", fmt.Sprint(i), "v"))
	}
	home := map[encoding.Family]int{encoding.FamilyMeta: 1, encoding.FamilyMember: 50}
	away := map[encoding.Family]int{encoding.FamilyMeta: 1, encoding.FamilyMember: 50, encoding.FamilyAlias: 1}
	for _, c := range []struct {
		from, to string
		want     map[encoding.Family]int
	}{
		{"a", "b", away}, {"b", "c\x00", away}, {"c\x00", "", away}, {"", "", away}, {"", "a", home}, {"a", "a", home}, {"a", "b", away},
	} {
		must(t, s, renameOp(c.from, c.to))
		wantRecords(t, db, fmt.Sprintf("after %q became %q", c.from, c.to), c.want)
	}
	if owner := aliasOwner(t, db); owner != "b" {
		t.Errorf("the alias names %q", owner)
	}
	if n := count(t, s, "b"); n != 50 {
		t.Errorf("%d fields", n)
	}
	must(t, s, del("b"))
	sweep(t, s)
	wantRecords(t, db, "after the key was deleted", map[encoding.Family]int{})
	if n, _ := s.Keys(context.Background()); n != 0 {
		t.Errorf("%d keys are counted", n)
	}
}

// aliasOwner is the key that the one alias record names.
func aliasOwner(t *testing.T, db kv.DB) (owner string) {
	t.Helper()
	prefix := []byte{byte(encoding.FamilyAlias)}
	err := db.View(context.Background(), func(r kv.Reader) error {
		return r.Scan(kv.Range{Lower: prefix, Upper: encoding.PrefixEnd(prefix)}, func(_, value []byte) bool {
			key, err := encoding.ParseAlias(value)
			if err != nil {
				t.Error(err)
			}
			owner = string(key)
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return owner
}

func TestRenameReclaimsWhatItReplaces(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	must(t, s, hset("a", "x", "1"))
	must(t, s, hset("b", "y", "2"))
	must(t, s, renameOp("b", "c"))
	must(t, s, renameOp("a", "c"))
	sweep(t, s)
	wantRecords(t, db, "after a took c's place", map[encoding.Family]int{
		encoding.FamilyMeta: 1, encoding.FamilyMember: 1, encoding.FamilyAlias: 1,
	})
	must(t, s, hset("a", "z", "3"))
	must(t, s, del("c"))
	sweep(t, s)
	wantRecords(t, db, "a again, which shares c's home", map[encoding.Family]int{encoding.FamilyMeta: 1, encoding.FamilyMember: 1})
	if n := count(t, s, "a"); n != 1 {
		t.Errorf("%d fields", n)
	}
}

func TestRenamedKeysExpire(t *testing.T) {
	clock := newClock()
	db := openDB(t, badger.Options{Clock: clock.now})
	s := openStore(t, db, "")
	must(t, s, hset("a", "x", "1"))
	must(t, s, expireAt("a", clock.ms.Load()+1000))
	must(t, s, renameOp("a", "b"))
	clock.step(time.Second)
	if n := count(t, s, "b"); n != -1 {
		t.Errorf("%d fields after its time", n)
	}
	sweep(t, s)
	sweep(t, s)
	wantRecords(t, db, "after its time", map[encoding.Family]int{})
}

func TestAFailedRenameLeavesNoTrace(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, `
format: 1
contracts:
  tags:
    key: tags:{id}
    type: set
    ttl: optional
`)
	must(t, s, hset("a", "x", "1"))
	before := dump(t, db)
	wantCodes(t, one(t, s, renameOp("a", "tags:1")).Err, "0 type.locked [key]")
	wantCodes(t, one(t, s, copyOp("a", "tags:1")).Err, "0 type.locked [key]")
	if err := one(t, s, renameOp("none", "a")).Err; !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if err := one(t, s, copyOp("a", "a")).Err; !errors.Is(err, ErrSameKey) {
		t.Error(err)
	}
	wantRecords(t, db, "after what failed", before)
}

func TestACopyStandsAlone(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	must(t, s, hset("a", "x", "1"))
	must(t, s, renameOp("a", "b"))
	must(t, s, copyOp("b", "a"))
	must(t, s, hset("a", "y", "2"))
	must(t, s, del("b"))
	sweep(t, s)
	wantRecords(t, db, "the copy", map[encoding.Family]int{encoding.FamilyMeta: 1, encoding.FamilyMember: 2})
	if n := count(t, s, "a"); n != 2 {
		t.Errorf("%d fields", n)
	}
}
