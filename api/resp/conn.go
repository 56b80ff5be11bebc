package resp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"sync"

	"keypact/service/command"
)

// conn is one connection. It is the client of its conversation.
type conn struct {
	server  *Server
	net     net.Conn
	session *command.Session
	in      *inbox
	out     *outbox
}

func newConn(s *Server, nc net.Conn) *conn {
	c := &conn{server: s, net: nc, in: newInbox(), out: newOutbox()}
	c.session = s.host.Session(c)
	return c
}

// serve runs the connection until it ends.
func (c *conn) serve() {
	var sender, receiver sync.WaitGroup
	sender.Go(func() {
		c.out.send(c.net)
		_ = c.net.Close() // wakes the reader, whatever ended first
	})
	receiver.Go(c.receive)
	c.run()
	c.in.close()
	c.out.close()
	sender.Wait()
	receiver.Wait()
	c.session.End()
}

// receive reads commands until the client leaves or errs.
func (c *conn) receive() {
	r := newReader(c.net, c.server.options.CommandBytes)
	for {
		words, err := r.read()
		if err != nil {
			c.in.finish(err)
			c.session.Leave()
			return
		}
		if len(words) > 0 && !c.in.put(words) {
			return
		}
	}
}

// run runs what has been read, as much as there is at a time.
func (c *conn) run() {
	for !c.session.Ended() {
		commands, err := c.in.take()
		if err != nil {
			c.refuse(err)
			return
		}
		if !c.runList(commands) {
			return
		}
		c.out.flush()
	}
}

// runList runs commands as one list. A panic is logged and ends the connection,
// not the process.
func (c *conn) runList(commands [][][]byte) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			c.server.log.Error("panic in a command", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			c.Reply(command.ErrInternal)
		}
	}()
	c.session.Run(context.Background(), commands)
	return true
}

// refuse says what is wrong with what the client sent, if anything is.
func (c *conn) refuse(err error) {
	var fault *ProtocolError
	switch {
	case errors.As(err, &fault):
		c.Reply(command.Error("ERR " + fault.Error()))
	case errors.Is(err, errTooBig):
		c.Reply(command.Error(fmt.Sprintf("ERR max request size exceeded. Limit: %d bytes", c.server.options.CommandBytes)))
	case !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed):
		c.server.log.Debug("connection ended", "client", c.Address(), "error", err)
	}
}

// stop ends the connection when what it runs has been answered.
func (c *conn) stop() {
	c.in.finish(io.EOF)
	c.session.Leave()
}

// Reply takes the next reply; it waits while the client does not read.
func (c *conn) Reply(r command.Reply) {
	proto := c.session.Proto()
	c.out.reply(func(dst []byte) []byte { return Append(dst, r, proto) })
}

// Push takes a message; a client that is too far behind is cut off.
func (c *conn) Push(r command.Reply) {
	proto := c.session.Proto()
	if !c.out.push(func(dst []byte) []byte { return Append(dst, r, proto) }) {
		c.server.log.Warn("a subscriber that does not read is cut off", "client", c.Address())
		_ = c.net.Close()
	}
}

// Flush sends what was kept.
func (c *conn) Flush() { c.out.flush() }

// Close ends the connection when what was kept is sent.
func (c *conn) Close() {
	c.in.finish(io.EOF)
	c.session.Leave()
	c.out.close()
}

// Address is where the client is.
func (c *conn) Address() string { return c.net.RemoteAddr().String() }
