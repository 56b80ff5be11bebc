package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"keypact/store/kv"
)

// deletes counts deletions since Open.
type deletes struct {
	all    atomic.Int64
	bytes  atomic.Int64 // of their keys
	tabled atomic.Int64 // how many there were when the memtable was last rotated
}

// tombstone is what a deletion takes in a table, as Badger counts it.
func (d *deletes) tombstone() int64 {
	const around = 16 // timestamp, header and offset
	if n := d.all.Load(); n > 0 {
		return around + d.bytes.Load()/n
	}
	return around + 32
}

// note counts what a committed transaction deleted. If the memtable was rotated
// for it, everything before it is in a table now, or soon.
func (d *deletes) note(n, bytes int64, rotated bool) {
	if rotated {
		d.tabled.Store(d.all.Load())
	}
	d.all.Add(n)
	d.bytes.Add(bytes)
}

// fillerKey is the record that fills memtables. It looks like a part without an
// owner, so no scan shows it, and should it stay, the next open drops it.
var fillerKey = appendPartKey(nil, []byte("filler"), 0)

// rotate makes a table of the memtable if deletions sit in it. Badger rotates a
// memtable only when it is full, so it is filled, a little at a time, with one
// record over and over, each in the place of the one before.
func (m *maintainer) rotate() error {
	db := m.db
	before := db.files.newest()
	if db.deletes.all.Load() == db.deletes.tabled.Load() {
		return nil
	}
	for db.files.newest() == before {
		if !m.rests(0) {
			return nil
		}
		if err := db.chore(func() error { return db.fill(before) }); err != nil {
			return fmt.Errorf("rotate memtable: %w", err)
		}
	}
	for m.rests(10 * time.Millisecond) {
		if _, err := os.Lstat(db.files.path(before)); errors.Is(err, fs.ErrNotExist) {
			return nil // it is a table now
		}
	}
	return nil
}

// fill writes a little into the memtable whose log is number id. It runs on the
// goroutine that writes, between two groups.
func (db *DB) fill(id int) error {
	if err := db.failure(); err != nil {
		return err
	}
	// Not through db.log, which only groups pass.
	if err := db.inner.fill(db.ts, id); err != nil {
		return db.fail(err)
	}
	if db.options.Durability != Always {
		return nil
	}
	return db.sync() // or the next group's sync would have more to do
}

// fill writes the filler, and deletes it once log id is no longer the newest.
func (l *engineLog) fill(ts uint64, id int) error {
	t := l.db.NewTransactionAt(ts, true)
	defer t.Discard()
	size := min(partBytes, l.limits.groupBytes/2)
	if err := t.Set(fillerKey, make([]byte, size)); err != nil {
		return fmt.Errorf("fill memtable: %w", err)
	}
	if err := l.commit(t, ts, 0, 0); err != nil {
		return fmt.Errorf("fill memtable: %w", err)
	}
	if l.files.newest() == id {
		return nil
	}
	end := l.db.NewTransactionAt(ts, true)
	defer end.Discard()
	if err := end.Delete(fillerKey); err != nil {
		return fmt.Errorf("fill memtable: %w", err)
	}
	return l.commit(end, ts, 0, 0)
}

// chore is work for the goroutine that writes.
type chore struct {
	run  func() error
	done chan error
}

// chore runs fn between two groups. It must be short: writers wait for it.
func (db *DB) chore(fn func() error) error {
	c := chore{run: fn, done: make(chan error, 1)}
	select {
	case db.chores <- c:
		return <-c.done
	case <-db.flown:
		return fmt.Errorf("%w", kv.ErrClosed)
	}
}
