package main

import (
	"runtime/debug"

	"keypact/store/kv/badger"
)

// leastMemory is what the service can do with.
const leastMemory = 128 << 20

// sizeEngine divides --memory. At the default of 512 MiB a memtable has 12 MiB
// and a table 1.5: what the engine allocates to build tables, up to twenty at
// once and each up to twice as large as a memtable, is most of the memory while
// data is loaded. The bounds keep a small service working and the tables of a
// large one from growing past use.
func (c Config) sizeEngine(o *badger.Options) {
	o.MemTableBytes, o.BlockCacheBytes = c.Memtable, c.Cache
	if o.MemTableBytes == 0 {
		o.MemTableBytes = min(max(c.Memory*3/128, 4<<20), 64<<20)
	}
	if o.BlockCacheBytes == 0 {
		o.BlockCacheBytes = c.Memory / 32
	}
	o.TableBytes = min(max(c.Memory*3/1024, 1<<20), 16<<20)
}

// limitMemory lets the garbage collector run early enough to keep to --memory.
// The limit is lower, since what the kernel counts lags behind what was given
// back to it. GOMEMLIMIT in the environment wins: the runtime has read it.
func (c Config) limitMemory(getenv func(string) string) {
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(c.Memory * 25 / 32)
	}
}
