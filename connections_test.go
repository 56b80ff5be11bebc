package main

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
)

// pipeListener hands out the connections put into it.
type pipeListener struct{ conns chan net.Conn }

func (l pipeListener) Accept() (net.Conn, error) {
	conn, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (l pipeListener) Close() error   { close(l.conns); return nil }
func (l pipeListener) Addr() net.Addr { return nil }

func TestLimitConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := pipeListener{make(chan net.Conn, 4)}
		for range 3 {
			_, server := net.Pipe()
			inner.conns <- server
		}
		l := limitConnections(inner, 2)
		accepted := make(chan net.Conn)
		ended := make(chan error)
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					ended <- err
					return
				}
				accepted <- conn
			}
		}()
		first, second := <-accepted, <-accepted
		synctest.Wait()
		select {
		case <-accepted:
			t.Fatal("a third connection got in beside two")
		default:
		}
		_ = first.Close()
		_ = first.Close() // twice must not free two slots
		third := <-accepted
		synctest.Wait()
		if len(l.(*limitedListener).slots) != 2 {
			t.Errorf("%d slots in use, want 2", len(l.(*limitedListener).slots))
		}
		_ = l.Close()
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept after Close: %v", err)
		}
		_, _ = second.Close(), third.Close()
	})
}
