package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// monitors are the conversations that watch all commands.
type monitors struct {
	count atomic.Int32 // so that nothing is written down for nobody
	mu    sync.Mutex
	open  map[*Session]bool
}

func (m *monitors) add(s *Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open == nil {
		m.open = make(map[*Session]bool)
	}
	m.open[s] = true
	m.count.Store(int32(len(m.open)))
}

func (m *monitors) drop(s *Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.open, s)
	m.count.Store(int32(len(m.open)))
}

// monitor is MONITOR: from now on the client is sent every command that runs.
func monitor(_ context.Context, s *Session, _ *Args) Reply {
	s.reply(OK)
	s.host.monitors.add(s)
	return nil
}

// show tells those who watch of a command.
func (h *Host) show(s *Session, c *Command, words [][]byte) {
	if h.monitors.count.Load() == 0 || c.Flags&Admin != 0 || secret[c.Name] {
		return
	}
	now := h.now()
	var line strings.Builder
	fmt.Fprintf(&line, "%d.%06d [%s %s]", now.Unix(), now.Nanosecond()/1000, s.space, s.client.Address())
	for _, word := range words {
		line.WriteString(" " + quoted(word))
	}
	h.monitors.mu.Lock()
	defer h.monitors.mu.Unlock()
	for other := range h.monitors.open {
		other.client.Push(Status(line.String()))
	}
}

// secret are commands whose words are nobody's business.
var secret = map[string]bool{"AUTH": true, "HELLO": true}

// quoted writes a word as people type it: bytes that are not printable ASCII
// become \xHH or a short escape.
func quoted(word []byte) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range word {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n' || c == '\r' || c == '\t' || c == '\a' || c == '\b':
			b.WriteString(strings.Trim(strconv.QuoteRune(rune(c)), "'"))
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, "\\x%02x", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
