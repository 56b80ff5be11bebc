package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"keypact/backup"
	"keypact/service"
	"keypact/store"
	"keypact/store/kv/badger"
)

// copyConfig is what only backup and restore can be told.
type copyConfig struct {
	To    string   // file of a backup
	Since string   // file of the backup before an increment
	Force bool     // replace To
	From  []string // files of a restore, the full backup first
}

// standard is the name that stands for standard input or output.
const standard = "-"

var backupSettings = []setting{
	{"to", "FILE", "", "file to write, which appears when it is whole; - is standard output",
		into(func(c *Config) *string { return &c.Copy.To }, anyText)},
	{"since", "FILE", "", "write an increment to this earlier backup",
		into(func(c *Config) *string { return &c.Copy.Since }, anyText)},
	{"force", "", "false", "replace FILE if it is there",
		into(func(c *Config) *bool { return &c.Copy.Force }, yesOrNo)},
	{"addr", "HOST:PORT", "127.0.0.1:8080", "address of the service", addrSetting.set},
	{"data", "DIR", "", "copy the store in this directory, which no service has open",
		into(func(c *Config) *string { return &c.Data }, anyText)},
	memtableSetting,
}

// runBackup copies a store, of a running service or of a directory, to a file.
func runBackup(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	var c Config
	// The directory that a service is told about must not turn a copy of that
	// service into one of the directory.
	env := func(name string) string {
		if name == addrSetting.env() || name == memtableSetting.env() {
			return getenv(name)
		}
		return ""
	}
	problems, err := read(backupSettings, args, env, &c)
	if len(problems) == 0 && c.Copy.To == "" {
		problems = []string{"--to: is required"}
	}
	switch {
	case errors.Is(err, errHelp):
		_, _ = fmt.Fprintln(stdout, "Usage:\n  keypact backup --to FILE|- [--since FILE] [--addr HOST:PORT | --data DIR]\n\nFlags:")
		printSettings(stdout, backupSettings, func(setting) bool { return true })
		return exitOK
	case len(problems) > 0:
		return refuse("backup", &ConfigError{Problems: problems}, stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	said := stdout
	if c.Copy.To == standard {
		said = stderr
	}
	if err := takeBackup(ctx, c, stdout, said); err != nil {
		_, _ = fmt.Fprintf(stderr, "keypact backup: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// takeBackup writes the file, or stdout, and says one line about it.
func takeBackup(ctx context.Context, c Config, stdout, said io.Writer) error {
	var since backup.Point
	if c.Copy.Since != "" {
		h, _, err := endsOf(c.Copy.Since)
		if err != nil {
			return err
		}
		since = h.Point
	}
	var h backup.Header
	var end backup.Trailer
	copyTo := func(w io.Writer) (err error) {
		if c.Data != "" {
			h, end, err = copyDirectory(ctx, c, since, w)
		} else {
			h, end, err = copyService(ctx, c.Addr, since, w)
		}
		return err
	}
	var err error
	if c.Copy.To == standard {
		err = copyTo(stdout)
	} else {
		err = writeWhole(c.Copy.To, c.Copy.Force, copyTo)
	}
	if err != nil {
		return err
	}
	kind := "full backup"
	if !h.Full() {
		kind = fmt.Sprintf("increment since commit %d", h.Since)
	}
	_, _ = fmt.Fprintf(said, "%s of store %016x at commit %d: %d records, %d bytes\n", kind, h.Instance, h.Stamp, end.Records, end.FileBytes())
	return nil
}

// endsOf reads the header and the trailer of a file.
func endsOf(path string) (h backup.Header, end backup.Trailer, err error) {
	file, err := os.Open(path)
	if err != nil {
		return h, end, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return h, end, err
	}
	if h, end, err = backup.Ends(file, info.Size()); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return h, end, err
}

// copyService asks a running service and checks what comes.
func copyService(ctx context.Context, addr string, since backup.Point, w io.Writer) (h backup.Header, end backup.Trailer, err error) {
	target := "/admin/backup"
	if since != (backup.Point{}) {
		target += "?since=" + url.QueryEscape(since.String())
	}
	answer, err := ask(ctx, addr, target)
	if err != nil {
		return h, end, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return h, end, fmt.Errorf("the service refuses: %s", problemDetail(answer))
	}
	h, end, err = backup.Check(io.TeeReader(answer.Body, w))
	if ctx.Err() == nil && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, backup.ErrDamaged)) {
		err = fmt.Errorf("the service broke off, its log says why: %w", err)
	}
	return h, end, err
}

// problemDetail is what a problem says, or else its status.
func problemDetail(answer *http.Response) string {
	var problem struct {
		Detail string `json:"detail"`
	}
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if json.Unmarshal(body, &problem) != nil || problem.Detail == "" {
		return answer.Status
	}
	return problem.Detail
}

// copyDirectory opens a store that nobody serves.
func copyDirectory(ctx context.Context, c Config, since backup.Point, w io.Writer) (h backup.Header, end backup.Trailer, err error) {
	if !badger.Exists(c.Data) {
		return h, end, fmt.Errorf("there is no store in %s", c.Data)
	}
	engine, err := badger.Open(badger.Options{
		Dir: c.Data, MinFreeBytes: -1, Maintenance: -1, MemTableBytes: c.Memtable, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return h, end, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	if err := store.Identify(ctx, engine); err != nil {
		return h, end, err
	}
	return backup.Write(ctx, w, engine, since, time.Now())
}

// writeWhole has write fill a file that appears under its name when it is whole
// and on the disk. Nothing is left of it otherwise.
func writeWhole(path string, replace bool, write func(io.Writer) error) (err error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file", path)
	case !replace:
		return fmt.Errorf("%s exists; --force replaces it", path)
	}
	folder := filepath.Dir(path)
	file, err := os.CreateTemp(folder, filepath.Base(path)+".part-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	if err := write(file); err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	return backup.SyncPath(folder)
}

// backup is what the route of backups does: one at a time, since each keeps
// what it reads from being compacted away.
func (a *app) backup(ctx context.Context, since string, w io.Writer) error {
	var point backup.Point
	if since != "" {
		var err error
		if point, err = backup.ParsePoint(since); err != nil {
			return &service.Error{Kind: service.KindInvalid, Code: "bad-parameter", Detail: "The parameter 'since': " + err.Error() + "."}
		}
	}
	if !a.copying.TryLock() {
		return &service.Error{Kind: service.KindBusy, Code: "backup-runs", Detail: "Another backup is running.", RetryAfter: time.Minute}
	}
	defer a.copying.Unlock()
	h, end, err := backup.Write(ctx, w, a.engine, point, time.Now())
	if errors.Is(err, backup.ErrPoint) {
		return &service.Error{Kind: service.KindConflict, Code: "other-history", Detail: err.Error() + "."}
	}
	if err == nil {
		a.log.InfoContext(ctx, "backup written", "commit", h.Stamp, "since", h.Since, "records", end.Records, "bytes", end.FileBytes())
	}
	return err
}
