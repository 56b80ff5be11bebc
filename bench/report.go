package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report is the document as it grows.
type report struct {
	text strings.Builder
}

func (r *report) say(format string, args ...any) {
	fmt.Fprintf(&r.text, format+"\n", args...)
}

// head says what was measured, where and how.
func (r *report) head(ctx context.Context, s settings) {
	r.say("# Results\n")
	r.say("Written by `make bench` or `make benchlarge`. Figures of one shared machine: only ratios within one run travel.")
	r.say("Where servers are measured, load comes from wrk with one thread on the same machine, keys and values are small (64")
	r.say("bytes), and each figure is the median of %d runs of %v, taken in turns. Large collections are measured in the bench's", s.rounds, s.length)
	r.say("own process; each section says how.\n")
	r.say("| | |\n|---|---|")
	r.say("| date | %s |", time.Now().UTC().Format(time.DateOnly))
	r.say("| cores | %d |", runtime.NumCPU())
	r.say("| load of the machine before | %s |", firstLine(ctx, "cut", "-d ", "-f1", "/proc/loadavg"))
	r.say("| Keypact | %s |", firstLine(ctx, s.keypact, "version"))
	r.say("| Redis | %s |", firstLine(ctx, "redis-server", "--version"))
	r.say("| Webdis | %s |", firstLine(ctx, "dpkg-query", "-W", "-f", "${Version}", "webdis"))
	r.say("| wrk | %s |", firstLine(ctx, "dpkg-query", "-W", "-f", "${Version}", "wrk"))
}

// section begins a part of the document.
func (r *report) section(title, about string) { r.say("\n## %s\n\n%s\n", title, about) }

// table writes rows under a head line.
func (r *report) table(head []string, rows [][]string) {
	r.say("| %s |", strings.Join(head, " | "))
	r.say("|%s", strings.Repeat("---|", len(head)))
	for _, row := range rows {
		r.say("| %s |", strings.Join(row, " | "))
	}
}

func firstLine(ctx context.Context, name string, args ...string) string {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		return "not there"
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}

// median is the middle of the values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}

// thousands writes a whole number with commas.
func thousands(f float64) string {
	digits := fmt.Sprintf("%.0f", f)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func ratio(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", a/b)
}

func millis(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

func micros(nanoseconds float64) string { return fmt.Sprintf("%.1f µs", nanoseconds/1000) }
