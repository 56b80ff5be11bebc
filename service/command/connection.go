package command

import (
	"context"
	"strings"
)

func connectionCommands() []*Command {
	const talk = NoScript | Loading | Stale | Fast
	return []*Command{
		{Name: "PING", Arity: -1, Flags: Fast, Group: "connection", Since: "1.0.0",
			Summary: "Answers PONG, or the word it is given", talk: ping},
		{Name: "ECHO", Arity: 2, Flags: Loading | Stale | Fast, Group: "connection", Since: "1.0.0",
			Summary: "Answers the word it is given", talk: echo},
		{Name: "SELECT", Arity: 2, Flags: Loading | Stale | Fast, Group: "connection", Since: "1.0.0",
			Summary: "Chooses the namespace, 0 to 15", talk: selectSpace},
		{Name: "HELLO", Arity: -1, Flags: talk | NoAuth, Group: "connection", Since: "6.0.0",
			Summary: "Chooses the version of RESP", talk: hello},
		{Name: "AUTH", Arity: -2, Flags: talk | NoAuth, Group: "connection", Since: "1.0.0",
			Summary: "Shows who the client is", talk: auth},
		{Name: "QUIT", Arity: -1, Flags: talk | NoAuth | Unqueued, Group: "connection", Since: "1.0.0",
			Summary: "Closes the connection", talk: quit},
		{Name: "RESET", Arity: 1, Flags: talk | NoAuth | Unqueued, Group: "connection", Since: "6.2.0",
			Summary: "Makes the connection as it was at first", talk: reset},
		{Name: "MULTI", Arity: 1, Flags: talk | Unqueued, Group: "transactions", Since: "1.2.0",
			Summary: "Begins a transaction", talk: multiBegin},
		{Name: "EXEC", Arity: 1, Flags: NoScript | Loading | Stale | Unqueued, Group: "transactions", Since: "1.2.0",
			Summary: "Runs the commands since MULTI as one transaction", talk: multiExec},
		{Name: "DISCARD", Arity: 1, Flags: talk | Unqueued, Group: "transactions", Since: "2.0.0",
			Summary: "Forgets the commands since MULTI", talk: multiDiscard},
		{Name: "WATCH", Arity: -2, Flags: talk | Unqueued, Keys: allKeys, Group: "transactions", Since: "2.2.0",
			Summary: "Lets the next EXEC run only if keys have not changed", talk: multiWatch},
		{Name: "UNWATCH", Arity: 1, Flags: talk, Group: "transactions", Since: "2.2.0",
			Summary: "Forgets the keys of WATCH", talk: multiUnwatch},
		{Name: "MONITOR", Arity: 1, Flags: Admin | NoScript | Loading | Stale | NoMulti, Group: "server", Since: "1.0.0",
			Summary: "Sends every command that runs", talk: monitor},
	}
}

func ping(_ context.Context, s *Session, a *Args) Reply {
	switch {
	case a.Len() > 1:
		return wrongNumber("ping")
	case s.Proto() == 2 && s.subscribed():
		word := Bulk{}
		if a.More() {
			word = clone(a.Next())
		}
		return Push{Text("pong"), word}
	case a.More():
		return Bulk(clone(a.Next()))
	}
	return Status("PONG")
}

func echo(_ context.Context, _ *Session, a *Args) Reply { return Bulk(clone(a.Next())) }

func selectSpace(_ context.Context, s *Session, a *Args) Reply {
	space, err := spaceName(a.Next())
	if err != nil {
		return ErrorReply(err)
	}
	s.space = space
	return OK
}

// errNoPassword is what Redis answers to a password nobody asked for.
const errNoPassword = Error("ERR AUTH <password> called without any password configured for the default user. " +
	"Are you sure your configuration is correct?")

// auth is AUTH. There is no access control yet, so that no password is right.
func auth(_ context.Context, _ *Session, a *Args) Reply {
	if a.Len() > 2 {
		return errSyntax
	}
	return errNoPassword
}

// hello is HELLO [version [AUTH name password] [SETNAME name]].
func hello(_ context.Context, s *Session, a *Args) Reply {
	proto := s.Proto()
	if a.More() {
		version, err := a.Int()
		if err != nil {
			return Error("ERR Protocol version is not an integer or out of range")
		}
		if version != 2 && version != 3 {
			return Error("NOPROTO unsupported protocol version")
		}
		proto = int(version)
	}
	name, named := "", false
	for a.More() {
		switch {
		case a.Len() > 2 && a.Token("AUTH"):
			a.Take(2)
			return errNoPassword
		case a.Len() > 1 && a.Token("SETNAME"):
			name, named = a.Text(), true
			if !validName(name) {
				return errClientName
			}
		default:
			return Error("ERR Syntax error in HELLO option '" + printable(a.Next(), 128) + "'")
		}
	}
	if named {
		s.setName(name)
	}
	s.setProto(proto)
	return Map{
		Text("server"), Text("redis"), Text("version"), Text(redisVersion), Text("proto"), Int(proto), Text("id"), Int(s.id),
		Text("mode"), Text("standalone"), Text("role"), Text("master"), Text("modules"), Array{},
	}
}

// redisVersion is the version of Redis whose commands and replies these are;
// clients choose by it what they may send.
const redisVersion = "7.0.15"

func (s *Session) setProto(proto int) { s.proto.Store(int32(proto)) }

func quit(_ context.Context, s *Session, _ *Args) Reply {
	s.ended = true
	return OK
}

func reset(_ context.Context, s *Session, _ *Args) Reply {
	s.multi, s.watch, s.silent = nil, nil, silence{}
	s.unlisten()
	s.host.monitors.drop(s)
	s.space = "0"
	s.setName("")
	s.setProto(2)
	return Status("RESET")
}

// validName reports whether a name may be given to a connection: Redis lists
// connections line by line, so that blanks would break the list.
func validName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r < '!' || r > '~' })
}

const errClientName = Error("ERR Client names cannot contain spaces, newlines or special characters.")

func (s *Session) setName(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.about.name = name
}

// silence is what CLIENT REPLY asks for.
type silence struct {
	off  bool
	skip int // replies left out: that of CLIENT REPLY SKIP itself and the next
}

func (s *silence) swallows() bool {
	if s.skip > 0 {
		s.skip--
		return true
	}
	return s.off
}
