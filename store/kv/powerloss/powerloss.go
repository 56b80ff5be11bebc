// Package powerloss plays a power loss under the Badger engine, for tests.
// Killing a process does not do: the kernel keeps what the process wrote.
package powerloss

import (
	"context"
	"errors"
	"maps"
	"sync"

	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// ErrCut is what writing and syncing return once the power is gone.
var ErrCut = errors.New("powerloss: no power")

// Disk notes what a disk would hold. Pass Wrap as badger.Options.WrapLog.
type Disk struct {
	mu   sync.Mutex
	kept map[string][]byte // after the groups that a sync covered
	tail [][]badger.Record // groups since, in order
	cut  bool
}

// NewDisk returns an empty disk with power.
func NewDisk() *Disk { return &Disk{kept: map[string][]byte{}} }

// Wrap puts the disk between the committer and the engine's log.
func (d *Disk) Wrap(log badger.Log) badger.Log { return &wrapped{disk: d, log: log} }

// Cut takes the power away: everything after the last sync is gone, a sync that
// runs right now has not happened, and later calls fail.
func (d *Disk) Cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cut, d.tail = true, nil
}

// Restore writes what survived into an empty store, as a restart finds it.
func (d *Disk) Restore(ctx context.Context, into kv.DB) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	rest := maps.Clone(d.kept)
	for len(rest) > 0 {
		var written []string
		err := into.Update(ctx, func(tx kv.Txn) error {
			written = written[:0]
			for key, value := range rest {
				if bytes, records := tx.Size(); records > 0 && (records == 1000 || bytes+len(value) > 4<<20) {
					break
				}
				if err := tx.Set([]byte(key), value); err != nil {
					return err
				}
				written = append(written, key)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, key := range written {
			delete(rest, key)
		}
	}
	return nil
}

type wrapped struct {
	disk *Disk
	log  badger.Log
}

// Write passes the group on and notes that it is not synced.
func (w *wrapped) Write(ts uint64, group []badger.Record) error {
	d := w.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cut {
		return ErrCut
	}
	if err := w.log.Write(ts, group); err != nil {
		return err
	}
	d.tail = append(d.tail, group)
	return nil
}

// Sync syncs the groups that were written before it began. The lock is not
// held meanwhile: the power may go in the middle.
func (w *wrapped) Sync() error {
	d := w.disk
	d.mu.Lock()
	covered := len(d.tail)
	d.mu.Unlock()
	err := w.log.Sync()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cut {
		return ErrCut
	}
	if err != nil {
		return err
	}
	covered = min(covered, len(d.tail))
	for _, group := range d.tail[:covered] {
		for _, r := range group {
			if r.Value == nil {
				delete(d.kept, string(r.Key))
			} else {
				d.kept[string(r.Key)] = r.Value
			}
		}
	}
	d.tail = d.tail[covered:]
	return nil
}
