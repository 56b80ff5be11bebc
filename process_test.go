package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"keypact/bench/process"
)

// binary is the real program, built once for all tests that start it.
var binary = sync.OnceValues(func() (string, error) {
	return process.Build(context.Background(), binaryDir, raceDetector)
})

var binaryDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "keypact-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaryDir = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func builtBinary(t testing.TB) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// start runs the service on a data directory and stops it with the test.
func start(t testing.TB, dir string, args ...string) *process.Process {
	t.Helper()
	p, err := process.Start(builtBinary(t), append([]string{"--data", dir}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return p
}

// call sends a request, a string body as JSON, and returns status and body.
func call(ctx context.Context, method, url, body string) (int, string, error) {
	var sent io.Reader
	if body != "" {
		sent = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, sent)
	if err != nil {
		return 0, "", err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

// expect is call that fails the test unless the status is the wanted one.
func expect(t testing.TB, status int, method, url, body string) string {
	t.Helper()
	got, text, err := call(t.Context(), method, url, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	if got != status {
		t.Fatalf("%s %s is %d, want %d: %s", method, url, got, status, text)
	}
	return text
}

// awaitMetric scrapes until a metric has the value.
func awaitMetric(t testing.TB, p *process.Process, name string, value string) {
	t.Helper()
	pattern := regexp.MustCompile("(?m)^" + regexp.QuoteMeta(name) + " (.*)$")
	deadline := time.After(time.Minute)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		match := pattern.FindStringSubmatch(expect(t, 200, "GET", p.URL+"/metrics", ""))
		if match != nil && match[1] == value {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("%s is %v and never became %s", name, match, value)
		}
	}
}

// outcome is how a request in the background ended.
type outcome struct {
	status int
	body   string
	err    error
}

func inBackground(ctx context.Context, method, url, body string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		status, text, err := call(ctx, method, url, body)
		done <- outcome{status, text, err}
	}()
	return done
}

// TestSecondProcessIsRefused: one line that names the directory, and the first
// process goes on.
func TestSecondProcessIsRefused(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir)
	second, err := process.Start(builtBinary(t), "--data", dir)
	if err == nil {
		t.Fatal("two processes serve one directory")
	}
	if code := second.ExitCode(); code != exitFailed {
		t.Errorf("the second process ended with exit code %d, want %d", code, exitFailed)
	}
	said := strings.TrimSpace(second.Output())
	if strings.Contains(said, "\n") || !strings.Contains(said, dir) || !strings.Contains(said, "in use") {
		t.Errorf("the second process said\n%s", said)
	}
	expect(t, 201, "PUT", first.URL+"/string/k", `{"value":"v"}`)
}

// TestClientThatHangsUpTakesNothing: a blocked pop or move whose caller left
// leaves the element where it is.
func TestClientThatHangsUpTakesNothing(t *testing.T) {
	p := start(t, t.TempDir())
	for _, test := range []struct{ name, route, body string }{
		{"pop", "/list/q/pop", `{"wait":"60s"}`},
		{"move", "/list/q/move", `{"destination":"r","wait":"60s"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, hangUp := context.WithCancel(t.Context())
			blocked := inBackground(ctx, "POST", p.URL+test.route, test.body)
			awaitMetric(t, p, "keypact_waiters", "1")
			hangUp()
			if left := <-blocked; left.err == nil {
				t.Fatalf("the blocked request was answered with %d %s", left.status, left.body)
			}
			awaitMetric(t, p, "keypact_waiters", "0")
			expect(t, 201, "POST", p.URL+"/list/q/items", `{"items":["x"]}`)
			if got := expect(t, 200, "GET", p.URL+"/list/q/count", ""); !strings.Contains(got, `"count":1`) {
				t.Errorf("count after the push is %s", got)
			}
			expect(t, 404, "GET", p.URL+"/list/r/items", "")
			if got := expect(t, 200, "POST", p.URL+"/list/q/pop", `{}`); !strings.Contains(got, `"x"`) {
				t.Errorf("x is gone: %s", got)
			}
		})
	}
}

// TestStartRefuses: what is wrong is said before the service listens.
func TestStartRefuses(t *testing.T) {
	bad := writeFile(t, t.TempDir(), "bad.yaml", "format: 1\ncontracts:\n  a: {key: 'a:{x}', type: strng}\n")
	plain := writeFile(t, t.TempDir(), "file", "")
	for _, test := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"bad contracts", []string{"--data", t.TempDir(), "--contracts", bad}, exitFailed, bad + ":3:"},
		{"missing contracts", []string{"--data", t.TempDir(), "--contracts", bad + ".none"}, exitFailed, "bad.yaml.none"},
		{"data is a file", []string{"--data", plain}, exitFailed, plain},
		{"data is something else", []string{"--data", filepath.Dir(plain)}, exitFailed, filepath.Dir(plain)},
		{"beyond loopback", []string{"--data", t.TempDir(), "--addr=0.0.0.0:0"}, exitUsage, "--insecure"},
		{"unknown flag", []string{"--datadir", "x"}, exitUsage, "--data"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd := exec.Command(builtBinary(t), append([]string{"serve"}, test.args...)...)
			var said bytes.Buffer
			cmd.Stderr = &said
			err := cmd.Run()
			if err == nil || cmd.ProcessState.ExitCode() != test.code {
				t.Errorf("exit code is %d, want %d", cmd.ProcessState.ExitCode(), test.code)
			}
			if !strings.Contains(said.String(), test.says) || strings.Contains(said.String(), " serves ") {
				t.Errorf("it said\n%s", said.String())
			}
		})
	}
}

func TestHealthCommand(t *testing.T) {
	p := start(t, t.TempDir())
	addr := strings.TrimPrefix(p.URL, "http://")
	_, port, _ := strings.Cut(addr, ":")
	for _, args := range [][]string{{"--addr", addr}, {"--addr", "0.0.0.0:" + port}, {"--addr=:" + port}} {
		var out bytes.Buffer
		if code := run(slices.Concat([]string{"health"}, args), environment(nil), &out, &out); code != exitOK {
			t.Errorf("health %q ended with %d: %s", args, code, out.String())
		}
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run([]string{"health"}, environment(map[string]string{"KEYPACT_ADDR": addr}), &out, &out); code != exitFailed {
		t.Errorf("health of a dead service ended with %d: %s", code, out.String())
	}
}
