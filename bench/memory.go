package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// memoryValue is the size of a value in bytes.
const memoryValue = 4 << 10

// memoryRequired is what a service at its defaults may keep.
const memoryRequired = 512 << 20

// gauge samples the anonymous memory of a process.
type gauge struct {
	pid    int
	stop   chan struct{}
	done   sync.WaitGroup
	mu     sync.Mutex
	peak   int64
	failed error
}

// newGauge starts sampling.
func newGauge(pid int, every time.Duration) *gauge {
	g := &gauge{pid: pid, stop: make(chan struct{})}
	g.done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			g.sample()
			select {
			case <-g.stop:
				return
			case <-tick.C:
			}
		}
	})
	return g
}

func (g *gauge) sample() {
	now, err := anonymousMemory(g.pid)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.peak = max(g.peak, now)
	g.failed = errors.Join(g.failed, err)
}

// take returns the present memory and the peak since the last time.
func (g *gauge) take() (now, peak int64, err error) {
	now, err = anonymousMemory(g.pid)
	g.mu.Lock()
	defer g.mu.Unlock()
	peak = max(g.peak, now)
	g.peak = 0
	return now, peak, errors.Join(err, g.failed)
}

func (g *gauge) close() {
	close(g.stop)
	g.done.Wait()
}

// measureMemory: what a service at its defaults keeps in memory with much more
// data on its disk.
func measureMemory(ctx context.Context, s settings, doc *report) error {
	p, err := startKeypact(s, "memory")
	if err != nil {
		return err
	}
	defer p.Kill()
	g := newGauge(p.PID, 50*time.Millisecond)
	defer g.close()
	k := newStock(p.URL, s.sizes.stored, memoryValue)
	var rows [][]string
	phase := func(name string, work func() error) error {
		begin := time.Now()
		if err := work(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		now, peak, err := g.take()
		if err != nil {
			return err
		}
		rows = append(rows, []string{name, fmt.Sprintf("%.1f s", time.Since(begin).Seconds()), mebibytes(now), "**" + mebibytes(peak) + "**", mebibytes(memoryRequired)})
		return nil
	}
	reads := 0
	err = firstError(
		phase("started", func() error { return nil }),
		phase("loading", func() error { return k.load(ctx) }),
		phase("reading at random", func() error {
			reads, err = k.readFor(ctx, 4*s.length)
			return err
		}),
		phase("afterwards", func() error { return pause(ctx, 2*s.length) }),
	)
	if err != nil {
		return err
	}
	blocks, err := allocatedBlocks(filepath.Join(s.scratch, "memory"))
	if err != nil {
		return err
	}
	memoryTable(doc, k, blocks, reads, rows)
	return p.Stop()
}

func memoryTable(doc *report, k *stock, blocks int64, reads int, rows [][]string) {
	doc.section("Memory with much data", fmt.Sprintf("A service at its defaults is given %s strings and %s hashes of %s fields, values of %d bytes: %s of\nvalues, %s on the disk. Then 8 clients read %s of them at random and compare. Anonymous resident memory\n(`RssAnon`), looked at 20 times a second.",
		thousands(float64(k.strings)), thousands(float64(k.hashes)), thousands(stockValues), k.size, gigabytes(k.bytes()), gigabytes(blocks), thousands(float64(reads))))
	doc.table([]string{"", "lasted", "memory at its end", "peak", "required"}, rows)
}

// readFor lets clients read at random for a while and returns how often.
func (k *stock) readFor(ctx context.Context, length time.Duration) (int, error) {
	counts := make([]int, 2*stockHands)
	var mu sync.Mutex
	var failed error
	var clients sync.WaitGroup
	end := time.Now().Add(length)
	for i := range counts {
		clients.Go(func() {
			for time.Now().Before(end) {
				if err := k.checkAny(ctx); err != nil {
					mu.Lock()
					failed = errors.Join(failed, err)
					mu.Unlock()
					return
				}
				counts[i]++
			}
		})
	}
	clients.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return total, failed
}

// allocatedBlocks is what a folder takes on the disk, as du counts: blocks of
// 512 bytes, not the sizes of files, which may have holes.
func allocatedBlocks(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone meanwhile
		}
		if err != nil {
			return err
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			bytes += stat.Blocks * 512
		}
		return nil
	})
	return bytes, err
}

func mebibytes(bytes int64) string { return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20)) }
func gigabytes(bytes int64) string { return fmt.Sprintf("%.2f GB", float64(bytes)/1e9) }
