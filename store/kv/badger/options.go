package badger

import (
	"fmt"
	"log/slog"
	"time"
)

// Durability says when an Update is answered.
type Durability int

const (
	// Always answers after the group's records are on the disk. It is the zero value.
	Always Durability = iota
	// Interval answers after the write and syncs every Options.SyncInterval: a
	// power loss takes at most about that much. A killed process loses nothing.
	Interval
	// None never syncs but at Close. A power loss may take everything since.
	None
)

// ParseDurability reads "always", "interval" or "none".
func ParseDurability(s string) (Durability, error) {
	for _, d := range []Durability{Always, Interval, None} {
		if s == d.String() {
			return d, nil
		}
	}
	return 0, fmt.Errorf("durability %q is not one of always, interval, none", s)
}

// String returns the name that ParseDurability reads.
func (d Durability) String() string {
	switch d {
	case Interval:
		return "interval"
	case None:
		return "none"
	}
	return "always"
}

// Defaults of Options.
const (
	DefaultSyncInterval = time.Second
	DefaultMinFreeBytes = 256 << 20
	DefaultMemTable     = 12 << 20
	DefaultTable        = 3 << 19
	DefaultBlockCache   = 16 << 20
	DefaultMaintenance  = 30 * time.Second
	DefaultMaxTxnBytes  = 8 << 20
	DefaultMaxTxnWrites = 50_000
)

// Options say how to open a store. Only Dir or InMemory must be given.
type Options struct {
	Dir      string // created if missing; must be empty or hold a store
	InMemory bool   // keeps everything in memory; Dir must be empty

	Durability   Durability
	SyncInterval time.Duration // of Interval; 0 is DefaultSyncInterval

	// MinFreeBytes is the watermark of free space in Dir. Below it a transaction
	// that sets any record but essential ones gets kv.ErrFull, while reads and
	// deletions go on; below a quarter of it nothing is written. 0 is
	// DefaultMinFreeBytes, negative switches it off.
	MinFreeBytes int64
	// Essential says which records a transaction may set below the watermark:
	// those without which nothing could be deleted. nil is none. It must be quick
	// and may be called at any time.
	Essential func(key, value []byte) bool
	FreeBytes func(dir string) (uint64, error) // asks for free space; nil asks the file system

	// MemTableBytes is the size of one in-memory table, of which there are two,
	// for a moment three. A group of transactions that share a sync fits into
	// 15 % of it; a larger transaction is written twice, so that it stays whole.
	// 0 is DefaultMemTable; 4 MiB is the least on a disk. A store that was not
	// closed keeps the larger size that it had, until it is closed.
	MemTableBytes int64
	// TableBytes is the size of a table on the disk, of which each is mapped into
	// memory. 0 is DefaultTable.
	TableBytes int64
	// BlockCacheBytes bounds the cache of decompressed blocks. 0 is DefaultBlockCache.
	BlockCacheBytes int64

	MaxTxnBytes  int // keys and values of one transaction; 0 is DefaultMaxTxnBytes
	MaxTxnWrites int // records of one transaction; 0 is DefaultMaxTxnWrites

	// Maintenance is how often the engine looks whether deleted records still
	// take space worth giving back. 0 is DefaultMaintenance, negative switches it
	// off. A store in memory has nothing to give back.
	Maintenance time.Duration

	Logger *slog.Logger     // nil discards
	Clock  func() time.Time // nil is time.Now

	// OnFatal is called once, on a goroutine of its own, when a write or a sync
	// failed. From then on every call returns an error that is kv.ErrClosed:
	// what is on the disk is no longer known, so the process should end.
	OnFatal func(error)
	// OnCommit is called after each group: Updates answered with it, records and
	// bytes written, and the time of its write and sync. It must not block.
	OnCommit func(requests, records, bytes int, took time.Duration)

	// OnRound is called after each time that space was given back. It must not
	// block.
	OnRound func(Round)

	// WrapLog is the test seam between the committer and the engine: whatever it
	// returns is written and synced in the engine's place. See package powerloss.
	WrapLog func(Log) Log

	baseLevelBytes int64 // of the level below the first; tests set it low for many levels
}

func (o Options) withDefaults() Options {
	o.SyncInterval = orDefault(o.SyncInterval, DefaultSyncInterval)
	o.MinFreeBytes = orDefault(o.MinFreeBytes, DefaultMinFreeBytes)
	o.MemTableBytes = orDefault(o.MemTableBytes, DefaultMemTable)
	o.TableBytes = orDefault(o.TableBytes, DefaultTable)
	o.BlockCacheBytes = orDefault(o.BlockCacheBytes, DefaultBlockCache)
	o.Maintenance = orDefault(o.Maintenance, DefaultMaintenance)
	o.MaxTxnBytes = orDefault(o.MaxTxnBytes, DefaultMaxTxnBytes)
	o.MaxTxnWrites = orDefault(o.MaxTxnWrites, DefaultMaxTxnWrites)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.FreeBytes == nil {
		o.FreeBytes = freeBytes
	}
	return o
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
