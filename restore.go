package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"keypact/backup"
	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/verify"
)

var restoreSettings = []setting{
	{"from", "FILE...", "", "the full backup, then, with --from again, its increments in order; - is standard input",
		func(c *Config, text string) error {
			if text != "" {
				c.Copy.From = append(c.Copy.From, text)
			}
			return nil
		}},
	{"data", "DIR", "data", "directory to restore into; missing or empty",
		into(func(c *Config) *string { return &c.Data }, notEmpty)},
	memtableSetting,
}

// runRestore makes a store of backups.
func runRestore(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	var c Config
	problems, err := read(restoreSettings, args, getenv, &c)
	if len(problems) == 0 && len(c.Copy.From) == 0 {
		problems = []string{"--from: is required"}
	}
	switch {
	case errors.Is(err, errHelp):
		_, _ = fmt.Fprintln(stdout, "Usage:\n  keypact restore --from FILE|- [--from INCREMENT]... --data DIR\n\nFlags:")
		printSettings(stdout, restoreSettings, func(setting) bool { return true })
		return exitOK
	case len(problems) > 0:
		return refuse("restore", &ConfigError{Problems: problems}, stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	out, err := restore(ctx, c, os.Stdin, showProgress(stderr))
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "keypact restore: %v\n", err)
		return exitFailed
	}
	_, _ = fmt.Fprintf(stdout, "restored %d records into %s: store %016x as it was at commit %d\n", out.Records, c.Data, out.Instance, out.Stamp)
	if !out.report.Clean {
		_ = out.report.WriteText(stderr)
		_, _ = fmt.Fprintf(stderr, "keypact restore: the store is what was backed up, and that is not sound; see keypact verify --help\n")
		return exitFailed
	}
	return exitOK
}

// restored is what came of a restore.
type restored struct {
	backup.Header
	backup.Trailer
	report *verify.Report // of the new store
}

// restore makes a store in c.Data and verifies it. After an error there is none.
func restore(ctx context.Context, c Config, stdin io.Reader, progress func(verify.Progress)) (out restored, err error) {
	sources, done, err := openSources(c.Copy.From, stdin)
	defer done()
	if err != nil {
		return out, err
	}
	directory, err := backup.OpenDirectory(c.Data)
	if err != nil {
		return out, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, directory.Abandon())
		}
	}()
	if out, err = fill(ctx, c, directory.Build(), sources, progress); err != nil {
		return out, err
	}
	return out, directory.Finish()
}

// fill makes a store in dir, verifies it and closes it. It syncs nothing in
// between: what counts is what is there at the end.
func fill(ctx context.Context, c Config, dir string, sources []backup.Source, progress func(verify.Progress)) (out restored, err error) {
	engine, err := badger.Open(badger.Options{
		Dir: dir, Durability: badger.None, Maintenance: -1, MemTableBytes: c.Memtable,
		MaxTxnBytes: restoreTxnBytes, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	if out.Header, out.Trailer, err = backup.Restore(ctx, engine, sources); err != nil {
		return out, err
	}
	if err := engine.Verify(); err != nil {
		return out, err // of what was just written, so not of the backup
	}
	err = engine.View(ctx, func(r kv.Reader) (err error) {
		out.report, err = verify.Walk(ctx, r, verify.Options{
			Now: time.Now().UnixMilli(), Limit: restoreFaults, Expected: out.Records, Progress: progress,
		})
		return err
	})
	return out, err
}

// restoreFaults is how many faults of a restored store are listed.
const restoreFaults = 20

// restoreTxnBytes is more than any record has, whatever the limits were when it
// was written.
const restoreTxnBytes = 72 << 20

// openSources opens the files and looks whether they follow each other, as far
// as that can be told before they are read. done closes them.
func openSources(names []string, stdin io.Reader) (sources []backup.Source, done func(), err error) {
	var open []io.Closer
	done = func() {
		for _, file := range open {
			_ = file.Close()
		}
	}
	var before *backup.Header
	known, usedStdin := true, false
	for _, name := range names {
		if name == standard {
			if usedStdin {
				return nil, done, errors.New("standard input can be one file only")
			}
			sources = append(sources, backup.Source{Name: "standard input", Reader: stdin})
			known, usedStdin = false, true
			continue
		}
		file, err := os.Open(name)
		if err != nil {
			return nil, done, err
		}
		open = append(open, file)
		sources = append(sources, backup.Source{Name: name, Reader: file})
		if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
			known = false
			continue
		}
		h, _, err := endsOf(name)
		if err == nil && known {
			if err = h.Follows(before); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
		}
		if err != nil {
			return nil, done, err
		}
		before = &h
	}
	return sources, done, nil
}
