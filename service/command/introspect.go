package command

import (
	"context"
	"slices"
	"strings"
)

func introspectCommands() []*Command {
	const talk = Loading | Stale
	sub := func(name string, arity int, since, summary string, fn func(context.Context, *Session, *Args) Reply) *Command {
		return &Command{Name: "COMMAND " + name, Arity: arity, Flags: talk, Group: "server", Since: since, Summary: summary, talk: fn}
	}
	return []*Command{{
		Name: "COMMAND", Arity: -1, Flags: talk, Group: "server", Since: "2.8.13", Summary: "Tells of all commands", talk: commandAll,
		subs: []*Command{
			sub("COUNT", 2, "2.8.13", "Number of commands", commandCount),
			sub("INFO", -2, "2.8.13", "Tells of some commands", commandInfo),
			sub("LIST", -2, "7.0.0", "Names of commands", commandList),
			sub("DOCS", -2, "7.0.0", "What commands do", commandDocs),
			sub("GETKEYS", -3, "2.8.13", "Keys among the words of a command", commandGetKeys),
		},
	}}
}

// sorted lists the commands by name, without subcommands.
func (h *Host) sorted() []*Command {
	var list []*Command
	for name, c := range h.table {
		if !strings.Contains(name, " ") {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, byName)
	return list
}

func byName(a, b *Command) int { return strings.Compare(a.Name, b.Name) }

func commandAll(_ context.Context, s *Session, _ *Args) Reply {
	list := s.host.sorted()
	out := make(Array, len(list))
	for i, c := range list {
		out[i] = c.info()
	}
	return out
}

func commandCount(_ context.Context, s *Session, _ *Args) Reply { return Int(len(s.host.sorted())) }

func commandInfo(ctx context.Context, s *Session, a *Args) Reply {
	if !a.More() {
		return commandAll(ctx, s, a)
	}
	out := Array{}
	for a.More() {
		if c := s.host.named(a.Text()); c != nil {
			out = append(out, c.info())
		} else {
			out = append(out, NullArray{})
		}
	}
	return out
}

// named finds a command, or a subcommand written as CLIENT|ID.
func (h *Host) named(name string) *Command {
	if strings.Contains(name, " ") {
		return nil
	}
	return h.table[strings.ToUpper(strings.Replace(name, "|", " ", 1))]
}

// wireName is the name as COMMAND tells it.
func (c *Command) wireName() string { return strings.ToLower(strings.Replace(c.Name, " ", "|", 1)) }

// info is what COMMAND INFO tells of a command: name, arity, flags, first key,
// last key, step, categories, tips, key specifications, subcommands.
func (c *Command) info() Reply {
	flags := make(Set, 0, 4)
	for i, name := range flagNames {
		if c.Flags&(1<<i) != 0 {
			flags = append(flags, Status(name))
		}
	}
	if c.Keys.Find != nil {
		flags = append(flags, Status("movablekeys"))
	}
	subs := make(Array, len(c.subs))
	for i, sub := range c.subs {
		subs[i] = sub.info()
	}
	keys := c.shown()
	return Array{
		Text(c.wireName()), Int(c.Arity), flags, Int(keys.First), Int(keys.Last), Int(keys.Step),
		c.categories(), Set{}, c.keySpecs(), subs,
	}
}

// categories are those of Redis's access control lists.
func (c *Command) categories() Set {
	out := Set{}
	add := func(name string, has bool) {
		if has {
			out = append(out, Status("@"+name))
		}
	}
	add("write", c.Flags&Write != 0)
	add("read", c.Flags&ReadOnly != 0)
	add(groupCategories[c.Group], groupCategories[c.Group] != "")
	add("admin", c.Flags&Admin != 0)
	add("dangerous", c.Flags&Admin != 0)
	add("pubsub", c.Flags&PubSub != 0 && c.Group != "pubsub")
	add("blocking", c.Flags&Blocking != 0)
	add("fast", c.Flags&Fast != 0)
	add("slow", c.Flags&Fast == 0)
	return out
}

// groupCategories are the categories that the groups of Redis's documentation
// have; those of server and cluster have none.
var groupCategories = map[string]string{
	"generic": "keyspace", "string": "string", "bitmap": "bitmap", "hyperloglog": "hyperloglog", "hash": "hash",
	"list": "list", "set": "set", "sorted-set": "sortedset", "pubsub": "pubsub", "transactions": "transaction",
	"scripting": "scripting", "connection": "connection",
}

// shown are the positions of keys as COMMAND counts them, with the name of a
// subcommand.
func (c *Command) shown() Keys {
	k := c.Keys
	if strings.Contains(c.Name, " ") && k.First > 0 {
		k.First++
		if k.Last > 0 {
			k.Last++
		}
	}
	return k
}

// keySpecs describes the positions of keys as Redis 7.0 does, where they do not
// depend on the words.
func (c *Command) keySpecs() Reply {
	if c.Keys.First == 0 {
		return Array{}
	}
	last := c.Keys.Last
	if last > 0 {
		last -= c.Keys.First
	}
	access := "RO"
	if c.Flags&Write != 0 {
		access = "RW"
	}
	return Array{Map{
		Text("flags"), Set{Status(access), Status("access")},
		Text("begin_search"), Map{Text("type"), Text("index"), Text("spec"), Map{Text("index"), Int(c.shown().First)}},
		Text("find_keys"), Map{Text("type"), Text("range"), Text("spec"),
			Map{Text("lastkey"), Int(last), Text("keystep"), Int(c.Keys.Step), Text("limit"), Int(0)}},
	}}
}

// commandList is COMMAND LIST [FILTERBY MODULE|ACLCAT|PATTERN what].
func commandList(_ context.Context, s *Session, a *Args) Reply {
	keep := func(*Command) bool { return true }
	if a.More() {
		if a.Len() != 3 || !a.Token("FILTERBY") {
			return errSyntax
		}
		by := a.OneOf("MODULE", "ACLCAT", "PATTERN")
		what := a.Next()
		switch by {
		case "MODULE":
			keep = func(*Command) bool { return false }
		case "ACLCAT":
			category := Status("@" + strings.ToLower(string(what)))
			keep = func(c *Command) bool { return slices.Contains(c.categories(), Reply(category)) }
		case "PATTERN":
			glob := pattern([]byte(strings.ToLower(string(what))))
			keep = func(c *Command) bool { return glob([]byte(c.wireName())) }
		default:
			return errSyntax
		}
	}
	out := Array{}
	for _, c := range s.host.sorted() {
		if keep(c) {
			out = append(out, Text(c.wireName()))
		}
		for _, sub := range c.subs {
			if keep(sub) {
				out = append(out, Text(sub.wireName()))
			}
		}
	}
	return out
}

func commandDocs(_ context.Context, s *Session, a *Args) Reply {
	list := s.host.sorted()
	if a.More() {
		list = nil
		for a.More() {
			if c := s.host.named(a.Text()); c != nil {
				list = append(list, c)
			}
		}
	}
	out := make(Map, 0, 2*len(list))
	for _, c := range list {
		out = append(out, Text(c.wireName()), c.docs())
	}
	return out
}

func (c *Command) docs() Reply {
	out := Map{Text("summary"), Text(c.Summary), Text("since"), Text(c.Since), Text("group"), Text(c.Group)}
	if len(c.subs) == 0 {
		return out
	}
	subs := make(Map, 0, 2*len(c.subs))
	for _, sub := range c.subs {
		subs = append(subs, Text(sub.wireName()), sub.docs())
	}
	return append(out, Text("subcommands"), subs)
}

func commandGetKeys(_ context.Context, s *Session, a *Args) Reply {
	words := a.Rest()
	c, args, err := s.host.find(words)
	switch {
	case err != nil && s.host.table[strings.ToUpper(string(words[0]))] == nil:
		return Error("ERR Invalid command specified")
	case err != nil:
		return Error("ERR Invalid number of arguments specified for command")
	}
	keys := c.Keys.of(args.list)
	if len(keys) == 0 {
		return Error("ERR The command has no key arguments")
	}
	return bulks(keys)
}

// of picks the keys among the words behind the name.
func (k Keys) of(words [][]byte) [][]byte {
	var out [][]byte
	if k.Find != nil {
		for _, i := range k.Find(words) {
			out = append(out, words[i-1])
		}
		return out
	}
	if k.First == 0 {
		return nil
	}
	last := k.Last
	if last < 0 {
		last += len(words) + 1
	}
	for i := k.First; i <= last && i <= len(words); i += k.Step {
		out = append(out, words[i-1])
	}
	return out
}
