package command

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"keypact/service"
)

// Options of a host. Every field may be zero.
type Options struct {
	Logger  *slog.Logger
	Version string                          // of the program, for INFO and HELLO
	Now     func() time.Time                // nil is the clock
	Info    func(context.Context) []Section // what the program adds to INFO; its lines replace those of the same name

	Parameters map[string]string // of CONFIG, what the program was started with; they cannot be changed
	ScriptTime time.Duration     // a script may run; 0 is 5 s
}

// Section is a part of what INFO tells: lines of a name and a value.
type Section struct {
	Name  string
	Lines [][2]string
}

// Host is what all conversations with one service share.
type Host struct {
	service *service.Service
	log     *slog.Logger
	version string
	now     func() time.Time
	info    func(context.Context) []Section
	started time.Time
	closed  chan struct{}
	closing sync.Once
	table   map[string]*Command // by name; subcommands with their container's

	ids       atomic.Int64
	processed atomic.Uint64 // commands run
	clients   clients
	broker    broker
	monitors  monitors
	cursors   *cursors
	config    *config
	notify    notify

	runID        string // of this process
	counters     counters
	failures     atomic.Int64 // replies that are errors
	greeted      atomic.Int64 // connections when the counters were reset
	expired      atomic.Int64 // keys expired when they were
	saves        atomic.Int64 // times that a save was asked for
	saved        atomic.Int64 // when, seconds since the epoch
	savedChanges atomic.Uint64
	scripts      scripts

	scriptTime time.Duration
}

// New makes a host for a service.
func New(svc *service.Service, opts Options) *Host {
	h := &Host{service: svc, log: opts.Logger, version: opts.Version, now: opts.Now, info: opts.Info, table: table(), closed: make(chan struct{})}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.scriptTime = opts.ScriptTime; h.scriptTime == 0 {
		h.scriptTime = defaultScriptTime
	}
	if h.now == nil {
		h.now = time.Now
	}
	if h.info == nil {
		h.info = func(context.Context) []Section { return nil }
	}
	h.started, h.cursors = h.now(), newCursors(cursorPlaces, cursorBytes)
	h.config, h.counters, h.runID = newConfig(opts.Parameters), newCounters(h.table), randomID()
	h.saved.Store(h.started.Unix())
	h.clients.open = make(map[int64]*Session)
	h.broker.channels, h.broker.patterns = make(map[string]map[*Session]bool), make(map[string]*listeners)
	return h
}

// Close says that the service ends: streams of messages are to end too.
func (h *Host) Close() { h.closing.Do(func() { close(h.closed) }) }

// Closed is closed by Close.
func (h *Host) Closed() <-chan struct{} { return h.closed }

// clients are the conversations that go on.
type clients struct {
	mu   sync.Mutex
	open map[int64]*Session
}

func (c *clients) add(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[s.id] = s
}

func (c *clients) drop(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, s.id)
}

// find returns the conversation with an id, nil if there is none.
func (c *clients) find(id int64) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[id]
}

// all lists the conversations in the order in which they began.
func (c *clients) all() []*Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]*Session, 0, len(c.open))
	for _, s := range c.open {
		out = append(out, s)
	}
	slicesSortByID(out)
	return out
}

// databases is how many namespaces SELECT offers.
const databases = 16

// spaceName is the namespace behind a number given to SELECT and others.
func spaceName(word []byte) (string, error) {
	n, err := parseInt(word)
	if err != nil {
		return "", errNotInteger
	}
	if n < 0 || n >= databases {
		return "", Error("ERR DB index is out of range")
	}
	return strconv.FormatInt(n, 10), nil
}

// pattern makes a test of a pattern as KEYS reads it.
func pattern(p []byte) func([]byte) bool { return service.Glob(clone(p)) }

// randomID is 40 random hexadecimal digits, as Redis names a process.
func randomID() string {
	var b [20]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
