package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"keypact/store/kv"
)

func TestCommands(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{nil, exitUsage, "Commands:"},
		{[]string{"--help"}, exitOK, "serve"},
		{[]string{"help"}, exitOK, "contracts lint"},
		{[]string{"version"}, exitOK, "keypact "},
		{[]string{"--version"}, exitOK, "linux"},
		{[]string{"sevre"}, exitUsage, `no command "sevre"`},
		{[]string{"serve", "--help"}, exitOK, "KEYPACT_"},
		{[]string{"health", "--help"}, exitOK, "--addr"},
		{[]string{"health", "--addr", "x"}, exitUsage, "HOST:PORT"},
		{[]string{"backup", "--help"}, exitOK, "--since"},
		{[]string{"restore", "--help"}, exitOK, "--from"},
		{[]string{"backup", "--to", "x", "--to", "y"}, exitUsage, "given twice"},
		{[]string{"restore", "--datadir", "x"}, exitUsage, "--data"},
		{[]string{"serve", "--addr", "x", "--max-page", "y"}, exitUsage, "2 settings are wrong"},
	} {
		var out bytes.Buffer
		code := run(test.args, environment(nil), &out, &out)
		if code != test.code || !strings.Contains(out.String(), test.says) {
			t.Errorf("%q ended with %d, want %d, and %q in\n%s", test.args, code, test.code, test.says, out.String())
		}
	}
}

func TestServeHelpNamesEverySetting(t *testing.T) {
	var out bytes.Buffer
	printServeHelp(&out)
	for _, s := range settings {
		if !strings.Contains(out.String(), "  --"+s.name+" ") || s.about == "" {
			t.Errorf("--%s is not explained", s.name)
		}
	}
}

// TestFailedStoreEndsTheService: when the engine gives up, the service says so
// and ends with an error.
func TestFailedStoreEndsTheService(t *testing.T) {
	a := &app{log: slog.New(slog.DiscardHandler), fatal: make(chan error, 1)}
	a.fatal <- errors.Join(kv.ErrClosed, errors.New("input/output error"))
	err := a.until(t.Context(), make(chan os.Signal), doors{http: &http.Server{}}, make(chan error))
	if err == nil || !strings.Contains(err.Error(), "input/output error") || !strings.Contains(err.Error(), "disk") {
		t.Errorf("the service ended with %v", err)
	}
}

// TestUngroupedWritesRunAlone: no second write enters while one runs.
func TestUngroupedWritesRunAlone(t *testing.T) {
	inner := &countingDB{}
	db := &ungrouped{DB: inner}
	done := make(chan struct{})
	for range 8 {
		go func() {
			for range 100 {
				_ = db.Update(t.Context(), nil)
			}
			done <- struct{}{}
		}()
	}
	for range 8 {
		<-done
	}
	if inner.calls != 800 || inner.overlapped {
		t.Errorf("%d writes, overlapped: %v", inner.calls, inner.overlapped)
	}
}

// countingDB notices calls that overlap; the race detector does too.
type countingDB struct {
	kv.DB
	calls      int
	inside     bool
	overlapped bool
}

func (db *countingDB) Update(context.Context, func(kv.Txn) error) error {
	db.overlapped = db.overlapped || db.inside
	db.inside = true
	db.calls++
	db.inside = false
	return nil
}
