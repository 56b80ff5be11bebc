package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"keypact/bench/process"
)

// startKeypact runs the service on a fresh store, or on a named one.
func startKeypact(s settings, store string, args ...string) (*process.Process, error) {
	return process.Start(s.keypact, append([]string{"--data", filepath.Join(s.scratch, store), "--log-level", "warn"}, args...)...)
}

// peer is Webdis in front of a Redis of its own.
type peer struct {
	url          string
	redis        string // address
	redisProcess *exec.Cmd
	webdis       *exec.Cmd
}

// startPeer runs Redis with an append-only file, synced as fsync says, and
// Webdis in front of it, both on loopback.
func startPeer(ctx context.Context, s settings, fsync string) (*peer, error) {
	dir := filepath.Join(s.scratch, "redis-"+fsync)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	redisPort, err := freePort()
	if err != nil {
		return nil, err
	}
	webPort, err := freePort()
	if err != nil {
		return nil, err
	}
	p := &peer{url: "http://127.0.0.1:" + strconv.Itoa(webPort), redis: "127.0.0.1:" + strconv.Itoa(redisPort)}
	p.redisProcess = exec.Command("redis-server", "--bind", "127.0.0.1", "--port", strconv.Itoa(redisPort), "--dir", dir,
		"--save", "", "--appendonly", "yes", "--appendfsync", fsync, "--daemonize", "no", "--logfile", filepath.Join(dir, "log"))
	if err := p.redisProcess.Start(); err != nil {
		return nil, err
	}
	if err := await(ctx, func() bool { return open(p.redis) }); err != nil {
		return p, fmt.Errorf("redis-server: %w", err)
	}
	if err := p.startWebdis(dir, redisPort, webPort); err != nil {
		return p, err
	}
	if err := await(ctx, func() bool { return answers(p.url + "/PING") }); err != nil {
		return p, fmt.Errorf("webdis: %w", err)
	}
	return p, nil
}

func (p *peer) startWebdis(dir string, redisPort, webPort int) error {
	config, err := json.Marshal(map[string]any{
		"redis_host": "127.0.0.1", "redis_port": redisPort, "http_host": "127.0.0.1", "http_port": webPort,
		"threads": 2, "pool_size": 20, "daemonize": false, "websockets": false, "database": 0,
		"verbosity": 1, "logfile": filepath.Join(dir, "webdis.log"),
	})
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "webdis.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return err
	}
	p.webdis = exec.Command("webdis", file)
	return p.webdis.Start()
}

// stop ends both servers. It may be called on a peer that did not start.
func (p *peer) stop() {
	if p == nil {
		return
	}
	for _, cmd := range []*exec.Cmd{p.webdis, p.redisProcess} {
		if cmd != nil && cmd.Process != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func open(addr string) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

func answers(url string) bool {
	answer, err := http.Get(url)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// await asks until the answer is yes, for at most 20 seconds.
func await(ctx context.Context, ready func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for !ready() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
	return nil
}

// preload stores keys k1 to kN, a thousand per request.
func preload(ctx context.Context, url string, keys int) error {
	value := strings.Repeat("v", valueSize)
	for first := 1; first <= keys; first += 1000 {
		var pairs []map[string]string
		for i := first; i < min(first+1000, keys+1); i++ {
			pairs = append(pairs, map[string]string{"key": "k" + strconv.Itoa(i), "value": value})
		}
		body, err := json.Marshal(map[string]any{"pairs": pairs})
		if err != nil {
			return err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPut, url+"/string", strings.NewReader(string(body)))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		_ = answer.Body.Close()
		if answer.StatusCode >= 300 {
			return fmt.Errorf("preload: %s", answer.Status)
		}
	}
	return nil
}

// preloadPeer stores the same keys through Webdis.
func preloadPeer(ctx context.Context, p *peer, keys int) error {
	value := strings.Repeat("v", valueSize)
	for first := 1; first <= keys; first += 500 {
		path := "MSET"
		for i := first; i < min(first+500, keys+1); i++ {
			path += "/k" + strconv.Itoa(i) + "/" + value
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/", strings.NewReader(path))
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("preload: %s", answer.Status)
		}
	}
	return nil
}
