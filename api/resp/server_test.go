package resp

import (
	"context"
	"net"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"keypact/service"
	"keypact/service/command"
	"keypact/store"
	"keypact/store/kv/badger"
)

// startServer serves an empty store in memory. waiting counts the commands that
// wait there.
func startServer(t testing.TB) (addr string, waiting func() int) {
	t.Helper()
	db, err := badger.Open(badger.Options{InMemory: true, MinFreeBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	var host *command.Host
	st, err := store.Open(context.Background(), db, store.Options{
		Notify: func(events []store.Event) { host.Notify(events) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	svc, err := service.New(st, service.Options{})
	if err != nil {
		t.Fatal(err)
	}
	host = command.New(svc, command.Options{})
	s := New(host, Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		l.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String(), st.Waiting
}

// startRedis starts a real Redis that keeps nothing.
func startRedis(t testing.TB) (addr string) {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatalf("the package redis-server is missing: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	cmd := exec.Command(path, "--port", strconv.Itoa(port), "--save", "", "--appendonly", "no", "--dir", t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	for deadline := time.Now().Add(20 * time.Second); ; {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
			return addr
		}
		if time.Now().After(deadline) {
			t.Fatalf("Redis does not answer: %v", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
