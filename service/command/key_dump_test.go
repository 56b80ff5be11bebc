package command

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestDumpAndRestore(t *testing.T) {
	long := []string{"RPUSH", "l"}
	for i := range 5000 { // more than one transaction should hold
		long = append(long, strconv.Itoa(i))
	}
	for _, test := range []struct{ write, read []string }{
		{[]string{"SET", "k", "a\x00b"}, []string{"GET"}},
		{[]string{"SET", "k", ""}, []string{"GET"}},
		{[]string{"HSET", "k", "b", "", "a", "2", "", "empty"}, []string{"HGETALL"}},
		{[]string{"RPUSH", "k", "b", "a", "b", ""}, []string{"LRANGE", "0", "-1"}},
		{long, []string{"LRANGE", "0", "-1"}},
		{[]string{"SADD", "k", "b", "a"}, []string{"SMEMBERS"}},
		{[]string{"ZADD", "k", "1.5", "b", "-inf", "a", "1.5", "a2"}, []string{"ZRANGE", "0", "-1", "WITHSCORES"}},
	} {
		t.Run(test.write[0], func(t *testing.T) {
			h := newHost(t, "", Options{})
			test.write[1] = "k"
			read := func(key string) Reply {
				return h.ask(append([]string{test.read[0], key}, test.read[1:]...)...)
			}
			want(t, h, test.write, []string{"EXPIRE", "k", "100"})
			dump, ok := h.ask("DUMP", "k").(Bulk)
			if !ok {
				t.Fatal("no dump")
			}
			want(t, h, []string{"SET", "other", "v", "EX", "50"}, []string{"RESTORE", "other", "0", string(dump), "REPLACE"})
			if got, expected := read("other"), read("k"); !reflect.DeepEqual(got, expected) {
				t.Errorf("restored %v, was %v", got, expected)
			}
			if ttl := h.ask("TTL", "other"); ttl != Int(-1) {
				t.Errorf("the dump has the time to live %v", ttl)
			}
			want(t, h, []string{"RESTORE", "timed", "100000", string(dump)},
				[]string{"RESTORE", "dated", "9999999999999", string(dump), "ABSTTL", "FREQ", "5"})
			if ttl, at := h.ask("TTL", "timed"), h.ask("PEXPIRETIME", "dated"); ttl != Int(100) || at != Int(9999999999999) {
				t.Errorf("restored with the times %v and %v", ttl, at)
			}
			want(t, h, []string{"RESTORE", "timed", "1", string(dump), "ABSTTL", "REPLACE"})
			if h.ask("EXISTS", "timed") != Int(0) {
				t.Error("a value whose time has passed is there")
			}
			for at := range dump {
				damaged := []byte(string(dump))
				damaged[at] ^= 0x40
				if at > 50 && at%97 != 0 {
					continue
				}
				if got := h.ask("RESTORE", "damaged", "0", string(damaged)); got != Error("ERR DUMP payload version or checksum are wrong") {
					t.Fatalf("byte %d changed: %v", at, got)
				}
			}
		})
	}
}

func TestADumpIsBounded(t *testing.T) {
	h := newHost(t, "", Options{})
	megabyte := strings.Repeat("x", 1<<20)
	for range 9 {
		want(t, h, []string{"RPUSH", "big", megabyte})
	}
	if got := fmt.Sprint(h.ask("DUMP", "big")); !strings.HasPrefix(got, "ERR Too big: the dump has ") {
		t.Errorf("got %.200s", got)
	}
}

func TestRestoreIsJudged(t *testing.T) {
	h := newHost(t, `
format: 1
contracts:
  numbers: {key: 'n:{id}', type: list, ttl: optional, items: {type: integer}}
  sealed:  {key: 's:{id}', type: list, ttl: optional, operations: [RPUSH]}
`, Options{})
	want(t, h, []string{"RPUSH", "words", "a"}, []string{"RPUSH", "digits", "1"})
	words, digits := string(h.ask("DUMP", "words").(Bulk)), string(h.ask("DUMP", "digits").(Bulk))
	want(t, h, []string{"RESTORE", "n:1", "0", digits})
	for key, dump := range map[string]string{"n:2": words, "s:1": words} {
		got, _ := h.ask("RESTORE", key, "0", dump).(Error)
		if !strings.HasPrefix(string(got), "CONTRACT ") {
			t.Errorf("%s: %s", key, got)
		}
		if h.ask("EXISTS", key) != Int(0) {
			t.Errorf("%s is there", key)
		}
	}
}
