package store

import (
	"context"
	"testing"

	"keypact/store/kv/badger"
)

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
