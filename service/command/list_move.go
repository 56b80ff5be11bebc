package command

import (
	"bytes"
	"strings"

	"keypact/store"
)

// move is a command that takes an element off an end of a list and puts it at
// an end of another, or of the same.
type move struct {
	source, destination []byte
	from, to            store.End
}

// listMove is LMOVE source destination LEFT|RIGHT LEFT|RIGHT and RPOPLPUSH
// source destination; BLMOVE and BRPOPLPUSH have a timeout behind that.
func listMove(a *Args) (Call, error) {
	m := &move{source: a.Next(), destination: a.Next(), from: store.Right, to: store.Left}
	waits := a.name[0] == 'B'
	if a.name == "LMOVE" || a.name == "BLMOVE" {
		var err error
		if m.from, err = a.end(); err != nil {
			return Call{}, err
		}
		if m.to, err = a.end(); err != nil {
			return Call{}, err
		}
	}
	pop, push := strings.ToUpper(popOf(m.from)), strings.ToUpper(pushOf(m.to))
	if !waits {
		calls := []store.Call{use(pop, m.source), use(push, m.destination)}
		return done(&act{calls: calls, apply: m.apply})
	}
	wait, err := a.Timeout()
	if err != nil {
		return Call{}, err
	}
	calls := append(waiting(wait, use("B"+pop, m.source)), use(push, m.destination))
	return Call{Op: &act{calls: calls, apply: m.apply}, Late: NullArray{}}, nil
}

// apply moves the element. An absent source is ErrNotFound.
func (m *move) apply(tx *store.Tx) (Reply, error) {
	source, err := tx.List(m.source)
	if err != nil {
		return nil, err
	}
	if !source.Exists() {
		return nil, store.ErrNotFound
	}
	if bytes.Equal(m.source, m.destination) {
		item, _, err := source.Rotate(m.from, m.to)
		if err != nil {
			return nil, err
		}
		tx.Event(pushOf(m.to), m.destination)
		tx.Event(popOf(m.from), m.source)
		return bulk(item), nil
	}
	destination, err := tx.List(m.destination)
	if err != nil {
		return nil, err
	}
	items, err := source.Pop(m.from, 1)
	if err != nil {
		return nil, err
	}
	if err := destination.Push(m.to, items[0]); err != nil {
		return nil, err
	}
	tx.Event(pushOf(m.to), m.destination)
	took(tx, popOf(m.from), m.source, source)
	return bulk(items[0]), nil
}
