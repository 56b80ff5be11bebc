package command

import (
	"context"
	"errors"
	"runtime/metrics"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"keypact/store"
)

// scriptRun is one run of a script. It may run again, as operations do.
type scriptRun struct {
	host       *Host
	script     *script
	space      string // of the client that sent it
	keys, args [][]byte
	readOnly   bool

	tx   *store.Tx
	talk *Session // answers what is about the conversation: SELECT, PING
	lua  *lua.LState
	resp int // of what commands answer, by redis.setresp
}

// Bounds of one run.
const (
	scriptLight       = 5 * time.Millisecond // in the line of writers, which waits for it
	defaultScriptTime = 5 * time.Second      // beside it
	scriptMemory      = 256 << 20            // that the process may grow meanwhile, in bytes
)

// Causes that end a script.
var (
	errScriptHeavy  = errors.New("the script takes long")
	errScriptTime   = Error("ERR Script killed: it ran for too long. Nothing of it was written.")
	errScriptMemory = Error("ERR Script killed: it took too much memory. Nothing of it was written.")
)

// apply runs the script. An error that the script raises, or leaves uncaught,
// is its reply; what it wrote before stays, as in Redis. A script that takes
// more than its bounds is undone.
func (r *scriptRun) apply(tx *store.Tx) (Reply, error) {
	r.tx, r.resp = tx, 2
	r.talk = r.host.quietSession(r.space)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	limit, cause := r.host.scriptTime, error(errScriptTime)
	if tx.InLine() {
		limit, cause = scriptLight, errScriptHeavy
	}
	defer watchScript(limit, func(why error) {
		if why == nil {
			why = cause
		}
		cancel(why)
	})()
	state := scriptStates.Get().(*scriptState)
	r.lua, state.run = state.lua, r
	L := r.lua
	L.SetContext(ctx)
	state.words("KEYS", r.keys)
	state.words("ARGV", r.args)
	L.Push(L.NewFunctionFromProto(r.script.proto))
	err := L.PCall(0, 1, nil)
	if why := context.Cause(ctx); why != nil {
		L.Close() // it may have been ended anywhere
		return nil, r.ended(tx, why)
	}
	var reply Reply
	if err != nil {
		reply = r.raised(err)
	} else {
		reply = r.replyOf(L.Get(-1), 0)
	}
	L.SetTop(0)
	L.RemoveContext()
	state.run = nil
	scriptStates.Put(state)
	return reply, nil
}

// ended is the error of a run that was ended: it is to go on beside the line of
// writers, or it took too much.
func (r *scriptRun) ended(tx *store.Tx, why error) error {
	if why == errScriptHeavy {
		if err := tx.Heavy(); err != nil {
			return err
		}
		why = errScriptTime
	}
	return fail(Error(why.Error()))
}

// watchScript calls end when a run has lasted for the limit, with nil, or when
// the process has grown too much meanwhile. Go cannot tell whose memory it is,
// so that a script may have to pay for what others take. stop ends the watch.
func watchScript(limit time.Duration, end func(error)) (stop func()) {
	const step = 2 * time.Millisecond
	began, from := time.Now(), uint64(0)
	var timer *time.Timer
	ready := make(chan struct{})
	timer = time.AfterFunc(step, func() {
		<-ready
		if time.Since(began) >= limit {
			end(nil)
			return
		}
		now := heapBytes()
		if from == 0 || now < from {
			from = now
		}
		if now-from > scriptMemory {
			end(errScriptMemory)
			return
		}
		timer.Reset(step)
	})
	close(ready)
	return func() { timer.Stop() }
}

// heapBytes is how much memory objects take.
func heapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// raised is the reply to an error that the script left uncaught.
func (r *scriptRun) raised(err error) Reply {
	var e *lua.ApiError
	if !errors.As(err, &e) {
		return Error("ERR " + line(err.Error()))
	}
	if table, ok := e.Object.(*lua.LTable); ok {
		if text := table.RawGetString("err"); text.Type() == lua.LTString {
			return Error(line(string(text.(lua.LString))) + r.place(table))
		}
		return Error("ERR unknown error")
	}
	text := line(e.Object.String())
	return Error("ERR " + text + " script: " + r.script.sha + ", on " + lineOf(text) + ".")
}

// place is where an error of a command was raised, as Redis 7 adds it.
func (r *scriptRun) place(table *lua.LTable) string {
	at := table.RawGetString("line")
	if at.Type() != lua.LTString {
		return ""
	}
	return " script: " + r.script.sha + ", on @user_script:" + at.String() + "."
}

// lineOf is the beginning of an error's text that tells its place.
func lineOf(text string) string {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) < 3 {
		return "@user_script"
	}
	return "@" + parts[0] + ":" + parts[1]
}

// call is redis.call and redis.pcall: it runs one command inside the script's
// transaction, under the same contracts as any other.
func (r *scriptRun) call(words [][]byte) Reply {
	c, args, err := r.host.find(words)
	switch {
	case err != nil && r.host.named(string(words[0])) == nil:
		return Error("ERR Unknown Redis command called from script")
	case err != nil:
		return Error("ERR Wrong number of args calling Redis command from script")
	case c.Flags&NoScript != 0:
		return Error("ERR This Redis command is not allowed from script")
	case r.readOnly && c.Flags&Write != 0:
		return errReadWrite
	}
	if !c.data() {
		return orNull(c.talk(context.Background(), r.talk, args))
	}
	call, err := c.call(r.talk, args)
	if err != nil {
		return ErrorReply(err)
	}
	return call.reply(r.host.service.Call(context.Background(), r.tx, store.In(r.talk.space, call.Op)))
}
