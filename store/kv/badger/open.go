package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
	}
	engine, err := badger.OpenManaged(engineOptions(o))
	if err != nil {
		return nil, explain(o.Dir, err)
	}
	db := &DB{
		options: o, limits: limits, engine: engine, queue: newQueue(),
		launches: make(chan *flight, 1), landed: make(chan struct{}, 1),
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
	log := &engineLog{db: db.engine, files: files}
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
	db.log = log
	if db.options.WrapLog != nil {
		db.log = db.options.WrapLog(log)
	}
	go (&committer{db: db}).loop()
	go db.fly()
	if db.options.Durability == Interval {
		db.work.Go(func() { db.syncEvery(db.options.SyncInterval) })
	}
	return nil
}

// engineOptions keep memory modest: one memtable waits for its flush at most,
// blocks are cached within bounds, and the value log is never written.
func engineOptions(o Options) badger.Options {
	return badger.DefaultOptions(o.Dir).
		WithInMemory(o.InMemory).
		WithLogger(engineLogger{o.Logger}).
		WithMemTableSize(o.MemTableBytes).
		WithNumMemtables(1).
		WithBlockCacheSize(o.BlockCacheBytes).
		WithNumCompactors(2).
		WithChecksumVerificationMode(options.OnBlockRead).
		WithVerifyValueChecksum(true).
		WithValueThreshold(min(1<<20, o.MemTableBytes*15/100)).
		WithValueLogFileSize(1 << 20).
		WithDetectConflicts(false).
		WithMetricsEnabled(false)
}

// limits derives the bounds of groups from what one Badger transaction takes,
// 15 % of a memtable, and checks that a transaction fits.
func (o Options) limits() (limits, error) {
	const slack = 16 << 10
	const nodeBytes = 96 // of a skip list node, which bounds the records
	most := int(o.MemTableBytes * 15 / 100)
	l := limits{
		txnBytes: o.MaxTxnBytes, txnRecords: o.MaxTxnWrites,
		groupBytes: most - slack, groupRecords: most/nodeBytes - 16,
	}
	l.softBytes, l.softRecords = l.groupBytes/4, l.groupRecords/4
	if o.MaxTxnBytes+o.MaxTxnWrites*recordCost > l.groupBytes || o.MaxTxnWrites > l.groupRecords {
		return l, fmt.Errorf("open store: a memtable of %d bytes cannot take a transaction of %d bytes in %d records",
			o.MemTableBytes, o.MaxTxnBytes, o.MaxTxnWrites)
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
