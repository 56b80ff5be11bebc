package main

import (
	"encoding/binary"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// arrivals tells a client when its next request is due. It is a timer of the
// kernel that the runtime waits for as it waits for a connection, so a request
// that is due waits for a core as one from the network does.
type arrivals struct {
	timer *os.File
	due   time.Time // of the last request
	every time.Duration
	left  uint64 // requests that are due already
}

// newArrivals starts a clock whose first request is due after the offset.
func newArrivals(every, offset time.Duration) (*arrivals, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	a := &arrivals{timer: os.NewFile(uintptr(fd), "arrivals"), every: every}
	first := every + offset
	a.due = time.Now().Add(first - every)
	err = unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{
		Interval: unix.NsecToTimespec(every.Nanoseconds()), Value: unix.NsecToTimespec(first.Nanoseconds()),
	}, nil)
	if err != nil {
		return nil, errors.Join(os.NewSyscallError("timerfd_settime", err), a.timer.Close())
	}
	return a, nil
}

// next waits until a request is due and returns when it was. A client that is
// late gets those it missed at once.
func (a *arrivals) next() (time.Time, error) {
	if a.left == 0 {
		var count [8]byte
		if _, err := a.timer.Read(count[:]); err != nil {
			return time.Time{}, err
		}
		a.left = binary.NativeEndian.Uint64(count[:])
	}
	a.left--
	a.due = a.due.Add(a.every)
	return a.due, nil
}

func (a *arrivals) close() error { return a.timer.Close() }
