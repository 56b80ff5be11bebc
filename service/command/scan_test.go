package command

import (
	"fmt"
	"strconv"
	"testing"
)

// walk scans to the end, from the command and its key on, and counts what comes; between is called between steps.
func walk(t *testing.T, h *Host, between func(step int), words ...string) map[string]int {
	t.Helper()
	seen := make(map[string]int)
	cursor := len(words)
	words = append(words, "0", "COUNT", "7")
	for step := 0; ; step++ {
		if step > 10_000 {
			t.Fatal("the scan does not end")
		}
		reply := h.ask(words...).(Array)
		for _, element := range reply[1].(Array) {
			if name, ok := element.(Bulk); ok {
				seen[string(name)]++
			}
		}
		words[cursor] = string(reply[0].(Text))
		if words[cursor] == "0" {
			return seen
		}
		between(step)
	}
}

func fillAll(t *testing.T, h *Host, n int) {
	t.Helper()
	for i := range n {
		name := fmt.Sprintf("stays:%04d", i)
		want(t, h, []string{"SET", name, "v"}, []string{"SADD", "{s}", name}, []string{"HSET", "{h}", name, "v"}, []string{"ZADD", "{z}", strconv.Itoa(-i), name})
	}
}

// What is there all the time is returned, whatever comes and goes meanwhile, and
// nothing twice.
func TestScansReturnWhatStays(t *testing.T) {
	h := newHost(t, "", Options{})
	const n = 300
	fillAll(t, h, n)
	for _, words := range [][]string{{"SCAN"}, {"SSCAN", "{s}"}, {"HSCAN", "{h}"}, {"ZSCAN", "{z}"}} {
		t.Run(words[0], func(t *testing.T) {
			seen := walk(t, h, func(step int) {
				name := fmt.Sprintf("stays:%04d+", step*7)
				switch words[0] {
				case "SCAN":
					want(t, h, []string{"SET", name, "v"}, []string{"DEL", name})
				case "SSCAN":
					want(t, h, []string{"SADD", "{s}", name}, []string{"SREM", "{s}", name})
				case "HSCAN":
					want(t, h, []string{"HSET", "{h}", name, "x"}, []string{"HDEL", "{h}", name})
				case "ZSCAN":
					want(t, h, []string{"ZADD", "{z}", "5", name}, []string{"ZREM", "{z}", name})
				}
			}, words...)
			for i := range n {
				if name := fmt.Sprintf("stays:%04d", i); seen[name] != 1 {
					t.Errorf("%s came %d times", name, seen[name])
				}
			}
		})
	}
}

// A cursor that was forgotten, and one of another key or namespace, begins anew:
// elements come again, but none is lost.
func TestScansWithForeignCursorsLoseNothing(t *testing.T) {
	h := newHost(t, "", Options{})
	fillAll(t, h, 30)
	forget := func(step int) {
		if step == 2 {
			h.cursors = newCursors(cursorPlaces, cursorBytes)
		}
	}
	seen := walk(t, h, forget, "SSCAN", "{s}")
	if len(seen) != 30 || seen["stays:0000"] != 2 {
		t.Errorf("%d members came, the first %d times", len(seen), seen["stays:0000"])
	}
	first := h.ask("SSCAN", "{s}", "0", "COUNT", "7").(Array)
	foreign := string(first[0].(Text))
	for _, words := range [][]string{{"SCAN", foreign}, {"HSCAN", "{h}", foreign}, {"ZSCAN", "{z}", foreign}, {"SCAN", "12345"}, {"SCAN", "-1"}} {
		reply := h.ask(append(words, "COUNT", "100")...).(Array)
		least := map[string]int{"SCAN": 33, "HSCAN": 60, "ZSCAN": 60}[words[0]]
		if got := len(reply[1].(Array)); got != least || reply[0] != Reply(Text("0")) {
			t.Errorf("%q returned %d values and %v", words, got, reply[0])
		}
	}
}

// A pattern that few keys match needs few steps.
func TestScansSkipToThePrefix(t *testing.T) {
	h := newHost(t, "", Options{})
	fillAll(t, h, 50)
	want(t, h, []string{"SET", "zebra:1", "v"})
	reply := h.ask("SCAN", "0", "MATCH", "zebra:*").(Array)
	if len(reply[1].(Array)) != 1 || reply[0] != Reply(Text("0")) {
		t.Errorf("got %v", reply)
	}
}
