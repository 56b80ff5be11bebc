package kvtest

import (
	"errors"
	"maps"
	"slices"

	"keypact/store/kv"
)

// model is the whole of a store.
type model map[string]string

// play runs a program and what it queued, and returns what it saw.
func (m model) play(p program) *trace {
	saw := &trace{}
	after, err := m.one(func(tx kv.Txn) error {
		if err := add(tx, []byte(turnKey), 1); err != nil {
			return err
		}
		return p.run(tx, saw)
	})
	if err != nil {
		return saw
	}
	for len(after) > 0 {
		more, _ := m.one(after[0])
		after = append(more, after[1:]...)
	}
	return saw
}

// one runs one transaction; if it fails nothing is left of it.
func (m model) one(fn func(kv.Txn) error) (after []func(kv.Txn) error, err error) {
	tx := &modelTxn{m: maps.Clone(m), written: map[string]int{}}
	if err := fn(tx); err != nil {
		return nil, err
	}
	maps.DeleteFunc(m, func(string, string) bool { return true })
	maps.Copy(m, tx.m)
	return tx.after, nil
}

// modelTxn is kv.Txn at its plainest: every mark is a full copy.
type modelTxn struct {
	m       model
	written map[string]int // bytes, by key
	after   []func(kv.Txn) error
	marks   []modelTxn
}

func (t *modelTxn) Get(dst, key []byte) ([]byte, error) {
	v, ok := t.m[string(key)]
	if !ok {
		return dst, kv.ErrNotFound
	}
	return append(dst, v...), nil
}

func (t *modelTxn) GetMany([][]byte, func(int, []byte) error) error { return errors.ErrUnsupported }

func (t *modelTxn) Scan(r kv.Range, visit func(key, value []byte) bool) error {
	keys := slices.Sorted(maps.Keys(t.m))
	if r.Reverse {
		slices.Reverse(keys)
	}
	seen := 0
	for _, k := range keys {
		if k < string(r.Lower) || r.Upper != nil && k >= string(r.Upper) {
			continue
		}
		var value []byte
		if !r.KeysOnly {
			value = []byte(t.m[k])
		}
		if seen++; !visit([]byte(k), value) || seen == r.Limit {
			return nil
		}
	}
	return nil
}

func (t *modelTxn) Touch([]byte) error { return nil }

func (t *modelTxn) Set(key, value []byte) error {
	t.m[string(key)] = string(value)
	t.written[string(key)] = len(key) + len(value)
	return nil
}

func (t *modelTxn) Delete(key []byte) error {
	delete(t.m, string(key))
	t.written[string(key)] = len(key)
	return nil
}

func (t *modelTxn) Mark() int {
	t.marks = append(t.marks, modelTxn{m: maps.Clone(t.m), written: maps.Clone(t.written), after: slices.Clone(t.after)})
	return len(t.marks) - 1
}

func (t *modelTxn) Undo(mark int) {
	was := t.marks[mark]
	t.m, t.written, t.after = maps.Clone(was.m), maps.Clone(was.written), slices.Clone(was.after)
}

func (t *modelTxn) Size() (bytes, records int) {
	for _, n := range t.written {
		bytes += n
	}
	return bytes, len(t.written)
}

func (t *modelTxn) After(fn func(kv.Txn) error) { t.after = append(t.after, fn) }

func (t *modelTxn) Undone(func()) {}

func (t *modelTxn) Published(func()) {}
