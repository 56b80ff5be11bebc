package command

import (
	"strings"
	"testing"
)

// Commands on keys are judged on every key that they write, in whichever
// namespace it is, and on those that they read.
func TestKeyCommandsAreJudged(t *testing.T) {
	h := newHost(t, `
format: 1
contracts:
  numbers: {key: 'n:{id}', type: list, ttl: optional, items: {type: integer}}
  sealed:  {key: 's:{id}', type: list, ttl: optional, operations: [RPUSH]}
  secret:  {key: 'p:{id}', type: string, ttl: optional, reads: listed, operations: [SET]}
  timed:   {key: 't:{id}', type: string, ttl: {required: true}}
`, Options{})
	want(t, h, []string{"RPUSH", "words", "b", "a"}, []string{"RPUSH", "digits", "2", "1"}, []string{"RPUSH", "s:1", "x"},
		[]string{"SET", "p:1", "v"}, []string{"SET", "t:1", "v", "EX", "100"})
	for _, test := range []struct {
		allowed bool
		words   []string
	}{
		{true, []string{"SORT", "digits", "STORE", "n:1"}},
		{false, []string{"SORT", "words", "ALPHA", "STORE", "n:2"}},
		{false, []string{"SORT", "words", "ALPHA", "STORE", "s:1"}},
		{false, []string{"SORT", "digits", "GET", "p:*"}},
		{false, []string{"SORT", "digits", "BY", "p:*"}},
		{true, []string{"SORT", "digits", "BY", "other:*", "GET", "#"}},
		{false, []string{"DEL", "s:1"}},
		{false, []string{"UNLINK", "words", "s:1"}},
		{false, []string{"RENAME", "words", "n:2"}},
		{false, []string{"RENAME", "s:1", "free"}},
		{false, []string{"COPY", "words", "n:2"}},
		{false, []string{"COPY", "words", "n:2", "DB", "3"}},
		{true, []string{"COPY", "digits", "n:2", "DB", "3"}},
		{false, []string{"MOVE", "s:1", "3"}},
		{false, []string{"EXPIRE", "s:1", "10"}},
		{false, []string{"PERSIST", "t:1"}},
		{true, []string{"PEXPIRE", "t:1", "10000"}},
		{false, []string{"OBJECT", "ENCODING", "p:1"}},
		{false, []string{"DUMP", "p:1"}},
		{true, []string{"FLUSHDB"}},
	} {
		got, failed := h.ask(test.words...).(Error)
		if failed == test.allowed || failed && !strings.HasPrefix(string(got), "CONTRACT ") {
			t.Errorf("%q: %q, allowed should be %v", test.words, got, test.allowed)
		}
	}
}
