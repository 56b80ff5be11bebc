package badger

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"

	"keypact/store/kv"
)

// Stats are figures for metrics. Counters run since Open.
type Stats struct {
	Commits  int64         // groups written
	Requests int64         // Updates answered with those groups
	Records  int64         // records written by them
	Bytes    int64         // keys and values of those records
	Syncs    int64         // syncs, each over everything written before it
	SyncTime time.Duration // spent in them

	LSMBytes  int64 // tables on disk
	LogBytes  int64 // logs of memtables, as far as the disk holds them
	FreeBytes int64 // space left in the directory's file system; -1 if unknown
	Full      bool  // below the watermark: writes are refused
	Queued    int   // Updates that wait for their turn

	Levels    []int64 // bytes of the tables on each level
	Stale     int64   // bytes of deletions, between the first level and the last, that still hide records
	Giving    bool    // space is being given back now
	Rounds    int64   // times that space was given back
	Reclaimed int64   // bytes by which that made the tables smaller
	Round     Round   // the last of them
}

// rounds are figures of the maintainer.
type rounds struct {
	mu        sync.Mutex
	count     int64
	reclaimed int64
	last      Round
}

func (r *rounds) add(one Round) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	r.reclaimed += max(0, one.Before-one.After)
	r.last = one
}

func (r *rounds) read(s *Stats) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Rounds, s.Reclaimed, s.Round = r.count, r.reclaimed, r.last
}

func tableBytes(levels []badger.LevelInfo) (total int64) {
	for _, l := range levels {
		total += l.Size
	}
	return total
}

// Stats reads the figures. It looks at the directory, so it is for scraping,
// not for each request.
func (db *DB) Stats() Stats {
	s := Stats{
		Commits:   db.commits.Load(),
		Requests:  db.requests.Load(),
		Records:   db.records.Load(),
		Bytes:     db.bytes.Load(),
		Syncs:     db.syncs.Load(),
		SyncTime:  time.Duration(db.syncTime.Load()),
		Queued:    db.queue.length(),
		FreeBytes: -1,
	}
	db.rounds.read(&s)
	s.Giving = db.giving.Load()
	s.Levels, s.Stale = db.levels()
	if db.options.Dir == "" {
		return s
	}
	s.LSMBytes, s.LogBytes = directorySizes(db.options.Dir)
	if free, err := db.options.FreeBytes(db.options.Dir); err == nil {
		s.FreeBytes = int64(min(free, 1<<62))
	}
	s.Full = db.room() != roomEnough
	return s
}

// levels looks at the tables, unless the store is closed.
func (db *DB) levels() (bytes []int64, stale int64) {
	e, err := db.epochs.acquire() // keeps Close away
	if err != nil {
		return nil, 0
	}
	defer db.epochs.release(e)
	levels := db.engine.Levels()
	for _, l := range levels {
		bytes = append(bytes, l.Size)
		if l.Level < len(levels)-1 {
			stale += l.StaleDatSize
		}
	}
	return bytes, stale
}

// Verify reads every table and checks its checksums. A read does not tell:
// where a block is damaged Badger's Get finds nothing and its iterator goes on
// behind the table, both without an error.
func (db *DB) Verify() (err error) {
	e, err := db.epochs.acquire() // keeps Close away
	if err != nil {
		return err
	}
	defer db.epochs.release(e)
	defer func() {
		// Badger's check stumbles over the very block it finds damaged.
		if v := recover(); v != nil {
			err = fmt.Errorf("verify tables: %w: a block does not match its checksum (%v)", kv.ErrDamaged, v)
		}
	}()
	if err := db.engine.VerifyChecksum(); err != nil {
		return fmt.Errorf("verify tables: %w: %w", kv.ErrDamaged, err)
	}
	return nil
}

// directorySizes adds up what files take. A file that vanishes meanwhile is
// left out.
func directorySizes(dir string) (tables, logs int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, 0
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		switch filepath.Ext(e.Name()) {
		case ".sst":
			tables += info.Size()
		case memtableExt, ".vlog":
			logs += allocated(info)
		}
	}
	return tables, logs
}

// count notes one group.
func (db *DB) count(requests, records, bytes int, took time.Duration) {
	db.commits.Add(1)
	db.requests.Add(int64(requests))
	db.records.Add(int64(records))
	db.bytes.Add(int64(bytes))
	if db.options.OnCommit != nil {
		db.options.OnCommit(requests, records, bytes, took)
	}
}
