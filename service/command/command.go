package command

import (
	"context"
	"strings"

	"keypact/service"
)

// Command is one command, or one subcommand of a container such as CLIENT.
type Command struct {
	Name    string // in capitals; of a subcommand with its container's, such as "CLIENT ID"
	Arity   int    // words with the name; negative if at least so many
	Flags   Flag
	Keys    Keys
	Group   string // as Redis's documentation groups commands
	Since   string // version of Redis
	Summary string

	parse func(a *Args) (Call, error)                          // of a command that touches data or the server
	bind  func(s *Session, a *Args) (Call, error)              // the same, of one that asks who sends it
	talk  func(ctx context.Context, s *Session, a *Args) Reply // of a command that is about the conversation
	subs  []*Command                                           // of a container
}

// Flag is a set of properties of a command, as COMMAND tells them.
type Flag uint32

// The flags.
const (
	Write        Flag = 1 << iota // it may change a key
	ReadOnly                      // it changes nothing
	DenyOOM                       // it may make the store grow
	Admin                         // for administrators
	PubSub                        // about channels
	NoScript                      // scripts must not call it
	Blocking                      // it may wait
	Loading                       // allowed while a server loads
	Stale                         // allowed on a stale replica
	Fast                          // constant or logarithmic time
	NoAuth                        // allowed without authentication
	MayReplicate                  // it has effects beyond keys
	NoMulti                       // refused inside MULTI
	MovableKeys                   // the positions of its keys depend on its words
	Unqueued                      // runs at once, inside MULTI too
)

// flagNames are the flags that COMMAND tells, in the order of their bits.
var flagNames = []string{
	"write", "readonly", "denyoom", "admin", "pubsub", "noscript", "blocking", "loading", "stale", "fast", "no_auth",
	"may_replicate", "no_multi", "movablekeys",
}

// Keys says which words of a command are keys. Positions count from 1, the
// first word behind the name.
type Keys struct {
	First, Last, Step int                        // Last counts from the end if negative; First 0 is none
	Find              func(words [][]byte) []int // positions that depend on the words; nil if none do
}

// Common positions of keys.
var (
	oneKey   = Keys{First: 1, Last: 1, Step: 1}
	twoKeys  = Keys{First: 1, Last: 2, Step: 1}
	allKeys  = Keys{First: 1, Last: -1, Step: 1}
	keyPairs = Keys{First: 1, Last: -1, Step: 2}
)

// numbered finds keys behind a count that is the word at a position.
func numbered(at int) Keys {
	return Keys{Find: func(words [][]byte) []int { return countedKeys(words, at) }}
}

// numberedBehind is numbered with one more key, the first word.
func numberedBehind(at int) Keys {
	return Keys{Find: func(words [][]byte) []int {
		if keys := countedKeys(words, at); keys != nil {
			return append([]int{1}, keys...)
		}
		return nil
	}}
}

func countedKeys(words [][]byte, at int) []int {
	if len(words) < at {
		return nil
	}
	n, err := parseInt(words[at-1])
	if err != nil || n < 1 || n > int64(len(words)-at) {
		return nil
	}
	out := make([]int, n)
	for i := range out {
		out[i] = at + 1 + i
	}
	return out
}

// Call is a parsed command: what is to be done and what to make of the result.
type Call struct {
	Op     service.Op
	Reply  func(service.Result) Reply // nil if the operation's value is a Reply already
	Absent Reply                      // to an operation that finds nothing; nil is Null
	Late   Reply                      // to an operation that waits in vain; nil is Absent
	Unmet  Reply                      // to an operation whose condition does not hold; nil is Null
	Errors map[string]Error           // texts of the command's own, by the code of the service's error
}

// groups are the commands, group by group.
func groups() [][]*Command {
	return [][]*Command{
		connectionCommands(), clientCommands(), introspectCommands(), pubsubCommands(), scriptCommands(),
		stringCommands(), bitCommands(), hllCommands(), hashCommands(),
		listCommands(), setCommands(), zsetCommands(),
		keyCommands(), keyMoveCommands(), keyTTLCommands(), scanCommands(), dumpCommands(), sortCommands(),
		objectCommands(), memoryCommands(), serverCommands(), saveCommands(), configCommands(), infoCommands(),
		debugCommands(), minorCommands(),
	}
}

// table joins the groups.
func table() map[string]*Command {
	table := make(map[string]*Command)
	for _, group := range groups() {
		for _, c := range group {
			table[c.Name] = c
			for _, sub := range c.subs {
				table[sub.Name] = sub
			}
		}
	}
	return table
}

// find looks a command up. words has at least one. Too few or too many are an
// error beside the command.
func (h *Host) find(words [][]byte) (*Command, *Args, error) {
	name := strings.ToUpper(string(words[0]))
	c := h.table[name]
	if c == nil || strings.Contains(name, " ") {
		return nil, nil, unknownCommand(words)
	}
	args := &Args{host: h, name: c.Name, list: words[1:]}
	if c.subs != nil && len(words) > 1 {
		sub := h.table[name+" "+strings.ToUpper(string(words[1]))]
		if sub == nil {
			return nil, nil, unknownSubcommand(c, words[1])
		}
		c, args = sub, &Args{host: h, name: sub.Name, list: words[2:]}
	}
	if n := len(words); c.Arity > 0 && n != c.Arity || n < -c.Arity {
		return c, nil, wrongNumber(strings.ReplaceAll(c.Name, " ", "|"))
	}
	return c, args, nil
}

// unknownCommand is Redis's text: the name and the beginnings of the words.
func unknownCommand(words [][]byte) Error {
	const most = 128
	var b strings.Builder
	b.WriteString("ERR unknown command '" + printable(words[0], most) + "', with args beginning with: ")
	for _, word := range words[1:] {
		left := most - b.Len()
		if left <= 0 {
			break
		}
		b.WriteString("'" + printable(word, left) + "' ")
	}
	return Error(b.String())
}

func unknownSubcommand(c *Command, word []byte) Error {
	return Error("ERR unknown subcommand '" + printable(word, 128) + "'. Try " + c.Name + " HELP.")
}

// printable keeps an error on its line.
func printable(word []byte, most int) string {
	word = word[:min(len(word), most)]
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(word), "?"))
}

// data reports whether the command becomes an operation.
func (c *Command) data() bool { return c.parse != nil || c.bind != nil }

// call makes an operation of a command's words.
func (c *Command) call(s *Session, a *Args) (Call, error) {
	if c.bind != nil {
		return c.bind(s, a)
	}
	return c.parse(a)
}
