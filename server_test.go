package main

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipeServer runs a server of the given settings over an in-memory connection
// inside a synctest bubble, so that its timeouts pass in no time.
func pipeServer(t *testing.T, c Config, handler http.HandlerFunc) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	l := pipeListener{make(chan net.Conn, 1)}
	l.conns <- server
	s := newServer(c, handler, slog.New(slog.DiscardHandler))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		_ = client.Close()
		_ = s.Close()
		<-done
		<-time.After(time.Minute) // the server's goroutines linger after a refusal
	})
	return client
}

func testConfig(t *testing.T) Config {
	t.Helper()
	c, err := load(nil, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestServerCutsOffSlowHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := pipeServer(t, testConfig(t), func(http.ResponseWriter, *http.Request) { t.Error("the handler ran") })
		start := time.Now()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\nX-Slow: "); err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadAll(conn)
		if took := time.Since(start); took > headerPatience+time.Second {
			t.Errorf("a caller that never ends its headers was kept for %v", took)
		}
	})
}

func TestServerCutsOffSlowBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan error, 1)
		conn := pipeServer(t, testConfig(t), func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			failed <- err
		})
		start := time.Now()
		go func() { _, _ = io.Copy(io.Discard, conn) }()
		_, _ = io.WriteString(conn, "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n")
		over := make(chan struct{})
		defer close(over)
		go func() { // a byte now and then does not help
			drip := time.NewTicker(9 * time.Second)
			defer drip.Stop()
			for {
				select {
				case <-drip.C:
					_, _ = conn.Write([]byte("x"))
				case <-over:
					return
				}
			}
		}()
		err := <-failed
		if err == nil {
			t.Fatal("the body arrived")
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("a slow body was given %v, want a minute", took)
		}
	})
}

// TestServerLetsWaitsRun: neither the body's deadline nor the answer's cuts off
// a request that waits as long as it may.
func TestServerLetsWaitsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testConfig(t)
		conn := pipeServer(t, c, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			select {
			case <-time.After(c.Limits.Wait):
			case <-r.Context().Done():
				t.Error("the request was cut off while it waited")
			}
			w.WriteHeader(http.StatusNoContent)
		})
		go func() { _, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}") }()
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != http.StatusNoContent {
			t.Fatalf("answer is %v, %v", answer, err)
		}
		_ = answer.Body.Close()
	})
}

func TestServerRefusesLargeHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testConfig(t)
		conn := pipeServer(t, c, func(http.ResponseWriter, *http.Request) { t.Error("the handler ran") })
		go func() {
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\nX-Large: "+strings.Repeat("x", c.Limits.HeaderBytes+8<<10)+"\r\n\r\n")
		}()
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Fatalf("answer is %v, %v", answer, err)
		}
		_ = answer.Body.Close()
	})
}
