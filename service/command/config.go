package command

import (
	"context"
	"strings"
	"sync"
)

func configCommands() []*Command {
	const talk = Admin | NoScript | Loading | Stale
	sub := func(name string, arity int, since, summary string, fn func(context.Context, *Session, *Args) Reply) *Command {
		return &Command{Name: "CONFIG " + name, Arity: arity, Flags: talk, Group: "server", Since: since, Summary: summary, talk: fn}
	}
	return []*Command{{
		Name: "CONFIG", Arity: -2, Group: "server", Since: "2.0.0", Summary: "Tells of parameters and changes them",
		subs: []*Command{
			sub("GET", -3, "2.0.0", "Parameters that match patterns", configGet),
			sub("SET", -4, "2.0.0", "Changes parameters, all of them or none", configSet),
			sub("RESETSTAT", 2, "2.0.0", "Lets the counters of INFO start anew", configResetStat),
			sub("REWRITE", 2, "2.8.0", "Refused: there is no configuration file", configRewrite),
		},
	}}
}

// config are the values of the parameters. They last as long as the process.
// Most mean nothing to this store and are kept so that clients find what they
// set.
type config struct {
	mu     sync.RWMutex
	values map[string]string // by the parameter's first name
	fixed  map[string]bool   // those that the program was started with
}

// newConfig starts with the defaults; given are values of the program's own,
// which nobody may change.
func newConfig(given map[string]string) *config {
	c := &config{values: make(map[string]string), fixed: make(map[string]bool)}
	for _, p := range parameters {
		c.values[p.name] = p.value
	}
	for name, value := range given {
		c.values[name], c.fixed[name] = value, true
	}
	return c
}

// value is the value of a parameter.
func (c *config) value(name string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.values[name]
}

// number is the value of a parameter that is a whole number.
func (c *config) number(name string) int64 {
	n, err := parseInt([]byte(c.value(name)))
	if err != nil {
		return 0
	}
	return n
}

// configGet is CONFIG GET pattern [pattern ...].
func configGet(_ context.Context, s *Session, a *Args) Reply {
	var globs []func([]byte) bool
	for a.More() {
		globs = append(globs, pattern([]byte(strings.ToLower(a.Text()))))
	}
	out := Map{}
	for _, p := range s.host.config.list() {
		for _, matches := range globs {
			if matches([]byte(p[0])) {
				out = append(out, Text(p[0]), Text(p[1]))
				break
			}
		}
	}
	return out
}

// list are all names, the second ones too, with their values.
func (c *config) list() [][2]string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var out [][2]string
	known := make(map[string]bool)
	for _, p := range parameters {
		known[p.name] = true
		out = append(out, [2]string{p.name, c.values[p.name]})
		if p.other != "" {
			out = append(out, [2]string{p.other, c.values[p.name]})
		}
	}
	for name := range c.fixed {
		if !known[name] {
			out = append(out, [2]string{name, c.values[name]})
		}
	}
	return out
}

// configSet is CONFIG SET name value [name value ...].
func configSet(_ context.Context, s *Session, a *Args) Reply {
	if a.Len()%2 != 0 {
		return errSyntax
	}
	changes := make(map[string]string)
	for a.More() {
		name, value := strings.ToLower(a.Text()), a.Text()
		p := findParameter(name)
		if p == nil {
			return Error("ERR Unknown option or number of arguments for CONFIG SET - '" + printable([]byte(name), 128) + "'")
		}
		_, twice := changes[p.name]
		value, fault := p.check(value)
		switch {
		case p.kind == nil || s.host.config.fixed[p.name]:
			fault = "can't set immutable config"
		case twice:
			fault = "duplicate parameter"
		}
		if fault != "" {
			return Error("ERR CONFIG SET failed (possibly related to argument '" + name + "') - " + fault)
		}
		changes[p.name] = value
	}
	s.host.configure(changes)
	return OK
}

// configure puts changes into force.
func (h *Host) configure(changes map[string]string) {
	h.config.mu.Lock()
	defer h.config.mu.Unlock()
	for name, value := range changes {
		h.config.values[name] = value
	}
	if value, ok := changes[notifyParameter]; ok {
		h.service.SetNotify(h.notify.set(value))
	}
}

func configResetStat(_ context.Context, s *Session, _ *Args) Reply {
	s.host.resetCounters()
	return OK
}

func configRewrite(_ context.Context, _ *Session, _ *Args) Reply {
	return Error("ERR The server is running without a config file")
}
