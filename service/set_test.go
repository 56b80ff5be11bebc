package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"keypact/store"
)

func TestSetOperationsOnEveryState(t *testing.T) {
	const wrong, missing = "wrong type", "not found"
	fill := func(key Bytes) Op { return &SetAdd{Key: key, Members: texts("c", "a", "b")} }
	sources := func(keys ...Bytes) SetSources { return SetSources{Keys: keys} }
	stored := func(destination string, keys ...Bytes) SetSources {
		return SetSources{Keys: keys, Destination: Bytes(destination)}
	}
	try(t, fill, []situation{
		{func(k Bytes) Op { return &SetGet{Key: k} }, missing, `{"members":["a","b","c"],"count":3}`, wrong},
		{func(k Bytes) Op { return &SetCount{Key: k} }, `{"count":0}`, `{"count":3}`, wrong},
		{func(k Bytes) Op { return &SetAdd{Key: k, Members: texts("d", "a", "d")} }, `{"added":2,"count":2}`, `{"added":1,"count":4}`, wrong},
		{func(k Bytes) Op { return &SetMembers{Key: k, Members: texts("b", "x")} }, missing, `{"present":[true,false]}`, wrong},
		{func(k Bytes) Op { return &SetMembers{Key: k} }, missing, `{"members":["a","b","c"]}`, wrong},
		{func(k Bytes) Op { return &SetMembers{Key: k, Page: Page{Limit: 2}} }, missing, `{"members":["a","b"],"cursor":"AWI"}`, wrong},
		{func(k Bytes) Op { return &SetMembers{Key: k, Page: Page{Match: Bytes("[ac]")}} }, missing, `{"members":["a","c"]}`, wrong},
		{func(k Bytes) Op { return &SetRemove{Key: k, Members: texts("a", "x", "a")} }, `{"removed":0,"count":0}`, `{"removed":1,"count":2}`, wrong},
		{func(k Bytes) Op { return &SetMemberGet{Key: k, Member: Bytes("a")} }, missing, `{"member":"a"}`, wrong},
		{func(k Bytes) Op { return &SetMemberGet{Key: k, Member: Bytes("x")} }, missing, missing, wrong},
		{func(k Bytes) Op { return &SetMemberAdd{Key: k, Member: Bytes("a")} }, "created", "stored", wrong},
		{func(k Bytes) Op { return &SetMemberRemove{Key: k, Member: Bytes("a")} }, missing, `{"removed":1,"count":2}`, wrong},
		{func(k Bytes) Op { return &SetMemberRemove{Key: k, Member: Bytes("x")} }, missing, missing, wrong},
		{func(k Bytes) Op { return &SetPop{Key: k, Count: new(int64(9))} }, missing, `{"members":["a","b","c"],"count":0}`, wrong},
		{func(k Bytes) Op { return &SetRandom{Key: k, Count: new(int64(9))} }, missing, `{"members":["a","b","c"]}`, wrong},
		{func(k Bytes) Op { return &SetRandom{Key: k, Count: new(int64(0))} }, missing, `{"members":[]}`, wrong},
		{func(k Bytes) Op { return &SetMove{Key: k, Member: Bytes("a"), Destination: Bytes("d")} }, missing, `{"moved":true}`, wrong},
		{func(k Bytes) Op { return &SetMove{Key: k, Member: Bytes("x"), Destination: Bytes("d")} }, missing, missing, wrong},
		{func(k Bytes) Op { return &SetMove{Key: k, Member: Bytes("a"), Destination: k} }, missing, `{"moved":true}`, wrong},
		{func(k Bytes) Op { return &SetMove{Key: k, Member: Bytes("a"), Destination: Bytes("strange")} }, missing, wrong, wrong},
		{func(k Bytes) Op { return &SetUnion{sources(k, Bytes("none"))} }, `{"members":[],"count":0}`, `{"members":["a","b","c"],"count":3}`, wrong},
		{func(k Bytes) Op { return &SetInter{sources(k, Bytes("none"))} }, `{"members":[],"count":0}`, `{"members":[],"count":0}`, wrong},
		{func(k Bytes) Op { return &SetDiff{sources(k, Bytes("none"))} }, `{"members":[],"count":0}`, `{"members":["a","b","c"],"count":3}`, wrong},
		{func(k Bytes) Op { return &SetDiff{sources(k, k)} }, `{"members":[],"count":0}`, `{"members":[],"count":0}`, wrong},
		{func(k Bytes) Op { return &SetUnion{stored("d", k)} }, `{"count":0}`, `{"count":3}`, wrong},
		{func(k Bytes) Op { return &SetInter{stored(string(k), k, k)} }, `{"count":0}`, `{"count":3}`, wrong},
		{func(k Bytes) Op { return &SetDelete{Key: k} }, missing, "stored", wrong},
	})
}

func TestSetLimits(t *testing.T) {
	l := openLab(t, "", store.Limits{ElementBytes: 4, Result: 3})
	key := Bytes("k")
	for _, test := range []struct {
		op   Op
		want string
	}{
		{&SetAdd{Key: key, Members: texts("1234", "b")}, `{"added":2,"count":2}`},
		{&SetAdd{Key: key, Members: texts("12345")}, "too big"},
		{&SetMemberGet{Key: key, Member: Bytes("12345")}, "not found"},
		{&SetMemberAdd{Key: key, Member: Bytes("c")}, "created"},
		{&SetGet{Key: key}, `{"members":["1234","b","c"],"count":3}`},
		{&SetUnion{SetSources{Keys: []Bytes{key}}}, `{"members":["1234","b","c"],"count":3}`},
		{&SetMemberAdd{Key: key, Member: Bytes("d")}, "created"},
		{&SetGet{Key: key}, "too big"},
		{&SetUnion{SetSources{Keys: []Bytes{key}}}, "too big"},
		{&SetUnion{SetSources{Keys: []Bytes{key}, Destination: Bytes("d")}}, `{"count":4}`},
		{&SetUnion{SetSources{Keys: []Bytes{key}, Limit: 3}}, `{"members":["1234","b","c"],"count":3}`},
		{&SetPop{Key: key, Count: new(int64(4))}, "too big"},
		{&SetRandom{Key: key, Count: new(int64(4))}, "too big"},
		{&SetRandom{Key: key, Count: new(int64(-4))}, "too big"},
		{&SetCount{Key: key}, `{"count":4}`},
	} {
		if got := l.answer(t, test.op); got != test.want {
			t.Errorf("%T %s: got %s, want %s", test.op, text(test.op), got, test.want)
		}
	}
}

func TestStoredSetReplacesWhatWasThere(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	l.must(t,
		&SetAdd{Key: Bytes("a"), Members: texts("1", "2")},
		&ListPush{Key: Bytes("d"), Items: texts("x"), Expiry: Expiry{TTL: TTL(60_000_000_000)}},
	)
	before, _ := l.do(t, &ListCount{Key: Bytes("d")})
	into := SetSources{Keys: texts("a"), Destination: Bytes("d")}
	after, err := l.do(t, &SetUnion{into})
	if err != nil || after.Revision.Version <= before.Revision.Version {
		t.Errorf("revision %v, was %v (%v)", after.Revision, before.Revision, err)
	}
	if got := l.answer(t, &SetGet{Key: Bytes("d")}); got != `{"members":["1","2"],"count":2}` {
		t.Errorf("the list became %s", got)
	}
	into.Keys = texts("none")
	if got := l.answer(t, &SetUnion{into}); got != `{"count":0}` {
		t.Errorf("empty result: %s", got)
	}
	if got := l.answer(t, &SetGet{Key: Bytes("d")}); got != "not found" {
		t.Errorf("an empty result left %s", got)
	}
	l.checkRecords(t)
}

// TestEveryChoiceComesUp draws pairs out of five members and wants each of the
// ten pairs about as often as the others. The source of chance is fixed.
func TestEveryChoiceComesUp(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	l.must(t, &SetAdd{Key: Bytes("k"), Members: texts("a", "b", "c", "d", "e")})
	seen := map[string]int{}
	const rounds = 5000
	for range rounds {
		out, err := l.do(t, &SetRandom{Key: Bytes("k"), Count: new(int64(2))})
		if err != nil {
			t.Fatal(err)
		}
		picked := out.Value.(SetMembersOf).Members
		if len(picked) != 2 || !slices.IsSortedFunc(picked, func(a, b Bytes) int { return strings.Compare(string(a), string(b)) }) {
			t.Fatalf("picked %s", text(picked))
		}
		seen[text(picked)]++
	}
	if len(seen) != 10 {
		t.Errorf("%d pairs came up: %v", len(seen), seen)
	}
	// Each is binomial with mean 500 and a standard deviation of 21; eight of
	// those are out of reach of chance.
	for pair, n := range seen {
		if n < rounds/10-170 || n > rounds/10+170 {
			t.Errorf("%s came up %d times of %d", pair, n, rounds)
		}
	}
}

func TestRepeatedPicksAreIndependent(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	l.must(t, &SetAdd{Key: Bytes("k"), Members: texts("a", "b")})
	out, err := l.do(t, &SetRandom{Key: Bytes("k"), Count: new(int64(-1000))})
	if err != nil {
		t.Fatal(err)
	}
	picked := out.Value.(SetMembersOf).Members
	var a, turns int
	for i, p := range picked {
		if string(p) == "a" {
			a++
		}
		if i > 0 && string(p) != string(picked[i-1]) {
			turns++
		}
	}
	if len(picked) != 1000 || a < 350 || a > 650 || turns < 350 || turns > 650 {
		t.Errorf("%d picks, %d of a, %d turns", len(picked), a, turns)
	}
}

func TestSetPagesNeitherSkipNorRepeat(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	var stay []string
	for i := range 50 {
		stay = append(stay, fmt.Sprintf("stay%02d", i), "go"+fmt.Sprint(i))
	}
	l.must(t, &SetAdd{Key: Bytes("k"), Members: texts(append(stay, "")...)})
	var got []string
	var cursor Cursor
	for step := 0; ; step++ {
		out, err := l.do(t, &SetMembers{Key: Bytes("k"), Page: Page{Limit: 7, Cursor: cursor, Match: Bytes("stay*")}})
		if err != nil {
			t.Fatal(err)
		}
		page := out.Value.(SetPage)
		for _, m := range page.Members {
			got = append(got, string(m))
		}
		if page.Cursor == nil {
			break
		}
		raw, _ := page.Cursor.MarshalText()
		cursor = nil
		if err := cursor.UnmarshalText(raw); err != nil {
			t.Fatal(err)
		}
		// The set changes under the walk, and the member under the cursor goes.
		l.must(t,
			&SetRemove{Key: Bytes("k"), Members: []Bytes{Bytes(fmt.Sprint("go", step)), cursor.element()}},
			&SetAdd{Key: Bytes("k"), Members: texts(fmt.Sprint("aaa", step), fmt.Sprint("zzz", step))})
	}
	if len(got) != 50 || !slices.IsSorted(got) || len(slices.Compact(got)) != 50 {
		t.Errorf("%d members: %q", len(got), got)
	}
}

func TestPageStartsWithTheEmptyMember(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	l.must(t, &SetAdd{Key: Bytes("k"), Members: texts("", "a")})
	first := &SetMembers{Key: Bytes("k"), Page: Page{Limit: 1}}
	if got := l.answer(t, first); got != `{"members":[""],"cursor":"AQ"}` {
		t.Errorf("first page %s", got)
	}
	if got := l.answer(t, &SetMembers{Key: Bytes("k"), Page: Page{Limit: 1, Cursor: after([]byte{})}}); got != `{"members":["a"]}` {
		t.Errorf("second page %s", got)
	}
}

const tagContracts = `
format: 1
contracts:
  tags:
    key: tags:{id}
    type: set
    ttl: optional
    items: {maxLength: 3}
    maxItems: 3
    maxResult: 2
    operations: [SADD, SREM, SUNIONSTORE]
`

func TestSetsUnderContract(t *testing.T) {
	l := openLab(t, tagContracts, store.Limits{})
	l.must(t, &SetAdd{Key: Bytes("tags:1"), Members: texts("a", "b", "c")}, &SetAdd{Key: Bytes("free"), Members: texts("a", "long")})
	for _, test := range []struct {
		op   Op
		want string
	}{
		{&SetAdd{Key: Bytes("tags:1"), Members: texts("a", "d")}, "contract: items.max [members]"},
		{&SetAdd{Key: Bytes("tags:2"), Members: texts("a", "long")}, "contract: value.length [members 1]"},
		{&SetMemberAdd{Key: Bytes("tags:2"), Member: Bytes("long")}, "contract: value.length [member]"},
		{&SetPop{Key: Bytes("tags:1")}, "contract: operation.denied [key]"},
		{&SetUnion{SetSources{Keys: texts("free", "tags:1")}}, "contract: result.items [keys]"},
		{&SetUnion{SetSources{Keys: texts("tags:1"), Limit: 2}}, `{"members":["a","b"],"count":2}`},
		{&SetUnion{SetSources{Keys: texts("free"), Destination: Bytes("tags:2")}}, "contract: value.length [keys]"},
		{&SetInter{SetSources{Keys: texts("free"), Destination: Bytes("tags:2")}}, "contract: operation.denied [destination] value.length [keys]"},
		{&SetMove{Key: Bytes("free"), Member: Bytes("long"), Destination: Bytes("tags:2")}, "contract: value.length [member]"},
		{&SetMove{Key: Bytes("free"), Member: Bytes("a"), Destination: Bytes("tags:1")}, `{"moved":true}`},
		{&SetCount{Key: Bytes("tags:1")}, `{"count":3}`},
		{&SetCount{Key: Bytes("tags:2")}, `{"count":0}`},
	} {
		if got := l.answer(t, test.op); got != test.want {
			t.Errorf("%T %s: got %s, want %s", test.op, text(test.op), got, test.want)
		}
	}
}

func TestParallelAddsStopAtTheLimit(t *testing.T) {
	l := openLab(t, "format: 1\ncontracts:\n  s: {key: 's:{id}', type: set, ttl: optional, maxItems: 50}\n", store.Limits{})
	results := make(chan error)
	for i := range 80 {
		go func() {
			out, err := l.store.Do(context.Background(), store.Each, []Op{&SetMemberAdd{Key: Bytes("s:1"), Member: Bytes(fmt.Sprint(i))}})
			if err == nil {
				err = out[0].Err
			}
			results <- err
		}()
	}
	refused := 0
	for range 80 {
		if err := <-results; err != nil {
			refused++
		}
	}
	if got := l.answer(t, &SetCount{Key: Bytes("s:1")}); got != `{"count":50}` || refused != 30 {
		t.Errorf("%s after %d refusals", got, refused)
	}
}
