package service

import (
	"fmt"
	"testing"
	"time"

	"keypact/store"
)

// situation is one operation tried on a key that is absent, there, expired,
// and of another type.
type situation struct {
	op                     func(key Bytes) Op
	absent, there, strange string
}

// try runs each operation in every situation on keys of its own. fill makes the
// key, for which there is a time to live.
func try(t *testing.T, fill func(key Bytes) Op, situations []situation) {
	for i, s := range situations {
		t.Run(fmt.Sprintf("%d %T", i, s.op(nil)), func(t *testing.T) { s.run(t, fill) })
	}
}

func (s situation) run(t *testing.T, fill func(key Bytes) Op) {
	l := openLab(t, "", store.Limits{})
	l.must(t, fill(Bytes("there")), fill(Bytes("old")), &StringSet{Key: Bytes("strange"), Value: Bytes("v")})
	l.must(t, &KeyTTLSet{Key: Bytes("old"), Expiry: Expiry{TTL: TTL(5 * time.Second)}})
	expect := func(state, key, want string) {
		t.Helper()
		if got := l.answer(t, s.op(Bytes(key))); got != want {
			t.Errorf("key %s: got %s, want %s", state, got, want)
		}
	}
	expect("there", "there", s.there)
	expect("of another type", "strange", s.strange)
	expect("absent", "absent", s.absent)
	l.clock.Add(5000)
	expect("expired", "old", s.absent)
	l.checkRecords(t)
}

func TestListOperationsOnEveryState(t *testing.T) {
	const wrong, missing = "wrong type", "not found"
	fill := func(key Bytes) Op { return &ListPush{Key: key, Items: texts("a", "b", "c", "b")} }
	two := new(int64(2))
	try(t, fill, []situation{
		{func(k Bytes) Op { return &ListRange{Key: k} }, missing, `{"items":["a","b","c","b"],"count":4}`, wrong},
		{func(k Bytes) Op { return &ListRange{Key: k, Start: two, Stop: new(int64(9))} }, missing, `{"items":["c","b"],"count":4}`, wrong},
		{func(k Bytes) Op { return &ListRange{Key: k, Start: new(int64(3)), Stop: two} }, missing, `{"items":[],"count":4}`, wrong},
		{func(k Bytes) Op { return &ListGet{Key: k, Index: new(int64(-2))} }, missing, `{"value":"c"}`, wrong},
		{func(k Bytes) Op { return &ListGet{Key: k, Index: new(int64(4))} }, missing, missing, wrong},
		{func(k Bytes) Op { return &ListGet{Key: k, Index: new(int64(-5))} }, missing, missing, wrong},
		{func(k Bytes) Op { return &ListSet{Key: k, Index: new(int64(1)), Value: Bytes("x")} }, missing, "stored", wrong},
		{func(k Bytes) Op { return &ListSet{Key: k, Index: new(int64(4)), Value: Bytes("x")} }, missing, missing, wrong},
		{func(k Bytes) Op { return &ListCount{Key: k} }, `{"count":0}`, `{"count":4}`, wrong},
		{func(k Bytes) Op { return &ListPush{Key: k, Items: texts("x", "y")} }, `{"length":2}`, `{"length":6}`, wrong},
		{func(k Bytes) Op { return &ListPush{Key: k, Items: texts("x"), If: Only(Present)} }, "precondition", `{"length":5}`, wrong},
		{func(k Bytes) Op { return &ListPop{Key: k} }, missing, `{"items":["a"],"count":3}`, wrong},
		{func(k Bytes) Op { return &ListPop{Key: k, Side: "right", Count: two} }, missing, `{"items":["b","c"],"count":2}`, wrong},
		{func(k Bytes) Op { return &ListPop{Key: k, Count: new(int64(9))} }, missing, `{"items":["a","b","c","b"],"count":0}`, wrong},
		{func(k Bytes) Op { return &ListMove{Key: k, Destination: Bytes("d")} }, missing, `{"item":"a","count":3}`, wrong},
		{func(k Bytes) Op { return &ListMove{Key: k, Destination: k} }, missing, `{"item":"a","count":4}`, wrong},
		{func(k Bytes) Op { return &ListMove{Key: k, Destination: Bytes("strange")} }, missing, wrong, wrong},
		{func(k Bytes) Op { return &ListInsert{Key: k, Pivot: Bytes("b"), Value: Bytes("x")} }, missing, `{"length":5}`, wrong},
		{func(k Bytes) Op { return &ListInsert{Key: k, Pivot: Bytes("z"), Value: Bytes("x")} }, missing, missing, wrong},
		{func(k Bytes) Op { return &ListRemove{Key: k, Value: Bytes("b")} }, `{"removed":0,"count":0}`, `{"removed":2,"count":2}`, wrong},
		{func(k Bytes) Op { return &ListRemove{Key: k, Value: Bytes("b"), Count: -1} }, `{"removed":0,"count":0}`, `{"removed":1,"count":3}`, wrong},
		{func(k Bytes) Op { return &ListTrim{Key: k, Start: new(int64(1)), Stop: new(int64(-2))} }, `{"removed":0,"count":0}`, `{"removed":2,"count":2}`, wrong},
		{func(k Bytes) Op { return &ListTrim{Key: k, Start: two, Stop: new(int64(1))} }, `{"removed":0,"count":0}`, `{"removed":4,"count":0}`, wrong},
		{func(k Bytes) Op { return &ListDelete{Key: k} }, missing, "stored", wrong},
	})
}

func TestListLimits(t *testing.T) {
	l := openLab(t, "", store.Limits{ValueBytes: 4, Result: 3})
	push := func(items ...string) Op { return &ListPush{Key: Bytes("k"), Items: texts(items...)} }
	for _, test := range []struct {
		op   Op
		want string
	}{
		{push("1234"), `{"length":1}`},
		{push("12345"), "too big"},
		{push("a", "b"), `{"length":3}`},
		{&ListRange{Key: Bytes("k")}, `{"items":["1234","a","b"],"count":3}`},
		{push("c"), `{"length":4}`},
		{&ListRange{Key: Bytes("k")}, "too big"},
		{&ListRange{Key: Bytes("k"), Stop: new(int64(2))}, `{"items":["1234","a","b"],"count":4}`},
		{&ListPop{Key: Bytes("k"), Count: new(int64(4))}, "too big"},
		{&ListSet{Key: Bytes("k"), Index: new(int64(0)), Value: Bytes("12345")}, "too big"},
		{&ListInsert{Key: Bytes("k"), Pivot: Bytes("a"), Value: Bytes("12345")}, "too big"},
		{&ListCount{Key: Bytes("k")}, `{"count":4}`},
		{&ListPop{Key: Bytes("k"), Count: new(int64(3))}, `{"items":["1234","a","b"],"count":1}`},
	} {
		if got := l.answer(t, test.op); got != test.want {
			t.Errorf("%T %s: got %s, want %s", test.op, text(test.op), got, test.want)
		}
	}
}

func TestLargeListChangesInTheMiddle(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	// One transaction of the engine takes 50,000 writes.
	for range 6 {
		items := make([]Bytes, 10_000)
		for i := range items {
			items[i] = Bytes("x")
		}
		l.must(t, &ListPush{Key: Bytes("k"), Items: items})
	}
	mark := func(index int64) { l.must(t, &ListSet{Key: Bytes("k"), Index: &index, Value: Bytes("m")}) }
	mark(10)
	mark(-10)
	if got := l.answer(t, &ListRemove{Key: Bytes("k"), Value: Bytes("m")}); got != `{"removed":2,"count":59998}` {
		t.Errorf("near the ends: %s", got)
	}
	mark(30_000)
	if got := l.answer(t, &ListInsert{Key: Bytes("k"), Pivot: Bytes("m"), Value: Bytes("n")}); got != `{"length":59999}` {
		t.Errorf("insert in the middle of what fits: %s", got)
	}
	if got := l.answer(t, &ListGet{Key: Bytes("k"), Index: new(int64(30_001))}); got != `{"value":"m"}` {
		t.Errorf("behind the element that was put in: %s", got)
	}
	if got := l.answer(t, &ListRemove{Key: Bytes("k"), Value: Bytes("x")}); got != `{"removed":59997,"count":2}` {
		t.Errorf("more removals than a transaction holds: %s", got)
	}
	if got := l.answer(t, &ListRange{Key: Bytes("k")}); got != `{"items":["n","m"],"count":2}` {
		t.Errorf("after the removal: %s", got)
	}
	l.checkRecords(t)
}
