package badger

import (
	"sort"
	"sync"
)

// epochs knows the newest published timestamp and who still reads at which, so
// that the engine keeps the versions somebody can see. Taking and giving back
// an epoch never waits for a commit.
type epochs struct {
	mu        sync.Mutex
	published uint64
	live      []*epoch // ascending; the last may be the published one
	readers   int
	closed    error
	idle      chan struct{} // closed once closed is set and nobody reads
}

// epoch is one timestamp with readers.
type epoch struct {
	ts      uint64
	readers int
}

func newEpochs(published uint64) *epochs {
	return &epochs{published: published, idle: make(chan struct{})}
}

// acquire takes the published timestamp; release must follow.
func (s *epochs) acquire() (*epoch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		return nil, s.closed
	}
	n := len(s.live)
	if n == 0 || s.live[n-1].ts != s.published {
		s.live = append(s.live, &epoch{ts: s.published})
		n++
	}
	e := s.live[n-1]
	e.readers++
	s.readers++
	return e, nil
}

// release gives an epoch back.
func (s *epochs) release(e *epoch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.readers--
	s.readers--
	if e.readers == 0 {
		at := sort.Search(len(s.live), func(i int) bool { return s.live[i].ts >= e.ts })
		s.live = append(s.live[:at], s.live[at+1:]...)
	}
	s.settle()
}

// publish makes ts what new readers see. It returns the oldest timestamp that
// anyone reads at: older versions may go.
func (s *epochs) publish(ts uint64) (oldest uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published = ts
	if len(s.live) > 0 {
		return s.live[0].ts
	}
	return ts
}

// oldest is the oldest timestamp that anyone reads at, or will.
func (s *epochs) oldest() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.live) > 0 {
		return s.live[0].ts
	}
	return s.published
}

// close refuses new readers with err; idle is closed when the last has left.
// The first error stays.
func (s *epochs) close(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil {
		s.closed = err
	}
	s.settle()
}

func (s *epochs) settle() {
	if s.closed == nil || s.readers > 0 {
		return
	}
	select {
	case <-s.idle:
	default:
		close(s.idle)
	}
}
