package service

import (
	"math"
	"testing"

	"keypact/store"
)

func TestZSetOperationsOnEveryState(t *testing.T) {
	const wrong, missing = "wrong type", "not found"
	fill := func(key Bytes) Op {
		return &ZSetAdd{Key: key, Members: []ZSetEntry{scored("c", 2), scored("a", 1), scored("b", 2), scored("d", math.Inf(1))}}
	}
	all := `{"members":[{"member":"a","score":1},{"member":"b","score":2},{"member":"c","score":2},{"member":"d","score":"inf"}]}`
	section := func(by, least, most, order string) func(Bytes) Op {
		return func(k Bytes) Op { return &ZSetRange{Key: k, By: by, Min: bound(least), Max: bound(most), Order: order} }
	}
	drop := func(by, least, most string) func(Bytes) Op {
		return func(k Bytes) Op { return &ZSetRemove{Key: k, By: by, Min: bound(least), Max: bound(most)} }
	}
	count := func(by, least, most string) func(Bytes) Op {
		return func(k Bytes) Op { return &ZSetCount{Key: k, By: by, Min: bound(least), Max: bound(most)} }
	}
	one := new(Score(1))
	try(t, fill, []situation{
		{func(k Bytes) Op { return &ZSetRange{Key: k} }, missing, all, wrong},
		{section("rank", "-3", "2", "asc"), missing, `{"members":[{"member":"b","score":2},{"member":"c","score":2}]}`, wrong},
		{section("rank", "0", "1", "desc"), missing, `{"members":[{"member":"d","score":"inf"},{"member":"c","score":2}]}`, wrong},
		{section("score", "(1", "2", ""), missing, `{"members":[{"member":"b","score":2},{"member":"c","score":2}]}`, wrong},
		{section("score", "-inf", "inf", ""), missing, all, wrong},
		{section("score", "1", "(2", "desc"), missing, `{"members":[{"member":"a","score":1}]}`, wrong},
		{section("score", "3", "(inf", ""), missing, `{"members":[]}`, wrong},
		{section("lex", "(a", "[c", "desc"), missing, `{"members":[{"member":"c","score":2},{"member":"b","score":2}]}`, wrong},
		{section("lex", "+", "-", ""), missing, `{"members":[]}`, wrong},
		{func(k Bytes) Op { return &ZSetRange{Key: k, Offset: 1, Limit: 1} }, missing, `{"members":[{"member":"b","score":2}]}`, wrong},
		{func(k Bytes) Op { return &ZSetRange{Key: k, By: "score", Offset: 3, Order: "desc"} }, missing, `{"members":[{"member":"a","score":1}]}`, wrong},
		{func(k Bytes) Op { return &ZSetRange{Key: k, Members: texts("a", "x")} }, missing, `{"scores":[1,null]}`, wrong},
		{func(k Bytes) Op { return &ZSetRange{Key: k, By: "member", Limit: 3} }, missing,
			`{"members":[{"member":"a","score":1},{"member":"b","score":2},{"member":"c","score":2}],"cursor":"AWM"}`, wrong},
		{func(k Bytes) Op { return &ZSetCount{Key: k} }, `{"count":0}`, `{"count":4}`, wrong},
		{count("score", "2", "inf"), `{"count":0}`, `{"count":3}`, wrong},
		{count("score", "-inf", "(2"), `{"count":0}`, `{"count":1}`, wrong},
		{count("lex", "[b", "+"), `{"count":0}`, `{"count":3}`, wrong},
		{func(k Bytes) Op {
			return &ZSetAdd{Key: k, Members: []ZSetEntry{scored("a", 1), scored("b", 9), scored("x", 0)}}
		},
			`{"added":3,"updated":0,"unchanged":0,"count":3}`, `{"added":1,"updated":1,"unchanged":1,"count":5}`, wrong},
		{func(k Bytes) Op { return &ZSetRemove{Key: k, Members: texts("a", "x")} }, `{"removed":0,"count":0}`, `{"removed":1,"count":3}`, wrong},
		{drop("rank", "1", "-2"), `{"removed":0,"count":0}`, `{"removed":2,"count":2}`, wrong},
		{drop("score", "-inf", "inf"), `{"removed":0,"count":0}`, `{"removed":4,"count":0}`, wrong},
		{drop("lex", "[b", "(d"), `{"removed":0,"count":0}`, `{"removed":2,"count":2}`, wrong},
		{func(k Bytes) Op { return &ZSetMemberGet{Key: k, Member: Bytes("c")} }, missing, `{"member":"c","score":2,"rank":2,"reverse_rank":1}`, wrong},
		{func(k Bytes) Op { return &ZSetMemberGet{Key: k, Member: Bytes("d")} }, missing, `{"member":"d","score":"inf","rank":3,"reverse_rank":0}`, wrong},
		{func(k Bytes) Op { return &ZSetMemberGet{Key: k, Member: Bytes("x")} }, missing, missing, wrong},
		{func(k Bytes) Op { return &ZSetMemberSet{Key: k, Member: Bytes("a"), Score: one} }, "created", "stored", wrong},
		{func(k Bytes) Op { return &ZSetMemberRemove{Key: k, Member: Bytes("a")} }, missing, `{"removed":1,"count":3}`, wrong},
		{func(k Bytes) Op { return &ZSetMemberIncr{Key: k, Member: Bytes("b")} }, `{"score":1}`, `{"score":3}`, wrong},
		{func(k Bytes) Op { return &ZSetPop{Key: k} }, missing, `{"members":[{"member":"a","score":1}],"count":3}`, wrong},
		{func(k Bytes) Op { return &ZSetPop{Key: k, Side: "max", Count: new(int64(2))} }, missing,
			`{"members":[{"member":"d","score":"inf"},{"member":"c","score":2}],"count":2}`, wrong},
		{func(k Bytes) Op { return &ZSetDelete{Key: k} }, missing, "stored", wrong},
	})
}

func TestZSetConditions(t *testing.T) {
	for _, test := range []struct {
		when       Conditions
		member     string
		score      float64
		one, whole string // alone, and among many
	}{
		{nil, "old", 5, "stored", `{"added":0,"updated":0,"unchanged":1,"count":1}`},
		{nil, "old", 6, "stored", `{"added":0,"updated":1,"unchanged":0,"count":1}`},
		{nil, "new", 5, "created", `{"added":1,"updated":0,"unchanged":0,"count":2}`},
		{Only(Absent), "old", 6, "precondition", `{"added":0,"updated":0,"unchanged":1,"count":1}`},
		{Only(Absent), "new", 6, "created", `{"added":1,"updated":0,"unchanged":0,"count":2}`},
		{Only(Present), "old", 6, "stored", `{"added":0,"updated":1,"unchanged":0,"count":1}`},
		{Only(Present), "new", 6, "precondition", `{"added":0,"updated":0,"unchanged":1,"count":1}`},
		{Only(Greater), "old", 4, "precondition", `{"added":0,"updated":0,"unchanged":1,"count":1}`},
		{Only(Greater), "old", 5, "precondition", `{"added":0,"updated":0,"unchanged":1,"count":1}`},
		{Only(Greater), "old", 6, "stored", `{"added":0,"updated":1,"unchanged":0,"count":1}`},
		{Only(Greater), "new", 1, "created", `{"added":1,"updated":0,"unchanged":0,"count":2}`},
		{Only(Less), "old", 4, "stored", `{"added":0,"updated":1,"unchanged":0,"count":1}`},
		{Only(Less), "old", 6, "precondition", `{"added":0,"updated":0,"unchanged":1,"count":1}`},
		{Only(Present, Less), "new", 1, "precondition", `{"added":0,"updated":0,"unchanged":1,"count":1}`},
	} {
		l := openLab(t, "", store.Limits{})
		l.must(t, &ZSetAdd{Key: Bytes("a"), Members: []ZSetEntry{scored("old", 5)}}, &ZSetAdd{Key: Bytes("b"), Members: []ZSetEntry{scored("old", 5)}})
		set := &ZSetMemberSet{Key: Bytes("a"), Member: Bytes(test.member), Score: new(Score(test.score)), If: test.when}
		if got := l.answer(t, set); got != test.one {
			t.Errorf("%v, %s to %g: got %s, want %s", test.when, test.member, test.score, got, test.one)
		}
		add := &ZSetAdd{Key: Bytes("b"), Members: []ZSetEntry{scored(test.member, test.score)}, If: test.when}
		if got := l.answer(t, add); got != test.whole {
			t.Errorf("%v, %s to %g among many: got %s, want %s", test.when, test.member, test.score, got, test.whole)
		}
	}
}

func TestScoresAreNumbers(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	incr := func(member string, by float64) Op {
		return &ZSetMemberIncr{Key: Bytes("k"), Member: Bytes(member), By: new(Score(by))}
	}
	for _, test := range []struct {
		op   Op
		want string
	}{
		{&ZSetMemberSet{Key: Bytes("k"), Member: Bytes("nan"), Score: new(Score(math.NaN()))}, "nan"},
		{&ZSetMemberSet{Key: Bytes("k"), Member: Bytes("zero"), Score: new(Score(math.Copysign(0, -1)))}, "created"},
		{&ZSetRange{Key: Bytes("k"), Members: texts("zero")}, `{"scores":[0]}`},
		{incr("zero", math.Copysign(0, -1)), `{"score":0}`},
		{incr("inf", math.Inf(1)), `{"score":"inf"}`},
		{incr("inf", 5), `{"score":"inf"}`},
		{incr("inf", math.Inf(-1)), "nan"},
		{incr("big", 9007199254740992), `{"score":9007199254740992}`},
		{&ZSetRange{Key: Bytes("k")}, `{"members":[{"member":"zero","score":0},{"member":"big","score":9007199254740992},{"member":"inf","score":"inf"}]}`},
	} {
		if got := l.answer(t, test.op); got != test.want {
			t.Errorf("%T %s: got %s, want %s", test.op, text(test.op), got, test.want)
		}
	}
	l.checkRecords(t)
}

func TestUnchangedWritesKeepTheRevision(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	l.must(t,
		&ListPush{Key: Bytes("l"), Items: texts("a")},
		&SetAdd{Key: Bytes("s"), Members: texts("a")},
		&ZSetAdd{Key: Bytes("z"), Members: []ZSetEntry{scored("a", 1)}})
	for _, op := range []Op{
		&ListSet{Key: Bytes("l"), Index: new(int64(0)), Value: Bytes("a")},
		&ListMove{Key: Bytes("l"), Destination: Bytes("l")},
		&ListTrim{Key: Bytes("l"), Start: new(int64(0)), Stop: new(int64(-1))},
		&ListRemove{Key: Bytes("l"), Value: Bytes("x")},
		&SetAdd{Key: Bytes("s"), Members: texts("a")},
		&SetRemove{Key: Bytes("s"), Members: texts("x")},
		&SetMove{Key: Bytes("s"), Member: Bytes("a"), Destination: Bytes("s")},
		&ZSetAdd{Key: Bytes("z"), Members: []ZSetEntry{scored("a", 1)}},
		&ZSetAdd{Key: Bytes("z"), Members: []ZSetEntry{scored("x", 1)}, If: Only(Present)},
		&ZSetMemberIncr{Key: Bytes("z"), Member: Bytes("a"), By: new(Score(0))},
		&ZSetRemove{Key: Bytes("z"), By: "score", Min: bound("5"), Max: bound("9")},
	} {
		out, err := l.do(t, op)
		if err != nil || out.Revision.Changes != 1 {
			t.Errorf("%T %s: revision %v, error %v", op, text(op), out.Revision, err)
		}
	}
}

func TestZSetLimits(t *testing.T) {
	l := openLab(t, "", store.Limits{ElementBytes: 4, Result: 2})
	key := Bytes("k")
	for _, test := range []struct {
		op   Op
		want string
	}{
		{&ZSetAdd{Key: key, Members: []ZSetEntry{scored("12345", 1)}}, "too big"},
		{&ZSetAdd{Key: key, Members: []ZSetEntry{scored("1234", 1), scored("b", 2)}}, `{"added":2,"updated":0,"unchanged":0,"count":2}`},
		{&ZSetRange{Key: key}, `{"members":[{"member":"1234","score":1},{"member":"b","score":2}]}`},
		{&ZSetAdd{Key: key, Members: []ZSetEntry{scored("c", 3)}}, `{"added":1,"updated":0,"unchanged":0,"count":3}`},
		{&ZSetRange{Key: key}, "too big"},
		{&ZSetRange{Key: key, By: "score"}, "too big"},
		{&ZSetRange{Key: key, By: "lex"}, "too big"},
		{&ZSetRange{Key: key, By: "lex", Limit: 2}, `{"members":[{"member":"1234","score":1},{"member":"b","score":2}]}`},
		{&ZSetPop{Key: key, Count: new(int64(3))}, "too big"},
		{&ZSetRemove{Key: key, By: "score", Min: bound("-inf"), Max: bound("inf")}, `{"removed":3,"count":0}`},
	} {
		if got := l.answer(t, test.op); got != test.want {
			t.Errorf("%T %s: got %s, want %s", test.op, text(test.op), got, test.want)
		}
	}
}

const rankContracts = `
format: 1
contracts:
  hot:
    key: hot:{id}
    type: zset
    ttl: optional
    items: {pattern: '^[0-9]+$'}
    score: {type: integer, minimum: 0, maximum: 10}
    maxItems: 2
`

func TestZSetsUnderContract(t *testing.T) {
	l := openLab(t, rankContracts, store.Limits{})
	key := Bytes("hot:1")
	for _, test := range []struct {
		op   Op
		want string
	}{
		{&ZSetAdd{Key: key, Members: []ZSetEntry{scored("1", 10), scored("2", 0)}}, `{"added":2,"updated":0,"unchanged":0,"count":2}`},
		{&ZSetAdd{Key: key, Members: []ZSetEntry{scored("1", 11), scored("2", 0.5)}}, "contract: number.maximum [members 0 score] format.integer [members 1 score]"},
		{&ZSetAdd{Key: key, Members: []ZSetEntry{scored("x", 1)}}, "contract: value.pattern [members 0 member] items.max [members]"},
		{&ZSetMemberSet{Key: key, Member: Bytes("1"), Score: new(Score(math.Inf(1)))}, "contract: number.notFinite [score]"},
		{&ZSetMemberIncr{Key: key, Member: Bytes("1")}, "contract: number.maximum [by]"},
		{&ZSetMemberIncr{Key: key, Member: Bytes("2"), By: new(Score(10))}, `{"score":10}`},
	} {
		if got := l.answer(t, test.op); got != test.want {
			t.Errorf("%T %s: got %s, want %s", test.op, text(test.op), got, test.want)
		}
	}
}
