package resp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestReader(t *testing.T) {
	for _, test := range []struct{ name, sent, want string }{
		{"an array", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", `GET k`},
		{"two at once", "*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nECHO\r\n", `PING | ECHO`},
		{"an empty word", "*2\r\n$3\r\nGET\r\n$0\r\n\r\n", `GET `},
		{"bytes", "*1\r\n$4\r\n\r\n\x00*\r\n", "\r\n\x00*"},
		{"no words", "*0\r\n*-1\r\nPING\r\n", ` |  | PING`},
		{"a line", "SET k  v\r\n", `SET k v`},
		{"a line without a return", "PING\n", `PING`},
		{"an empty line", "\r\nPING\r\n", ` | PING`},
		{"quotes", `SET "a b" 'c"d' "\x41\n\"" 'it\'s'` + "\r\n", "SET a b c\"d A\n\" it's"},
		{"no end of a quote", "SET \"a\r\n", `unbalanced quotes in request`},
		{"a word behind a quote", "SET \"a\"b\r\n", `unbalanced quotes in request`},
		{"no length", "*x\r\n", `invalid multibulk length`},
		{"many words", "*1048577\r\n", `invalid multibulk length`},
		{"more words than a number holds", "*99999999999999999999\r\n", `invalid multibulk length`},
		{"no bulk", "*1\r\nfoo\r\n", `expected '$', got 'f'`},
		{"no bulk but a control byte", "*1\r\n\x01\r\n", `expected '$', got '\x01'`},
		{"no length of a word", "*1\r\n$blabla\r\n", `invalid bulk length`},
		{"a negative length", "*1\r\n$-10\r\n", `invalid bulk length`},
		{"a length beyond all", "*1\r\n$2000000000\r\n", `invalid bulk length`},
		{"a long word", "*1\r\n$2001\r\n", `the command is too big`},
		{"long words", "*3\r\n$1000\r\n" + strings.Repeat("x", 1000) + "\r\n$1000\r\n" + strings.Repeat("x", 1000) + "\r\n$1\r\n", `the command is too big`},
		{"a long line", strings.Repeat("x", maxLine+10), `too big inline request`},
		{"a long count", "*" + strings.Repeat("1", maxLine+10), `too big mbulk count string`},
		{"a long length", "*1\r\n$" + strings.Repeat("1", maxLine+10), `too big bulk count string`},
	} {
		r, got := newReader(strings.NewReader(test.sent), 2000), []string{}
		for {
			words, err := r.read()
			var fault *ProtocolError
			if errors.As(err, &fault) || errors.Is(err, errTooBig) {
				got = []string{strings.TrimPrefix(err.Error(), "Protocol error: ")}
			}
			if err != nil {
				break
			}
			got = append(got, string(bytes.Join(words, []byte(" "))))
		}
		if text := strings.Join(got, " | "); text != test.want {
			t.Errorf("%s: got %q, want %q", test.name, text, test.want)
		}
	}
}

// FuzzReader: whatever is sent, the reader ends, holds no more than its limit,
// and reads back what it has read.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "SET \"a b\" 'c'\r\n", "*1\r\n$-1\r\n", "*0\r\n", "*1\r\n$5\r\nab", "\x00\r\n", "*1048576\r\n$1\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		r := newReader(bytes.NewReader(sent), 1000)
		for {
			words, err := r.read()
			if err != nil {
				return
			}
			size := 0
			for _, word := range words {
				size += len(word)
			}
			if size > max(1000, maxLine) {
				t.Fatalf("a command of %d bytes", size)
			}
			if len(words) == 0 {
				continue
			}
			again, err := newReader(bytes.NewReader(request(words)), 1<<20).read()
			if err != nil || !slices.EqualFunc(words, again, bytes.Equal) {
				t.Fatalf("%q becomes %q (%v)", words, again, err)
			}
		}
	})
}

// TestRepliesOfBothVersions renders each type of reply.
func TestRepliesOfBothVersions(t *testing.T) {
	for _, test := range replies {
		for proto, want := range map[int]string{2: test.resp2, 3: test.resp3} {
			got := Append(nil, test.reply, proto)
			r := bufio.NewReader(bytes.NewReader(got))
			text, err := readText(r)
			if _, end := r.ReadByte(); text != want || err != nil || end != io.EOF {
				t.Errorf("%#v in RESP%d is %q (%q, %v), want %s", test.reply, proto, text, got, err, want)
			}
		}
	}
}
