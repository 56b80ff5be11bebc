package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// act is an operation made of a function, to try the core without any type.
type act struct {
	calls []Call
	do    func(tx *Tx) (any, error)
}

func (a act) Calls() []Call             { return a.calls }
func (a act) Apply(tx *Tx) (any, error) { return a.do(tx) }

func call(verb, key string) Call {
	return Call{Verb: verb, Key: []byte(key), DataAt: "fields"}
}

// hset sets one field, always as a change.
func hset(key, field, value string) Op {
	return act{[]Call{call("HSET", key)}, func(tx *Tx) (any, error) {
		r, err := tx.open([]byte(key), encoding.TypeHash)
		if err != nil {
			return nil, err
		}
		if err := r.ensure(encoding.TypeHash); err != nil {
			return nil, err
		}
		_, found, err := r.member([]byte(field))
		if err != nil {
			return nil, err
		}
		tx.At(Place{List: "fields", Name: []byte(field)})
		return nil, r.putField([]byte(field), []byte(value), found)
	}}
}

func hdel(key, field string) Op {
	return act{[]Call{call("HDEL", key)}, func(tx *Tx) (any, error) {
		r, err := tx.open([]byte(key), encoding.TypeHash)
		if err != nil || !r.exists {
			return nil, errors.Join(err, ErrNotFound)
		}
		return nil, r.dropField([]byte(field))
	}}
}

func del(key string) Op {
	return act{[]Call{call("DEL", key)}, func(tx *Tx) (any, error) {
		r, err := tx.peek([]byte(key))
		if err != nil {
			return nil, err
		}
		return nil, r.remove()
	}}
}

func expireAt(key string, ms int64) Op {
	return act{[]Call{call("EXPIRE", key)}, func(tx *Tx) (any, error) {
		r, err := tx.peek([]byte(key))
		if err != nil {
			return nil, err
		}
		if !r.exists {
			return nil, ErrNotFound
		}
		return nil, r.setExpiry(ms)
	}}
}

// count reads how many elements a key has; -1 is an absent key.
func count(t *testing.T, s *Store, key string) int64 {
	t.Helper()
	n := int64(-1)
	one(t, s, act{[]Call{{Verb: "HLEN", Key: []byte(key), Read: true}}, func(tx *Tx) (any, error) {
		r, err := tx.peek([]byte(key))
		if err == nil && r.exists {
			n = int64(r.meta.Count)
		}
		return nil, err
	}})
	return n
}

type wallClock struct{ ms atomic.Int64 }

func (c *wallClock) now() time.Time       { return time.UnixMilli(c.ms.Load()) }
func (c *wallClock) step(d time.Duration) { c.ms.Add(d.Milliseconds()) }

func newClock() *wallClock {
	c := new(wallClock)
	c.ms.Store(1_800_000_000_000)
	return c
}

func openDB(t *testing.T, o badger.Options) *badger.DB {
	t.Helper()
	o.InMemory = o.Dir == ""
	o.MinFreeBytes = -1
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func openStore(t *testing.T, db kv.DB, yaml string) *Store {
	t.Helper()
	s, err := Open(context.Background(), db, Options{Contracts: parse(t, yaml), Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func newStore(t *testing.T, yaml string) (*Store, *wallClock) {
	t.Helper()
	clock := newClock()
	return openStore(t, openDB(t, badger.Options{Clock: clock.now}), yaml), clock
}

func parse(t *testing.T, yaml string) *contracts.Set {
	t.Helper()
	if yaml == "" {
		return contracts.Empty()
	}
	set, err := contracts.Parse(contracts.Source{Name: "test.yaml", Data: []byte(yaml)})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func one(t *testing.T, s *Store, op Op) Outcome {
	t.Helper()
	out, err := s.Do(context.Background(), Each, []Op{op})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func must(t *testing.T, s *Store, op Op) Outcome {
	t.Helper()
	out := one(t, s, op)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	return out
}

// codes are the codes of the violations in err, with their paths.
func codes(err error) []string {
	var refused *ContractError
	if !errors.As(err, &refused) {
		return nil
	}
	var out []string
	for _, v := range refused.Violations {
		out = append(out, fmt.Sprintf("%d %s %v", v.Operation, v.Code, v.Path))
	}
	return out
}

func wantCodes(t *testing.T, err error, want ...string) {
	t.Helper()
	if got := codes(err); !slices.Equal(got, want) {
		t.Errorf("violations %q, want %q (error %v)", got, want, err)
	}
}

// dump lists the families of all records on disk that hold user data.
func dump(t *testing.T, db kv.DB) map[encoding.Family]int {
	t.Helper()
	out := make(map[encoding.Family]int)
	err := db.View(context.Background(), func(r kv.Reader) error {
		return r.Scan(kv.Range{Lower: []byte{byte(encoding.FamilyMeta)}, KeysOnly: true}, func(key, _ []byte) bool {
			out[encoding.Family(key[0])]++
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAWriteMustBeDeclared(t *testing.T) {
	s, _ := newStore(t, "")
	for _, calls := range [][]Call{nil, {call("HSET", "other")}, {{Verb: "HGET", Key: []byte("k"), Read: true}}} {
		out := one(t, s, act{calls, hset("k", "f", "v").(act).do})
		if !errors.Is(out.Err, ErrDenied) {
			t.Errorf("calls %v: %v, want ErrDenied", calls, out.Err)
		}
	}
	if n := count(t, s, "k"); n != -1 {
		t.Errorf("the refused writes left %d fields", n)
	}
}

func TestEachUnwindsTheFailingOperationAlone(t *testing.T) {
	s, _ := newStore(t, "")
	boom := errors.New("boom")
	fail := act{[]Call{call("HSET", "k")}, func(tx *Tx) (any, error) {
		if _, err := hset("k", "half", "v").Apply(tx); err != nil {
			return nil, err
		}
		return nil, boom
	}}
	out, err := s.Do(context.Background(), Each, []Op{hset("k", "a", "1"), fail, hset("k", "b", "2")})
	if err != nil {
		t.Fatal(err)
	}
	if out[0].Err != nil || !errors.Is(out[1].Err, boom) || out[2].Err != nil {
		t.Errorf("errors %v, %v, %v", out[0].Err, out[1].Err, out[2].Err)
	}
	if n := count(t, s, "k"); n != 2 {
		t.Errorf("%d fields, want 2", n)
	}
	if out[2].Revision.Changes != 2 || out[2].Revision.Version != out[0].Revision.Version {
		t.Errorf("revisions %v then %v", out[0].Revision, out[2].Revision)
	}
}

func TestAtomicUndoesEverythingAndKeepsNoTrace(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	_, err := s.Do(context.Background(), Atomic, []Op{hset("k", "a", "1"), hdel("absent", "x"), hset("k", "b", "2")})
	var failed *OperationError
	if !errors.As(err, &failed) || failed.Operation != 1 || !errors.Is(err, ErrNotFound) {
		t.Fatalf("error %v", err)
	}
	if left := dump(t, db); len(left) != 0 {
		t.Errorf("records left: %v", left)
	}
	if n, _ := s.Keys(context.Background()); n != 0 {
		t.Errorf("%d keys counted", n)
	}
}

const profile = `
format: 1
contracts:
  profile:
    key: p:{id}
    type: hash
    ttl: optional
    maxItems: 2
    required: [name]
    fields:
      name: {type: string, maxLength: 3}
      level: {type: integer, maximum: 10}
      age: {type: integer}
`

func TestAtomicReportsAllViolationsAndJudgesTheEnd(t *testing.T) {
	s, _ := newStore(t, profile)
	ctx := context.Background()
	_, err := s.Do(ctx, Atomic, []Op{hset("p:1", "level", "11"), hset("p:1", "nick", "x"), hset("q", "free", "1")})
	wantCodes(t, err, "0 number.maximum [fields level]", "1 field.unknown [fields nick]", "1 field.missing [fields]")
	// The required field comes last, and the list as a whole is fine.
	if _, err := s.Do(ctx, Atomic, []Op{hset("p:1", "level", "1"), hset("p:1", "name", "ada")}); err != nil {
		t.Errorf("a list that ends well: %v", err)
	}
	// Judged one by one, the first already fails.
	out, err := s.Do(ctx, Each, []Op{hset("p:2", "level", "1"), hset("p:2", "name", "ada")})
	if err != nil {
		t.Fatal(err)
	}
	wantCodes(t, out[0].Err, "0 field.missing [fields]")
	if out[1].Err != nil {
		t.Error(out[1].Err)
	}
	wantCodes(t, one(t, s, hset("p:1", "age", "3")).Err, "0 items.max [fields]")
	wantCodes(t, one(t, s, hdel("p:1", "name")).Err, "0 field.missing [fields]")
}

func TestRatchetToleratesOnlyWhatWasThere(t *testing.T) {
	s, _ := newStore(t, "")
	for _, f := range []string{"a", "b", "level"} {
		must(t, s, hset("p:1", f, "50"))
	}
	if err := s.SetContracts(context.Background(), parse(t, profile)); err != nil {
		t.Fatal(err)
	}
	// Three fields where two are allowed, two undeclared, the required one missing.
	wantCodes(t, one(t, s, hset("p:1", "level", "51")).Err, "0 number.maximum [fields level]")
	must(t, s, hset("p:1", "level", "5")) // gets better: the rest is tolerated
	wantCodes(t, one(t, s, hset("p:1", "age", "5")).Err, "0 items.max [fields]")
	wantCodes(t, one(t, s, hset("p:1", "a", "51")).Err, "0 field.unknown [fields a]")
	must(t, s, hdel("p:1", "a")) // bad data can always be removed
	must(t, s, hdel("p:1", "b"))
	must(t, s, hset("p:1", "name", "ada"))
	wantCodes(t, one(t, s, hdel("p:1", "name")).Err, "0 field.missing [fields]")
	must(t, s, del("p:1"))
	wantCodes(t, one(t, s, hset("p:1", "level", "5")).Err, "0 field.missing [fields]")
}

func TestStrictJudgesTheWholeKey(t *testing.T) {
	s, _ := newStore(t, "")
	must(t, s, hset("p:1", "level", "50"))
	must(t, s, hset("p:1", "name", "ada"))
	if err := s.SetContracts(context.Background(), parse(t, "defaults: {existing: strict}"+profile)); err != nil {
		t.Fatal(err)
	}
	wantCodes(t, one(t, s, hset("p:1", "name", "bob")).Err, "0 number.maximum [fields]")
	must(t, s, hset("p:1", "level", "5"))
	must(t, s, hset("p:1", "name", "bob"))
}

func TestAVerdictDoesNotOutliveAWriteUnderAnotherContract(t *testing.T) {
	strict := "defaults: {existing: strict}" + profile
	s, _ := newStore(t, strict)
	must(t, s, hset("p:1", "name", "ada"))
	swap := func(yaml string) {
		t.Helper()
		if err := s.SetContracts(context.Background(), parse(t, yaml)); err != nil {
			t.Fatal(err)
		}
	}
	swap("")
	must(t, s, hset("p:1", "level", "50")) // nobody minds
	swap(strict)
	wantCodes(t, one(t, s, hset("p:1", "name", "bob")).Err, "0 number.maximum [fields]")
}

func TestWarnCommitsAndReports(t *testing.T) {
	s, _ := newStore(t, "defaults: {mode: warn}"+profile)
	out := must(t, s, hset("p:1", "level", "50"))
	if got := len(out.Warnings); got != 2 { // number.maximum and field.missing
		t.Errorf("%d warnings: %v", got, out.Warnings)
	}
	if n := count(t, s, "p:1"); n != 1 {
		t.Errorf("%d fields", n)
	}
}

func TestRevisionsOfContractsAreKept(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, profile)
	if r := s.Contracts().Get("profile").Revision; r != 1 {
		t.Errorf("first revision %d", r)
	}
	if err := s.SetContracts(context.Background(), parse(t, profile+"\n# a comment\n")); err != nil {
		t.Fatal(err)
	}
	if r := s.Contracts().Get("profile").Revision; r != 1 {
		t.Errorf("a comment made revision %d", r)
	}
	s = openStore(t, db, "defaults: {mode: warn}"+profile)
	if c := s.Contracts().Get("profile"); c.Revision != 2 || c.ID != 1 {
		t.Errorf("revision %d, id %d after a change and a restart", c.Revision, c.ID)
	}
}

func TestExpiredKeysLeaveTheDisk(t *testing.T) {
	clock := newClock()
	db := openDB(t, badger.Options{Clock: clock.now})
	s := openStore(t, db, "")
	for i := range 600 {
		must(t, s, hset("k", fmt.Sprint(i), "v"))
	}
	must(t, s, expireAt("k", clock.ms.Load()+1000))
	must(t, s, hset("stays", "f", "v"))
	must(t, s, expireAt("stays", clock.ms.Load()+1000))
	must(t, s, expireAt("stays", 0))
	clock.step(999 * time.Millisecond)
	if n := count(t, s, "k"); n != 600 {
		t.Errorf("%d fields just before the time", n)
	}
	clock.step(time.Millisecond)
	if n := count(t, s, "k"); n != -1 {
		t.Errorf("%d fields at the time", n)
	}
	if err := s.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, db); left[encoding.FamilyMeta] != 1 || left[encoding.FamilyMember] != 1 || len(left) != 2 {
		t.Errorf("records left: %v", left)
	}
	if n, _ := s.Keys(context.Background()); n != 1 {
		t.Errorf("%d keys counted", n)
	}
}

func TestAStepBackOfTheClockResurrectsNothing(t *testing.T) {
	clock := newClock()
	dir := t.TempDir()
	open := func() (*badger.DB, *Store) {
		db := openDB(t, badger.Options{Dir: dir, Clock: clock.now})
		return db, openStore(t, db, "")
	}
	db, s := open()
	must(t, s, hset("k", "f", "v"))
	must(t, s, expireAt("k", clock.ms.Load()+1000))
	clock.step(2 * time.Second)
	must(t, s, hset("other", "f", "v")) // acknowledged at a time when k is gone
	clock.step(-time.Hour)
	if n := count(t, s, "k"); n != -1 {
		t.Errorf("back before a restart: %d fields", n)
	}
	s.Close()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, s = open()
	if n := count(t, s, "k"); n != -1 {
		t.Errorf("back after a restart: %d fields", n)
	}
	must(t, s, hset("k", "new", "v"))
	if n := count(t, s, "k"); n != 1 {
		t.Errorf("the new key shows %d fields", n)
	}
	clock.step(2 * time.Hour)
	if n := count(t, s, "k"); n != 1 {
		t.Errorf("the new key inherited a lifetime: %d fields", n)
	}
}

func TestDeletedDataIsReclaimedInSteps(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, "")
	for i := range 2*sweepStep + 10 {
		must(t, s, hset("k", fmt.Sprint(i), "v"))
	}
	must(t, s, del("k"))
	must(t, s, hset("k", "again", "v"))
	for want := 2*sweepStep + 10; want > 0; want -= sweepStep {
		if left := dump(t, db)[encoding.FamilyMember]; left != want+1 {
			t.Fatalf("%d members left, want %d", left, want+1)
		}
		if _, err := s.reclaimStep(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if left := dump(t, db); left[encoding.FamilyMember] != 1 || left[encoding.FamilyReclaim] != 0 {
		t.Errorf("records left: %v", left)
	}
	if n := count(t, s, "k"); n != 1 {
		t.Errorf("%d fields of the new key", n)
	}
}

func TestVersionsNeverRepeat(t *testing.T) {
	dir := t.TempDir()
	seen := make(map[uint64]bool)
	for range 3 {
		db := openDB(t, badger.Options{Dir: dir})
		s := openStore(t, db, "")
		for range 5 {
			v := must(t, s, hset("k", "f", "v")).Revision.Version
			if seen[v] {
				t.Fatalf("version %d came twice", v)
			}
			seen[v] = true
			must(t, s, del("k"))
			one(t, s, act{[]Call{call("HSET", "k")}, func(tx *Tx) (any, error) {
				hset("k", "f", "v").Apply(tx)
				return nil, errors.New("undone")
			}})
		}
		s.Close()
		db.Close()
	}
}

func TestAForeignOrNewerDirectoryIsRefused(t *testing.T) {
	for name, record := range map[string][2][]byte{
		"newer":   {encoding.FormatKey(), encoding.AppendFormat(nil, encoding.Format+1)},
		"foreign": {[]byte("something"), []byte("else")},
	} {
		db := openDB(t, badger.Options{})
		if err := db.Update(context.Background(), func(w kv.Txn) error { return w.Set(record[0], record[1]) }); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(context.Background(), db, Options{}); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: error %v, want ErrFormat", name, err)
		}
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	db := openDB(t, badger.Options{})
	s := openStore(t, db, profile)
	out, err := s.DryRun(context.Background(), hset("p:1", "level", "11"))
	if err != nil {
		t.Fatal(err)
	}
	wantCodes(t, out.Err, "0 number.maximum [fields level]", "0 field.missing [fields]")
	if out, err = s.DryRun(context.Background(), hset("free", "f", "v")); err != nil || out.Err != nil {
		t.Error(err, out.Err)
	}
	if left := dump(t, db); len(left) != 0 {
		t.Errorf("records left: %v", left)
	}
}
