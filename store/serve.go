package store

import (
	"errors"
	"slices"

	"keypact/store/kv"
)

// serveLater lets waiting operations at what the list fed, right behind it.
func (tx *Tx) serveLater() {
	if len(tx.done.fed) == 0 && len(tx.done.swapped) == 0 {
		return
	}
	tx.s.serveBehind(tx.w, tx.s.waiters.awaited(tx.done.fed, tx.done.swapped))
}

func (s *Store) serveBehind(w kv.Txn, ready []spaceKey) {
	if len(ready) > 0 {
		w.After(func(w kv.Txn) error { return s.serve(w, ready) })
	}
}

// serve serves one operation that waits for the first of some ready keys, and
// lets the next transaction go on, so that each has a transaction of its own.
// What an operation feeds becomes ready behind the others, as in Redis.
func (s *Store) serve(w kv.Txn, ready []spaceKey) error {
	mark := w.Mark()
	served, fed, err := s.serveOne(w, ready[0])
	if err != nil {
		w.Undo(mark)
		s.log.Error("serving an operation that waits", "error", err)
		served, fed = false, nil
	}
	if !served {
		ready = ready[1:]
	}
	s.serveBehind(w, slices.Concat(ready, s.waiters.awaited(fed, nil)))
	return nil
}

// serveOne serves the first operation at a key that finds something there; false
// says that there is none. Operations that wait for another type go on waiting.
func (s *Store) serveOne(w kv.Txn, at spaceKey) (served bool, fed []spaceKey, err error) {
	s.waiters.mu.Lock()
	defer s.waiters.mu.Unlock()
	queue := s.waiters.queues[at]
	if len(queue) == 0 {
		return false, nil, nil
	}
	tx, err := s.begin(w)
	if err != nil {
		return false, nil, err
	}
	meta, err := tx.load(tx.ids[at.space], []byte(at.key))
	if err != nil || meta == nil {
		return false, nil, err
	}
	for _, waiter := range queue {
		if waiter.typ != meta.Type {
			continue
		}
		served, err := tx.attempt(waiter, forKey(waiter.op, []byte(at.key)))
		if err != nil {
			return false, nil, err
		}
		if served {
			return true, tx.done.fed, tx.finishRecords()
		}
	}
	return false, nil, nil
}

// forKey is an operation as it is tried when one of its keys became ready.
func forKey(op Op, key []byte) Op {
	if one, ok := op.(interface{ For(key []byte) Op }); ok {
		return one.For(key)
	}
	return op
}

// For is the operation for one of its keys, in its namespace.
func (in inSpace) For(key []byte) Op { return inSpace{forKey(in.op, key), in.space} }

// attempt runs a waiting operation and takes it out of the room if it is
// answered; false says that it still finds nothing. The room's lock is held.
func (tx *Tx) attempt(w *waiter, op Op) (bool, error) {
	out, err := tx.each([]Op{op})
	if err != nil {
		return false, err
	}
	if errors.Is(out[0].Err, ErrNotFound) {
		return false, nil
	}
	tx.s.waiters.drop(w)
	tx.w.Undone(func() { tx.s.waiters.putBack(w) })
	tx.w.Published(func() { w.done <- out[0] })
	return true, nil
}

// rejudge runs every waiting operation again under the contracts now in force:
// one that they deny is answered at once, the others keep their places.
func (s *Store) rejudge(w kv.Txn) error {
	tx, err := s.begin(w)
	if err != nil {
		return err
	}
	if err := tx.attemptAll(); err != nil {
		return err
	}
	if err := tx.finishRecords(); err != nil {
		return err
	}
	tx.serveLater()
	return nil
}

func (tx *Tx) attemptAll() error {
	room := &tx.s.waiters
	room.mu.Lock()
	defer room.mu.Unlock()
	for _, waiter := range room.all() {
		if _, err := tx.attempt(waiter, waiter.op); err != nil {
			return err
		}
	}
	return nil
}
