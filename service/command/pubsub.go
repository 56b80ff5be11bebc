package command

import (
	"context"
	"maps"
	"slices"
	"sync"

	"keypact/store"
)

func pubsubCommands() []*Command {
	const talk = PubSub | NoScript | Loading | Stale
	sub := func(name string, arity int, summary string, fn func(context.Context, *Session, *Args) Reply) *Command {
		return &Command{Name: "PUBSUB " + name, Arity: arity, Flags: PubSub | Loading | Stale, Group: "pubsub", Since: "2.8.0", Summary: summary, talk: fn}
	}
	return []*Command{
		{Name: "SUBSCRIBE", Arity: -2, Flags: talk, Group: "pubsub", Since: "2.0.0", Summary: "Listens to channels", talk: subscribe},
		{Name: "UNSUBSCRIBE", Arity: -1, Flags: talk, Group: "pubsub", Since: "2.0.0", Summary: "Stops listening to channels", talk: unsubscribe},
		{Name: "PSUBSCRIBE", Arity: -2, Flags: talk, Group: "pubsub", Since: "2.0.0", Summary: "Listens to channels that match patterns", talk: psubscribe},
		{Name: "PUNSUBSCRIBE", Arity: -1, Flags: talk, Group: "pubsub", Since: "2.0.0", Summary: "Stops listening to patterns", talk: punsubscribe},
		{Name: "PUBLISH", Arity: 3, Flags: PubSub | Loading | Stale | Fast | MayReplicate, Group: "pubsub", Since: "2.0.0",
			Summary: "Sends a message to a channel", talk: publish, bind: publishLater},
		{Name: "PUBSUB", Arity: -2, Group: "pubsub", Since: "2.8.0", Summary: "Tells of channels", subs: []*Command{
			sub("CHANNELS", -2, "Channels that somebody listens to", pubsubChannels),
			sub("NUMSUB", -2, "How many listen to channels", pubsubNumSub),
			sub("NUMPAT", 2, "How many patterns there are", pubsubNumPat),
		}},
	}
}

// broker knows who listens to what. Channels belong to no namespace.
type broker struct {
	mu       sync.Mutex
	channels map[string]map[*Session]bool
	patterns map[string]*listeners
}

// listeners are those who listen to a pattern.
type listeners struct {
	match    func([]byte) bool
	sessions map[*Session]bool
}

// subscriptions are the channels and patterns of one conversation. Its lock
// guards them.
type subscriptions struct {
	channels, patterns map[string]bool
}

func (s *subscriptions) count() int { return len(s.channels) + len(s.patterns) }

// subscribed reports whether the conversation listens to anything.
func (s *Session) subscribed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.subs.count() > 0
}

// Publish sends a message to all who listen to a channel and returns how many
// times it was sent. It does not wait for anybody.
func (b *broker) Publish(channel, message []byte) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	sent := 0
	for s := range b.channels[string(channel)] {
		s.client.Push(Push{Text("message"), Bulk(channel), Bulk(message)})
		sent++
	}
	for name, l := range b.patterns {
		if !l.match(channel) {
			continue
		}
		for s := range l.sessions {
			s.client.Push(Push{Text("pmessage"), Text(name), Bulk(channel), Bulk(message)})
			sent++
		}
	}
	return sent
}

// audience is how many times Publish would send a message.
func (b *broker) audience(channel []byte) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.channels[string(channel)])
	for _, l := range b.patterns {
		if l.match(channel) {
			n += len(l.sessions)
		}
	}
	return n
}

// join and leave keep the broker's side of subscriptions.
func (b *broker) join(s *Session, name string, isPattern bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !isPattern {
		if b.channels[name] == nil {
			b.channels[name] = make(map[*Session]bool)
		}
		b.channels[name][s] = true
		return
	}
	if b.patterns[name] == nil {
		b.patterns[name] = &listeners{match: pattern([]byte(name)), sessions: make(map[*Session]bool)}
	}
	b.patterns[name].sessions[s] = true
}

func (b *broker) leave(s *Session, name string, isPattern bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !isPattern {
		if delete(b.channels[name], s); len(b.channels[name]) == 0 {
			delete(b.channels, name)
		}
		return
	}
	if l := b.patterns[name]; l != nil {
		if delete(l.sessions, s); len(l.sessions) == 0 {
			delete(b.patterns, name)
		}
	}
}

func subscribe(_ context.Context, s *Session, a *Args) Reply {
	s.listen(a.Rest(), "subscribe", false, true)
	return nil
}

func psubscribe(_ context.Context, s *Session, a *Args) Reply {
	s.listen(a.Rest(), "psubscribe", true, true)
	return nil
}

func unsubscribe(_ context.Context, s *Session, a *Args) Reply {
	s.listen(s.orAll(a.Rest(), false), "unsubscribe", false, false)
	return nil
}

func punsubscribe(_ context.Context, s *Session, a *Args) Reply {
	s.listen(s.orAll(a.Rest(), true), "punsubscribe", true, false)
	return nil
}

// orAll is what to stop listening to: all there is if nothing is named. A nil
// name stands for nothing at all, which is answered too.
func (s *Session) orAll(names [][]byte, isPattern bool) [][]byte {
	if len(names) > 0 {
		return names
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(*s.subs.of(isPattern))) {
		names = append(names, []byte(name))
	}
	if len(names) == 0 {
		return [][]byte{nil}
	}
	return names
}

func (s *subscriptions) of(isPattern bool) *map[string]bool {
	if isPattern {
		return &s.patterns
	}
	return &s.channels
}

// listen begins or ends subscriptions and answers one by one.
func (s *Session) listen(names [][]byte, kind string, isPattern, begin bool) {
	for _, name := range names {
		if name != nil {
			s.change(string(name), isPattern, begin)
		}
		s.mu.Lock()
		count := s.subs.count()
		s.mu.Unlock()
		var named Reply = Null{}
		if name != nil {
			named = Bulk(clone(name))
		}
		s.reply(Push{Text(kind), named, Int(count)})
	}
}

func (s *Session) change(name string, isPattern, begin bool) {
	s.mu.Lock()
	set := s.subs.of(isPattern)
	if begin {
		if *set == nil {
			*set = make(map[string]bool)
		}
		(*set)[name] = true
	} else {
		delete(*set, name)
	}
	s.mu.Unlock()
	if begin {
		s.host.broker.join(s, name, isPattern)
	} else {
		s.host.broker.leave(s, name, isPattern)
	}
}

// unlisten ends all subscriptions without a word.
func (s *Session) unlisten() {
	for _, isPattern := range []bool{false, true} {
		for _, name := range s.orAll(nil, isPattern) {
			if name != nil {
				s.change(string(name), isPattern, false)
			}
		}
	}
}

func publish(_ context.Context, s *Session, a *Args) Reply {
	return Int(s.host.broker.Publish(clone(a.Next()), clone(a.Next())))
}

// publishLater is PUBLISH in a transaction or a script: the message goes out once
// that is durable. The reply is how many listen when the command runs.
func publishLater(s *Session, a *Args) (Call, error) {
	channel, message, b := clone(a.Next()), clone(a.Next()), &s.host.broker
	return Call{Op: &act{writes: true, apply: func(tx *store.Tx) (Reply, error) {
		tx.Published(func() { b.Publish(channel, message) })
		return Int(b.audience(channel)), nil
	}}}, nil
}

func pubsubChannels(_ context.Context, s *Session, a *Args) Reply {
	match := func([]byte) bool { return true }
	if a.More() {
		match = pattern(a.Next())
	}
	s.host.broker.mu.Lock()
	defer s.host.broker.mu.Unlock()
	out := Array{}
	for _, name := range slices.Sorted(maps.Keys(s.host.broker.channels)) {
		if match([]byte(name)) {
			out = append(out, Text(name))
		}
	}
	return out
}

func pubsubNumSub(_ context.Context, s *Session, a *Args) Reply {
	s.host.broker.mu.Lock()
	defer s.host.broker.mu.Unlock()
	out := Array{}
	for _, name := range a.Rest() {
		out = append(out, Bulk(clone(name)), Int(len(s.host.broker.channels[string(name)])))
	}
	return out
}

func pubsubNumPat(_ context.Context, s *Session, _ *Args) Reply {
	s.host.broker.mu.Lock()
	defer s.host.broker.mu.Unlock()
	return Int(len(s.host.broker.patterns))
}

// size is how many channels and patterns somebody listens to.
func (b *broker) size() (channels, patterns int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.channels), len(b.patterns)
}
