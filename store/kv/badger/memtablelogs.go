package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// memtableLogs makes the logs of Badger's memtables durable. A record is safe
// when the log it was written to is synced, or when its memtable has become a
// table, which Badger syncs itself before it removes the log.
//
// Badger's own db.Sync covers only the log of the active memtable, and a new
// log's directory entry is never synced: after a rotation both are done here.
type memtableLogs struct {
	dir     string // empty: everything is in memory, nothing to do
	file    func(*os.File) error
	native  func() error // Badger's own sync, where the platform needs it
	mu      sync.Mutex
	id      int        // of the newest log
	open    []*os.File // logs with records that no sync has covered, oldest first; the last is the newest
	renewed bool       // the directory has an entry that no sync has covered
}

const memtableExt = ".mem"

// largestMemtable returns the size of the largest memtable whose log lies in
// dir. Badger makes a log of twice the size of its memtable.
func largestMemtable(dir string) (size int64, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("list memtable logs: %w", err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != memtableExt {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return 0, fmt.Errorf("look at memtable log: %w", err)
		}
		size = max(size, info.Size()/2)
	}
	return size, nil
}

// openMemtableLogs finds the logs in dir. All of them need a sync: a process
// that was killed may have left records that readers will now see.
func openMemtableLogs(dir string, native func() error) (*memtableLogs, error) {
	l := &memtableLogs{dir: dir, file: syncFile, native: native, renewed: true}
	if dir == "" {
		return l, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list memtable logs: %w", err)
	}
	for _, e := range entries { // sorted by name, so by number up to five digits
		name, found := strings.CutSuffix(e.Name(), memtableExt)
		id, err := strconv.Atoi(name)
		if !found || err != nil {
			continue
		}
		if err := l.add(id); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// add opens log id; one that is gone has become a table.
func (l *memtableLogs) add(id int) error {
	f, err := os.OpenFile(l.path(id), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open memtable log: %w", err)
	}
	if id > l.id || len(l.open) == 0 {
		l.id = id
		l.open = append(l.open, f)
		return nil
	}
	last := len(l.open) - 1 // past five digits names no longer sort
	l.open = append(l.open[:last], f, l.open[last])
	return nil
}

func (l *memtableLogs) path(id int) string {
	return filepath.Join(l.dir, fmt.Sprintf("%05d%s", id, memtableExt))
}

// follow notes a rotation and reports whether there was one. It must run after
// each transaction, before the next.
func (l *memtableLogs) follow() (rotated bool, err error) {
	if l.dir == "" {
		return false, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = os.Lstat(l.path(l.id + 1))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a new memtable log: %w", err)
	}
	l.renewed = true
	return true, l.add(l.id + 1)
}

// newest is the number of the newest log.
func (l *memtableLogs) newest() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.id
}

// sync makes every record durable that was written before the call.
func (l *memtableLogs) sync() error {
	if l.dir == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.native != nil {
		if err := l.native(); err != nil {
			return fmt.Errorf("sync active memtable log: %w", err)
		}
	}
	for len(l.open) > 0 {
		f := l.open[0]
		if err := l.file(f); err != nil {
			return fmt.Errorf("sync %s: %w", filepath.Base(f.Name()), err)
		}
		if len(l.open) == 1 {
			break
		}
		_ = f.Close() // synced; nothing was written through this descriptor
		l.open = l.open[1:]
	}
	if !l.renewed {
		return nil
	}
	if err := syncDir(l.dir); err != nil {
		return err
	}
	l.renewed = false
	return nil
}

func (l *memtableLogs) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.open {
		_ = f.Close() // read by nobody, written by nobody
	}
	l.open = nil
}

// syncDir makes the entries of dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}
