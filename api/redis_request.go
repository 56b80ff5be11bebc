package api

import (
	"bytes"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxCommandWords is how many words one command may have.
const maxCommandWords = 1 << 20

// parseCommand reads a command that is a JSON array.
func parseCommand(body []byte) ([][]byte, error) {
	const malformed = "ERR failed to parse the command: it must be a JSON array of strings, numbers and booleans"
	d := newDecoder(body)
	defer d.done()
	words, ok := readWords(d.json)
	if !ok || atEnd(d.json) != nil {
		return nil, badCommand(malformed)
	}
	if len(words) == 0 {
		return nil, badCommand("ERR empty command")
	}
	return words, nil
}

// parseCommands reads a list of at most so many commands.
func parseCommands(body []byte, most int) ([][][]byte, error) {
	const malformed = "ERR failed to parse pipeline request: it must be a JSON array of commands, each an array of strings, numbers and booleans"
	d := newDecoder(body)
	defer d.done()
	if token, err := d.json.ReadToken(); err != nil || token.Kind() != '[' {
		return nil, badCommand(malformed)
	}
	var commands [][][]byte
	for d.json.PeekKind() != ']' {
		words, ok := readWords(d.json)
		if !ok {
			return nil, badCommand(malformed)
		}
		if len(commands) == most {
			return nil, &redisError{http.StatusRequestEntityTooLarge, "ERR too many commands in one request. Limit: " + strconv.Itoa(most)}
		}
		commands = append(commands, words)
	}
	if _, err := d.json.ReadToken(); err != nil || atEnd(d.json) != nil {
		return nil, badCommand(malformed)
	}
	if len(commands) == 0 {
		return nil, badCommand("ERR empty pipeline request")
	}
	return commands, nil
}

// readWords reads an array of words. Numbers keep the digits they came with,
// true, false and null are the words that they are.
func readWords(dec *jsontext.Decoder) (words [][]byte, ok bool) {
	if dec.PeekKind() != '[' {
		return nil, false
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	for dec.PeekKind() != ']' {
		if kind := dec.PeekKind(); kind == '[' || kind == '{' || len(words) == maxCommandWords {
			return nil, false
		}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		word, ok := wordOf(value)
		if !ok {
			return nil, false
		}
		words = append(words, word)
	}
	_, err := dec.ReadToken()
	return words, err == nil
}

// wordOf makes a word of one JSON value that is no array and no object.
func wordOf(value jsontext.Value) ([]byte, bool) {
	if value.Kind() == '"' {
		word, err := jsontext.AppendUnquote(make([]byte, 0, len(value)), value)
		return word, err == nil
	}
	return bytes.Clone(value), true
}

// pathCommand reads a command whose words are the segments of the path. A body
// is a word behind them, and so are the names and values of the query, in their
// order.
func (s *server) pathCommand(r *http.Request) ([][]byte, error) {
	words, err := segments(r)
	if err != nil {
		return nil, err
	}
	if r.Method == http.MethodPost || r.Method == http.MethodPut {
		body, err := s.redisBody(r)
		if err != nil {
			return nil, err
		}
		if len(body) > 0 {
			words = append(words, body)
		}
	}
	return queryWords(words, r.URL.RawQuery)
}

// segments are the parts of the path behind /redis/, each decoded once.
func segments(r *http.Request) (words [][]byte, err error) {
	rest := strings.TrimPrefix(r.URL.EscapedPath(), "/redis/")
	for part := range strings.SplitSeq(rest, "/") {
		word, err := url.PathUnescape(part)
		if err != nil {
			return nil, badCommand("ERR the path is not percent-encoded as it should be")
		}
		words = append(words, []byte(word))
	}
	return words, nil
}

// queryWords adds the words of the query: ?EX=100 is EX 100, ?NX is NX. _token
// is none of them.
func queryWords(words [][]byte, query string) ([][]byte, error) {
	if query == "" {
		return words, nil
	}
	for part := range strings.SplitSeq(query, "&") {
		name, value, valued := strings.Cut(part, "=")
		if name == "" && !valued || name == "_token" {
			continue
		}
		for i, text := range []string{name, value} {
			if i == 1 && !valued {
				break
			}
			word, err := url.QueryUnescape(text)
			if err != nil {
				return nil, badCommand("ERR the query is not percent-encoded as it should be")
			}
			words = append(words, []byte(word))
		}
	}
	return words, nil
}
