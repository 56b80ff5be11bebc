package main

import (
	"math"
	"runtime/debug"
	"testing"

	"keypact/store/kv/badger"
)

func TestMemoryIsDivided(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct {
		args                     []string
		memtable, tables, blocks int64
	}{
		{nil, 12 * mib, 3 * mib / 2, 16 * mib},
		{[]string{"--memory", "128MiB"}, 4 * mib, mib, 4 * mib},
		{[]string{"--memory", "2GiB"}, 48 * mib, 6 * mib, 64 * mib},
		{[]string{"--memory", "64GiB"}, 64 * mib, 16 * mib, 2048 * mib},
		{[]string{"--memory", "1GiB", "--memtable", "64MiB", "--cache", "1MiB"}, 64 * mib, 3 * mib, mib},
	} {
		c, err := load(test.args, func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		var o badger.Options
		c.sizeEngine(&o)
		if o.MemTableBytes != test.memtable || o.TableBytes != test.tables || o.BlockCacheBytes != test.blocks {
			t.Errorf("%v: memtable %d, tables %d, cache %d", test.args, o.MemTableBytes, o.TableBytes, o.BlockCacheBytes)
		}
	}
	for _, args := range [][]string{{"--memory", "127MiB"}, {"--memtable", "1MiB"}, {"--cache", "1"}, {"--maintenance-interval", "1ms"}} {
		if _, err := load(args, func(string) string { return "" }); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	c := Config{Memory: 512 << 20}
	c.limitMemory(func(name string) string { return map[string]string{"GOMEMLIMIT": "1GiB"}[name] })
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("the limit of the environment was replaced by %d", got)
	}
	c.limitMemory(func(string) string { return "" })
	if got := debug.SetMemoryLimit(-1); got != 400<<20 {
		t.Errorf("limit is %d", got)
	}
}
