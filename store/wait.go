package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"keypact/store/kv"
)

// waitRoom holds operations that wait for a list to gain elements, first come,
// first served. Places are taken and waiters served only by the transaction
// that runs, so no push slips between a look and the wait.
type waitRoom struct {
	mu     sync.Mutex
	queues map[string][]*waiter // by namespace and key
	count  int
	closed chan struct{}
	once   sync.Once
}

// waiter is one waiting operation.
type waiter struct {
	op   Op
	key  []byte
	done chan Outcome // receives once, when the outcome is durable
}

func (room *waitRoom) init() {
	room.queues = make(map[string][]*waiter)
	room.closed = make(chan struct{})
}

func (room *waitRoom) close() { room.once.Do(func() { close(room.closed) }) }

// Waiting is the number of operations that wait.
func (s *Store) Waiting() int {
	s.waiters.mu.Lock()
	defer s.waiters.mu.Unlock()
	return s.waiters.count
}

// Wait runs an operation and, while it finds nothing (ErrNotFound), runs it
// again whenever its primary key gains elements, in the order in which waiting
// operations came, until timeout is over. ok is false if it waited in vain. An
// operation whose context ends takes nothing. A contract that changes
// meanwhile judges the operation anew.
func (s *Store) Wait(ctx context.Context, op Op, timeout time.Duration) (out Outcome, ok bool, err error) {
	w := &waiter{op: op, key: op.Calls()[0].Key, done: make(chan Outcome, 1)}
	waits := false
	err = s.update(ctx, func(tx *Tx) error {
		outs, err := tx.each([]Op{op})
		if err != nil {
			return err
		}
		out, waits = outs[0], errors.Is(outs[0].Err, ErrNotFound)
		if waits {
			queue := s.queueName(w.key)
			tx.w.After(func(t kv.Txn) error {
				s.waiters.add(queue, w)
				t.Undone(func() { s.waiters.leave(queue, w) })
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

// await blocks until the waiter is served, its time is over or its client left.
func (s *Store) await(ctx context.Context, w *waiter, timeout time.Duration) (Outcome, bool, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var gone error
	select {
	case out := <-w.done:
		return out, true, nil
	case <-timer.C:
	case <-ctx.Done():
		gone = ctx.Err()
	case <-s.waiters.closed:
		gone = kv.ErrClosed
	}
	if s.waiters.leave(s.queueName(w.key), w) {
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

// queueName goes by the name of the namespace, so that waiting outlasts a flush.
func (s *Store) queueName(key []byte) string { return s.space.name + "\x00" + string(key) }

func (room *waitRoom) add(queue string, w *waiter) {
	room.mu.Lock()
	defer room.mu.Unlock()
	room.queues[queue] = append(room.queues[queue], w)
	room.count++
}

// leave takes a waiter out; false says that it was served already.
func (room *waitRoom) leave(queue string, w *waiter) bool {
	room.mu.Lock()
	defer room.mu.Unlock()
	for i, other := range room.queues[queue] {
		if other == w {
			room.drop(queue, i)
			return true
		}
	}
	return false
}

// drop removes the waiter at a position. The lock is held.
func (room *waitRoom) drop(queue string, i int) {
	rest := room.queues[queue]
	copy(rest[i:], rest[i+1:])
	rest[len(rest)-1] = nil
	room.count--
	if rest = rest[:len(rest)-1]; len(rest) == 0 {
		delete(room.queues, queue)
		return
	}
	room.queues[queue] = rest
}

// putBack gives a waiter whose turn was taken back the first place again.
func (room *waitRoom) putBack(queue string, w *waiter) {
	room.mu.Lock()
	defer room.mu.Unlock()
	room.queues[queue] = append([]*waiter{w}, room.queues[queue]...)
	room.count++
}

func (room *waitRoom) first(queue string) *waiter {
	if waiting := room.queues[queue]; len(waiting) > 0 {
		return waiting[0]
	}
	return nil
}

// serveLater lets the waiters of a key at it right behind the transaction.
func (s *Store) serveLater(w kv.Txn, key []byte) {
	queue := s.queueName(key)
	s.waiters.mu.Lock()
	empty := s.waiters.first(queue) == nil
	s.waiters.mu.Unlock()
	if empty {
		return
	}
	w.After(func(w kv.Txn) error { return s.serve(w, queue) })
}

// serve runs waiting operations until one finds nothing.
func (s *Store) serve(w kv.Txn, queue string) error {
	s.waiters.mu.Lock()
	defer s.waiters.mu.Unlock()
	tx, err := s.begin(w)
	if err != nil {
		return err
	}
	for waiter := s.waiters.first(queue); waiter != nil; waiter = s.waiters.first(queue) {
		served, err := tx.attempt(waiter)
		if err != nil {
			return err
		}
		if !served {
			break
		}
		s.waiters.drop(queue, 0)
		w.Undone(func() { s.waiters.putBack(queue, waiter) })
	}
	return tx.finishServed()
}

// finishServed is finish for a caller that holds the room's lock: lists that a
// served operation fed are looked at later without asking who waits.
func (tx *Tx) finishServed() error {
	for _, key := range tx.fed {
		queue := tx.s.queueName(key)
		tx.w.After(func(w kv.Txn) error { return tx.s.serve(w, queue) })
	}
	return tx.finishRecords()
}

// attempt runs a waiting operation; false says that it still finds nothing.
func (tx *Tx) attempt(w *waiter) (bool, error) {
	out, err := tx.each([]Op{w.op})
	if err != nil {
		return false, err
	}
	if errors.Is(out[0].Err, ErrNotFound) {
		return false, nil
	}
	tx.w.Published(func() { w.done <- out[0] })
	return true, nil
}

// rejudge runs every waiting operation again under the contracts now in force:
// one that they deny is answered at once, the others keep their places.
func (s *Store) rejudge(w kv.Txn) error {
	s.waiters.mu.Lock()
	defer s.waiters.mu.Unlock()
	tx, err := s.begin(w)
	if err != nil {
		return err
	}
	for queue := range s.waiters.queues {
		for i := 0; i < len(s.waiters.queues[queue]); {
			waiter := s.waiters.queues[queue][i]
			answered, err := tx.attempt(waiter)
			if err != nil {
				return err
			}
			if answered {
				s.waiters.drop(queue, i)
				w.Undone(func() { s.waiters.putBack(queue, waiter) })
			} else {
				i++
			}
		}
	}
	return tx.finishServed()
}
