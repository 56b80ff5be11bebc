package command

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"keypact/service"
	"keypact/store"
)

// Client is the door's side of a conversation.
type Client interface {
	// Reply takes the next reply. It may keep it until Flush.
	Reply(r Reply)
	// Push takes what was not asked for, at any time and from any goroutine;
	// only doors that stay connected get any. It never waits.
	Push(r Reply)
	// Flush sends what was kept; it is called before a command that may wait.
	Flush()
	// Close ends the connection once what was kept is sent.
	Close()
	// Address is where the client is, as HOST:PORT.
	Address() string
}

// Session is the conversation with one client. Run must not be called while it
// runs; everything else may be called at any time.
type Session struct {
	host    *Host
	client  Client
	id      int64
	started time.Time

	space  string       // the namespace, by SELECT
	proto  atomic.Int32 // 2 or 3, by HELLO
	multi  *transaction
	inExec bool // EXEC runs: nothing waits
	watch  []watched
	silent silence
	ended  bool // by QUIT

	mu    sync.Mutex // guards what other conversations ask for
	about about
	subs  subscriptions
	wait  context.CancelCauseFunc // ends the command that waits; nil if none does
	left  error                   // why nothing may wait any more; nil if it may
}

// about is what CLIENT tells of a conversation.
type about struct {
	name, library, version string
	command                string // the last one
	active                 time.Time
	space                  string
	multi                  int // commands queued; -1 outside MULTI
	blocked                bool
}

// Session begins a conversation. End ends it.
func (h *Host) Session(client Client) *Session {
	now := h.now()
	s := &Session{host: h, client: client, id: h.ids.Add(1), started: now, space: store.DefaultNamespace}
	s.proto.Store(2)
	s.about = about{active: now, space: s.space, multi: -1}
	h.clients.add(s)
	return s
}

// End forgets the conversation and what it listened to.
func (s *Session) End() {
	s.unlisten()
	s.host.monitors.drop(s)
	s.host.clients.drop(s)
}

// Ended reports whether the client has asked for the end.
func (s *Session) Ended() bool { return s.ended }

// Proto is the version of RESP that the client understands, 2 or 3.
func (s *Session) Proto() int { return int(s.proto.Load()) }

// pending are calls that go to the service as one list.
type pending struct {
	commands []*Command
	calls    []Call
	ops      []service.Op
}

// Run runs commands one after the other and hands their replies to the client
// in that order. Those that touch data and follow each other go to the service
// as one list, so that their writes share a sync. Each command is its name and
// its words; the session keeps none of the memory.
func (s *Session) Run(ctx context.Context, commands [][][]byte) {
	var p pending
	for _, words := range commands {
		if s.ended {
			break
		}
		if len(words) > 0 {
			s.take(ctx, words, &p)
		}
	}
	s.flush(ctx, &p)
}

// take runs a command, or puts it behind those that wait to go.
func (s *Session) take(ctx context.Context, words [][]byte, p *pending) {
	s.host.processed.Add(1)
	c, args, err := s.host.find(words)
	if err != nil {
		s.flush(ctx, p)
		s.spoil()
		s.host.refused(c)
		s.reply(ErrorReply(err))
		return
	}
	s.note(c)
	s.host.show(s, c, words)
	switch {
	case s.Proto() == 2 && !allowedListening[c.Name] && s.subscribed():
		s.flush(ctx, p)
		s.reply(Error("ERR Can't execute '" + c.wireName() +
			"': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"))
	case s.multi != nil && c.Flags&Unqueued == 0:
		s.flush(ctx, p)
		s.reply(s.enqueue(c, args))
	case c.talk != nil:
		s.flush(ctx, p)
		begun := time.Now()
		reply := c.talk(ctx, s, args)
		s.host.ran(c, time.Since(begun), reply)
		s.reply(reply)
	default:
		s.add(ctx, c, args, p)
	}
}

// allowedListening are the commands of a client that listens and speaks RESP2,
// which cannot tell a reply from a message.
var allowedListening = map[string]bool{
	"SUBSCRIBE": true, "UNSUBSCRIBE": true, "PSUBSCRIBE": true, "PUNSUBSCRIBE": true, "PING": true, "QUIT": true, "RESET": true,
}

// add parses a command and puts it behind the others. One that may wait goes
// at once, when the replies before it are on their way.
func (s *Session) add(ctx context.Context, c *Command, args *Args, p *pending) {
	call, err := c.call(s, args)
	if err != nil {
		s.flush(ctx, p)
		s.host.ran(c, 0, ErrorReply(err))
		s.reply(ErrorReply(err))
		return
	}
	if c.Flags&Blocking == 0 {
		p.commands, p.calls, p.ops = append(p.commands, c), append(p.calls, call), append(p.ops, store.In(s.space, call.Op))
		return
	}
	s.flush(ctx, p)
	s.client.Flush()
	reply := s.block(ctx, call)
	s.host.ran(c, 0, reply)
	s.reply(reply)
}

// flush runs what is pending.
func (s *Session) flush(ctx context.Context, p *pending) {
	if len(p.ops) == 0 {
		return
	}
	begun := time.Now()
	results, err := s.host.service.Pipeline(ctx, p.ops)
	each := time.Since(begun) / time.Duration(len(p.ops))
	for i, call := range p.calls {
		var reply Reply
		if err != nil {
			reply = ErrorReply(err)
		} else {
			reply = call.reply(results[i])
		}
		s.host.ran(p.commands[i], each, reply)
		s.reply(reply)
	}
	p.commands, p.calls, p.ops = p.commands[:0], p.calls[:0], p.ops[:0]
}

// block runs a command that may wait.
func (s *Session) block(ctx context.Context, call Call) Reply {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.blocked(cancel)
	result, err := s.host.service.Do(ctx, store.In(s.space, call.Op))
	s.blocked(nil)
	if cause, ok := context.Cause(ctx).(unblocked); ok && err != nil {
		return cause.reply(call)
	}
	result.Err = err
	return call.reply(result)
}

func (s *Session) blocked(cancel context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wait = cancel; cancel != nil && s.left != nil {
		cancel(s.left)
	}
	s.about.blocked = cancel != nil
}

// Leave says that the client has gone, or that the service is to end: a command
// that waits ends now, and so does each that would wait later. Other commands
// run to their end.
func (s *Session) Leave() { s.leave(context.Canceled) }

func (s *Session) leave(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == nil {
		s.left = cause
	}
	if s.wait != nil {
		s.wait(cause)
	}
}

// unblocked is the cause that CLIENT UNBLOCK gives.
type unblocked struct{ withError bool }

// Error says so.
func (unblocked) Error() string { return "unblocked" }

func (u unblocked) reply(call Call) Reply {
	if u.withError {
		return Error("UNBLOCKED client unblocked via CLIENT UNBLOCK")
	}
	return call.late()
}

// reply renders a result.
func (c Call) reply(r service.Result) Reply {
	if r.Err != nil {
		var e *service.Error
		if errors.As(r.Err, &e) {
			switch e.Kind {
			case service.KindNotFound:
				return c.absent()
			case service.KindPrecondition:
				return orNull(c.Unmet)
			}
		}
		return c.errorReply(r.Err)
	}
	if r.Empty {
		return c.late()
	}
	if c.Reply != nil {
		return c.Reply(r)
	}
	return r.Value.(Reply)
}

func (c Call) absent() Reply { return orNull(c.Absent) }

func (c Call) late() Reply {
	if c.Late != nil {
		return c.Late
	}
	return c.absent()
}

func orNull(r Reply) Reply {
	if r == nil {
		return Null{}
	}
	return r
}

// note remembers the command for CLIENT.
func (s *Session) note(c *Command) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.about.command, s.about.active = c.Name, s.host.now()
	s.about.space, s.about.multi = s.space, -1
	if s.multi != nil {
		s.about.multi = len(s.multi.queue)
	}
}

// reply hands a reply over, unless CLIENT REPLY has silenced it; nil is none.
// Messages are never silenced.
func (s *Session) reply(r Reply) {
	if r == nil {
		return
	}
	if _, message := r.(Push); s.silent.swallows() && !message {
		return
	}
	s.client.Reply(r)
}

// slicesSortByID puts conversations in the order in which they began.
func slicesSortByID(list []*Session) {
	slices.SortFunc(list, func(a, b *Session) int { return int(a.id - b.id) })
}
