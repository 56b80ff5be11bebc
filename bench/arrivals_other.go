//go:build !linux

package main

import "time"

// arrivals tells a client when its next request is due, as exactly as the
// runtime's timers are.
type arrivals struct {
	due   time.Time // of the last request
	every time.Duration
}

// newArrivals starts a clock whose first request is due after the offset.
func newArrivals(every, offset time.Duration) (*arrivals, error) {
	return &arrivals{due: time.Now().Add(offset), every: every}, nil
}

// next waits until a request is due and returns when it was. A client that is
// late gets those it missed at once.
func (a *arrivals) next() (time.Time, error) {
	a.due = a.due.Add(a.every)
	time.Sleep(time.Until(a.due))
	return a.due, nil
}

func (a *arrivals) close() error { return nil }
