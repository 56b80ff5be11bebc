package command

import "context"

// Listen lets a door whose clients send no commands hear messages: those of
// channels, of patterns, or every command that runs. hear is called from any
// goroutine and must not wait. stop ends it.
func (h *Host) Listen(kind Hearing, names [][]byte, address string, hear func(Reply)) (stop func()) {
	s := h.Session(&listener{hear: hear, address: address})
	switch kind {
	case Channels:
		s.listen(names, "subscribe", false, true)
	case Patterns:
		s.listen(names, "psubscribe", true, true)
	case Commands:
		monitor(context.Background(), s, nil)
	}
	return s.End
}

// Hearing is what a listener hears.
type Hearing int

// What there is to hear.
const (
	Channels Hearing = iota
	Patterns
	Commands
)

// listener is the client of Listen.
type listener struct {
	hear    func(Reply)
	address string
}

// Reply passes on what a subscription is answered with.
func (l *listener) Reply(r Reply) { l.hear(r) }

// Push passes a message on.
func (l *listener) Push(r Reply) { l.hear(r) }

// Flush has nothing to send.
func (l *listener) Flush() {}

// Close has nothing to close.
func (l *listener) Close() {}

// Address is where the client is.
func (l *listener) Address() string { return l.address }
