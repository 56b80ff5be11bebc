package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"keypact/encoding"
)

// blocking is an operation that takes one element off the first of some lists,
// or sorted sets, that has any, and says which.
type blocking struct {
	verb  string
	keys  []string
	to    string // where it is pushed; empty is nowhere
	tried chan struct{}
}

func (b blocking) Calls() []Call {
	var calls []Call
	for _, key := range b.keys {
		calls = append(calls, Call{Verb: b.verb, Key: []byte(key), Wait: new(time.Duration)})
	}
	if b.to != "" {
		calls = append(calls, call("RPUSH", b.to))
	}
	return calls
}

func (b blocking) For(key []byte) Op {
	b.keys = []string{string(key)}
	return b
}

func (b blocking) Apply(tx *Tx) (any, error) {
	select {
	case b.tried <- struct{}{}:
	default:
	}
	for _, key := range b.keys {
		if b.verb == "BZPOPMIN" {
			z, err := tx.ZSet([]byte(key))
			if err != nil {
				return nil, err
			}
			if popped, err := z.Pop(false, 1); err != nil || len(popped) > 0 {
				return fmt.Sprintf("%s %s", key, popped[0].Member), err
			}
			continue
		}
		l, err := tx.List([]byte(key))
		if err != nil {
			return nil, err
		}
		items, err := l.Pop(Left, 1)
		if err == nil && len(items) > 0 {
			if b.to != "" {
				_, err = rpush(b.to, string(items[0])).Apply(tx)
			}
			return fmt.Sprintf("%s %s", key, items[0]), err
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, ErrNotFound
}

// wait starts an operation that waits for ever and returns once it stands in
// line.
func wait(t *testing.T, ctx context.Context, s *Store, b blocking, space string) <-chan string {
	t.Helper()
	b.tried = make(chan struct{}, 1)
	got := make(chan string, 1)
	go func() {
		out, ok, err := s.Wait(ctx, In(space, b), 0)
		switch {
		case err != nil:
			got <- err.Error()
		case out.Err != nil || !ok:
			got <- fmt.Sprint("failed: ", out.Err, ok)
		default:
			got <- out.Value.(string)
		}
	}()
	<-b.tried
	// What comes behind it in the line finds it waiting.
	must(t, s, hset("line", "f", "v"))
	return got
}

func zadd(key, member string) Op {
	return act{[]Call{call("ZADD", key)}, func(tx *Tx) (any, error) {
		z, err := tx.ZSet([]byte(key))
		if err != nil {
			return nil, err
		}
		return z.Put([]byte(member), 1, When{})
	}}
}

func rename(from, to string) Op {
	return act{[]Call{call("RENAME", from), call("RENAME", to)}, func(tx *Tx) (any, error) {
		k, err := tx.Key([]byte(from))
		if err != nil {
			return nil, err
		}
		return nil, k.Rename([]byte(to))
	}}
}

func copyOver(from, to string) Op {
	return act{[]Call{{Verb: "COPY", Key: []byte(from), Read: true}, call("COPY", to)}, func(tx *Tx) (any, error) {
		k, err := tx.Key([]byte(from))
		if err != nil {
			return nil, err
		}
		return nil, k.CopyTo([]byte(to))
	}}
}

func wantWaiting(t *testing.T, s *Store, want int) {
	t.Helper()
	if n := s.Waiting(); n != want || want == 0 && len(s.waiters.queues) != 0 {
		t.Errorf("%d wait in %d queues, want %d", n, len(s.waiters.queues), want)
	}
}

func TestWaitOnSeveralKeys(t *testing.T) {
	s, _ := newStore(t, "")
	first := wait(t, t.Context(), s, blocking{verb: "BLPOP", keys: []string{"a", "b", "a"}}, "0")
	second := wait(t, t.Context(), s, blocking{verb: "BLPOP", keys: []string{"b", "c"}}, "0")
	third := wait(t, t.Context(), s, blocking{verb: "BLPOP", keys: []string{"b"}}, "0")
	wantWaiting(t, s, 3)
	// b became ready first, so it is b that the first one takes from.
	if _, err := s.Do(t.Context(), Exec, []Op{rpush("b", "1"), rpush("a", "2"), rpush("b", "3")}); err != nil {
		t.Fatal(err)
	}
	if got := <-first; got != "b 1" {
		t.Errorf("the first got %s", got)
	}
	if got := <-second; got != "b 3" {
		t.Errorf("the second got %s", got)
	}
	wantWaiting(t, s, 1)
	if n := count(t, s, "a"); n != 1 {
		t.Errorf("%d elements of a", n)
	}
	must(t, s, rpush("b", "4"))
	if got := <-third; got != "b 4" {
		t.Errorf("the third got %s", got)
	}
	wantWaiting(t, s, 0)
}

// Each of these changes brings elements to the key that is waited for.
func TestWhatFeeds(t *testing.T) {
	for name, test := range map[string]struct {
		before []Op
		verb   string
		space  string
		feed   []Op
		want   string
	}{
		"push":               {feed: []Op{rpush("k", "x")}, want: "k x"},
		"rename":             {before: []Op{rpush("other", "x")}, feed: []Op{rename("other", "k")}, want: "k x"},
		"copy":               {before: []Op{rpush("other", "x")}, feed: []Op{copyOver("other", "k")}, want: "k x"},
		"move":               {before: []Op{rpush("k", "x")}, space: "1", feed: []Op{move("k", "0", "1")}, want: "k x"},
		"swap":               {before: []Op{rpush("k", "x")}, space: "1", feed: []Op{swapOp("0", "1")}, want: "k x"},
		"zadd":               {verb: "BZPOPMIN", feed: []Op{zadd("k", "m")}, want: "k m"},
		"zrename":            {before: []Op{zadd("other", "m")}, verb: "BZPOPMIN", feed: []Op{rename("other", "k")}, want: "k m"},
		"a script":           {feed: []Op{calling(func(*Tx, []Outcome) error { return nil }, rpush("k", "x"), rename("k", "other"), rpush("k", "y"))}, want: "k y"},
		"another type first": {verb: "BZPOPMIN", feed: []Op{rpush("k", "x"), del("k"), zadd("k", "m")}, want: "k m"},
		"deleted meanwhile":  {feed: []Op{act{[]Call{call("RPUSH", "k")}, rpush("k", "x").(act).do}, del("k"), rpush("k", "y")}, want: "k y"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newStore(t, "")
			for _, op := range test.before {
				must(t, s, op)
			}
			verb := test.verb
			if verb == "" {
				verb = "BLPOP"
			}
			got := wait(t, t.Context(), s, blocking{verb: verb, keys: []string{"none", "k"}}, test.space)
			if _, err := s.Do(t.Context(), Atomic, test.feed); err != nil {
				t.Fatal(err)
			}
			if got := <-got; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			wantWaiting(t, s, 0)
		})
	}
}

// Who waits for another type lets the others pass and goes on waiting.
func TestWaitersForAnotherTypeStay(t *testing.T) {
	s, _ := newStore(t, "")
	set := wait(t, t.Context(), s, blocking{verb: "BZPOPMIN", keys: []string{"k"}}, "0")
	list := wait(t, t.Context(), s, blocking{verb: "BLPOP", keys: []string{"k"}}, "0")
	must(t, s, rpush("k", "x"))
	if got := <-list; got != "k x" {
		t.Errorf("the list's got %s", got)
	}
	wantWaiting(t, s, 1)
	must(t, s, zadd("k", "m"))
	if got := <-set; got != "k m" {
		t.Errorf("the sorted set's got %s", got)
	}
}

// What a served operation feeds becomes ready behind the keys of the list.
func TestServedOperationsFeedOthersInTheirOrder(t *testing.T) {
	s, _ := newStore(t, "")
	end := wait(t, t.Context(), s, blocking{verb: "BLPOP", keys: []string{"c", "b"}}, "0")
	mover := wait(t, t.Context(), s, blocking{verb: "BLPOP", keys: []string{"a"}, to: "c"}, "0")
	if _, err := s.Do(t.Context(), Exec, []Op{rpush("a", "1"), rpush("b", "2")}); err != nil {
		t.Fatal(err)
	}
	if got := <-mover; got != "a 1" {
		t.Errorf("the mover got %s", got)
	}
	if got := <-end; got != "b 2" {
		t.Errorf("the end got %s", got)
	}
	wantWaiting(t, s, 0)
}

// Who is ended from outside gets the cause, and leaves all queues.
func TestAWaiterIsEndedWithACause(t *testing.T) {
	s, _ := newStore(t, "")
	ctx, end := context.WithCancelCause(t.Context())
	got := wait(t, ctx, s, blocking{verb: "BLPOP", keys: []string{"a", "b"}}, "0")
	end(errors.New("unblocked"))
	if got := <-got; got != "unblocked" {
		t.Errorf("got %s", got)
	}
	wantWaiting(t, s, 0)
	must(t, s, rpush("a", "1"))
	must(t, s, rpush("b", "2"))
	if count(t, s, "a") != 1 || count(t, s, "b") != 1 {
		t.Error("it took something")
	}
}

func TestNestedOperationsNeverWait(t *testing.T) {
	s, _ := newStore(t, "")
	must(t, s, calling(func(_ *Tx, outs []Outcome) error {
		if !errors.Is(outs[0].Err, ErrNotFound) {
			t.Errorf("outcome %+v", outs[0])
		}
		return nil
	}, blocking{verb: "BLPOP", keys: []string{"a"}}))
	out, err := s.Do(t.Context(), Exec, []Op{blocking{verb: "BLPOP", keys: []string{"a"}}})
	if err != nil || !errors.Is(out[0].Err, ErrNotFound) {
		t.Error(out, err)
	}
	wantWaiting(t, s, 0)
}

// A place in line that is taken back is given back where it was.
func TestPlacesInLine(t *testing.T) {
	var room waitRoom
	room.init()
	k, l := spaceKey{0, "k"}, spaceKey{1, "k"}
	var all []*waiter
	for _, keys := range [][]spaceKey{{k, l}, {l}, {k}, {l, k}} {
		w := &waiter{keys: keys, typ: encoding.TypeList}
		room.enter(w)
		all = append(all, w)
	}
	if !room.leave(all[2]) || room.leave(all[2]) || !room.leave(all[0]) || room.count != 2 {
		t.Error("leaving")
	}
	room.putBack(all[2])
	room.putBack(all[0])
	if !slices.Equal(room.queues[k], []*waiter{all[0], all[2], all[3]}) || !slices.Equal(room.queues[l], []*waiter{all[0], all[1], all[3]}) {
		t.Error("the order is lost")
	}
	if !slices.Equal(room.all(), all) || room.count != 4 {
		t.Error("all of them")
	}
	if got := room.awaited([]spaceKey{l, {5, "x"}, l}, []int{0, 1}); !slices.Equal(got, []spaceKey{l, k}) {
		t.Errorf("awaited %v", got)
	}
}
