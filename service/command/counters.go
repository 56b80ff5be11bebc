package command

import (
	"context"
	"fmt"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// counter is what INFO tells of one command.
type counter struct {
	calls, micros, rejected, failed atomic.Int64
}

// counters are those of all commands. The map does not change.
type counters map[*Command]*counter

func newCounters(table map[string]*Command) counters {
	c := make(counters, len(table))
	for _, command := range table {
		c[command] = new(counter)
	}
	return c
}

// ran counts a command that ran, for so long, and answered so.
func (h *Host) ran(c *Command, took time.Duration, reply Reply) {
	n := h.counters[c]
	n.calls.Add(1)
	n.micros.Add(took.Microseconds())
	if _, failed := reply.(Error); failed {
		n.failed.Add(1)
		h.failures.Add(1)
	}
}

// refused counts a command that did not run: one of too few words, or one that
// could not be queued.
func (h *Host) refused(c *Command) {
	if n := h.counters[c]; n != nil {
		n.rejected.Add(1)
	}
	h.failures.Add(1)
}

// lines are the counters of the commands that were called, by name.
func (c counters) lines() [][2]string {
	var out [][2]string
	for command, n := range c {
		calls, micros, rejected := n.calls.Load(), n.micros.Load(), n.rejected.Load()
		if calls+rejected == 0 {
			continue
		}
		out = append(out, [2]string{"cmdstat_" + command.wireName(), fmt.Sprintf(
			"calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
			calls, micros, float64(micros)/float64(max(calls, 1)), rejected, n.failed.Load())})
	}
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}

// resetCounters lets all counters that INFO tells start at 0.
func (h *Host) resetCounters() {
	for _, n := range h.counters {
		for _, field := range []*atomic.Int64{&n.calls, &n.micros, &n.rejected, &n.failed} {
			field.Store(0)
		}
	}
	h.processed.Store(0)
	h.failures.Store(0)
	h.greeted.Store(h.ids.Load())
	if f, err := h.service.Figures(context.Background(), false); err == nil {
		h.expired.Store(f.Expired)
	}
}

// memoryFigures are the process's memory, in bytes.
type memoryFigures struct{ used, peak, system int64 }

// peakMemory is the most that readMemory has seen.
var peakMemory struct {
	sync.Mutex
	bytes int64
}

// readMemory asks the runtime: used is what objects take, dead ones included
// until they are collected, system what the process has from the system.
func readMemory() memoryFigures {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	value := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	m := memoryFigures{used: value(0), system: value(1) - value(2)}
	peakMemory.Lock()
	defer peakMemory.Unlock()
	peakMemory.bytes = max(peakMemory.bytes, m.used)
	m.peak = peakMemory.bytes
	return m
}

// processorSeconds is the processor time of the process, as of the last
// collection of garbage.
func processorSeconds() (user, collector float64) {
	samples := []metrics.Sample{{Name: "/cpu/classes/user:cpu-seconds"}, {Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(samples)
	return samples[0].Value.Float64(), samples[1].Value.Float64()
}
