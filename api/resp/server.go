package resp

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"

	"keypact/service/command"
)

// Options of a server. Every field may be zero.
type Options struct {
	Logger       *slog.Logger // nil discards
	CommandBytes int          // of all words of one command; default 16 MiB
	Clients      int          // connections at a time; more get an error; default 10,000
}

// Server serves RESP on connections.
type Server struct {
	host    *command.Host
	options Options
	log     *slog.Logger

	mu      sync.Mutex
	open    map[*conn]bool
	closing bool
	done    sync.WaitGroup
}

// New makes a server of a host.
func New(host *command.Host, opts Options) *Server {
	if opts.CommandBytes == 0 {
		opts.CommandBytes = 16 << 20
	}
	if opts.Clients == 0 {
		opts.Clients = 10_000
	}
	s := &Server{host: host, options: opts, log: opts.Logger, open: make(map[*conn]bool)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Serve accepts connections until the listener is closed or fails. A closed
// listener is no error.
func (s *Server) Serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		s.begin(c)
	}
}

// begin serves a connection, unless there are too many.
func (s *Server) begin(nc net.Conn) {
	s.mu.Lock()
	full := len(s.open) >= s.options.Clients
	if full || s.closing {
		s.mu.Unlock()
		if full {
			_, _ = nc.Write([]byte("-ERR max number of clients reached\r\n"))
		}
		_ = nc.Close()
		return
	}
	c := newConn(s, nc)
	s.open[c] = true
	s.done.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.done.Done()
		c.serve()
		s.mu.Lock()
		delete(s.open, c)
		s.mu.Unlock()
	}()
}

// Clients is how many connections are open.
func (s *Server) Clients() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Shutdown takes no more commands, lets those that run end and sends their
// replies. When ctx ends it cuts off the connections that are left and returns
// its error. The listener is the caller's to close.
func (s *Server) Shutdown(ctx context.Context) error {
	s.each(func(c *conn) { c.stop() })
	done := make(chan struct{})
	go func() {
		s.done.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.each(func(c *conn) { _ = c.net.Close() })
		<-done
		return ctx.Err()
	}
}

func (s *Server) each(do func(*conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	for c := range s.open {
		do(c)
	}
}
