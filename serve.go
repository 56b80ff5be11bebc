package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// runServe runs the service until a signal or a failed disk ends it.
func runServe(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	c, err := load(args, getenv)
	if errors.Is(err, errHelp) {
		printServeHelp(stdout)
		return exitOK
	}
	if err != nil {
		return refuse("serve", err, stderr)
	}
	c.limitMemory(getenv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	if err := serve(ctx, c, reload, newLogger(c, stderr), stdout); err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			_, _ = fmt.Fprintf(stderr, "keypact serve: %s\n", line)
		}
		return exitFailed
	}
	return exitOK
}

func newLogger(c Config, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// serve opens everything, serves, and closes everything. It writes one line to
// out when it listens. It returns nil after a clean end, which ctx asks for.
func serve(ctx context.Context, c Config, reload <-chan os.Signal, log *slog.Logger, out io.Writer) (err error) {
	set, err := loadContracts(c.Contracts)
	if err != nil {
		return err
	}
	// The store lives past the signal, until the last request is answered.
	a, err := openApp(context.WithoutCancel(ctx), c, set, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := newServer(c, a.handler, log)
	served := make(chan error, 2)
	redis, err := a.serveRESP(served)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	go func() { served <- server.Serve(limitConnections(listener, c.Connections)) }()
	_, _ = fmt.Fprintf(out, "keypact %s serves http://%s/ from %s (%d contracts, durability %s)\n",
		versionText(), listener.Addr(), c.Data, len(set.Contracts()), c.Durability)
	redis.announce(out)
	for _, addr := range append(redis.addresses(), listener.Addr().String()) {
		if !loopback(addr) {
			log.Warn("other machines can reach this address and there is no access control", "addr", addr)
		}
	}
	return a.until(ctx, reload, doors{server, redis}, served)
}

// until runs reloads until the service has to end, and ends it.
func (a *app) until(ctx context.Context, reload <-chan os.Signal, open doors, served <-chan error) error {
	for {
		select {
		case <-reload:
			a.reloader.reload(ctx)
		case err := <-a.fatal:
			open.cut()
			return fmt.Errorf("the store stopped, because what is on the disk is no longer known: %w", err)
		case err := <-served:
			return fmt.Errorf("serve: %w", err)
		case <-ctx.Done():
			a.log.Info("stopping: finishing the requests in flight")
			a.stopping.Store(true)
			a.commands.Close() // ends streams of messages
			a.store.Close()    // answers those that wait
			if err := open.stop(a.config.ShutdownTimeout); err != nil {
				return fmt.Errorf("requests were still in flight after %v and were cut off", a.config.ShutdownTimeout)
			}
			a.log.Info("stopped")
			return nil
		}
	}
}
