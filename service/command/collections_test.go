package command

import (
	"strings"
	"testing"

	"keypact/contracts"
	"keypact/service"
)

// verbsOfCollections are commands on the key c:1 and the verbs that contracts
// know them by; what comes before prepares the keys.
var verbsOfCollections = []struct{ kind, verb, before, command string }{
	{"list", "LPUSH", "", "LPUSH c:1 a"},
	{"list", "RPUSHX", "RPUSH c:1 a", "RPUSHX c:1 a"},
	{"list", "LSET", "RPUSH c:1 a", "LSET c:1 0 b"},
	{"list", "LINSERT", "RPUSH c:1 a", "LINSERT c:1 BEFORE a b"},
	{"list", "LREM", "RPUSH c:1 a", "LREM c:1 0 a"},
	{"list", "LTRIM", "RPUSH c:1 a b", "LTRIM c:1 0 0"},
	{"list", "LPOP", "RPUSH c:1 a", "LPOP c:1"},
	{"list", "RPOP", "RPUSH c:1 a", "RPOP c:1 2"},
	{"list", "LMPOP", "RPUSH c:1 a", "LMPOP 2 none c:1 LEFT"},
	{"list", "RPOP", "RPUSH c:1 a", "RPOPLPUSH c:1 to"},
	{"list", "RPUSH", "RPUSH o a", "LMOVE o c:1 LEFT RIGHT"},
	{"list", "BLPOP", "RPUSH c:1 a", "BLPOP none c:1 0"},
	{"list", "BRPOP", "RPUSH c:1 a", "BLMOVE c:1 to RIGHT LEFT 0"},
	{"list", "LPUSH", "RPUSH o a", "BRPOPLPUSH o c:1 0"},
	{"list", "BLMPOP", "RPUSH c:1 a", "BLMPOP 0 1 c:1 LEFT"},
	{"set", "SADD", "", "SADD c:1 a"},
	{"set", "SREM", "SADD c:1 a", "SREM c:1 a"},
	{"set", "SPOP", "SADD c:1 a", "SPOP c:1"},
	{"set", "SREM", "SADD c:1 a", "SMOVE c:1 o a"},
	{"set", "SADD", "SADD o a", "SMOVE o c:1 a"},
	{"set", "SUNIONSTORE", "SADD o a", "SUNIONSTORE c:1 o"},
	{"set", "SINTERSTORE", "SADD o a", "SINTERSTORE c:1 o"},
	{"set", "SDIFFSTORE", "SADD o a", "SDIFFSTORE c:1 o"},
	{"zset", "ZADD", "", "ZADD c:1 1 a"},
	{"zset", "ZADD", "", "ZADD c:1 INCR 1 a"},
	{"zset", "ZINCRBY", "", "ZINCRBY c:1 1 a"},
	{"zset", "ZREM", "ZADD c:1 1 a", "ZREM c:1 a"},
	{"zset", "ZPOPMIN", "ZADD c:1 1 a", "ZPOPMIN c:1"},
	{"zset", "ZPOPMAX", "ZADD c:1 1 a", "ZPOPMAX c:1 2"},
	{"zset", "ZMPOP", "ZADD c:1 1 a", "ZMPOP 1 c:1 MIN"},
	{"zset", "BZPOPMIN", "ZADD c:1 1 a", "BZPOPMIN c:1 0"},
	{"zset", "BZPOPMAX", "ZADD c:1 1 a", "BZPOPMAX none c:1 0"},
	{"zset", "BZMPOP", "ZADD c:1 1 a", "BZMPOP 0 1 c:1 MAX"},
	{"zset", "ZREMRANGEBYRANK", "ZADD c:1 1 a", "ZREMRANGEBYRANK c:1 0 0"},
	{"zset", "ZREMRANGEBYSCORE", "ZADD c:1 1 a", "ZREMRANGEBYSCORE c:1 0 9"},
	{"zset", "ZREMRANGEBYLEX", "ZADD c:1 1 a", "ZREMRANGEBYLEX c:1 - +"},
	{"zset", "ZRANGESTORE", "ZADD o 1 a", "ZRANGESTORE c:1 o 0 -1"},
	{"zset", "ZUNIONSTORE", "ZADD o 1 a", "ZUNIONSTORE c:1 1 o"},
	{"zset", "ZINTERSTORE", "ZADD o 1 a", "ZINTERSTORE c:1 1 o"},
	{"zset", "ZDIFFSTORE", "ZADD o 1 a", "ZDIFFSTORE c:1 1 o"},
}

// Each command that writes is judged by its verb, a move by its effect on each
// key; a command that is denied changes nothing.
func TestVerbsOfCollections(t *testing.T) {
	for _, test := range verbsOfCollections {
		for _, allowed := range []string{test.verb, "RENAME"} {
			l := openLab(t, "", service.Limits{})
			if test.before != "" {
				l.must(test.before)
			}
			set, err := contracts.Parse(contracts.Source{Name: "test.yaml", Data: []byte(
				"format: 1\ncontracts: {c: {key: 'c:{id}', type: " + test.kind + ", ttl: optional, operations: [" + allowed + "]}}")})
			if err != nil {
				t.Fatal(err)
			}
			if err := l.store.SetContracts(t.Context(), set); err != nil {
				t.Fatal(err)
			}
			before := l.state("c:1") + l.state("o")
			reply, failed := l.run(test.command).(Error)
			if denied := strings.HasPrefix(string(reply), "CONTRACT operation.denied "); denied != (allowed != test.verb) || failed != denied {
				t.Errorf("%s where a contract allows %s: %s", test.command, allowed, reply)
			}
			if after := l.state("c:1") + l.state("o"); failed && after != before {
				t.Errorf("%s was denied and made of %s %s", test.command, before, after)
			}
			l.store.Close()
		}
	}
}

// Limits of a contract on what is asked for, on elements and on results.
func TestContractsOfCollections(t *testing.T) {
	l := openLab(t, `format: 1
contracts:
  q: {key: 'q:{id}', type: list, ttl: optional, maxItems: 3, items: {maxLength: 2}, operations: {RPUSH: {}, LPOP: {count: {max: 2}}, BLPOP: {timeout: {max: 5s}}}}
  z: {key: 'z:{id}', type: zset, ttl: optional, score: {maximum: 10}, maxResult: 2}
`, service.Limits{})
	l.must("RPUSH q:1 a b c", "ZADD z:1 1 a 2 b 3 c", "ZADD free 11 a 12 b 13 c")
	before := l.state("q:1") + l.state("z:1")
	for _, command := range []string{
		"RPUSH q:1 d", "RPUSH q:1 long", "LMOVE free q:1 LEFT RIGHT", "LPOP q:1 3", "BLPOP q:1 6", "BLPOP q:1 0", "RPOP q:1",
		"ZADD z:1 11 x", "ZINCRBY z:1 10 a", "ZUNIONSTORE z:1 1 free", "ZRANGESTORE z:1 free 0 0",
		"ZUNION 2 z:1 free", "ZUNIONSTORE to 1 z:1", "ZRANGESTORE to z:1 0 -1",
	} {
		l.run("RPUSH free:list x")
		if reply, ok := l.run(strings.ReplaceAll(command, "LMOVE free ", "LMOVE free:list ")).(Error); !ok || !strings.HasPrefix(string(reply), "CONTRACT ") {
			t.Errorf("%s: %v", command, reply)
		}
	}
	if after := l.state("q:1") + l.state("z:1"); after != before {
		t.Errorf("%s became %s", before, after)
	}
	l.must("LPOP q:1 2", "BLPOP q:1 5", "ZINTERCARD 2 z:1 free", "ZDIFF 2 z:1 free")
}

// Commands that look, and writes that change nothing, leave the revision as it
// is; those that write into a value leave its time to live.
func TestRevisionsOfCollections(t *testing.T) {
	l := openLab(t, "", service.Limits{})
	l.must("RPUSH l a b c", "SADD s a b", "ZADD z 1 a 2 b", "ZADD one 1 a", "SADD other b")
	state := func() string { return l.state("l") + l.state("s") + l.state("z") + l.state("one") + l.state("other") }
	for _, command := range []string{
		"LRANGE l 0 -1", "LINDEX l 0", "LPOS l a", "LLEN l", "LSET l 0 a", "LREM l 0 none", "LTRIM l 0 -1", "LINSERT l AFTER none x",
		"LPOP l 0", "LMOVE l l LEFT LEFT", "LMPOP 1 none LEFT", "LPUSHX none a",
		"SADD s a b", "SREM s none", "SMOVE s other none", "SMOVE s s a", "SPOP s 0", "SRANDMEMBER s", "SRANDMEMBER s -5",
		"SUNION s other", "SINTERCARD 2 s other", "SMISMEMBER s a none", "SMEMBERS s",
		"ZADD z 1 a", "ZADD z NX 5 a", "ZADD z XX 5 none", "ZADD z GT 0 a", "ZADD z INCR 0 a", "ZINCRBY z 0 a", "ZREM z none",
		"ZPOPMIN z 0", "ZREMRANGEBYSCORE z 8 9", "ZREMRANGEBYRANK z 5 9", "ZREMRANGEBYLEX z [x [z", "ZRANGE z 0 -1", "ZRANK z a",
		"ZRANDMEMBER z 3", "ZUNION 2 z one", "ZSCORE z a", "ZLEXCOUNT z - +", "ZMPOP 1 none MAX",
		"SUNIONSTORE none none2", "ZUNIONSTORE none 1 none2", "ZRANGESTORE none none2 0 -1",
	} {
		before := state()
		l.must(command)
		if after := state(); after != before {
			t.Errorf("%s made of %s %s", command, before, after)
		}
	}
}

func TestEventsOfCollections(t *testing.T) {
	l := openLab(t, "", service.Limits{})
	l.must("SET gone v", "SADD src a b", "ZADD zsrc 1 a 2 b")
	l.store.SetNotify(true)
	for _, test := range []struct{ command, events string }{
		{"RPUSH l a b c d", "new l, rpush l"},
		{"LPUSHX l z", "lpush l"},
		{"LPUSHX none z", ""},
		{"LSET l 0 y", "lset l"},
		{"LINSERT l BEFORE y x", "linsert l"},
		{"LINSERT l BEFORE none x", ""},
		{"LREM l 0 x", "lrem l"},
		{"LREM l 0 x", ""},
		{"LTRIM l 0 3", "ltrim l"},
		{"LPOP l", "lpop l"},
		{"RPOP l 0", ""},
		{"LMOVE l to LEFT RIGHT", "new to, rpush to, lpop l"},
		{"RPOPLPUSH l l", "lpush l, rpop l"},
		{"LMPOP 2 none l RIGHT COUNT 9", "rpop l, del l"},
		{"BLPOP to 0", "lpop to, del to"},
		{"RPUSH t a", "new t, rpush t"},
		{"LTRIM t 1 0", "ltrim t, del t"},
		{"LTRIM t 1 0", ""},
		{"SADD s a b a", "new s, sadd s"},
		{"SADD s a", ""},
		{"SREM s a none", "srem s"},
		{"SREM s a", ""},
		{"SMOVE s to b", "srem s, del s, new to, sadd to"},
		{"SPOP to", "spop to, del to"},
		{"SPOP to 5", ""},
		{"SUNIONSTORE gone src", "sunionstore gone"},
		{"SINTERSTORE gone src none", "del gone"},
		{"SDIFFSTORE gone none", ""},
		{"ZADD z 1 a 2 b 3 c 4 d", "new z, zadd z"},
		{"ZADD z 1 a", ""},
		{"ZADD z INCR 1 a", "zincr z"},
		{"ZINCRBY z 1 a", "zincr z"},
		{"ZREM z a none", "zrem z"},
		{"ZREMRANGEBYRANK z 9 9", ""},
		{"ZREMRANGEBYRANK z 0 0", "zremrangebyrank z"},
		{"ZREMRANGEBYSCORE z 3 3", "zremrangebyscore z"},
		{"ZREMRANGEBYLEX z - +", "zremrangebylex z, del z"},
		{"ZUNIONSTORE z 1 zsrc", "new z, zunionstore z"},
		{"ZRANGESTORE z zsrc 0 -1", "zrangestore z"},
		{"ZPOPMIN z", "zpopmin z"},
		{"ZMPOP 1 z MAX", "zpopmax z, del z"},
		{"ZINTERSTORE z 1 none", ""},
		{"BZPOPMAX zsrc 0", "zpopmax zsrc"},
	} {
		l.must(test.command)
		if got := l.heard(); got != test.events {
			t.Errorf("%s: %q, want %q", test.command, got, test.events)
		}
	}
}

// A result beyond the limit is refused, never cut; what is stored or counted has
// no such limit.
func TestResultsOfCollectionsHaveALimit(t *testing.T) {
	l := openLab(t, "", service.Limits{Result: 3})
	l.must("RPUSH l a a a a", "SADD s a b c d", "ZADD z 1 a 2 b 3 c 4 d")
	before := l.state("l") + l.state("s") + l.state("z")
	for _, command := range []string{
		"LRANGE l 0 -1", "LPOP l 4", "LMPOP 1 l LEFT COUNT 9", "LPOS l a COUNT 0", "SMEMBERS s", "SPOP s 4", "SRANDMEMBER s 4",
		"SRANDMEMBER s -4", "SUNION s", "ZRANGE z 0 -1", "ZRANGEBYSCORE z -inf inf", "ZPOPMIN z 4", "ZRANDMEMBER z 4",
		"ZRANDMEMBER z -4 WITHSCORES", "ZUNION 1 z", "SRANDMEMBER s -9223372036854775807",
	} {
		if reply, ok := l.run(command).(Error); !ok || !strings.HasPrefix(string(reply), "ERR ") {
			t.Errorf("%s: %v", command, reply)
		}
	}
	if after := l.state("l") + l.state("s") + l.state("z"); after != before {
		t.Errorf("%s became %s", before, after)
	}
	for command, want := range map[string]Int{
		"SUNIONSTORE to s": 4, "ZUNIONSTORE zto 1 z": 4, "ZRANGESTORE zto2 z 0 -1": 4, "SINTERCARD 1 s": 4, "ZINTERCARD 1 z": 4,
	} {
		if got := l.must(command); got != want {
			t.Errorf("%s: %v, want %v", command, got, want)
		}
	}
}
