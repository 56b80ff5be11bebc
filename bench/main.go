// Command bench measures Keypact on this machine. Some parts measure the built
// binary: what sharing a sync is worth, how readers fare beside writers, how it
// compares with Webdis in front of Redis, how long it takes to start, what memory
// it keeps with much data, and what it gives back of its disk. All servers listen
// on loopback and are stopped at the end.
// Other parts open a store in the bench's own process and ask how much the size
// of a collection matters: for ranks, for adding and deleting, for queues, for
// everyone else while something large is copied, reclaimed or expires.
//
// The result is a document of tables; only ratios within one run mean something
// elsewhere.
//
//	go run ./bench -only rank,queue           some parts at full size
//	go run ./bench -only rank,queue -quick    at toy size: does it run?
//	go run ./bench -only rank -most 1000000   without the largest sorted set
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// settings of one run.
type settings struct {
	keypact string        // path of the binary
	scratch string        // folder for stores, logs and scripts
	length  time.Duration // of one measurement
	rounds  int           // measurements of each kind; the median counts
	keys    int           // preloaded
	large   int           // keys of the large store
	sizes   sizes         // of large collections
}

func main() {
	s := settings{}
	out := flag.String("out", "", "file for the tables; standard output if empty")
	flag.StringVar(&s.keypact, "keypact", "bin/keypact", "binary to measure")
	flag.DurationVar(&s.length, "length", 5*time.Second, "length of one measurement")
	flag.IntVar(&s.rounds, "rounds", 3, "measurements of each kind, of which the median counts")
	flag.IntVar(&s.keys, "keys", 100_000, "keys that are there before reads and writes are measured")
	flag.IntVar(&s.large, "large", 1_000_000, "keys of the store whose opening is measured")
	only := flag.String("only", "", "parts to run, separated by commas; all if empty: "+partNames())
	quick := flag.Bool("quick", false, "large collections at toy size and a short -length, to see that the parts run")
	s.sizes.flags()
	flag.Parse()
	if *quick {
		s.quicken()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, s, *only, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// part is one group of measurements with a section of the document.
type part struct {
	name string
	run  func(context.Context, settings, *report) error
}

var parts = []part{
	{"grouping", measureGrouping},
	{"readers", measureReaders},
	{"peers", measurePeers},
	{"start", measureStart},
	{"rank", measureRank},
	{"treecost", measureTreeCost},
	{"discard", measureDiscard},
	{"reclaim", measureReclaim},
	{"bulk", measureBulk},
	{"expire", measureExpire},
	{"queue", measureQueue},
	{"overhead", measureOverhead},
	{"space", measureSpace},
	{"memory", measureMemory},
}

func partNames() string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

func measure(ctx context.Context, s settings, only, out string) error {
	if err := known(only); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "keypact-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	s.scratch = scratch
	doc := &report{}
	doc.head(ctx, s)
	failed := doc.measure(ctx, s, only)
	if out == "" {
		_, err = os.Stdout.WriteString(doc.text.String())
	} else {
		err = os.WriteFile(out, []byte(doc.text.String()), 0o644)
	}
	return errors.Join(failed, err)
}

// measure runs the parts that are asked for, up to the first that fails.
func (r *report) measure(ctx context.Context, s settings, only string) error {
	for _, p := range parts {
		if only != "" && !strings.Contains(","+only+",", ","+p.name+",") {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring:", p.name)
		begin := time.Now()
		if err := p.run(ctx, s, r); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Fprintln(os.Stderr, "took:", time.Since(begin).Round(time.Second))
	}
	return nil
}

// known refuses the names of parts that there are not.
func known(only string) error {
	for name := range strings.SplitSeq(only, ",") {
		if name != "" && !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			return fmt.Errorf("there is no part %q, only %s", name, partNames())
		}
	}
	return nil
}
