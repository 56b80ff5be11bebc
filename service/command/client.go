package command

import (
	"context"
	"fmt"
	"strings"
)

func clientCommands() []*Command {
	const talk = NoScript | Loading | Stale
	sub := func(name string, arity int, since, summary string, fn func(context.Context, *Session, *Args) Reply) *Command {
		return &Command{Name: "CLIENT " + name, Arity: arity, Flags: talk, Group: "connection", Since: since, Summary: summary, talk: fn}
	}
	return []*Command{{
		Name: "CLIENT", Arity: -2, Group: "connection", Since: "2.4.0", Summary: "Tells of connections and changes them",
		subs: []*Command{
			sub("ID", 2, "5.0.0", "Number of the connection", clientID),
			sub("INFO", 2, "6.2.0", "What there is to say of the connection", clientInfo),
			sub("LIST", -2, "2.4.0", "All connections", clientList),
			sub("GETNAME", 2, "2.6.9", "Name of the connection", clientGetName),
			sub("SETNAME", 3, "2.6.9", "Names the connection", clientSetName),
			sub("SETINFO", 4, "7.2.0", "Names the client's library", clientSetInfo),
			sub("REPLY", 3, "3.2.0", "Chooses whether commands are answered", clientReply),
			sub("UNBLOCK", -3, "5.0.0", "Ends the wait of a connection", clientUnblock),
			sub("KILL", -3, "2.4.0", "Closes connections", clientKill),
			sub("NO-EVICT", 3, "7.0.0", "Accepted; nothing is evicted here", clientNoEvict),
			sub("TRACKING", -3, "6.0.0", "Not offered", clientTracking),
			sub("TRACKINGINFO", 2, "6.2.0", "Not offered", clientTrackingInfo),
			sub("GETREDIR", 2, "6.0.0", "Not offered", clientGetRedir),
		},
	}}
}

func clientID(_ context.Context, s *Session, _ *Args) Reply { return Int(s.id) }

func clientInfo(_ context.Context, s *Session, _ *Args) Reply { return Verbatim(s.describe() + "\n") }

// clientList is CLIENT LIST [TYPE type] [ID id ...].
func clientList(_ context.Context, s *Session, a *Args) Reply {
	keep := func(*Session) bool { return true }
	switch {
	case !a.More():
	case a.Len() == 2 && a.Token("TYPE"):
		switch a.OneOf("NORMAL", "MASTER", "REPLICA", "SLAVE", "PUBSUB") {
		case "":
			return Error("ERR Unknown client type '" + printable(a.Next(), 128) + "'")
		case "NORMAL":
			keep = func(other *Session) bool { return !other.subscribed() }
		case "PUBSUB":
			keep = (*Session).subscribed
		default:
			keep = func(*Session) bool { return false }
		}
	case a.Len() > 1 && a.Token("ID"):
		ids := make(map[int64]bool)
		for a.More() {
			id, err := a.Int()
			if err != nil || id < 1 {
				return Error("ERR Invalid client ID")
			}
			ids[id] = true
		}
		keep = func(other *Session) bool { return ids[other.id] }
	default:
		return errSyntax
	}
	var b strings.Builder
	for _, other := range s.host.clients.all() {
		if keep(other) {
			b.WriteString(other.describe() + "\n")
		}
	}
	return Verbatim(b.String())
}

// describe is the line that CLIENT LIST has for a conversation.
func (s *Session) describe() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, now := s.about, s.host.now()
	flags := ""
	if s.subs.count() > 0 {
		flags += "P"
	}
	if a.multi >= 0 {
		flags += "x"
	}
	if a.blocked {
		flags += "b"
	}
	if flags == "" {
		flags = "N"
	}
	return fmt.Sprintf("id=%d addr=%s laddr= fd=0 name=%s age=%d idle=%d flags=%s db=%s sub=%d psub=%d multi=%d cmd=%s user=default resp=%d lib-name=%s lib-ver=%s",
		s.id, s.client.Address(), a.name, int(now.Sub(s.started).Seconds()), int(now.Sub(a.active).Seconds()), flags,
		a.space, len(s.subs.channels), len(s.subs.patterns), a.multi, strings.ReplaceAll(strings.ToLower(a.command), " ", "|"), s.Proto(), a.library, a.version)
}

func clientGetName(_ context.Context, s *Session, _ *Args) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.about.name == "" {
		return Null{}
	}
	return Text(s.about.name)
}

func clientSetName(_ context.Context, s *Session, a *Args) Reply {
	name := a.Text()
	if !validName(name) {
		return errClientName
	}
	s.setName(name)
	return OK
}

func clientSetInfo(_ context.Context, s *Session, a *Args) Reply {
	option := a.OneOf("LIB-NAME", "LIB-VER")
	if option == "" {
		return Error("ERR Unrecognized option '" + printable(a.Next(), 128) + "'")
	}
	value := a.Text()
	if !validName(value) {
		return Error("ERR " + strings.ToLower(option) + " cannot contain spaces, newlines or special characters.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if option == "LIB-NAME" {
		s.about.library = value
	} else {
		s.about.version = value
	}
	return OK
}

// clientReply is CLIENT REPLY ON|OFF|SKIP. Only ON is answered.
func clientReply(_ context.Context, s *Session, a *Args) Reply {
	switch a.OneOf("ON", "OFF", "SKIP") {
	case "ON":
		s.silent = silence{}
		return OK
	case "OFF":
		s.silent = silence{off: true}
		return nil
	case "SKIP":
		if !s.silent.off {
			s.silent.skip = 1
		}
		return nil
	}
	return errSyntax
}

// clientUnblock is CLIENT UNBLOCK id [TIMEOUT|ERROR].
func clientUnblock(_ context.Context, s *Session, a *Args) Reply {
	id, err := a.Int()
	if err != nil {
		return ErrorReply(err)
	}
	withError := a.Token("ERROR")
	if !withError {
		a.Token("TIMEOUT")
	}
	if a.More() {
		return Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")
	}
	other := s.host.clients.find(id)
	return yes(other != nil && other.unblock(withError))
}

// unblock ends the wait of a conversation; false if it does not wait.
func (s *Session) unblock(withError bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wait == nil {
		return false
	}
	s.wait(unblocked{withError})
	return true
}

// clientKill is CLIENT KILL address, or CLIENT KILL with filters, ID, ADDR,
// TYPE, USER and SKIPME, all of which must hold.
func clientKill(_ context.Context, s *Session, a *Args) Reply {
	if a.Len() == 1 {
		address := a.Text()
		for _, other := range s.host.clients.all() {
			if other.client.Address() == address {
				other.client.Close()
				return OK
			}
		}
		return Error("ERR No such client")
	}
	keep, err := s.killFilter(a)
	if err != nil {
		return ErrorReply(err)
	}
	killed := 0
	for _, other := range s.host.clients.all() {
		if keep(other) {
			other.client.Close()
			killed++
		}
	}
	return Int(killed)
}

func (s *Session) killFilter(a *Args) (func(*Session) bool, error) {
	var tests []func(*Session) bool
	skipMe := true
	for a.More() {
		if a.Len() < 2 {
			return nil, errSyntax
		}
		switch a.OneOf("ID", "ADDR", "LADDR", "TYPE", "USER", "SKIPME") {
		case "ID":
			id, err := a.Int()
			if err != nil || id < 1 {
				return nil, Error("ERR client-id should be greater than 0")
			}
			tests = append(tests, func(o *Session) bool { return o.id == id })
		case "ADDR":
			address := a.Text()
			tests = append(tests, func(o *Session) bool { return o.client.Address() == address })
		case "TYPE":
			pubsub := a.Token("PUBSUB")
			if !pubsub && a.OneOf("NORMAL", "MASTER", "REPLICA", "SLAVE") == "" {
				return nil, Error("ERR Unknown client type '" + printable(a.Next(), 128) + "'")
			}
			tests = append(tests, func(o *Session) bool { return o.subscribed() == pubsub })
		case "USER":
			if name := a.Text(); name != "default" {
				return nil, Error("ERR No such user '" + printable([]byte(name), 128) + "'")
			}
		case "SKIPME":
			if skipMe = !a.Token("NO"); skipMe && !a.Token("YES") {
				return nil, errSyntax
			}
		default:
			return nil, errSyntax
		}
	}
	return func(o *Session) bool {
		if skipMe && o == s {
			return false
		}
		for _, test := range tests {
			if !test(o) {
				return false
			}
		}
		return true
	}, nil
}

func clientNoEvict(_ context.Context, _ *Session, a *Args) Reply {
	if a.OneOf("ON", "OFF") == "" {
		return errSyntax
	}
	return OK
}

func clientTracking(_ context.Context, _ *Session, a *Args) Reply {
	if a.Token("OFF") {
		return OK
	}
	return Error("ERR client tracking is not offered")
}

func clientTrackingInfo(_ context.Context, _ *Session, _ *Args) Reply {
	return Map{Text("flags"), Array{Text("off")}, Text("redirect"), Int(-1), Text("prefixes"), Array{}}
}

func clientGetRedir(_ context.Context, _ *Session, _ *Args) Reply { return Int(-1) }
