package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"keypact/bench/process"
)

// crashRounds is how often the process is killed; soak runs set the variable.
func crashRounds(t *testing.T) int {
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("KEYPACT_CRASH_ROUNDS"), "5"))
	if err != nil {
		t.Fatalf("KEYPACT_CRASH_ROUNDS: %v", err)
	}
	return rounds
}

const crashWriters = 8

// TestCrash kills the process while writers write, again and again on one
// directory. After each kill the service starts by itself and every writer
// finds exactly what was acknowledged, at most with its one request that was in
// flight, whole.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	writers := make([]*writer, crashWriters)
	for i := range writers {
		writers[i] = &writer{prefix: fmt.Sprintf("w%d", i)}
	}
	for round := range crashRounds(t) {
		p, err := process.Start(builtBinary(t), "--data", dir, "--durability", "always", "--log-level", "warn")
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		t.Cleanup(p.Kill)
		for _, w := range writers {
			w.verify(t, p.URL)
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
		killAfter(t, p, writers, random.Int64N(1500))
	}
	p := start(t, dir, "--durability", "always")
	acknowledged := 0
	for _, w := range writers {
		w.verify(t, p.URL)
		acknowledged += w.done
	}
	if acknowledged == 0 {
		t.Error("nothing was ever acknowledged")
	}
	t.Logf("%d acknowledged writes", acknowledged)
}

// killAfter lets the writers write and kills the process once so many writes
// were acknowledged, which is in the middle of others.
func killAfter(t *testing.T, p *process.Process, writers []*writer, acknowledged int64) {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: len(writers)}
	defer transport.CloseIdleConnections()
	var count atomic.Int64
	reached := make(chan struct{})
	note := func() {
		if count.Add(1) == acknowledged+1 {
			close(reached)
		}
	}
	var running sync.WaitGroup
	for _, w := range writers {
		running.Go(func() { w.write(t, &http.Client{Transport: transport}, p.URL, note) })
	}
	select {
	case <-reached:
	case <-p.Done():
		t.Errorf("the process ended by itself:\n%s", p.Output())
	}
	p.Kill()
	running.Wait()
}

// writer writes under keys of its own, one request after another. What it
// leaves in the store is a function of how many of its requests took effect.
type writer struct {
	prefix string
	done   int // requests that took effect
}

// write goes on until the process is gone.
func (w *writer) write(t *testing.T, client *http.Client, url string, note func()) {
	for {
		request := crashRequest(w.prefix, w.done)
		status, err := request.send(t.Context(), client, url)
		switch {
		case err != nil:
			return
		case status >= 300 && status != request.also:
			t.Errorf("%s %s is %d", request.method, request.path, status)
			return
		}
		w.done++
		note()
	}
}

// verify compares what is stored with what was acknowledged, with or without
// the request that was in flight.
func (w *writer) verify(t *testing.T, url string) {
	t.Helper()
	got, err := readCrashState(t.Context(), url, w.prefix)
	if err != nil {
		t.Errorf("%s: %v", w.prefix, err)
		return
	}
	for _, done := range []int{w.done, w.done + 1} {
		if reflect.DeepEqual(got, crashStateAfter(done)) {
			w.done = done
			return
		}
	}
	want, _ := json.Marshal(crashStateAfter(w.done))
	found, _ := json.Marshal(got)
	t.Errorf("%s, after %d acknowledged writes, holds\n%s\nwant\n%s", w.prefix, w.done, found, want)
}

// errAbsent is the answer 404.
var errAbsent = errors.New("absent")

// read decodes an answer; 404 is errAbsent.
func readJSON(ctx context.Context, url string, into any) error {
	status, body, err := call(ctx, "GET", url, "")
	switch {
	case err != nil:
		return err
	case status == http.StatusNotFound:
		return errAbsent
	case status != http.StatusOK:
		return fmt.Errorf("GET %s is %d: %s", url, status, body)
	}
	return json.Unmarshal([]byte(body), into)
}
