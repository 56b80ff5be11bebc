package badger

import (
	"context"
	"sync"
	"sync/atomic"

	"keypact/store/kv"
)

// request is one Update on its way through the committer.
type request struct {
	fn        func(kv.Txn) error
	state     atomic.Int32
	published []func()
	err       error
	done      chan struct{}
}

// A request starts queued; whoever moves it on first decides its fate.
const (
	queued int32 = iota
	running
	cancelled
)

func newRequest(fn func(kv.Txn) error) *request {
	return &request{fn: fn, done: make(chan struct{})}
}

// start reports whether the request may run, and keeps it from being cancelled.
func (r *request) start() bool {
	return r.state.Load() == running || r.state.CompareAndSwap(queued, running)
}

// wait returns the outcome. A context that ends first cancels the request if
// it has not begun.
func (r *request) wait(ctx context.Context) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
	}
	if r.state.CompareAndSwap(queued, cancelled) {
		return context.Cause(ctx)
	}
	<-r.done
	return r.err
}

// answer ends the request: its Published callbacks run, then its caller goes on.
func (r *request) answer(onPanic func(any)) {
	for _, fn := range r.published {
		shielded(fn, onPanic)
	}
	close(r.done)
}

// refuse ends the request with err; its Published callbacks are forgotten.
func (r *request) refuse(err error) {
	r.published, r.err = nil, err
	close(r.done)
}

func shielded(fn func(), onPanic func(any)) {
	defer func() {
		if v := recover(); v != nil {
			onPanic(v)
		}
	}()
	fn()
}

// queue is the line of writers. Its length is bounded by the callers that wait.
type queue struct {
	mu      sync.Mutex
	waiting []*request
	closed  error
	wake    chan struct{} // one token says that there is news
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// push adds r to the line, unless the queue is closed.
func (q *queue) push(r *request) error {
	q.mu.Lock()
	if q.closed != nil {
		defer q.mu.Unlock()
		return q.closed
	}
	q.waiting = append(q.waiting, r)
	q.mu.Unlock()
	q.nudge()
	return nil
}

// pop takes the first request, or nil.
func (q *queue) pop() *request {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil
	}
	r := q.waiting[0]
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	return r
}

// close refuses newcomers with err. Whoever waits already keeps the place. The
// first error stays.
func (q *queue) close(err error) {
	q.mu.Lock()
	if q.closed == nil {
		q.closed = err
	}
	q.mu.Unlock()
	q.nudge()
}

// ended reports whether the queue is closed and empty.
func (q *queue) ended() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed != nil && len(q.waiting) == 0
}

func (q *queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// length is how many requests wait.
func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
