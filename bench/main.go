// Command bench measures a built Keypact on this machine: what sharing a sync
// is worth, how readers fare beside writers, how it compares with Webdis in
// front of Redis, how long it takes to start and what memory it keeps. All
// servers listen on loopback and are stopped at the end. The result is a
// document of tables; only ratios within one run mean something elsewhere.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
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
}

func main() {
	s := settings{}
	out := flag.String("out", "", "file for the tables; standard output if empty")
	flag.StringVar(&s.keypact, "keypact", "bin/keypact", "binary to measure")
	flag.DurationVar(&s.length, "length", 5*time.Second, "length of one measurement")
	flag.IntVar(&s.rounds, "rounds", 3, "measurements of each kind, of which the median counts")
	flag.IntVar(&s.keys, "keys", 100_000, "keys that are there before reads and writes are measured")
	flag.IntVar(&s.large, "large", 1_000_000, "keys of the store whose opening is measured")
	only := flag.String("only", "", "parts to run, separated by commas: grouping, readers, peers, start")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
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
}

func measure(ctx context.Context, s settings, only, out string) error {
	scratch, err := os.MkdirTemp("", "keypact-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	s.scratch = scratch
	doc := &report{}
	doc.head(ctx, s)
	for _, p := range parts {
		if only != "" && !strings.Contains(","+only+",", ","+p.name+",") {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring:", p.name)
		if err := p.run(ctx, s, doc); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if out == "" {
		_, err := os.Stdout.WriteString(doc.text.String())
		return err
	}
	return os.WriteFile(out, []byte(doc.text.String()), 0o644)
}
