package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"keypact/encoding"
	"keypact/store/kv"
)

// waitRoom holds operations that wait for a list or a sorted set to gain
// elements, first come, first served at each key. Places are taken and waiters
// served only by the transaction that runs, so no push slips between a look and
// the wait.
type waitRoom struct {
	mu     sync.Mutex
	queues map[spaceKey][]*waiter // in the order in which they came
	count  int
	came   uint64 // waiters so far
	closed chan struct{}
	once   sync.Once
}

// waiter is one waiting operation. It stands in the queue of each of its keys,
// or in none. Keys go by the number of their namespace, so that waiting outlasts
// a flush and a swap.
type waiter struct {
	op     Op
	keys   []spaceKey
	typ    encoding.Type // of the values it takes from
	ticket uint64
	done   chan Outcome // receives once, when the outcome is durable
}

func (room *waitRoom) init() {
	room.queues = make(map[spaceKey][]*waiter)
	room.closed = make(chan struct{})
}

func (room *waitRoom) close() { room.once.Do(func() { close(room.closed) }) }

// Waiting is the number of operations that wait, as of now.
func (s *Store) Waiting() int {
	s.waiters.mu.Lock()
	defer s.waiters.mu.Unlock()
	return s.waiters.count
}

// Wait runs an operation and, while it finds nothing (ErrNotFound), runs it
// again whenever one of the keys it waits for gains elements. Those are the keys
// of its calls with a Wait, or that of its first call if none has; a call whose
// verb begins with BZ waits for a sorted set, any other for a list. At each key
// the operations that wait are served in the order in which they came, each once
// and after the whole list of operations that fed the key; keys are looked at in
// the order in which they became ready. An operation with a method For(key) Op
// is then run as what that gives for the key.
//
// ok is false if timeout was over and it had found nothing; a timeout of zero or
// less never is. An operation whose context ends takes nothing, and the error is
// the context's cause. A contract that changes meanwhile judges the operation
// anew.
func (s *Store) Wait(ctx context.Context, op Op, timeout time.Duration) (out Outcome, ok bool, err error) {
	w := s.newWaiter(op)
	waits := false
	err = s.update(ctx, func(tx *Tx) error {
		outs, err := tx.each([]Op{op})
		if err != nil {
			return err
		}
		out, waits = outs[0], errors.Is(outs[0].Err, ErrNotFound)
		if waits {
			tx.w.After(func(t kv.Txn) error {
				s.waiters.enter(w)
				t.Undone(func() { s.waiters.leave(w) })
				return nil
			})
		}
		return nil
	})
	if err == nil && waits {
		out, ok, err = s.await(ctx, w, timeout)
	} else {
		ok = err == nil
	}
	if err != nil || !ok {
		return Outcome{}, false, err
	}
	s.tell([]Outcome{out}, nil)
	return out, true, nil
}

// newWaiter finds out what an operation waits for.
func (s *Store) newWaiter(op Op) *waiter {
	w := &waiter{op: op, done: make(chan Outcome, 1), typ: encoding.TypeList}
	calls := op.Calls()
	some := slices.ContainsFunc(calls, func(c Call) bool { return c.Wait != nil })
	for i, c := range calls {
		if some && c.Wait == nil || !some && i > 0 {
			continue
		}
		if strings.HasPrefix(c.Verb, "BZ") {
			w.typ = encoding.TypeZSet
		}
		space, known := 0, true
		if c.Space != "" {
			space, known = s.spaces.find(c.Space)
		}
		key := spaceKey{space, string(c.Key)}
		if known && !slices.Contains(w.keys, key) {
			w.keys = append(w.keys, key)
		}
	}
	return w
}

// await blocks until the waiter is served, its time is over or its client left.
func (s *Store) await(ctx context.Context, w *waiter, timeout time.Duration) (Outcome, bool, error) {
	var over <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		over = timer.C
	}
	var gone error
	select {
	case out := <-w.done:
		return out, true, nil
	case <-over:
	case <-ctx.Done():
		gone = context.Cause(ctx)
	case <-s.waiters.closed:
		gone = kv.ErrClosed
	}
	if s.waiters.leave(w) {
		return Outcome{}, false, gone
	}
	return s.outcome(ctx, w)
}

// outcome waits for the outcome of a waiter that was served a moment ago. It
// comes once it is durable. Only a store that stopped meanwhile delivers
// nothing: that shows in a transaction behind it.
func (s *Store) outcome(ctx context.Context, w *waiter) (Outcome, bool, error) {
	err := s.db.Update(context.WithoutCancel(ctx), func(kv.Txn) error { return nil })
	if err == nil {
		return <-w.done, true, nil
	}
	select {
	case out := <-w.done:
		return out, true, nil
	default:
		return Outcome{}, false, err
	}
}

// enter puts a waiter at the end of its queues.
func (room *waitRoom) enter(w *waiter) {
	room.mu.Lock()
	defer room.mu.Unlock()
	room.came++
	w.ticket = room.came
	room.add(w)
}

// putBack gives a waiter whose turn was taken back its places again.
func (room *waitRoom) putBack(w *waiter) {
	room.mu.Lock()
	defer room.mu.Unlock()
	room.add(w)
}

// add puts a waiter where it belongs by its ticket. The lock is held.
func (room *waitRoom) add(w *waiter) {
	for _, key := range w.keys {
		queue := room.queues[key]
		i, _ := slices.BinarySearchFunc(queue, w.ticket, byTicket)
		room.queues[key] = slices.Insert(queue, i, w)
	}
	room.count++
}

func byTicket(w *waiter, ticket uint64) int { return cmp.Compare(w.ticket, ticket) }

// leave takes a waiter out; false says that it was served already.
func (room *waitRoom) leave(w *waiter) bool {
	room.mu.Lock()
	defer room.mu.Unlock()
	return room.drop(w)
}

// drop takes a waiter out of all its queues. The lock is held.
func (room *waitRoom) drop(w *waiter) bool {
	stood := false
	for _, key := range w.keys {
		queue := room.queues[key]
		i, found := slices.BinarySearchFunc(queue, w.ticket, byTicket)
		if !found {
			continue
		}
		stood = true
		if len(queue) == 1 {
			delete(room.queues, key)
		} else {
			room.queues[key] = slices.Delete(queue, i, i+1)
		}
	}
	if stood {
		room.count--
	}
	return stood
}

// awaited are those of some keys that anyone waits for, and those of whole
// namespaces behind them, in the order in which their first waiters came.
func (room *waitRoom) awaited(keys []spaceKey, spaces []int) []spaceKey {
	room.mu.Lock()
	defer room.mu.Unlock()
	var out []spaceKey
	for _, key := range keys {
		if len(room.queues[key]) > 0 && !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	if len(spaces) == 0 {
		return out
	}
	single := len(out)
	for key := range room.queues {
		if slices.Contains(spaces, key.space) && !slices.Contains(out[:single], key) {
			out = append(out, key)
		}
	}
	slices.SortFunc(out[single:], func(a, b spaceKey) int {
		return cmp.Or(cmp.Compare(room.queues[a][0].ticket, room.queues[b][0].ticket), cmp.Compare(a.key, b.key))
	})
	return out
}

// all lists the waiters in the order in which they came. The lock is held.
func (room *waitRoom) all() []*waiter {
	var all []*waiter
	for _, queue := range room.queues {
		all = append(all, queue...)
	}
	slices.SortFunc(all, func(a, b *waiter) int { return cmp.Compare(a.ticket, b.ticket) })
	return slices.Compact(all)
}
