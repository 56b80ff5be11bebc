package resp

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Scripts in testdata are conversations: what is sent and what must come back.
//
//	> SET k "a b"        a command of the connection a, in quotes as people type them
//	OK                   the reply to it, in the notation of text_test.go
//	b> LPUSH q x         a command of another connection
//	b>& BLPOP q 0        one whose reply comes later
//	& 2                  two commands wait; until they do, the script does not go on
//	b< ["q", "x"]        that reply, or a message, awaited
//	~ ["x", "y"]         a reply in any order
//	* ERR wrong number   a reply that begins so
//	! redis              what follows, up to an empty line, is ours alone, with the reason
//
// Every script runs against this server and, but for what is ours alone,
// against a real Redis, which says whether the script itself is true.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	redis := startRedis(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name+"/ours", func(t *testing.T) {
			addr, waiting := startServer(t)
			runScript(t, file, addr, waiting)
		})
		t.Run(name+"/redis", func(t *testing.T) { runScript(t, file, redis, nil) })
	}
}

// script is one run of a file against one server.
type script struct {
	t     *testing.T
	addr  string
	waits func() int // how many commands wait; nil asks the server, which is Redis
	where string
	peers map[string]*peer
	last  string // reply that the next line is about
	asked bool   // there is one
}

func runScript(t *testing.T, file, addr string, waits func() int) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, addr: addr, waits: waits, peers: make(map[string]*peer)}
	redis := waits == nil
	defer func() {
		for _, p := range s.peers {
			p.conn.Close()
		}
	}()
	if redis {
		s.peer("a").send("FLUSHALL")
		s.peer("a").reply()
	}
	skip := false
	for i, line := range strings.Split(string(text), "\n") {
		s.where = fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "!"):
			skip = redis
		case strings.TrimSpace(line) == "":
			skip = false
		case strings.HasPrefix(line, "&"):
			s.await(strings.TrimSpace(line[1:]))
		case !skip:
			s.line(line)
		}
	}
	s.settle()
}

func (s *script) line(line string) {
	s.t.Helper()
	who, rest, ok := cutPeer(line)
	switch {
	case !ok:
		s.want(line)
	case strings.HasPrefix(rest, ">&"):
		s.settle()
		s.peer(who).send(strings.TrimSpace(rest[2:]))
	case strings.HasPrefix(rest, ">"):
		s.settle()
		s.peer(who).send(strings.TrimSpace(rest[1:]))
		s.last, s.asked = s.peer(who).reply(), true
	default:
		s.settle()
		s.last, s.asked = s.peer(who).reply(), true
		s.want(strings.TrimSpace(rest[1:]))
	}
}

// await waits until a number of commands wait.
func (s *script) await(number string) {
	s.t.Helper()
	s.settle()
	want, err := strconv.Atoi(number)
	if err != nil {
		s.t.Fatalf("%s: %v", s.where, err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		got := s.waiting()
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: %d commands wait, not %d", s.where, got, want)
		}
	}
}

// waiting counts the commands that wait.
func (s *script) waiting() (n int) {
	s.t.Helper()
	if s.waits != nil {
		return s.waits()
	}
	observer := s.peer("observer")
	observer.send("INFO clients")
	_, text, _ := strings.Cut(observer.reply(), "blocked_clients:")
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil {
		s.t.Fatalf("%s: Redis does not say how many clients wait: %v", s.where, err)
	}
	return n
}

// cutPeer takes the name of a connection off a line.
func cutPeer(line string) (who, rest string, ok bool) {
	if line[0] == '>' {
		return "a", line, true
	}
	if len(line) > 1 && line[0] >= 'a' && line[0] <= 'z' && (line[1] == '>' || line[1] == '<') {
		return line[:1], line[1:], true
	}
	return "", "", false
}

// want compares the last reply with a line of the script.
func (s *script) want(line string) {
	s.t.Helper()
	if !s.asked {
		s.t.Fatalf("%s: nothing was asked before %q", s.where, line)
	}
	s.asked = false
	switch {
	case strings.HasPrefix(line, "* "):
		if !strings.HasPrefix(s.last, line[2:]) {
			s.t.Errorf("%s: got %s, want it to begin with %s", s.where, s.last, line[2:])
		}
	case strings.HasPrefix(line, "~ "):
		if got, want := parts(s.last), parts(line[2:]); !slices.Equal(got, want) {
			s.t.Errorf("%s: got %s, want %s in any order", s.where, s.last, line[2:])
		}
	case s.last != line:
		s.t.Errorf("%s: got %s, want %s", s.where, s.last, line)
	}
}

// parts sorts the values of a flat list.
func parts(list string) []string {
	out := strings.Split(strings.Trim(list, "~[]"), ", ")
	slices.Sort(out)
	return out
}

// settle wants that the last reply was looked at; OK needs no line.
func (s *script) settle() {
	s.t.Helper()
	if s.asked && s.last != "OK" && s.last != "QUEUED" {
		s.t.Errorf("%s: the reply before is %s and the script does not say so", s.where, s.last)
	}
	s.asked = false
}

func (s *script) peer(who string) *peer {
	s.t.Helper()
	if p := s.peers[who]; p != nil {
		return p
	}
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	p := &peer{s: s, conn: conn, r: bufio.NewReader(conn)}
	s.peers[who] = p
	return p
}

// peer is one connection of a script.
type peer struct {
	s    *script
	conn net.Conn
	r    *bufio.Reader
}

// send sends a line as an array of words.
func (p *peer) send(line string) {
	p.s.t.Helper()
	words, ok := splitLine([]byte(line))
	if !ok {
		p.s.t.Fatalf("%s: quotes are not balanced", p.s.where)
	}
	if _, err := p.conn.Write(request(words)); err != nil {
		p.s.t.Fatalf("%s: %v", p.s.where, err)
	}
}

func request(words [][]byte) []byte {
	out := fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, word := range words {
		out = fmt.Appendf(out, "$%d\r\n%s\r\n", len(word), word)
	}
	return out
}

func (p *peer) reply() string {
	p.s.t.Helper()
	if err := p.conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		p.s.t.Fatal(err)
	}
	text, err := readText(p.r)
	if err != nil {
		p.s.t.Fatalf("%s: no reply: %v", p.s.where, err)
	}
	return text
}
