package command

import (
	"context"
	"errors"

	"keypact/service"
	"keypact/store"
)

// transaction is what MULTI gathers.
type transaction struct {
	queue  []queued
	spoilt bool // a command could not be queued
}

// queued is a command that waits for EXEC.
type queued struct {
	command *Command
	args    *Args
}

// watched is a key with the state that WATCH saw.
type watched struct {
	space    string
	key      []byte
	revision store.Revision
}

// Texts of errors about transactions.
const (
	errAbort       = Error("EXECABORT Transaction discarded because of previous errors.")
	errNotAllowed  = Error("ERR Command not allowed inside a transaction")
	errNoMulti     = Error("ERR EXEC without MULTI")
	errNoDiscard   = Error("ERR DISCARD without MULTI")
	errNested      = Error("ERR MULTI calls can not be nested")
	errWatchInside = Error("ERR WATCH inside MULTI is not allowed")
)

// codeWatched is the service's error about a watched key that has changed.
const codeWatched = "watched"

// multiBegin is MULTI.
func multiBegin(_ context.Context, s *Session, _ *Args) Reply {
	if s.multi != nil {
		return errNested
	}
	s.multi = new(transaction)
	return OK
}

// spoil notes that a command could not be queued, if any are.
func (s *Session) spoil() {
	if s.multi != nil {
		s.multi.spoilt = true
	}
}

// enqueue keeps a command for EXEC.
func (s *Session) enqueue(c *Command, args *Args) Reply {
	if c.Flags&NoMulti != 0 {
		s.spoil()
		return errNotAllowed
	}
	s.multi.queue = append(s.multi.queue, queued{c, args.clone()})
	return Status("QUEUED")
}

// multiDiscard is DISCARD.
func multiDiscard(_ context.Context, s *Session, _ *Args) Reply {
	if s.multi == nil {
		return errNoDiscard
	}
	s.multi, s.watch = nil, nil
	return OK
}

// multiWatch is WATCH: EXEC runs nothing if one of the keys has changed by then.
func multiWatch(ctx context.Context, s *Session, a *Args) Reply {
	if s.multi != nil {
		return errWatchInside
	}
	for _, key := range a.Rest() {
		key = clone(key)
		op := &act{calls: []store.Call{look("EXISTS", key)}, apply: func(tx *store.Tx) (Reply, error) {
			_, err := tx.Key(key) // the outcome has the revision of a key that was opened
			return OK, err
		}}
		result, err := s.host.service.Do(ctx, store.In(s.space, op))
		if err != nil {
			return ErrorReply(err)
		}
		s.watch = append(s.watch, watched{s.space, key, result.ETag})
	}
	return OK
}

// multiUnwatch is UNWATCH.
func multiUnwatch(_ context.Context, s *Session, _ *Args) Reply {
	s.watch = nil
	return OK
}

// multiExec is EXEC.
func multiExec(ctx context.Context, s *Session, _ *Args) Reply {
	if s.multi == nil {
		return errNoMulti
	}
	t, watch := s.multi, s.watch
	s.multi, s.watch = nil, nil
	if t.spoilt {
		return errAbort
	}
	space := s.space
	s.inExec = true
	defer func() { s.inExec = false }()
	reply := s.exec(ctx, t.queue, watch)
	if _, ran := reply.(Array); !ran {
		s.space = space
	}
	return reply
}

// exec runs queued commands as one list of operations in mode Exec. Those about
// the conversation itself are answered when the rest has run; SELECT counts for
// what comes behind it.
func (s *Session) exec(ctx context.Context, queue []queued, watch []watched) Reply {
	out := make(Array, len(queue))
	calls, at := make([]Call, 0, len(queue)), make([]int, 0, len(queue))
	ops := make([]service.Op, 0, len(watch)+len(queue))
	for _, w := range watch {
		ops = append(ops, store.In(w.space, store.Watch{Key: w.key, Revision: w.revision}))
	}
	for i, q := range queue {
		if !q.command.data() {
			if q.command.Name == "SELECT" {
				out[i] = q.command.talk(ctx, s, q.args)
			}
			continue
		}
		call, err := q.command.call(s, q.args)
		if err != nil {
			out[i] = ErrorReply(err)
			continue
		}
		calls, at = append(calls, call), append(at, i)
		ops = append(ops, store.In(s.space, call.Op))
	}
	if len(ops) == 0 {
		return s.execTalk(ctx, queue, out)
	}
	results, err := s.host.service.Exec(ctx, ops)
	var failed *service.Error
	if errors.As(err, &failed) && failed.Code == codeWatched {
		return NullArray{}
	}
	if err != nil {
		return discarded(ErrorReply(err))
	}
	for i, result := range results[len(watch):] {
		out[at[i]] = calls[i].reply(result)
	}
	return s.execTalk(ctx, queue, out)
}

// execTalk runs the commands about the conversation itself.
func (s *Session) execTalk(ctx context.Context, queue []queued, out Array) Reply {
	for i, q := range queue {
		if out[i] == nil {
			out[i] = orNull(q.command.talk(ctx, s, q.args))
		}
		s.host.ran(q.command, 0, out[i])
	}
	return out
}

// clone copies the words, which belong to the door.
func (a *Args) clone() *Args {
	list := make([][]byte, len(a.list))
	for i, word := range a.list {
		list[i] = clone(word)
	}
	return &Args{host: a.host, name: a.name, list: list, at: a.at}
}

func clone(b []byte) []byte { return append(make([]byte, 0, len(b)), b...) }
