package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"keypact/store/kv"
)

// Open opens the store in Options.Dir, or creates it. It refuses a path that
// is no directory, a directory that is not writable (kv.ErrReadOnly), one that
// another process uses, and one that holds something else.
func Open(o Options) (*DB, error) {
	o = o.withDefaults()
	if o.InMemory != (o.Dir == "") {
		return nil, errors.New("open store: give either a directory or InMemory")
	}
	limits, err := o.limits()
	if err != nil {
		return nil, err
	}
	if !o.InMemory {
		if err := prepareDir(o.Dir); err != nil {
			return nil, err
		}
		largest, err := largestMemtable(o.Dir)
		if err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
		// The log of a memtable must fit into the one that is made of it.
		o.MemTableBytes = max(o.MemTableBytes, largest)
	}
	step := new(atomic.Pointer[func()])
	engine, err := badger.OpenManaged(engineOptions(o).WithLogger(engineLogger{o.Logger, step}))
	if err != nil {
		return nil, explain(o.Dir, err)
	}
	db := &DB{
		options: o, limits: limits, engine: engine, queue: newQueue(),
		step: step, launches: make(chan *flight, 1), chores: make(chan chore), landed: make(chan struct{}, 1),
		flown: make(chan struct{}), stop: make(chan struct{}),
	}
	if err := db.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), engine.Close())
	}
	return db, nil
}

// begin recovers what the last process left and starts the goroutines.
func (db *DB) begin() error {
	var native func() error
	if needsNativeSync {
		native = db.engine.Sync
	}
	files, err := openMemtableLogs(db.options.Dir, native)
	if err != nil {
		return err
	}
	db.files = files
	log := &engineLog{
		db: db.engine, files: files, limits: db.limits, deletes: &db.deletes,
		redo: redoFile{dir: db.options.Dir, sync: files.file},
	}
	if err := log.repeat(); err != nil {
		return err
	}
	if err := log.load(db.engine.MaxVersion()); err != nil {
		return err
	}
	// Readers will see what a killed process had written; make it last first.
	if err := log.Sync(); err != nil {
		return err
	}
	db.ts = db.engine.MaxVersion()
	db.epochs = newEpochs(db.ts)
	db.engine.SetDiscardTs(db.ts)
	db.log, db.inner = log, log
	if db.options.WrapLog != nil {
		db.log = db.options.WrapLog(log)
	}
	go (&committer{db: db}).loop()
	go db.fly()
	if db.options.Durability == Interval {
		db.work.Go(func() { db.syncEvery(db.options.SyncInterval) })
	}
	if db.options.Maintenance > 0 && db.options.Dir != "" {
		db.work.Go(func() { newMaintainer(db).loop(db.options.Maintenance) })
	}
	return nil
}

// engineOptions keep memory within bounds. Badger builds tables in buffers of
// up to twice a table's size, as many at once as it likes, and keeps eight of
// them for the next; so tables are of one small size on all levels, memtables,
// which become tables in one piece, are hardly larger, and level 0 is kept so
// short that Badger hardly ever merges it into one large table of its own. The
// level below it holds a few memtables: with fewer levels data is rewritten less
// often. One memtable waits for its flush at most, and the value log is never
// written.
func engineOptions(o Options) badger.Options {
	e := badger.DefaultOptions(o.Dir).
		WithInMemory(o.InMemory).
		WithMemTableSize(o.MemTableBytes).
		WithNumMemtables(1).
		WithBaseTableSize(o.TableBytes).
		WithBaseLevelSize(orDefault(o.baseLevelBytes, 5*o.MemTableBytes)).
		WithNumLevelZeroTables(3).
		WithNumLevelZeroTablesStall(5).
		WithBlockCacheSize(o.BlockCacheBytes).
		WithNumCompactors(2).
		WithChecksumVerificationMode(options.OnBlockRead).
		WithVerifyValueChecksum(true).
		WithValueThreshold(min(1<<20, batchBytes(o.MemTableBytes))).
		WithValueLogFileSize(1 << 20).
		WithDetectConflicts(false).
		WithMetricsEnabled(false)
	e.TableSizeMultiplier = 1
	return e
}

// batchBytes is what one Badger transaction takes, given the size of a
// memtable.
func batchBytes(memtable int64) int64 { return memtable * 15 / 100 }

// limits derives the bounds of groups. Several requests share a group as long
// as it fits into one Badger transaction. One request alone may be larger, up
// to what the options say: it is then written in several, behind a redo file.
func (o Options) limits() (limits, error) {
	const slack = 16 << 10
	const nodeBytes = 96 // of a skip list node, which bounds the records
	most := int(batchBytes(o.MemTableBytes))
	whole := o.MaxTxnBytes + o.MaxTxnWrites*recordCost
	l := limits{
		txnBytes: o.MaxTxnBytes, txnRecords: o.MaxTxnWrites,
		groupBytes: most - slack, groupRecords: most/nodeBytes - 16,
	}
	// Beside the transaction there is room for what it queues with After.
	l.aloneBytes, l.aloneRecords = max(l.groupBytes, whole+whole/8), max(l.groupRecords, o.MaxTxnWrites+o.MaxTxnWrites/8)
	l.softBytes, l.softRecords = l.groupBytes/2, l.groupRecords/2
	if record := min(o.MaxTxnBytes, partBytes) + maxKeyBytes + 2*recordCost; record > l.groupBytes {
		return l, fmt.Errorf("open store: a memtable of %d bytes cannot take a record of %d bytes", o.MemTableBytes, record)
	}
	return l, nil
}

// manifest is the file that every Badger directory has.
const manifest = "MANIFEST"

// Exists reports whether a directory holds a store.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifest))
	return err == nil
}

// prepareDir creates dir if it is missing and checks that it can be used.
func prepareDir(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			info, err = os.Stat(dir)
		}
	}
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("open store: %s is not a directory", dir)
	}
	if err := checkContent(dir); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return fmt.Errorf("open store: directory %s is not writable: %w: %w", dir, kv.ErrReadOnly, err)
	}
	_ = probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	return nil
}

// checkContent refuses a directory that holds files but no store. What an
// interrupted first open leaves, and what a file system puts there, is no
// hindrance.
func checkContent(dir string) error {
	if Exists(dir) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if name == "LOCK" || name == "lost+found" || strings.HasPrefix(name, manifest) || strings.HasPrefix(name, ".probe-") {
			continue
		}
		return fmt.Errorf("open store: directory %s holds %s and no store; give an empty directory", dir, name)
	}
	return nil
}

// explain turns Badger's errors at open into what a person can act on. They
// arrive as text only.
func explain(dir string, err error) error {
	if strings.Contains(err.Error(), "Another process is using this Badger database") {
		return fmt.Errorf("open store: directory %s is in use by another process", dir)
	}
	for _, sign := range []string{"Opening table", "file does not exist for table", "manifest has bad magic", "manifest has checksum mismatch"} {
		if strings.Contains(err.Error(), sign) {
			return fmt.Errorf("open store: %w: %w", kv.ErrDamaged, err)
		}
	}
	return fmt.Errorf("open store: %w", err)
}
