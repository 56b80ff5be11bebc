package api

import (
	"net/http"
	"strings"
	"time"

	"keypact/service/command"
)

// Bounds of a stream of events.
const (
	eventsBehind  = 4096             // messages that a client may be behind before it is cut off
	eventsBeat    = 15 * time.Second // pause between two signs of life
	eventPatience = 30 * time.Second // in which the client must take one
)

// hearing tells whether a request asks for a stream of events, and of which.
func hearing(r *http.Request) (kind command.Hearing, names [][]byte, ok bool) {
	words, err := segments(r)
	if err != nil || r.Method != http.MethodGet && r.Method != http.MethodPost {
		return 0, nil, false
	}
	switch name := strings.ToLower(string(words[0])); {
	case name == "monitor" && len(words) == 1:
		return command.Commands, nil, true
	case name == "subscribe" && len(words) > 1:
		return command.Channels, words[1:], true
	case name == "psubscribe" && len(words) > 1:
		return command.Patterns, words[1:], true
	}
	return 0, nil, false
}

// redisListen answers with server-sent events, one for each message, until the
// client leaves or falls too far behind.
func (s *server) redisListen(x *exchange, r *http.Request, kind command.Hearing, names [][]byte) {
	if _, err := s.redisOpen(x, r); err != nil {
		x.refuseRedis(err)
		return
	}
	// Until the body is read the server does not notice that the client leaves.
	if _, err := s.redisBody(r); err != nil {
		x.refuseRedis(err)
		return
	}
	messages, behind := make(chan string, eventsBehind), make(chan struct{}, 1)
	stop := s.options.Redis.Listen(kind, names, r.RemoteAddr, func(m command.Reply) {
		select {
		case messages <- event(m):
		default:
			select {
			case behind <- struct{}{}:
			default:
			}
		}
	})
	defer stop()
	x.set("Content-Type", "text/event-stream")
	x.WriteHeader(http.StatusOK)
	out := &events{x: x, control: http.NewResponseController(x)}
	out.flush()
	beat := time.NewTicker(eventsBeat)
	defer beat.Stop()
	for out.err == nil {
		select {
		case message := <-messages:
			out.send("data: " + message + "\n\n")
			if len(messages) == 0 {
				out.flush()
			}
		case <-beat.C:
			out.send(": here\n\n")
			out.flush()
		case <-behind:
			s.log.Warn("a listener that does not read is cut off", "request", x.id)
			return
		case <-s.options.Redis.Closed():
			return
		case <-r.Context().Done():
			return
		}
	}
}

// events is an answer that goes on until its client leaves.
type events struct {
	x       *exchange
	control *http.ResponseController
	err     error
}

func (e *events) send(text string) {
	// Test servers have no deadlines, which is no harm.
	_ = e.control.SetWriteDeadline(time.Now().Add(eventPatience))
	if _, err := e.x.Write([]byte(text)); err != nil {
		e.err = err
	}
}

func (e *events) flush() {
	if err := e.control.Flush(); err != nil && e.err == nil {
		e.err = err
	}
}

// event writes a message on one line: its parts with commas between, the last
// as it is; what a monitor sees is one string, of which OK is in quotes.
func event(m command.Reply) string {
	var parts []string
	switch m := m.(type) {
	case command.Push:
		for _, part := range m {
			parts = append(parts, plain(part))
		}
	case command.Status:
		if m == command.OK {
			return `"OK"`
		}
		return oneLine(string(m))
	}
	return oneLine(strings.Join(parts, ","))
}

// plain is a part of a message as text.
func plain(r command.Reply) string {
	switch r := r.(type) {
	case command.Bulk:
		return string(r)
	case command.Text:
		return string(r)
	}
	return strings.Trim(string(appendValue(nil, r, false)), `"`)
}

// oneLine keeps a message within its event: a line end would begin another.
func oneLine(text string) string {
	return strings.NewReplacer("\r\n", "\ndata: ", "\r", "\ndata: ", "\n", "\ndata: ").Replace(strings.ToValidUTF8(text, "\uFFFD"))
}
