package service

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"keypact/store"
)

// announced is an operation that says when it is tried for the first time.
// Whatever is asked of the store after that comes behind it.
type announced struct {
	Op
	tried chan struct{}
}

func (a announced) Apply(tx *store.Tx) (any, error) {
	select {
	case a.tried <- struct{}{}:
	default:
	}
	return a.Op.Apply(tx)
}

// wait starts an operation that waits and returns once it stands in line. The
// channel gets its answer, or "in vain".
func (l *lab) wait(t testing.TB, ctx context.Context, op Op, timeout time.Duration) <-chan string {
	t.Helper()
	a := announced{op, make(chan struct{}, 1)}
	done := make(chan string, 1)
	go func() {
		out, ok, err := l.store.Wait(ctx, a, timeout)
		if err == nil && !ok {
			done <- "in vain"
			return
		}
		if err == nil {
			err = out.Err
		}
		done <- answer(out.Value, err)
	}()
	<-a.tried
	return done
}

// patient is a time to wait that no test waits out.
const patient = time.Hour

func pop(key string) Op { return &ListPop{Key: Bytes(key), Wait: TTL(patient)} }

func push(key string, items ...string) Op { return &ListPush{Key: Bytes(key), Items: texts(items...)} }

func item(text string, left int) string { return fmt.Sprintf(`{"items":[%q],"count":%d}`, text, left) }

func TestWaitersAreServedInTheirOrder(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	var waiters []<-chan string
	for range 5 {
		waiters = append(waiters, l.wait(t, t.Context(), pop("q"), patient))
	}
	if got := l.answer(t, push("q", "a", "b", "c")); got != `{"length":3}` {
		t.Errorf("the push answers %s", got)
	}
	for i, want := range []string{item("a", 2), item("b", 1), item("c", 0)} {
		if got := <-waiters[i]; got != want {
			t.Errorf("waiter %d got %s, want %s", i, got, want)
		}
	}
	if n := l.store.Waiting(); n != 2 {
		t.Errorf("%d still wait, want 2", n)
	}
	l.must(t, push("q", "d"), push("q", "e", "f"))
	if got := <-waiters[3]; got != item("d", 0) {
		t.Errorf("waiter 3 got %s", got)
	}
	if got := <-waiters[4]; got != item("e", 1) {
		t.Errorf("waiter 4 got %s", got)
	}
	if got := l.answer(t, &ListRange{Key: Bytes("q")}); got != item("f", 1) {
		t.Errorf("what nobody waited for: %s", got)
	}
	l.checkRecords(t)
}

func TestManyWaitersGetOneElementEach(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	const n = 200
	var waiters []<-chan string
	for range n {
		waiters = append(waiters, l.wait(t, t.Context(), pop("q"), patient))
	}
	for i := range n / 2 {
		go func() {
			_, _ = l.store.Do(context.Background(), store.Each, []Op{push("q", fmt.Sprint(2*i), fmt.Sprint(2*i+1))})
		}()
	}
	seen := map[string]bool{}
	for _, w := range waiters {
		seen[<-w] = true
	}
	for i := range n {
		if !seen[item(fmt.Sprint(i), 0)] && !seen[item(fmt.Sprint(i), 1)] {
			t.Errorf("nobody got %d", i)
		}
	}
	if got := l.answer(t, &ListCount{Key: Bytes("q")}); got != `{"count":0}` || l.store.Waiting() != 0 {
		t.Errorf("left: %s, waiting %d", got, l.store.Waiting())
	}
	l.checkRecords(t)
}

func TestWaiterThatLeftTakesNothing(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	first := l.wait(t, ctx, pop("q"), patient)
	second := l.wait(t, t.Context(), pop("q"), patient)
	cancel()
	if got := <-first; got != context.Canceled.Error() {
		t.Errorf("the one that left got %s", got)
	}
	l.must(t, push("q", "a"))
	if got := <-second; got != item("a", 0) {
		t.Errorf("the one that stayed got %s", got)
	}
}

func TestWaitInVain(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	s, err := New(l.store, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []Op{
		&ListPop{Key: Bytes("q"), Wait: TTL(time.Millisecond)},
		&ListMove{Key: Bytes("q"), Destination: Bytes("d"), Wait: TTL(time.Millisecond)},
	} {
		result, err := s.Do(t.Context(), op)
		if err != nil || !result.Empty {
			t.Errorf("%T: %+v, %v", op, result, err)
		}
	}
	l.must(t, push("q", "a"))
	if got := l.answer(t, &ListCount{Key: Bytes("q")}); got != `{"count":1}` {
		t.Errorf("those that are gone took something: %s", got)
	}
}

func TestWaitFindsWhatIsThere(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	l.must(t, push("q", "a", "b", "c"), &StringSet{Key: Bytes("s"), Value: Bytes("v")})
	if got := <-l.wait(t, t.Context(), &ListPop{Key: Bytes("q"), Side: "right", Count: new(int64(2)), Wait: TTL(patient)}, patient); got != `{"items":["c","b"],"count":1}` {
		t.Errorf("got %s", got)
	}
	if got := <-l.wait(t, t.Context(), pop("s"), patient); got != "wrong type" {
		t.Errorf("another type: %s", got)
	}
}

func TestMoveFeedsAnotherWaiter(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	move := func(from, to string) Op {
		return &ListMove{Key: Bytes(from), Destination: Bytes(to), Wait: TTL(patient)}
	}
	end := l.wait(t, t.Context(), pop("c"), patient)
	second := l.wait(t, t.Context(), move("b", "c"), patient)
	first := l.wait(t, t.Context(), move("a", "b"), patient)
	l.must(t, push("a", "x"))
	for name, w := range map[string]<-chan string{"first": first, "second": second} {
		if got := <-w; got != `{"item":"x","count":0}` {
			t.Errorf("the %s move got %s", name, got)
		}
	}
	if got := <-end; got != item("x", 0) {
		t.Errorf("the end of the chain got %s", got)
	}
	l.checkRecords(t)
}

func TestRotatingWaiterLeavesTheElementForTheNext(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	rotate := l.wait(t, t.Context(), &ListMove{Key: Bytes("q"), Destination: Bytes("q"), Wait: TTL(patient)}, patient)
	next := l.wait(t, t.Context(), pop("q"), patient)
	l.must(t, push("q", "x"))
	if got := <-rotate; got != `{"item":"x","count":1}` {
		t.Errorf("the rotation got %s", got)
	}
	if got := <-next; got != item("x", 0) {
		t.Errorf("the next one got %s", got)
	}
}

func TestMoveOntoAnotherTypeIsAnsweredAndTakesNothing(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	l.must(t, &SetAdd{Key: Bytes("s"), Members: texts("m")})
	w := l.wait(t, t.Context(), &ListMove{Key: Bytes("q"), Destination: Bytes("s"), Wait: TTL(patient)}, patient)
	l.must(t, push("q", "x"))
	if got := <-w; got != "wrong type" {
		t.Errorf("the move got %s", got)
	}
	if got := l.answer(t, &ListRange{Key: Bytes("q")}); got != item("x", 1) {
		t.Errorf("the source holds %s", got)
	}
}

func TestFailedListsServeNobody(t *testing.T) {
	l := openLab(t, "", store.Limits{})
	w := l.wait(t, t.Context(), pop("q"), patient)
	_, err := l.store.Do(t.Context(), store.Atomic, []Op{push("q", "a"), &ListGet{Key: Bytes("none"), Index: new(int64(0))}})
	if !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("the list should fail: %v", err)
	}
	if _, err := l.store.Do(t.Context(), store.Atomic, []Op{push("q", "b"), &ListDelete{Key: Bytes("q")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.store.DryRun(t.Context(), push("q", "c")); err != nil {
		t.Fatal(err)
	}
	if n := l.store.Waiting(); n != 1 {
		t.Fatalf("%d wait, want 1", n)
	}
	l.must(t, push("q", "d"))
	if got := <-w; got != item("d", 0) {
		t.Errorf("got %s", got)
	}
}

const queueContract = `
format: 1
contracts:
  queue:
    key: queue:{id}
    type: list
    ttl: optional
    operations:
      LPUSH: {}
      RPUSH: {}
      BLPOP: {timeout: {max: %s}}
`

func TestNewContractDeniesAWaiterAtOnce(t *testing.T) {
	l := openLab(t, fmt.Sprintf(queueContract, "30s"), store.Limits{})
	wait := func(d time.Duration) <-chan string {
		return l.wait(t, t.Context(), &ListPop{Key: Bytes("queue:1"), Wait: TTL(d)}, d)
	}
	if got := <-wait(31 * time.Second); got != "contract: argument.range [wait]" {
		t.Errorf("too long from the start: %s", got)
	}
	denied, tolerated := wait(20*time.Second), wait(10*time.Second)
	if err := l.store.SetContracts(t.Context(), contractsOf(t, fmt.Sprintf(queueContract, "10s"))); err != nil {
		t.Fatal(err)
	}
	if got := <-denied; got != "contract: argument.range [wait]" {
		t.Errorf("the waiter that is denied now got %s", got)
	}
	l.must(t, push("queue:1", "a"))
	if got := <-tolerated; got != item("a", 0) {
		t.Errorf("the waiter that is still allowed got %s", got)
	}
}

func TestMovedElementsMeetTheContractOfTheDestination(t *testing.T) {
	l := openLab(t, `
format: 1
contracts:
  short: {key: 'short:{id}', type: list, ttl: optional, items: {maxBytes: 2}, maxItems: 1, operations: [RPUSH]}
`, store.Limits{})
	l.must(t, push("q", "long", "ok", "no"))
	for _, test := range []struct {
		op   Op
		want string
	}{
		{&ListMove{Key: Bytes("q"), Destination: Bytes("short:1")}, "contract: value.bytes [destination]"},
		{&ListMove{Key: Bytes("q"), Destination: Bytes("short:1"), From: "right", To: "left"}, "contract: operation.denied [destination]"},
		{&ListMove{Key: Bytes("q"), Destination: Bytes("short:1"), From: "right"}, `{"item":"no","count":2}`},
		{&ListMove{Key: Bytes("q"), Destination: Bytes("short:1"), From: "right"}, "contract: items.max [destination]"},
		{&ListMove{Key: Bytes("short:1"), Destination: Bytes("q")}, "contract: operation.denied [key]"},
		{&ListPush{Key: Bytes("short:2"), Items: texts("ok", "long")}, "contract: value.bytes [items 1] items.max [items]"},
		{&ListRange{Key: Bytes("q")}, `{"items":["long","ok"],"count":2}`},
	} {
		if got := l.answer(t, test.op); got != test.want {
			t.Errorf("%T %s: got %s, want %s", test.op, text(test.op), got, test.want)
		}
	}
}
