package badger

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"keypact/store/kv"
)

var _ kv.Checker = (*DB)(nil)

// CheckStorage checks the checksums of all tables. Those of the logs were
// checked when they were read, at Open; see CheckLogs. A context that ends is
// noticed between the two.
func (db *DB) CheckStorage(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := db.Verify(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// CheckLogs looks whether the logs of memtables in dir, which no process has
// open, can be read to their ends. Open reads a log up to the first bytes that
// do not match their checksum and cuts it off there: a write that did not end
// looks like that. It says nothing if whole transactions lie behind, which is
// kv.ErrDamaged here. Only a power loss in the middle of writes that were not
// answered yet can leave the same without damage.
func CheckLogs(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*"+memtableExt))
	if err != nil {
		return fmt.Errorf("check logs: %w", err)
	}
	var damage []error
	for _, name := range names {
		at, found, err := damagedAt(name)
		if err != nil {
			return fmt.Errorf("check logs: %w", err)
		}
		if !found {
			continue
		}
		// A log that somebody is writing looks different the next time.
		again, found, err := damagedAt(name)
		if err != nil {
			return fmt.Errorf("check logs: %w", err)
		}
		if found && at == again {
			damage = append(damage, fmt.Errorf("%w: log %s is damaged at byte %d, and finished transactions lie behind", kv.ErrDamaged, filepath.Base(name), at))
		}
	}
	return errors.Join(damage...)
}

// Parts of Badger's log: memtable.go and structs.go of its version 4.
const (
	logHead   = 20   // key id and vector, which are 0 without encryption
	finMeta   = 0x80 // meta of the entry that ends a transaction
	finKey    = "!badger!txn"
	finHeader = 5       // meta, user meta, lengths of key and value, expiry
	logKeyMax = 1 << 16 // what Badger takes for a key's length at most
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// damagedAt reads a log and looks for damage.
func damagedAt(name string) (at int, found bool, err error) {
	log, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil // it has become a table
	}
	at, found = damagedIn(log)
	return at, found, err
}

// damagedIn finds the first entry of a log that is not what was written and
// behind which a transaction ends.
func damagedIn(log []byte) (at int, found bool) {
	for at = logHead; at < len(log); {
		n := logEntry(log[at:])
		if n == 0 {
			break
		}
		at += n
	}
	for rest := at; rest < len(log); {
		i := bytes.Index(log[rest:], []byte(finKey))
		if i < 0 {
			break
		}
		if start := rest + i - finHeader; start >= at && log[start] == finMeta && logEntry(log[start:]) > 0 {
			return at, true
		}
		rest += i + 1
	}
	return 0, false
}

// logEntry is the length of the entry at the start of log, 0 if there is none
// or it does not match its checksum.
func logEntry(log []byte) int {
	at := 2 // meta and user meta
	var fields [3]uint64
	for i := range fields {
		if at >= len(log) {
			return 0
		}
		value, n := binary.Uvarint(log[at:])
		if n <= 0 {
			return 0
		}
		fields[i] = value
		at += n
	}
	key, value := fields[0], fields[1]
	if key == 0 || key > logKeyMax || value > uint64(len(log)) {
		return 0
	}
	end := uint64(at) + key + value
	if end+crc32.Size > uint64(len(log)) {
		return 0
	}
	if binary.BigEndian.Uint32(log[end:]) != crc32.Checksum(log[:end], castagnoli) {
		return 0
	}
	return int(end) + crc32.Size
}

// Expected is about how many records the tables hold, deleted and older ones
// included.
func (db *DB) Expected() (n uint64) {
	for _, table := range db.engine.Tables() {
		n += uint64(table.KeyCount)
	}
	return n
}
