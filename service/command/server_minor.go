package command

import (
	"context"
	"slices"
	"strings"
)

// talkers make subcommands that are about the server and answer in a word.
type talker = func(context.Context, *Session, *Args) Reply

// always is a command with one answer.
func always(r Reply) talker { return func(context.Context, *Session, *Args) Reply { return r } }

// minorCommands are those that clients send on their own, though there is
// little here that they could tell.
func minorCommands() []*Command {
	container := func(name, group, since, summary string, subs ...*Command) *Command {
		for _, sub := range subs {
			sub.Name, sub.Group = name+" "+sub.Name, group
			if sub.Since == "" {
				sub.Since = since
			}
		}
		return &Command{Name: name, Arity: -2, Group: group, Since: since, Summary: summary, subs: subs}
	}
	const admin = Admin | Loading | Stale
	sub := func(name string, arity int, flags Flag, summary string, fn talker) *Command {
		return &Command{Name: name, Arity: arity, Flags: flags, Summary: summary, talk: fn}
	}
	return []*Command{
		container("SLOWLOG", "server", "2.2.12", "Tells of slow commands; none are noted",
			sub("GET", -2, admin, "Slow commands", slowlogGet), sub("LEN", 2, admin, "Number of slow commands", always(Int(0))),
			sub("RESET", 2, admin, "Forgets slow commands", always(OK))),
		container("LATENCY", "server", "2.8.13", "Tells of delays; none are noted",
			sub("LATEST", 2, admin|NoScript, "The latest delays", always(Array{})),
			sub("HISTORY", 3, admin|NoScript, "Delays of one kind", always(Array{})),
			sub("RESET", -2, admin|NoScript, "Forgets delays", always(Int(0))),
			sub("DOCTOR", 2, admin|NoScript, "Advice on delays", always(Verbatim("Delays are not noted here: see the metrics.\n")))),
		container("MODULE", "server", "4.0.0", "Tells of modules; there are none",
			sub("LIST", 2, admin|NoScript, "Modules", always(Array{}))),
		container("ACL", "server", "6.0.0", "Tells of users and rights",
			sub("WHOAMI", 2, NoScript|Loading|Stale, "Name of the user", always(Text("default"))),
			sub("CAT", -2, NoScript|Loading|Stale, "Categories of commands", aclCategories)),
		container("FUNCTION", "scripting", "7.0.0", "Functions are not offered; EVAL is",
			sub("FLUSH", -2, NoScript|Write, "Deletes all functions", functionFlush),
			sub("LIST", -2, NoScript, "Functions", functionList),
			sub("STATS", 2, NoScript, "What runs", functionStats),
			sub("LOAD", -3, NoScript|Write|DenyOOM, "Refused", always(Error("ERR Functions are not offered. Use EVAL or EVALSHA."))),
			sub("DELETE", 3, NoScript|Write, "Deletes functions", always(Error("ERR Library not found"))),
			sub("KILL", 2, NoScript, "Ends a function", always(errNotBusy))),
		{Name: "CLUSTER", Arity: -2, Group: "cluster", Since: "3.0.0", Summary: "Not offered",
			talk: always(Error("ERR This instance has cluster support disabled"))},
		{Name: "ROLE", Arity: 1, Flags: NoScript | Loading | Stale | Fast | Admin, Group: "server", Since: "2.8.12",
			Summary: "The part in replication: a master without replicas", talk: always(Array{Text("master"), Int(0), Array{}})},
	}
}

// slowlogGet is SLOWLOG GET [count].
func slowlogGet(_ context.Context, _ *Session, a *Args) Reply {
	if a.More() {
		if n, err := a.Int(); err != nil || n < -1 {
			return Error("ERR count should be greater than or equal to -1")
		}
	}
	return Array{}
}

// aclCategories is ACL CAT [category].
func aclCategories(_ context.Context, s *Session, a *Args) Reply {
	wanted, names := "", make(map[string]bool)
	if a.More() {
		wanted = strings.ToLower(a.Text())
	}
	if a.More() {
		return errSyntax
	}
	out := []string{}
	for _, c := range s.host.table {
		for _, category := range c.categories() {
			name := strings.TrimPrefix(string(category.(Status)), "@")
			names[name] = true
			if name == wanted && c.subs == nil {
				out = append(out, c.wireName())
			}
		}
	}
	switch {
	case wanted != "" && !names[wanted]:
		return Error("ERR Unknown category '" + printable([]byte(wanted), 128) + "'")
	case wanted == "":
		for name := range names {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	reply := make(Array, len(out))
	for i, name := range out {
		reply[i] = Text(name)
	}
	return reply
}

// functionFlush is FUNCTION FLUSH [ASYNC|SYNC].
func functionFlush(_ context.Context, _ *Session, a *Args) Reply {
	if a.More() && (a.OneOf("ASYNC", "SYNC") == "" || a.More()) {
		return Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")
	}
	return OK
}

// functionList is FUNCTION LIST [LIBRARYNAME pattern] [WITHCODE].
func functionList(_ context.Context, _ *Session, a *Args) Reply {
	for a.More() {
		switch {
		case a.Token("WITHCODE"):
		case a.Token("LIBRARYNAME"):
			if !a.More() {
				return Error("ERR library name argument was not given")
			}
			a.Next()
		default:
			return Error("ERR Unknown argument " + printable(a.Next(), 128))
		}
	}
	return Array{}
}

func functionStats(_ context.Context, _ *Session, _ *Args) Reply {
	return Map{
		Text("running_script"), Null{},
		Text("engines"), Map{Text("LUA"), Map{Text("libraries_count"), Int(0), Text("functions_count"), Int(0)}},
	}
}
