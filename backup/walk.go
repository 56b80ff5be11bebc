package backup

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"keypact/store/kv"
)

// walker goes over the keys of a store beside the entries of an increment: what
// an entry writes is written, what none writes or marks is deleted.
type walker struct {
	r     *reader
	l     *loader
	marks marker
	entry entry // the next one
	done  bool  // there is none
}

// walk applies the increment that r reads to base.
func walk(base kv.Reader, r *reader, l *loader) error {
	w := &walker{r: r, l: l, marks: marker{salt: r.salt}}
	if err := w.next(); err != nil {
		return err
	}
	var err error
	failed := base.Scan(kv.Range{KeysOnly: true}, func(key, _ []byte) bool {
		err = w.pass(key)
		return err == nil
	})
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	for !w.done {
		if w.entry.kept {
			return fmt.Errorf("%w: the block at byte %d keeps a key that is not there", ErrChain, r.at)
		}
		if err := w.write(); err != nil {
			return err
		}
	}
	return nil
}

// pass decides on one key of the base, after all entries before it.
func (w *walker) pass(key []byte) error {
	for !w.done && !w.entry.kept {
		order := bytes.Compare(w.entry.key, key)
		if order > 0 {
			return w.l.drop(key)
		}
		if err := w.write(); err != nil || order == 0 {
			return err
		}
	}
	if w.done || w.entry.mark != w.marks.of(key) {
		return w.l.drop(key)
	}
	return w.next()
}

// write writes the entry, a record, and goes on to the next.
func (w *walker) write() error {
	if err := w.l.put(w.entry.key, w.entry.value); err != nil {
		return err
	}
	return w.next()
}

func (w *walker) next() error {
	err := w.r.next(&w.entry)
	if errors.Is(err, io.EOF) {
		w.done = true
		return nil
	}
	return err
}
