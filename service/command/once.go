package command

import (
	"context"
	"time"
)

// Once is a conversation of one request, as doors have it whose clients do not
// stay: what is about the conversation itself is not offered there.
type Once struct {
	host    *Host
	address string
}

// Once begins a conversation of one request with a client at an address.
func (h *Host) Once(address string) Once { return Once{host: h, address: address} }

// quietSession is a conversation that nobody else sees, in a namespace.
func (h *Host) quietSession(space string) *Session {
	s := &Session{host: h, client: new(collector), space: space}
	s.proto.Store(2)
	return s
}

// onlyConnected are the commands that need a client that stays.
var onlyConnected = map[string]bool{
	"HELLO": true, "AUTH": true, "SELECT": true, "QUIT": true, "RESET": true,
	"MULTI": true, "EXEC": true, "DISCARD": true, "WATCH": true, "UNWATCH": true,
	"SUBSCRIBE": true, "UNSUBSCRIBE": true, "PSUBSCRIBE": true, "PUNSUBSCRIBE": true, "MONITOR": true,
	"CLIENT REPLY": true, "CLIENT TRACKING": true,
}

// Run runs commands one after the other, each with its own fate, and returns
// one reply for each. A command that waits does so for at most patience, then
// it has found nothing. When ctx ends, what waits ends.
func (o Once) Run(ctx context.Context, commands [][][]byte, patience time.Duration) []Reply {
	c := &collector{address: o.address}
	s := o.host.Session(c)
	defer s.End()
	defer context.AfterFunc(ctx, s.Leave)()
	timer := time.AfterFunc(patience, func() { s.leave(unblocked{}) })
	defer timer.Stop()
	out := make([]Reply, len(commands))
	for from := 0; from < len(commands); {
		to := from
		for to < len(commands) && o.offered(commands[to]) == nil {
			to++
		}
		s.Run(ctx, commands[from:to])
		copy(out[from:], c.replies)
		c.replies = nil
		if to < len(commands) {
			out[to] = o.offered(commands[to])
			to++
		}
		from = to
	}
	return out
}

// offered is nil, or the error of a command that is not for such clients.
func (o Once) offered(words [][]byte) Reply {
	if len(words) == 0 {
		return Error("ERR empty command")
	}
	c, _, err := o.host.find(words)
	if err == nil && onlyConnected[c.Name] {
		return Error("ERR Command is not available: '" + c.wireName() + "' needs a connection that stays")
	}
	return nil
}

// Exec runs commands as one transaction, as MULTI and EXEC do. The reply is an
// Array with one reply for each, or an Error if nothing was done.
func (o Once) Exec(ctx context.Context, commands [][][]byte) Reply {
	s := o.host.Session(&collector{address: o.address})
	defer s.End()
	s.inExec = true
	queue := make([]queued, len(commands))
	for i, words := range commands {
		if refused := o.offered(words); refused != nil {
			return discarded(refused.(Error))
		}
		c, args, err := o.host.find(words)
		if err != nil {
			return discarded(ErrorReply(err))
		}
		if c.Flags&NoMulti != 0 {
			return discarded(errNotAllowed)
		}
		queue[i] = queued{c, args}
	}
	o.host.processed.Add(uint64(len(commands)))
	return s.exec(ctx, queue, nil)
}

// discarded is the reply to a transaction that was not run.
func discarded(because Error) Error { return "EXECABORT Transaction discarded because of: " + because }

// collector is the client of one request.
type collector struct {
	address string
	replies []Reply
}

// Reply keeps a reply.
func (c *collector) Reply(r Reply) { c.replies = append(c.replies, r) }

// Push drops a message: nobody listens here.
func (c *collector) Push(Reply) {}

// Flush has nothing to send.
func (c *collector) Flush() {}

// Close has nothing to close.
func (c *collector) Close() {}

// Address is where the client is.
func (c *collector) Address() string { return c.address }
