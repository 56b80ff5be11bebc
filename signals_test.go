package main

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"keypact/bench/process"
)

// TestShutdownFinishesRequestsInFlight: a body that is still arriving is
// stored, a blocked pop is answered, and the process ends well.
func TestShutdownFinishesRequestsInFlight(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	blocked := inBackground(t.Context(), "POST", p.URL+"/list/q/pop", `{"wait":"5m"}`)
	awaitMetric(t, p, "keypact_waiters", "1")

	body, rest := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), "PUT", p.URL+"/string/slow", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("Expect", "100-continue")
	slow := make(chan outcome, 1)
	go func() {
		answer, err := (&http.Transport{ExpectContinueTimeout: time.Minute}).RoundTrip(request)
		if err != nil {
			slow <- outcome{err: err}
			return
		}
		_ = answer.Body.Close()
		slow <- outcome{status: answer.StatusCode}
	}()
	// The pipe takes the first half once the service has asked for the body.
	if _, err := rest.Write([]byte("first,")); err != nil {
		t.Fatal(err)
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if p.AwaitLine(regexp.MustCompile("stopping: finishing")) == nil {
		t.Fatal("the service did not say that it stops")
	}
	if got := <-blocked; got.err != nil || got.status != http.StatusServiceUnavailable && got.status != http.StatusNoContent {
		t.Errorf("the blocked pop was answered %d %q, %v", got.status, got.body, got.err)
	}
	if _, err := rest.Write([]byte("second")); err != nil {
		t.Fatal(err)
	}
	_ = rest.Close()
	if got := <-slow; got.err != nil || got.status != http.StatusCreated {
		t.Errorf("the request in flight was answered %d, %v", got.status, got.err)
	}
	if code := p.ExitCode(); code != exitOK {
		t.Errorf("the process ended with exit code %d:\n%s", code, p.Output())
	}
	again := start(t, dir)
	if got := expect(t, 200, "GET", again.URL+"/string/slow", ""); !strings.Contains(got, "first,second") {
		t.Errorf("the value is %s", got)
	}
}

// TestReloadOnSignal: new contracts without a restart, a bad file changes
// nothing and is told everywhere.
func TestReloadOnSignal(t *testing.T) {
	path := writeFile(t, t.TempDir(), "contracts.yaml", goodContracts)
	p := start(t, t.TempDir(), "--contracts", path)
	expect(t, 201, "PUT", p.URL+"/string/a:1", `{"value":"long enough"}`)

	writeFile(t, filepath.Dir(path), "contracts.yaml", goodContracts+"    value: {maxBytes: 3}\n")
	hangUp(t, p, "contracts reloaded")
	expect(t, 422, "PUT", p.URL+"/string/a:2", `{"value":"too long"}`)

	writeFile(t, filepath.Dir(path), "contracts.yaml", "format: 1\ncontracts:\n  a: {key: 'a:{x}', type: strng}\n")
	hangUp(t, p, "contracts not reloaded")
	if !strings.Contains(p.Output(), path+":3:") {
		t.Errorf("the log does not say where the mistake is:\n%s", p.Output())
	}
	expect(t, 422, "PUT", p.URL+"/string/a:2", `{"value":"too long"}`)
	var ready map[string]string
	if err := json.Unmarshal([]byte(expect(t, 200, "GET", p.URL+"/readyz", "")), &ready); err != nil || ready["contracts"] != "stale" {
		t.Errorf("readyz says %v, %v", ready, err)
	}
	awaitMetric(t, p, "keypact_contracts_stale", "1")
	awaitMetric(t, p, `keypact_contract_violations_total{code="value.bytes",contract="a",mode="enforce"}`, "2")
}

// hangUp sends SIGHUP and waits for what the log says about it.
func hangUp(t *testing.T, p *process.Process, says string) {
	t.Helper()
	if err := p.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if p.AwaitLine(regexp.MustCompile(says)) == nil {
		t.Fatalf("the log never says %q:\n%s", says, p.Output())
	}
}
