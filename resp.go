package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"keypact/api/resp"
)

// redisDoor is the door for Redis clients; nil if there is none.
type redisDoor struct {
	listener net.Listener
	server   *resp.Server
}

// serveRESP opens the door for Redis clients if the settings name an address.
// What ends it is sent to served.
func (a *app) serveRESP(served chan<- error) (*redisDoor, error) {
	if a.config.RESP == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", a.config.RESP)
	if err != nil {
		return nil, fmt.Errorf("listen for Redis clients: %w", err)
	}
	d := &redisDoor{listener: listener, server: resp.New(a.commands, resp.Options{
		Logger: a.log, CommandBytes: int(a.config.Limits.BodyBytes), Clients: a.config.Connections,
	})}
	go func() {
		if err := d.server.Serve(listener); err != nil {
			served <- err
		}
	}()
	return d, nil
}

// announce says where the door is.
func (d *redisDoor) announce(out io.Writer) {
	for _, addr := range d.addresses() {
		_, _ = fmt.Fprintf(out, "keypact serves redis://%s/\n", addr)
	}
}

func (d *redisDoor) addresses() []string {
	if d == nil {
		return nil
	}
	return []string{d.listener.Addr().String()}
}

// doors are what the service listens with.
type doors struct {
	http  *http.Server
	redis *redisDoor
}

// stop takes no new connections and waits for what is in flight. What is still
// there after patience is cut off, which is an error.
func (d doors) stop(patience time.Duration) error {
	ended := make(chan error, 1)
	go func() { ended <- d.redis.stop(patience) }()
	return errors.Join(stopServer(d.http, patience), <-ended)
}

func (d *redisDoor) stop(patience time.Duration) error {
	if d == nil {
		return nil
	}
	_ = d.listener.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return d.server.Shutdown(ctx)
}

// cut closes everything at once.
func (d doors) cut() {
	_ = d.http.Close()
	_ = d.redis.stop(0)
}
