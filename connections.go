package main

import (
	"net"
	"sync"
)

// limitConnections bounds how many accepted connections are open at a time.
// At the limit Accept waits; the kernel keeps further callers in its backlog.
func limitConnections(l net.Listener, most int) net.Listener {
	return &limitedListener{Listener: l, slots: make(chan struct{}, most), closed: make(chan struct{})}
}

type limitedListener struct {
	net.Listener
	slots   chan struct{}
	closing sync.Once
	closed  chan struct{}
}

// Accept waits for a free slot and for a connection.
func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitedConn{Conn: conn, release: sync.OnceFunc(func() { <-l.slots })}, nil
}

// Close stops listening and wakes an Accept that waits for a slot.
func (l *limitedListener) Close() error {
	l.closing.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	release func()
}

// Close closes the connection and frees its slot.
func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
