package resp

import (
	"io"
	"sync"
)

// outbox holds what is to be sent. Replies wait for room, so that commands of a
// client that does not read are not run; messages that were not asked for
// cannot wait, so a client that lets too many pile up is cut off.
type outbox struct {
	mu      sync.Mutex
	changed sync.Cond
	buffer  []byte
	due     bool // the buffer is to be sent now
	closing bool // once it is sent, nothing more will be
	failed  bool // nothing can be sent any more
}

// Bounds of an outbox in bytes.
const (
	outboxEager   = 16 << 10 // sent without being asked
	outboxReplies = 1 << 20  // replies wait beyond it
	outboxPushes  = 32 << 20 // a client that is this far behind is cut off
)

func newOutbox() *outbox {
	o := new(outbox)
	o.changed.L = &o.mu
	return o
}

// reply waits for room and adds what render appends.
func (o *outbox) reply(render func([]byte) []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.buffer) > outboxReplies && !o.failed && !o.closing {
		o.changed.Wait()
	}
	o.add(render)
}

// push adds what render appends; false says that the client is too far behind.
func (o *outbox) push(render func([]byte) []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(render)
	o.due = true
	o.changed.Broadcast()
	return len(o.buffer) <= outboxPushes
}

func (o *outbox) add(render func([]byte) []byte) {
	if o.failed || o.closing {
		return
	}
	if o.buffer = render(o.buffer); len(o.buffer) >= outboxEager {
		o.due = true
		o.changed.Broadcast()
	}
}

// flush has the buffer sent.
func (o *outbox) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.due = true
	o.changed.Broadcast()
}

// close has the buffer sent and nothing behind it.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	o.changed.Broadcast()
}

// send writes to w what comes, until the outbox is closed or w fails.
func (o *outbox) send(w io.Writer) {
	var spare []byte
	for {
		o.mu.Lock()
		for !o.closing && (!o.due || len(o.buffer) == 0) {
			o.due = false
			o.changed.Wait()
		}
		out, last := o.buffer, o.closing
		o.buffer, o.due = spare[:0], false
		o.changed.Broadcast()
		o.mu.Unlock()
		if len(out) > 0 {
			if _, err := w.Write(out); err != nil {
				o.fail()
				return
			}
		}
		if last {
			return
		}
		if spare = out; cap(spare) > outboxReplies {
			spare = nil
		}
	}
}

// fail drops what is there and all that comes.
func (o *outbox) fail() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed, o.buffer = true, nil
	o.changed.Broadcast()
}
