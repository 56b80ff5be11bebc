package api

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"keypact/service"
)

// oneConn is a listener with one connection.
type oneConn chan net.Conn

func (l oneConn) Accept() (net.Conn, error) {
	conn, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (l oneConn) Close() error   { close(l); return nil }
func (l oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// askSlowly serves a backup over a pipe, inside a synctest bubble, on a server
// that gives an answer one minute.
func askSlowly(t *testing.T, door http.Handler) (*http.Response, net.Conn) {
	t.Helper()
	client, conn := net.Pipe()
	listener := make(oneConn, 1)
	listener <- conn
	server := &http.Server{Handler: door, WriteTimeout: time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
		<-done
	})
	go func() { _, _ = io.WriteString(client, "GET /admin/backup HTTP/1.1\r\nHost: h\r\n\r\n") }()
	answer, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer, client
}

// slowDoor is the API with a backup that is one mebibyte in many pieces, one
// every half minute.
func slowDoor(t *testing.T, failed chan<- error) http.Handler {
	return newLab(t, "", service.Limits{}, Options{Backup: func(_ context.Context, _ string, w io.Writer) error {
		var err error
		for range 16 {
			if err == nil {
				time.Sleep(30 * time.Second)
				_, err = w.Write(make([]byte, streamPiece))
			}
		}
		failed <- err
		return err
	}})
}

// TestBackupOutlastsOtherAnswers: the time for an answer is no time for a
// backup, as long as the client takes it.
func TestBackupOutlastsOtherAnswers(t *testing.T) {
	failed := make(chan error, 1)
	door := slowDoor(t, failed)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		answer, _ := askSlowly(t, door)
		body, err := io.ReadAll(answer.Body)
		if err != nil || len(body) != 16*streamPiece || time.Since(start) < 8*time.Minute {
			t.Errorf("%d bytes after %v, %v", len(body), time.Since(start), err)
		}
	})
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

// TestBackupCutsOffWhoTakesNothing, and gives the snapshot back.
func TestBackupCutsOffWhoTakesNothing(t *testing.T) {
	failed := make(chan error, 1)
	door := slowDoor(t, failed)
	synctest.Test(t, func(t *testing.T) {
		askSlowly(t, door)
		time.Sleep(10 * time.Minute) // and nobody reads
	})
	if err := <-failed; err == nil {
		t.Error("the backup went on")
	}
}
