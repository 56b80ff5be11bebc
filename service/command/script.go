package command

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"keypact/store"
)

func scriptCommands() []*Command {
	const group = "scripting"
	keys := numbered(2)
	sub := func(name string, arity int, summary string, fn func(context.Context, *Session, *Args) Reply) *Command {
		return &Command{Name: "SCRIPT " + name, Arity: arity, Flags: NoScript, Group: group, Since: "2.6.0", Summary: summary, talk: fn}
	}
	return []*Command{
		{Name: "EVAL", Arity: -3, Flags: NoScript | MayReplicate, Keys: keys, Group: group, Since: "2.6.0",
			Summary: "Runs a script", bind: scriptEval},
		{Name: "EVALSHA", Arity: -3, Flags: NoScript | MayReplicate, Keys: keys, Group: group, Since: "2.6.0",
			Summary: "Runs a script that is known", bind: scriptEval},
		{Name: "EVAL_RO", Arity: -3, Flags: NoScript | ReadOnly, Keys: keys, Group: group, Since: "7.0.0",
			Summary: "Runs a script that only reads", bind: scriptEval},
		{Name: "EVALSHA_RO", Arity: -3, Flags: NoScript | ReadOnly, Keys: keys, Group: group, Since: "7.0.0",
			Summary: "Runs a script that is known and only reads", bind: scriptEval},
		{Name: "SCRIPT", Arity: -2, Group: group, Since: "2.6.0", Summary: "Tells of known scripts and changes them", subs: []*Command{
			sub("LOAD", 3, "Makes a script known", scriptLoad),
			sub("EXISTS", -3, "Whether scripts are known", scriptExists),
			sub("FLUSH", -2, "Forgets all scripts", scriptFlush),
			sub("KILL", 2, "Scripts end by themselves here", scriptKill),
		}},
	}
}

// Texts of errors about scripts.
const (
	errNoScript  = Error("NOSCRIPT No matching script. Please use EVAL.")
	errNotBusy   = Error("NOTBUSY No scripts in execution right now.")
	errNegKeys   = Error("ERR Number of keys can't be negative")
	errManyKeys  = Error("ERR Number of keys can't be greater than number of args")
	errReadWrite = Error("ERR Write commands are not allowed from read-only scripts.")
)

// scripts are those that clients have sent, by the SHA-1 of their text. Their
// number and size are bounded: beyond that all are forgotten, which clients
// meet with EVAL.
type scripts struct {
	mu    sync.Mutex
	known map[string]*script
	size  int
}

// Bounds of known scripts.
const (
	maxScripts     = 10_000
	maxScriptBytes = 64 << 20
)

// script is a script, compiled.
type script struct {
	sha      string
	proto    *lua.FunctionProto
	readOnly bool // it says so itself
}

// shaOf names a script.
func shaOf(text []byte) string {
	sum := sha1.Sum(text)
	return hex.EncodeToString(sum[:])
}

// find returns a known script, nil if there is none.
func (l *scripts) find(sha string) *script {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[strings.ToLower(sha)]
}

// load compiles a script and makes it known.
func (l *scripts) load(text []byte) (*script, error) {
	sha := shaOf(text)
	if known := l.find(sha); known != nil {
		return known, nil
	}
	s, err := compile(sha, text)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil || len(l.known) >= maxScripts || l.size+len(text) > maxScriptBytes {
		l.known, l.size = make(map[string]*script), 0
	}
	l.known[sha] = s
	l.size += len(text)
	return s, nil
}

func (l *scripts) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known, l.size = nil, 0
}

// compile reads a script. A first line that begins with #! names the engine and
// flags, as in Redis 7.
func compile(sha string, text []byte) (*script, error) {
	s := &script{sha: sha}
	source := string(text)
	if strings.HasPrefix(source, "#!") {
		head, rest, found := strings.Cut(source, "\n")
		if !found {
			return nil, Error("ERR Invalid script shebang")
		}
		if err := s.shebang(head); err != nil {
			return nil, err
		}
		source = "\n" + rest
	}
	chunk, err := parse.Parse(strings.NewReader(source), "user_script")
	if err != nil {
		return nil, compileError(err)
	}
	if s.proto, err = lua.Compile(chunk, "user_script"); err != nil {
		return nil, compileError(err)
	}
	return s, nil
}

func compileError(err error) error {
	return Error("ERR Error compiling script (new function): " + line(strings.TrimSpace(err.Error())))
}

// shebang reads the first line of a script, such as #!lua flags=no-writes.
func (s *script) shebang(head string) error {
	words := strings.Fields(head)
	if words[0] != "#!lua" {
		return Error("ERR Unexpected engine in script shebang: " + strings.TrimPrefix(words[0], "#!"))
	}
	for _, word := range words[1:] {
		flags, ok := strings.CutPrefix(word, "flags=")
		if !ok {
			return Error("ERR Unknown lua shebang option: " + printable([]byte(word), 128))
		}
		for flag := range strings.SplitSeq(flags, ",") {
			switch flag {
			case "no-writes":
				s.readOnly = true
			case "", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys":
			default:
				return Error("ERR Unexpected flag in script shebang: " + printable([]byte(flag), 128))
			}
		}
	}
	return nil
}

// scriptEval is EVAL and its like: script numkeys [key ...] [arg ...].
func scriptEval(s *Session, a *Args) (Call, error) {
	text := a.Next()
	n, err := a.Int()
	switch {
	case err != nil:
		return Call{}, err
	case n < 0:
		return Call{}, errNegKeys
	case n > int64(a.Len()):
		return Call{}, errManyKeys
	}
	run := &scriptRun{host: s.host, space: s.space, keys: a.Take(int(n)), args: a.Rest()}
	if strings.HasPrefix(a.name, "EVALSHA") {
		if run.script = s.host.scripts.find(string(text)); run.script == nil {
			return Call{}, errNoScript
		}
	} else if run.script, err = s.host.scripts.load(text); err != nil {
		return Call{}, err
	}
	run.readOnly = run.script.readOnly || strings.HasSuffix(a.name, "_RO")
	return Call{Op: &act{writes: !run.readOnly, apply: func(tx *store.Tx) (Reply, error) { return run.apply(tx) }}}, nil
}

func scriptLoad(_ context.Context, s *Session, a *Args) Reply {
	known, err := s.host.scripts.load(a.Next())
	if err != nil {
		return ErrorReply(err)
	}
	return Text(known.sha)
}

func scriptExists(_ context.Context, s *Session, a *Args) Reply {
	out := Array{}
	for a.More() {
		out = append(out, yes(s.host.scripts.find(a.Text()) != nil))
	}
	return out
}

// scriptFlush is SCRIPT FLUSH [ASYNC|SYNC].
func scriptFlush(_ context.Context, s *Session, a *Args) Reply {
	a.OneOf("ASYNC", "SYNC")
	if a.More() {
		return Error("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
	}
	s.host.scripts.flush()
	return OK
}

func scriptKill(context.Context, *Session, *Args) Reply { return errNotBusy }
