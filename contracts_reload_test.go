package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"keypact/contracts"
)

const goodContracts = "format: 1\ncontracts:\n  a:\n    key: a:{x}\n    type: string\n    ttl: optional\n"

func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReloadKeepsTheLastGoodSet(t *testing.T) {
	path := writeFile(t, t.TempDir(), "contracts.yaml", goodContracts)
	var logged bytes.Buffer
	var inForce *contracts.Set
	var failure error
	r := &reloader{path: path, log: slog.New(slog.NewTextHandler(&logged, nil)), metrics: newMetrics(),
		apply: func(_ context.Context, set *contracts.Set) error {
			if failure == nil {
				inForce = set
			}
			return failure
		}}

	r.reload(t.Context())
	if inForce == nil || inForce.Get("a") == nil || r.Stale() {
		t.Fatalf("a good file was not applied: %s", logged.String())
	}
	first := inForce

	writeFile(t, filepath.Dir(path), "contracts.yaml", "format: 1\ncontracts:\n  a:\n    key: a:{x}\n    type: strng\n")
	r.reload(t.Context())
	if inForce != first || !r.Stale() || testutil.ToFloat64(r.metrics.stale) != 1 {
		t.Error("a bad file was applied, or nobody is told that the set is stale")
	}
	if !strings.Contains(logged.String(), path+":5:11: ") {
		t.Errorf("the log does not say where the mistake is: %s", logged.String())
	}

	writeFile(t, filepath.Dir(path), "contracts.yaml", goodContracts)
	failure = errors.New("the store says no")
	r.reload(t.Context())
	if !r.Stale() {
		t.Error("a set that the store refused counts as applied")
	}
	failure = nil
	r.reload(t.Context())
	if r.Stale() || inForce == first || testutil.ToFloat64(r.metrics.stale) != 0 {
		t.Error("the mended file was not applied")
	}
	for result, want := range map[string]float64{reloadApplied: 2, reloadRefused: 2} {
		if got := testutil.ToFloat64(r.metrics.reloads.WithLabelValues(result)); got != want {
			t.Errorf("%v reloads %s, want %v", got, result, want)
		}
	}
}

func TestReloadWithoutFile(t *testing.T) {
	r := &reloader{log: slog.New(slog.DiscardHandler), metrics: newMetrics(), apply: func(context.Context, *contracts.Set) error {
		t.Error("something was applied")
		return nil
	}}
	r.reload(t.Context())
	if r.Stale() {
		t.Error("a service without contracts is stale")
	}
}

func TestLoadContracts(t *testing.T) {
	dir := t.TempDir()
	one := writeFile(t, dir, "one.yaml", goodContracts)
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := loadContracts(folder); err == nil {
		t.Error("a folder without contracts was accepted")
	}
	writeFile(t, folder, "a.yaml", goodContracts)
	writeFile(t, folder, "b.yml", "format: 1\ncontracts:\n  b:\n    key: b:{x}\n    type: set\n    ttl: optional\n")
	writeFile(t, folder, ".c.yaml", "not a contract")
	writeFile(t, folder, "readme.md", "not a contract")
	for path, want := range map[string]int{"": 0, one: 1, folder: 2} {
		set, err := loadContracts(path)
		if err != nil {
			t.Errorf("%q: %v", path, err)
		} else if got := len(set.Contracts()); got != want {
			t.Errorf("%q holds %d contracts, want %d", path, got, want)
		}
	}
	if _, err := loadContracts(filepath.Join(dir, "none.yaml")); err == nil {
		t.Error("a missing file was accepted")
	}
	writeFile(t, folder, "z.yaml", goodContracts)
	_, err := loadContracts(folder)
	var bad *contracts.LoadError
	if !errors.As(err, &bad) || bad.Problems[0].File != filepath.Join(folder, "z.yaml") {
		t.Errorf("the same name in two files: %v", err)
	}
}

func TestContractsLint(t *testing.T) {
	dir := t.TempDir()
	good := writeFile(t, dir, "good.yaml", goodContracts)
	warned := writeFile(t, dir, "undeclared.yaml", "format: 1\ncontracts:\n  s:\n    key: s:{x}\n    type: set\n")
	broken := writeFile(t, dir, "broken.yaml", "format: 1\ncontracts:\n  s:\n    key: s:{x}\n    type: sset\n")
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"contracts", "lint", good}, exitOK, "1 contracts"},
		{[]string{"contracts", "lint", warned}, exitFailed, warned + ":3:3: error: "},
		{[]string{"contracts", "lint", broken}, exitFailed, broken + ":5:11: "},
		{[]string{"contracts", "lint", good, good}, exitFailed, "declared already"},
		{[]string{"contracts", "lint", "examples/contracts.yaml"}, exitOK, "5 contracts"},
		{[]string{"contracts", "lint", dir + "/none"}, exitFailed, "none"},
		{[]string{"contracts", "lint"}, exitUsage, "Usage"},
		{[]string{"contracts", "diff", good}, exitUsage, "Usage"},
		{[]string{"contracts", "lint", "--help"}, exitOK, "Usage"},
	} {
		var out bytes.Buffer
		code := run(test.args, environment(nil), &out, &out)
		if code != test.code || !strings.Contains(out.String(), test.says) {
			t.Errorf("%q: exit code %d, want %d, and %q in\n%s", test.args, code, test.code, test.says, out.String())
		}
	}
}
