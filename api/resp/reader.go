package resp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Bounds of a command on the wire, beside its size.
const (
	maxLine  = 64 << 10 // a line: an inline command, or the head of an array or of a word
	maxWords = 1 << 20
)

// ProtocolError is a fault of what a client sends. The connection is of no use
// behind it.
type ProtocolError struct{ text string }

// Error is the text that Redis has for the fault.
func (e *ProtocolError) Error() string { return "Protocol error: " + e.text }

func protocolError(format string, args ...any) error {
	return &ProtocolError{fmt.Sprintf(format, args...)}
}

// errTooBig is a command beyond the limit on its size.
var errTooBig = errors.New("the command is too big")

// reader takes commands off a connection: arrays of words, or inline commands
// as people type them.
type reader struct {
	r    *bufio.Reader
	most int // bytes of all words of one command
}

func newReader(r io.Reader, most int) *reader {
	return &reader{r: bufio.NewReaderSize(r, 16<<10), most: most}
}

// read takes the next command. An empty one has no words. A fault of the client
// is a *ProtocolError or errTooBig; anything else is an error of the connection.
func (r *reader) read() ([][]byte, error) {
	first, err := r.r.ReadByte()
	if err != nil {
		return nil, err
	}
	if first == '*' {
		return r.array()
	}
	if err := r.r.UnreadByte(); err != nil {
		return nil, err
	}
	line, err := r.line("too big inline request")
	if err != nil {
		return nil, err
	}
	words, ok := splitLine(line)
	if !ok {
		return nil, protocolError("unbalanced quotes in request")
	}
	return words, nil
}

// array reads the rest of an array of words.
func (r *reader) array() ([][]byte, error) {
	line, err := r.line("too big mbulk count string")
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(string(line), 10, 64)
	if err != nil || n > maxWords {
		return nil, protocolError("invalid multibulk length")
	}
	if n <= 0 {
		return nil, nil
	}
	words := make([][]byte, 0, min(n, 1024))
	left := r.most
	for range n {
		word, err := r.word(left)
		if err != nil {
			return nil, err
		}
		left -= len(word)
		words = append(words, word)
	}
	return words, nil
}

// word reads one word of at most so many bytes.
func (r *reader) word(most int) ([]byte, error) {
	kind, err := r.r.ReadByte()
	if err != nil {
		return nil, err
	}
	if kind != '$' {
		return nil, protocolError("expected '$', got '%s'", shown(kind))
	}
	line, err := r.line("too big bulk count string")
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(string(line), 10, 64)
	if err != nil || n < 0 || n > maxBulk {
		return nil, protocolError("invalid bulk length")
	}
	if n > int64(most) {
		return nil, errTooBig
	}
	word, err := r.bytes(int(n))
	if err != nil {
		return nil, err
	}
	var end [2]byte
	_, err = io.ReadFull(r.r, end[:])
	return word, err
}

// maxBulk is the longest word that Redis takes.
const maxBulk = 512 << 20

// bytes reads n bytes. Memory grows with what arrives, not with what is
// announced.
func (r *reader) bytes(n int) ([]byte, error) {
	const step = 64 << 10
	if n <= step {
		word := make([]byte, n)
		_, err := io.ReadFull(r.r, word)
		return word, err
	}
	var word bytes.Buffer
	_, err := io.CopyN(&word, r.r, int64(n))
	return word.Bytes(), err
}

// line reads up to the end of a line, without it.
func (r *reader) line(tooLong string) ([]byte, error) {
	var line []byte
	for {
		part, err := r.r.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxLine {
			return nil, protocolError("%s", tooLong)
		}
		if err == nil {
			return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

func shown(b byte) string {
	if b < ' ' || b > '~' {
		return fmt.Sprintf("\\x%02x", b)
	}
	return string(rune(b))
}
