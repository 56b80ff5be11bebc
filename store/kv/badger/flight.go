package badger

import (
	"fmt"
	"sync"
	"time"

	"keypact/store/kv"
)

// flight is a group on its way to the disk. Requests that may have seen its
// records, but wrote none, join it to be answered with it.
type flight struct {
	group  *group
	mu     sync.Mutex
	landed bool
	joined []*request
}

// join adds r, unless the flight has landed.
func (f *flight) join(r *request) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.landed {
		return false
	}
	f.joined = append(f.joined, r)
	return true
}

// land closes the flight and returns everyone who waits for it.
func (f *flight) land() []*request {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.landed = true
	return append(f.group.requests, f.joined...)
}

// records is the final state of the group, each key once.
func (f *flight) records() (records []Record, bytes int) {
	records = make([]Record, 0, len(f.group.overlay.entries))
	for _, e := range f.group.overlay.entries {
		records = append(records, Record{Key: e.key, Value: e.value})
		bytes += len(e.key) + len(e.value)
	}
	return records, bytes
}

// fly writes groups, one after the other, and does chores in between, until
// launches is closed.
func (db *DB) fly() {
	defer close(db.flown)
	for {
		select {
		case f, open := <-db.launches:
			if !open {
				return
			}
			db.deliver(f)
			db.landed <- struct{}{}
		case c := <-db.chores:
			c.done <- c.run()
		}
	}
}

// deliver writes, syncs and publishes one group and answers its requests.
func (db *DB) deliver(f *flight) {
	started := time.Now()
	records, bytes := f.records()
	ts := db.ts + 1
	err := db.write(ts, records)
	if err == nil {
		db.ts = ts
		db.engine.SetDiscardTs(db.epochs.publish(ts))
		err = db.failure()
	}
	waiting := f.land()
	if err != nil {
		err = fmt.Errorf("%w: %w", kv.ErrOutcomeUnknown, err)
		for _, r := range waiting {
			r.refuse(err)
		}
		return
	}
	for _, r := range waiting {
		r.answer(db.callbackPanicked)
	}
	db.count(len(waiting), len(records), bytes, time.Since(started))
}

// write hands the records to the log and syncs as the durability says.
func (db *DB) write(ts uint64, records []Record) error {
	if err := db.failure(); err != nil {
		return err
	}
	if err := db.log.Write(ts, records); err != nil {
		return db.fail(err)
	}
	if db.options.Durability != Always {
		db.unsynced.Store(true)
		return nil
	}
	return db.sync()
}

// sync makes everything written so far durable; a failure stops the engine.
func (db *DB) sync() error {
	started := time.Now()
	if err := db.log.Sync(); err != nil {
		return db.fail(fmt.Errorf("sync: %w", err))
	}
	db.syncs.Add(1)
	db.syncTime.Add(int64(time.Since(started)))
	return nil
}

// syncEvery syncs what is unsynced every interval until stop is closed.
func (db *DB) syncEvery(interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-db.stop:
			return
		case <-ticker.C:
		}
		if db.unsynced.Swap(false) && db.sync() != nil {
			return
		}
	}
}
