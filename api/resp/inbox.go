package resp

import "sync"

// inbox holds commands that have been read and not run yet. It is bounded in
// their number and their size, so that reading stops while running lags behind.
type inbox struct {
	mu       sync.Mutex
	changed  sync.Cond
	commands [][][]byte
	size     int
	closed   bool  // nothing is taken any more
	end      error // why nothing more will come; nil while more may
}

// Bounds of an inbox. One command fits however large it is.
const (
	inboxCommands = 1024
	inboxBytes    = 1 << 20
)

func newInbox() *inbox {
	b := new(inbox)
	b.changed.L = &b.mu
	return b
}

// put waits for room and adds a command; false says that nobody takes it.
func (b *inbox) put(words [][]byte) bool {
	n := 0
	for _, word := range words {
		n += len(word)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed && len(b.commands) > 0 && (len(b.commands) >= inboxCommands || b.size+n > inboxBytes) {
		b.changed.Wait()
	}
	if b.closed {
		return false
	}
	b.commands, b.size = append(b.commands, words), b.size+n
	b.changed.Broadcast()
	return true
}

// finish says that nothing more will come.
func (b *inbox) finish(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end = err
	b.changed.Broadcast()
}

// take waits for commands and takes all there are. The error is what finish was
// given, once everything has been taken.
func (b *inbox) take() ([][][]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.commands) == 0 && b.end == nil {
		b.changed.Wait()
	}
	if len(b.commands) == 0 {
		return nil, b.end
	}
	commands := b.commands
	b.commands, b.size = nil, 0
	b.changed.Broadcast()
	return commands, nil
}

// close lets the reader go.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.changed.Broadcast()
}
