package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// healthPatience is how long a service may take to say that it is ready.
const healthPatience = 5 * time.Second

// runHealth asks the service at --addr whether it is ready. The container image
// runs it as its health check.
func runHealth(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	var c Config
	problems, err := read([]setting{addrSetting}, args, getenv, &c)
	switch {
	case errors.Is(err, errHelp):
		_, _ = fmt.Fprintln(stdout, "Usage:\n  keypact health [--addr HOST:PORT]\n\nFlags:")
		printSettings(stdout, []setting{addrSetting}, func(setting) bool { return true })
		return exitOK
	case len(problems) > 0:
		return refuse("health", &ConfigError{Problems: problems}, stderr)
	}
	if err := askReady(c.Addr); err != nil {
		_, _ = fmt.Fprintf(stderr, "keypact health: %v\n", err)
		return exitFailed
	}
	_, _ = fmt.Fprintln(stdout, "ready")
	return exitOK
}

// askReady returns nil if the service at addr answers its readiness route with
// 200.
func askReady(addr string) error {
	ctx, cancel := context.WithTimeout(context.Background(), healthPatience)
	defer cancel()
	answer, err := ask(ctx, addr, "/readyz")
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(answer.Body, 512))
		return fmt.Errorf("%s answers %s: %s", answer.Request.URL, answer.Status, body)
	}
	return nil
}

// ask sends a GET to the service at addr. A service that listens everywhere is
// asked on loopback. The caller closes the body.
func ask(ctx context.Context, addr, target string) (*http.Response, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+target, nil)
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(request)
}
