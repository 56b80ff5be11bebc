package command

import (
	"strings"
	"testing"

	"keypact/contracts"
	"keypact/service"
)

// Each command that writes is judged by the verb that contracts know it by.
func TestVerbsOfCommands(t *testing.T) {
	for _, test := range []struct{ verb, before, command string }{
		{"SET", "", "SET c:1 v"},
		{"SET", "", "GETSET c:1 v"},
		{"SET", "", "SETNX c:1 v"},
		{"SET", "", "SETEX c:1 9 v"},
		{"SET", "", "PSETEX c:1 9 v"},
		{"SET", "", "MSET o v c:1 v"},
		{"SET", "", "MSETNX o v c:1 v"},
		{"GETDEL", "SET c:1 v", "GETDEL c:1"},
		{"GETEX", "SET c:1 v", "GETEX c:1 EX 9"},
		{"APPEND", "", "APPEND c:1 v"},
		{"SETRANGE", "", "SETRANGE c:1 1 v"},
		{"INCRBY", "", "INCR c:1"},
		{"INCRBY", "", "DECRBY c:1 2"},
		{"INCRBYFLOAT", "", "INCRBYFLOAT c:1 1"},
		{"SETBIT", "", "SETBIT c:1 1 1"},
		{"BITFIELD", "", "BITFIELD c:1 SET u8 0 1"},
		{"BITOP", "SET o v", "BITOP NOT c:1 o"},
		{"PFADD", "", "PFADD c:1 a"},
		{"PFMERGE", "PFADD o a", "PFMERGE c:1 o"},
		{"HSET", "", "HSET c:1 f v"},
		{"HSET", "", "HMSET c:1 f v"},
		{"HSETNX", "", "HSETNX c:1 f v"},
		{"HDEL", "HSET c:1 f v", "HDEL c:1 f"},
		{"HINCRBY", "", "HINCRBY c:1 f 1"},
		{"HINCRBYFLOAT", "", "HINCRBYFLOAT c:1 f 1"},
	} {
		kind := "string"
		if test.verb[0] == 'H' {
			kind = "hash"
		}
		for _, allowed := range []string{test.verb, "RENAME"} {
			l := openLab(t, "", service.Limits{})
			if test.before != "" {
				l.must(test.before)
			}
			set, err := contracts.Parse(contracts.Source{Name: "test.yaml", Data: []byte(
				"format: 1\ncontracts: {c: {key: 'c:{id}', type: " + kind + ", ttl: optional, operations: [" + allowed + "]}}")})
			if err != nil {
				t.Fatal(err)
			}
			if err := l.store.SetContracts(t.Context(), set); err != nil {
				t.Fatal(err)
			}
			reply, failed := l.run(test.command).(Error)
			if denied := strings.HasPrefix(string(reply), "CONTRACT operation.denied "); denied != (allowed != test.verb) || failed != denied {
				t.Errorf("%s where a contract allows %s: %s", test.command, allowed, reply)
			}
			l.store.Close()
		}
	}
}

// Commands that only look change nothing and need no verb of a contract.
func TestReadsAreOpen(t *testing.T) {
	l := openLab(t, "format: 1\ncontracts: {s: {key: 's:{id}', type: string, ttl: optional, operations: [SET, PFADD]}, "+
		"h: {key: 'h:{id}', type: hash, ttl: optional, operations: [HSET]}}", service.Limits{})
	l.must("SET s:1 v", "PFADD s:2 a", "HSET h:1 f v")
	before := l.state("s:1") + l.state("s:2") + l.state("h:1")
	l.must("GET s:1", "MGET s:1", "GETEX s:1", "GETRANGE s:1 0 1", "STRLEN s:1", "LCS s:1 s:1", "GETBIT s:1 0", "BITCOUNT s:1",
		"BITPOS s:1 1", "BITFIELD s:1 GET u8 0", "BITFIELD_RO s:1 GET u8 0", "BITOP NOT free s:1", "PFCOUNT s:2",
		"PFMERGE free2 s:2", "HGET h:1 f", "HMGET h:1 f", "HGETALL h:1", "HKEYS h:1", "HVALS h:1", "HLEN h:1", "HSTRLEN h:1 f",
		"HEXISTS h:1 f", "HRANDFIELD h:1", "HRANDFIELD h:1 -2 WITHVALUES")
	if after := l.state("s:1") + l.state("s:2") + l.state("h:1"); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

// A contract judges the value that a command leads to.
func TestResultsAreJudged(t *testing.T) {
	l := openLab(t, "format: 1\ncontracts: {s: {key: 's:{id}', type: string, ttl: optional, value: {maxLength: 3}}, "+
		"h: {key: 'h:{id}', type: hash, ttl: optional, fields: {n: {type: integer, maximum: 10}}}}", service.Limits{})
	l.must("SET s:1 abc", "HSET h:1 n 10", "SET free abcd")
	for _, command := range []string{
		"APPEND s:1 d", "SETRANGE s:1 3 d", "SETBIT s:1 24 0", "BITFIELD s:1 SET u8 24 0", "BITOP OR s:1 free", "GETSET s:1 abcd",
		"MSET s:2 a s:1 abcd", "PFADD s:2 a", "PFMERGE s:3", "INCRBYFLOAT s:4 1.25",
		"HINCRBY h:1 n 1", "HINCRBYFLOAT h:1 n 1", "HSET h:1 n 1 n 11", "HMSET h:1 n 1 other 2", "HSETNX h:1 x 1",
	} {
		if reply, ok := l.run(command).(Error); !ok || !strings.HasPrefix(string(reply), "CONTRACT ") {
			t.Errorf("%s: %v", command, reply)
		}
	}
	// Of a field given twice only the last value counts.
	l.must("HSET h:1 n 11 n 9")
	if got := l.run("MGET s:1 s:2 s:3 s:4"); len(got.(Array)) != 4 || string(got.(Array)[0].(Bulk)) != "abc" || got.(Array)[1] != (Null{}) {
		t.Errorf("left %v", got)
	}
}

// A write that changes nothing leaves the revision as it is; one that writes
// into a value leaves its time to live, and one that replaces it does not.
func TestRevisionsAndLifetimes(t *testing.T) {
	l := openLab(t, "", service.Limits{})
	l.must("SETEX s 100 7", "SETEX bits 100 a", "PFADD hll a b", "GETEX hll EX 100", "HSET h f 7 g x", "SET free a", "PFADD other a")
	same := []string{
		"APPEND s " + `""`, "SETRANGE s 0 7", "SETRANGE s 9 " + `""`, "INCRBY s 0", "INCRBYFLOAT s 0", "SETBIT bits 0 0",
		"BITFIELD bits SET u8 0 97 OVERFLOW FAIL SET u8 0 300", "PFADD hll a", "PFADD hll", "PFMERGE hll", "PFMERGE hll other hll",
		"HSET h f 7", "HMSET h f 7 g x", "HSETNX h f 8", "HDEL h none", "HINCRBY h f 0", "HINCRBYFLOAT h f 0", "SETNX s x",
		"MSETNX new v s x", "GETEX free PERSIST", "GETEX s", "SET s x NX",
	}
	look := func() string { return l.state("s") + l.state("bits") + l.state("hll") + l.state("h") + l.state("free") }
	for _, command := range same {
		before := look()
		l.must(command)
		if after := look(); after != before {
			t.Errorf("%s made of %s %s", command, before, after)
		}
	}
	lives := func(key string) bool { return !strings.HasSuffix(l.state(key), " 0") }
	for _, command := range []string{
		"APPEND s 1", "SETRANGE s 0 8", "INCR s", "INCRBYFLOAT s 1", "SETBIT bits 0 1", "BITFIELD bits SET u8 0 9",
		"PFADD hll c", "PFMERGE hll other", "SET s 1 KEEPTTL",
	} {
		l.must(command)
		if key := strings.Fields(command)[1]; !lives(key) {
			t.Errorf("%s took the time to live of %s", command, key)
		}
	}
	for _, command := range []string{"SET k x", "GETSET k x", "MSET k x", "BITOP OR k free", "GETEX k PERSIST"} {
		l.must("SETEX k 100 v", command)
		if lives("k") {
			t.Errorf("%s left the time to live", command)
		}
	}
}

func TestEventsOfCommands(t *testing.T) {
	l := openLab(t, "", service.Limits{})
	l.must("SETEX old 100 v", "PFADD sketch a", "SET free a", "HSET h a 1 b 2 n 1")
	l.store.SetNotify(true)
	for _, test := range []struct{ command, events string }{
		{"SET s 1", "new s, set s"},
		{"SET s 1 EX 100", "set s, expire s"},
		{"SET s 1 NX", ""},
		{"GETSET s 2", "set s"},
		{"SETEX s 100 2", "set s, expire s"},
		{"SETNX nx 2", "new nx, set nx"},
		{"SETNX nx 3", ""},
		{"MSET m1 a m2 b m1 c", "new m2, set m2, new m1, set m1"},
		{"MSETNX m1 a m3 b", ""},
		{"GETEX s EX 50", "expire s"},
		{"GETEX s PERSIST", "persist s"},
		{"GETEX s PERSIST", ""},
		{"GETEX s", ""},
		{"GETEX s EXAT 1", "del s"},
		{"GETDEL nx", "del nx"},
		{"GETDEL nx", ""},
		{"APPEND s 1", "new s, append s"},
		{"SETRANGE s 0 5", "setrange s"},
		{"SETRANGE s 0 " + `""`, ""},
		{"INCR s", "incrby s"},
		{"DECRBY s 2", "incrby s"},
		{"INCRBYFLOAT s 1.5", "incrbyfloat s"},
		{"SETBIT s 0 1", "setbit s"},
		{"SETBIT s 0 1", ""},
		{"BITFIELD s SET u8 0 1", "setbit s"},
		{"BITFIELD s GET u8 0", ""},
		{"BITOP NOT d free", "new d, set d"},
		{"BITOP OR d none", "del d"},
		{"BITOP OR d none", ""},
		{"PFADD p a", "new p, pfadd p"},
		{"PFADD p a", ""},
		{"PFMERGE q p", "new q, pfadd q"},
		{"PFCOUNT q", ""},
		{"HSET h a 2 b 3", "hset h"},
		{"HMSET h a 9", "hset h"},
		{"HSETNX h a 3", ""},
		{"HSETNX h c 3", "hset h"},
		{"HINCRBY h n 1", "hincrby h"},
		{"HINCRBYFLOAT h n 1", "hincrbyfloat h"},
		{"HDEL h a b none", "hdel h"},
		{"HDEL h c n", "hdel h, del h"},
	} {
		l.must(test.command)
		if got := l.heard(); got != test.events {
			t.Errorf("%s: %q, want %q", test.command, got, test.events)
		}
	}
}
