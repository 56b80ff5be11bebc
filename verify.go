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

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keypact/service"
	"keypact/store/kv"
	"keypact/store/kv/badger"
	"keypact/store/verify"
)

// verifyConfig is what only verify can be told.
type verifyConfig struct {
	JSON   bool
	Repair bool
	Strict bool
	Limit  int
}

var verifySettings = []setting{
	{"data", "DIR", "data", "directory of the store, which no service has open",
		into(func(c *Config) *string { return &c.Data }, notEmpty)},
	{"repair", "", "false", "mend what follows from other records; take a copy of DIR first",
		into(func(c *Config) *bool { return &c.Verify.Repair }, yesOrNo)},
	{"contracts", "FILE|DIR", "", "also hold the keys that are marked as conforming against these contracts",
		into(func(c *Config) *string { return &c.Contracts }, anyText)},
	{"strict", "", "false", "a key that breaks its contract is a fault even if it is not marked",
		into(func(c *Config) *bool { return &c.Verify.Strict }, yesOrNo)},
	{"json", "", "false", "report as JSON",
		into(func(c *Config) *bool { return &c.Verify.JSON }, yesOrNo)},
	{"limit", "COUNT", "1000", "faults to list; all are counted",
		into(func(c *Config) *int { return &c.Verify.Limit }, count(1, 1_000_000))},
	memtableSetting,
}

// exitUnverified says that verify could not look at the store, or not at all of
// it; exitFailed says that it found faults.
const exitUnverified = exitUsage

// runVerify looks whether all records of a store fit together.
func runVerify(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	var c Config
	env := func(name string) string {
		if name == "KEYPACT_REPAIR" {
			return "" // asked for each time
		}
		return getenv(name)
	}
	problems, err := read(verifySettings, args, env, &c)
	switch {
	case errors.Is(err, errHelp):
		_, _ = fmt.Fprint(stdout, "Usage:\n  keypact verify --data DIR [--repair] [--contracts FILE|DIR] [--json]\n\n"+
			"Exit code 0 if nothing is wrong, 1 if something is, or remains after a repair,\n2 if that could not be found out.\n\nFlags:\n")
		printSettings(stdout, verifySettings, func(setting) bool { return true })
		return exitOK
	case len(problems) > 0:
		return refuse("verify", &ConfigError{Problems: problems}, stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	report, err := verifyDirectory(ctx, c, showProgress(stderr))
	if err == nil {
		err = writeReport(stdout, report, c.Verify.JSON)
	}
	switch {
	case err != nil:
		_, _ = fmt.Fprintf(stderr, "keypact verify: %v\n", err)
		return exitUnverified
	case !report.Clean:
		return exitFailed
	}
	return exitOK
}

// verifyDirectory opens a store that nobody serves. A log that opening would
// cut off is all the report has; the directory is left as it is.
func verifyDirectory(ctx context.Context, c Config, progress func(verify.Progress)) (report *verify.Report, err error) {
	if !badger.Exists(c.Data) {
		return nil, fmt.Errorf("there is no store in %s", c.Data)
	}
	o := verify.Options{Now: time.Now().UnixMilli(), Limit: c.Verify.Limit, Unmarked: c.Verify.Strict, Progress: progress}
	if c.Contracts != "" {
		if o.Set, err = loadContracts(c.Contracts); err != nil {
			return nil, err
		}
	}
	if err := badger.CheckLogs(c.Data); errors.Is(err, kv.ErrDamaged) {
		return verify.Unopened(verify.CodeLog, fmt.Errorf("%w: opening the store would cut them off", err)), nil
	} else if err != nil {
		return nil, err
	}
	engine, err := badger.Open(badger.Options{
		Dir: c.Data, MinFreeBytes: -1, MemTableBytes: c.Memtable,
		MaxTxnBytes: restoreTxnBytes, Maintenance: -1, Logger: slog.New(slog.DiscardHandler),
	})
	if errors.Is(err, kv.ErrDamaged) {
		return verify.Unopened(verify.CodeChecksum, err), nil
	} else if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	o.Expected = engine.Expected()
	if c.Verify.Repair {
		return verify.Repair(ctx, engine, o)
	}
	return verify.Run(ctx, engine, o)
}

// writeReport writes a report as JSON or for a person.
func writeReport(w io.Writer, report *verify.Report, asJSON bool) error {
	if !asJSON {
		return report.WriteText(w)
	}
	text, err := json.Marshal(report, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// showProgress writes how far a walk is: over and over on one line of a
// terminal, else a line every few seconds.
func showProgress(w io.Writer) func(verify.Progress) {
	pause, before, behind := 5*time.Second, "", "\n"
	if file, ok := w.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			pause, before, behind = time.Second/2, "\r\x1b[K", ""
		}
	}
	last := time.Now()
	return func(p verify.Progress) {
		if time.Since(last) < pause {
			return
		}
		last = time.Now()
		of := ""
		if p.Expected >= p.Records {
			of = fmt.Sprintf(" of about %d", p.Expected)
		}
		_, _ = fmt.Fprintf(w, "%sverify: %d%s records, in %s%s", before, p.Records, of, p.Family, behind)
	}
}

// verify is what the route of verifications does: one at a time, since each
// reads everything there is.
func (a *app) verify(ctx context.Context, limit int) (any, error) {
	if !a.verifying.TryLock() {
		return nil, &service.Error{Kind: service.KindBusy, Code: "verify-runs", Detail: "Another verification is running.", RetryAfter: time.Minute}
	}
	defer a.verifying.Unlock()
	report, err := verify.Run(ctx, a.engine, verify.Options{
		Now: time.Now().UnixMilli(), Limit: limit, Set: a.store.Contracts(),
	})
	if err != nil {
		return nil, err
	}
	a.log.InfoContext(ctx, "store verified", "records", report.Records, "faults", report.Found, "seconds", report.Seconds)
	return report, nil
}
