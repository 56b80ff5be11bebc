package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keypact/bench/process"
)

// keypact runs one command line without a process of its own.
func keypact(t *testing.T, code int, args ...string) (said string) {
	t.Helper()
	var out bytes.Buffer
	if got := run(args, environment(nil), &out, &out); got != code {
		t.Fatalf("%q ended with %d, want %d: %s", args, got, code, out.String())
	}
	return out.String()
}

// addrOf is where a process listens.
func addrOf(p *process.Process) string { return strings.TrimPrefix(p.URL, "http://") }

// TestBackupUnderLoad: a full backup and two increments are taken from a
// service whose clients move money between accounts and delete keys. What is
// restored is a store in which nothing was lost or made, and a service runs on
// it.
func TestBackupUnderLoad(t *testing.T) {
	p := start(t, t.TempDir())
	for i := range 4 {
		expect(t, 201, "PUT", fmt.Sprintf("%s/string/account%d", p.URL, i), `{"value":"100"}`)
	}
	expect(t, 201, "PUT", p.URL+"/hash/h/fields", `{"fields":{"a":"1","b":"2"}}`)
	expect(t, 201, "PUT", p.URL+"/zset/z/members", `{"members":[{"member":"m","score":1.5}]}`)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 3)
	for n := range cap(ended) {
		go func() { ended <- keepMoving(ctx, p.URL, n) }()
	}
	folder := t.TempDir()
	full, first, second := filepath.Join(folder, "full"), filepath.Join(folder, "first"), filepath.Join(folder, "second")
	keypact(t, exitOK, "backup", "--to", full, "--addr", addrOf(p))
	expect(t, 200, "DELETE", p.URL+"/hash/h/fields?field=a", "")
	keypact(t, exitOK, "backup", "--to", first, "--since", full, "--addr", addrOf(p))
	expect(t, 204, "DELETE", p.URL+"/zset/z", "")
	keypact(t, exitOK, "backup", "--to", second, "--since", first, "--addr", addrOf(p))
	stop()
	for range cap(ended) {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	for _, files := range [][]string{{full}, {full, first}, {full, first, second}} {
		checkRestored(t, files)
	}
}

// checkRestored serves what files make.
func checkRestored(t *testing.T, files []string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "restored")
	args := []string{"restore", "--data", dir}
	for _, file := range files {
		args = append(args, "--from", file)
	}
	if said := keypact(t, exitOK, args...); !strings.Contains(said, "records into "+dir) {
		t.Errorf("it said %s", said)
	}
	p := start(t, dir)
	var answer struct {
		Values []json.Number `json:"values"`
	}
	text := expect(t, 200, "GET", p.URL+"/string?key=account0&key=account1&key=account2&key=account3", "")
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, value := range answer.Values {
		n, err := value.Int64()
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if len(answer.Values) != 4 || sum != 400 {
		t.Errorf("after %d files the accounts hold %s", len(files), text)
	}
	for _, part := range []struct {
		path  string
		gone  int // after so many files
		other int // status then
	}{{"/hash/h/fields/a", 2, 404}, {"/hash/h/fields/b", 9, 0}, {"/zset/z/members/m", 3, 404}} {
		want := 200
		if len(files) >= part.gone {
			want = part.other
		}
		expect(t, want, "GET", p.URL+part.path, "")
	}
	expect(t, 201, "PUT", p.URL+"/string/new", `{"value":"v"}`)
}

func keepMoving(ctx context.Context, url string, n int) error {
	for i := 0; ctx.Err() == nil; i++ {
		from, to := (i+n)%4, (i+n+1+i%3)%4
		body := fmt.Sprintf(`{"operations":[{"op":"DECR","key":"account%d"},{"op":"INCR","key":"account%d"},{"op":"SET","key":"t%d","value":"x"}]}`, from, to, i%5)
		status, text, err := call(ctx, "POST", url+"/batch", body)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("status %d: %s", status, text)
		}
		if err == nil {
			_, _, err = call(ctx, "DELETE", fmt.Sprintf("%s/keys/t%d", url, (i+2)%5), "")
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// TestBackupOfDirectory copies a store that nobody serves, and refuses one that
// somebody does.
func TestBackupOfDirectory(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	p := start(t, dir)
	expect(t, 201, "PUT", p.URL+"/string/k", `{"value":"v"}`)
	online, offline := filepath.Join(folder, "online"), filepath.Join(folder, "offline")
	keypact(t, exitOK, "backup", "--to", online, "--addr", addrOf(p))
	if said := keypact(t, exitFailed, "backup", "--to", offline, "--data", dir); !strings.Contains(said, "in use") {
		t.Errorf("it said %s", said)
	}
	expect(t, 201, "PUT", p.URL+"/string/l", `{"value":"v"}`)
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if said := keypact(t, exitOK, "backup", "--to", offline, "--data", dir, "--since", online); !strings.Contains(said, "increment") {
		t.Errorf("it said %s", said)
	}
	again := filepath.Join(t.TempDir(), "again")
	keypact(t, exitOK, "restore", "--from", online, "--from", offline, "--data", again)
	p = start(t, again)
	expect(t, 200, "GET", p.URL+"/string?key=k&key=l", "")
	if said := keypact(t, exitFailed, "backup", "--to", online+"2", "--data", folder); !strings.Contains(said, "no store in") {
		t.Errorf("it said %s", said)
	}
	checkFolder(t, folder, "offline", "online")
}

// checkFolder fails unless a folder holds just these.
func checkFolder(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", folder, got, want)
	}
}

// TestBackupRefuses: nothing is written, and what is there stays.
func TestBackupRefuses(t *testing.T) {
	p, other := start(t, t.TempDir()), start(t, t.TempDir())
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	alien := filepath.Join(t.TempDir(), "alien")
	keypact(t, exitOK, "backup", "--to", file, "--addr", addrOf(p))
	keypact(t, exitOK, "backup", "--to", alien, "--addr", addrOf(other))
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cut := writeFile(t, t.TempDir(), "cut", string(before[:len(before)-1]))
	fresh := filepath.Join(folder, "fresh")
	for _, test := range []struct {
		code int
		says string
		args []string
	}{
		{exitFailed, "--force", []string{"--to", file, "--addr", addrOf(p)}},
		{exitFailed, "no file", []string{"--to", folder, "--force", "--addr", addrOf(p)}},
		{exitFailed, "no such file", []string{"--to", folder + "/none/file", "--addr", addrOf(p)}},
		{exitFailed, "of the store", []string{"--to", fresh, "--since", alien, "--addr", addrOf(p)}},
		{exitFailed, "before its end mark", []string{"--to", fresh, "--since", cut, "--addr", addrOf(p)}},
		{exitFailed, "no such file", []string{"--to", fresh, "--since", fresh, "--addr", addrOf(p)}},
		{exitFailed, "refused", []string{"--to", fresh, "--addr", "127.0.0.1:1"}},
		{exitUsage, "--to: is required", []string{"--addr", addrOf(p)}},
	} {
		if said := keypact(t, test.code, append([]string{"backup"}, test.args...)...); !strings.Contains(said, test.says) {
			t.Errorf("%q said %s", test.args, said)
		}
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed, %v", err)
	}
	checkFolder(t, folder, "file")
	keypact(t, exitOK, "backup", "--to", file, "--force", "--addr", addrOf(p))
	checkFolder(t, folder, "file")
}

// TestBackupOfABrokenConnection: what a service began and did not end is no
// file.
func TestBackupOfABrokenConnection(t *testing.T) {
	p := start(t, t.TempDir())
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	keypact(t, exitOK, "backup", "--to", file, "--addr", addrOf(p))
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, handler := range map[string]http.HandlerFunc{
		"broken off": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(whole[:len(whole)-10])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"ended early": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(whole[:len(whole)-10]) },
		"no backup":   func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") },
		"no route":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
	} {
		server := httptest.NewServer(handler)
		server.Config.ErrorLog = nil
		said := keypact(t, exitFailed, "backup", "--to", file, "--force", "--addr", server.Listener.Addr().String())
		if !strings.Contains(said, "service") {
			t.Errorf("%s: %s", name, said)
		}
		server.Close()
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(whole, after) {
		t.Errorf("the file changed, %v", err)
	}
	checkFolder(t, folder, "file")
}

// TestRestoreRefuses: the directory is as it was before.
func TestRestoreRefuses(t *testing.T) {
	p := start(t, t.TempDir())
	for i := range 50 {
		expect(t, 201, "PUT", fmt.Sprintf("%s/string/k%d", p.URL, i), `{"value":"v"}`)
	}
	folder := t.TempDir()
	full, increment := filepath.Join(folder, "full"), filepath.Join(folder, "increment")
	keypact(t, exitOK, "backup", "--to", full, "--addr", addrOf(p))
	keypact(t, exitOK, "backup", "--to", increment, "--since", full, "--addr", addrOf(p))
	text, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	text[200] ^= 1
	flipped := writeFile(t, folder, "flipped", string(text))
	there := t.TempDir()
	writeFile(t, there, "photo.jpg", "x")
	empty, missing := t.TempDir(), filepath.Join(t.TempDir(), "a", "b")
	for _, test := range []struct {
		code int
		says string
		args []string
	}{
		{exitFailed, "photo.jpg", []string{"--from", full, "--data", there}},
		{exitFailed, "comes first", []string{"--from", increment, "--data", empty}},
		{exitFailed, "do not follow", []string{"--from", full, "--from", full, "--data", empty}},
		{exitFailed, "at byte", []string{"--from", flipped, "--data", empty}},
		{exitFailed, "at byte", []string{"--from", flipped, "--data", missing}},
		{exitFailed, "no such file", []string{"--from", full + "x", "--data", empty}},
		{exitUsage, "--from: is required", []string{"--data", empty}},
	} {
		if said := keypact(t, test.code, append([]string{"restore"}, test.args...)...); !strings.Contains(said, test.says) {
			t.Errorf("%q said %s", test.args, said)
		}
	}
	checkFolder(t, there, "photo.jpg")
	checkFolder(t, empty)
	checkFolder(t, filepath.Dir(missing))
	keypact(t, exitOK, "restore", "--from", full, "--from", increment, "--data", empty)
	if said := keypact(t, exitFailed, "restore", "--from", full, "--data", empty); !strings.Contains(said, "not empty") {
		t.Errorf("over a store it said %s", said)
	}
}

// TestKilledRestore: what a killed restore leaves is neither served nor
// restored into.
func TestKilledRestore(t *testing.T) {
	p := start(t, t.TempDir())
	expect(t, 201, "PUT", p.URL+"/string/k", `{"value":"v"}`)
	file := filepath.Join(t.TempDir(), "file")
	keypact(t, exitOK, "backup", "--to", file, "--addr", addrOf(p))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(builtBinary(t), "restore", "--from", "-", "--data", dir)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := input.Write(text[:len(text)-1]); err != nil {
		t.Fatal(err)
	}
	awaitFile(t, filepath.Join(dir, "unfinished-restore", "MANIFEST"))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if _, err := process.Start(builtBinary(t), "--data", dir); err == nil || !strings.Contains(err.Error(), "unfinished-restore") {
		t.Errorf("serve on it: %v", err)
	}
	if said := keypact(t, exitFailed, "restore", "--from", file, "--data", dir); !strings.Contains(said, "earlier restore") {
		t.Errorf("restore into it said %s", said)
	}
	if err := os.RemoveAll(filepath.Join(dir, "unfinished-restore")); err != nil {
		t.Fatal(err)
	}
	keypact(t, exitOK, "restore", "--from", file, "--data", dir)
}

// awaitFile waits until a file is there.
func awaitFile(t *testing.T, path string) {
	t.Helper()
	deadline := time.After(time.Minute)
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("%s never came", path)
		}
	}
}

// TestBackupThroughPipes: standard output into standard input.
func TestBackupThroughPipes(t *testing.T) {
	p := start(t, t.TempDir())
	expect(t, 201, "PUT", p.URL+"/string/k", `{"value":"v"}`)
	dir := filepath.Join(t.TempDir(), "restored")
	binary := builtBinary(t)
	cmd := exec.Command("bash", "-c", fmt.Sprintf("set -o pipefail; %s backup --to - --addr %s | %s restore --from - --data %s",
		binary, addrOf(p), binary, dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	again := start(t, dir)
	expect(t, 200, "GET", again.URL+"/string/k", "")
}
