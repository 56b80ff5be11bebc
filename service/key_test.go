package service

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"keypact/store"
)

const absentKey = "not_found not-found"

// one of each type, with two elements where it has elements.
var oneOfEach = []step{
	{"SET", `"key":"string","value":"xy"`, "created"},
	{"HSET", `"key":"hash","fields":{"a":"1","b":"2"}`, `{"added":2,"updated":0,"count":2}`},
	{"RPUSH", `"key":"list","items":["a","b"]`, `{"length":2}`},
	{"SADD", `"key":"set","members":["a","b"]`, `{"added":2,"count":2}`},
	{"ZADD", `"key":"zset","members":[{"member":"a","score":1},{"member":"b","score":0}]`, `{"added":2,"updated":0,"unchanged":0,"count":2}`},
}

// contents are the answers that show what the keys of oneOfEach hold.
var contents = map[string]step{
	"string": {"GET", "", `{"value":"xy"}`},
	"hash":   {"HGETALL", "", `{"fields":{"a":"1","b":"2"},"count":2}`},
	"list":   {"LRANGE", "", `{"items":["a","b"],"count":2}`},
	"set":    {"SMEMBERS", "", `{"members":["a","b"],"count":2}`},
	"zset":   {"ZRANGE", "", `{"members":[{"member":"b","score":0},{"member":"a","score":1}]}`},
}

var typeNames = []string{"string", "hash", "list", "set", "zset"}

// holds checks that a key holds what the key of that type in oneOfEach does.
func (f *fixture) holds(key, typ string) {
	f.t.Helper()
	c := contents[typ]
	f.play(step{c.command, `"key":"` + key + `"`, c.want})
}

func TestKeyInfo(t *testing.T) {
	f := newFixture(t, "contracts:\n  things:\n    key: thing:{x}\n    type: string\n    ttl: optional\nformat: 1\n")
	f.play(oneOfEach...)
	f.play(
		step{"TYPE", `"key":"none"`, absentKey},
		step{"EXISTS", `"key":"none"`, `{"exists":false}`},
		step{"SET", `"key":"thing:1","value":"x","ttl":"1s"`, "created"},
		step{"TYPE", `"key":"hash","type":"list"`, wrongType},
		step{"TYPE", `"key":"hash","type":"tree"`, "invalid invalid-request"},
	)
	for _, typ := range typeNames {
		size := `"count":2`
		if typ == "string" {
			size = `"bytes":2`
		}
		got := f.do("TYPE", `"key":"`+typ+`","type":"`+typ+`"`)
		if !strings.HasPrefix(got, `{"key":"`+typ+`","type":"`+typ+`",`+size+`,"revision":"`) || !strings.HasSuffix(got, `-1","contract":null}`) {
			t.Errorf("%s: %s", typ, got)
		}
		f.play(step{"EXISTS", `"key":"` + typ + `"`, `{"exists":true}`})
	}
	got := f.do("TYPE", `"key":"thing:1"`)
	if !strings.Contains(got, `"ttl_ms":1000,"expires_at":"2027-01-15T08:00:01.000Z"`) || !strings.Contains(got, `"contract":"things"`) {
		t.Errorf("thing:1: %s", got)
	}
	f.clock.step(time.Second)
	f.play(step{"TYPE", `"key":"thing:1"`, absentKey}, step{"EXISTS", `"key":"thing:1"`, `{"exists":false}`})
}

func TestKeyDelete(t *testing.T) {
	f := newFixture(t, "")
	f.play(step{"DEL", `"key":"none"`, absentKey})
	f.play(oneOfEach...)
	for _, typ := range typeNames {
		f.play(step{"DEL", `"key":"` + typ + `"`, "-"}, step{"EXISTS", `"key":"` + typ + `"`, `{"exists":false}`})
	}
	f.play(oneOfEach...)
	f.play(
		step{"UNLINK", `"keys":["string","none","list","string"]`, `{"removed":2}`},
		step{"EXISTS", `"key":"list"`, `{"exists":false}`},
		step{"EXISTS", `"key":"hash"`, `{"exists":true}`},
		step{"UNLINK", `"keys":[]`, "invalid invalid-request"},
	)
}

func TestTimeToLive(t *testing.T) {
	const unmet, none = "precondition condition-not-met", `{"ttl_ms":null,"expires_at":null}`
	at := func(seconds int) string {
		return fmt.Sprintf(`{"ttl_ms":%d,"expires_at":"2027-01-15T08:00:%02d.000Z"}`, seconds*1000, seconds)
	}
	for _, typ := range typeNames {
		f := newFixture(t, "")
		f.play(oneOfEach...)
		key := `"key":"` + typ + `"`
		f.play(
			step{"PTTL", key, none},
			step{"PERSIST", key, "-"},
			step{"EXPIRE", key + `,"ttl":20,"if":"present"`, unmet},
			step{"EXPIRE", key + `,"ttl":20,"if":"greater"`, unmet},
			step{"EXPIRE", key + `,"ttl":20,"if":"less"`, at(20)},
			step{"EXPIRE", key + `,"ttl":30,"if":"absent"`, unmet},
			step{"EXPIRE", key + `,"ttl":30,"if":"less"`, unmet},
			step{"EXPIRE", key + `,"ttl":20,"if":"greater"`, unmet},
			step{"EXPIRE", key + `,"ttl":30,"if":["present","greater"]`, at(30)},
			step{"EXPIREAT", key + `,"expires_at":"2027-01-15T08:00:40Z"`, at(40)},
			step{"PTTL", key, at(40)},
			step{"PERSIST", key, "-"},
			step{"PTTL", key, none},
			step{"EXPIRE", key + `,"ttl":1,"expires_at":"2027-01-15T08:00:40Z"`, "invalid invalid-request"},
			step{"EXPIRE", key, "invalid invalid-request"},
			step{"EXPIRE", key + `,"ttl":"1s"`, at(1)},
		)
		f.holdsFor(typ, time.Second-time.Millisecond, true)
		f.holdsFor(typ, time.Millisecond, false)
		f.play(
			step{"PTTL", key, absentKey},
			step{"EXPIRE", key + `,"ttl":1`, absentKey},
			step{"PERSIST", key, absentKey},
		)
		f.play(step{"SET", key + `,"value":"x"`, "created"}, step{"EXPIREAT", key + `,"expires_at":"2027-01-15T08:00:01Z"`, none}, step{"GET", key, absentKey})
	}
}

// holdsFor moves the clock and says whether the key is still there.
func (f *fixture) holdsFor(key string, d time.Duration, want bool) {
	f.t.Helper()
	f.clock.step(d)
	f.play(step{"EXISTS", `"key":"` + key + `"`, fmt.Sprintf(`{"exists":%v}`, want)})
}

func TestRename(t *testing.T) {
	f := newFixture(t, "")
	f.play(oneOfEach...)
	for _, typ := range typeNames {
		key := `"key":"` + typ + `"`
		f.play(
			step{"RENAME", `"key":"none","destination":"x"`, absentKey},
			step{"EXPIRE", key + `,"ttl":"1h"`, `{"ttl_ms":3600000,"expires_at":"2027-01-15T09:00:00.000Z"}`},
			step{"RENAME", key + `,"destination":"new"`, `{"renamed":true}`},
			step{"EXISTS", key, `{"exists":false}`},
			step{"PTTL", `"key":"new"`, `{"ttl_ms":3600000,"expires_at":"2027-01-15T09:00:00.000Z"}`},
			step{"PERSIST", `"key":"new"`, "-"},
		)
		f.holds("new", typ)
		f.play(
			step{"SET", key + `,"value":"in its old place"`, "created"},
			step{"RENAME", `"key":"new","destination":"newer"`, `{"renamed":true}`},
			step{"RENAMENX", `"key":"newer","destination":"` + typ + `"`, "precondition condition-not-met"},
			step{"RENAMENX", `"key":"newer","destination":"newer"`, "precondition condition-not-met"},
			step{"RENAME", `"key":"newer","destination":"newer"`, `{"renamed":true}`},
		)
		f.holds("newer", typ)
		f.play(step{"RENAME", `"key":"newer","destination":"` + typ + `"`, `{"renamed":true}`})
		f.holds(typ, typ)
		f.play(step{"RENAMENX", key + `,"destination":"newer"`, `{"renamed":true}`})
		f.holds("newer", typ)
		f.play(step{"DEL", `"key":"newer"`, "-"})
	}
}

func TestRenamedCollectionsGoOn(t *testing.T) {
	f := newFixture(t, "")
	f.play(
		step{"HSET", `"key":"a","fields":{"x":"1"}`, `{"added":1,"updated":0,"count":1}`},
		step{"RENAME", `"key":"a","destination":"b"`, `{"renamed":true}`},
		step{"HSET", `"key":"a","fields":{"y":"another one"}`, `{"added":1,"updated":0,"count":1}`},
		step{"HSET", `"key":"b","fields":{"z":"3"}`, `{"added":1,"updated":0,"count":2}`},
		step{"DEL", `"key":"a"`, "-"},
		step{"HGETALL", `"key":"b"`, `{"fields":{"x":"1","z":"3"},"count":2}`},
		step{"HDEL", `"key":"b","fields":["x","z"]`, `{"removed":2,"count":0}`},
		step{"HLEN", `"key":"b"`, `{"count":0}`},
	)
}

func TestRenameWakesTheOneThatWaits(t *testing.T) {
	f := newFixture(t, "")
	f.play(step{"RPUSH", `"key":"a","items":["x"]`, `{"length":1}`})
	done := make(chan string, 1)
	go func() {
		result, err := f.Do(context.Background(), &ListPop{Key: Bytes("b"), Wait: TTL(time.Minute)})
		done <- f.answer(result, err)
	}()
	for f.store.Waiting() == 0 {
		runtime.Gosched()
	}
	f.play(step{"RENAME", `"key":"a","destination":"b"`, `{"renamed":true}`})
	if got := <-done; got != `{"items":["x"],"count":0}` {
		t.Error(got)
	}
}

func TestCopy(t *testing.T) {
	f := newFixture(t, "")
	f.play(oneOfEach...)
	for _, typ := range typeNames {
		key := `"key":"` + typ + `"`
		f.play(
			step{"COPY", `"key":"none","destination":"x"`, absentKey},
			step{"COPY", key + `,"destination":"` + typ + `"`, "invalid same-key"},
			step{"COPY", key + `,"destination":"copy"`, `{"copied":true}`},
			step{"COPY", key + `,"destination":"copy"`, "precondition condition-not-met"},
			step{"COPY", key + `,"destination":"copy","replace":true`, `{"copied":true}`},
			step{"PTTL", `"key":"copy"`, `{"ttl_ms":null,"expires_at":null}`},
		)
		f.holds("copy", typ)
		f.play(
			step{"EXPIRE", key + `,"ttl":"1h"`, `{"ttl_ms":3600000,"expires_at":"2027-01-15T09:00:00.000Z"}`},
			step{"COPY", key + `,"destination":"copy","replace":true`, `{"copied":true}`},
			step{"PTTL", `"key":"copy"`, `{"ttl_ms":3600000,"expires_at":"2027-01-15T09:00:00.000Z"}`},
			step{"DEL", key, "-"},
			step{"PERSIST", `"key":"copy"`, "-"},
		)
		f.holds("copy", typ)
		f.play(step{"DEL", `"key":"copy"`, "-"})
	}
}

func TestCopyKeepsTheOrderOfALongList(t *testing.T) {
	f := newFixture(t, "")
	f.play(
		step{"LPUSH", `"key":"l","items":["c","b","a"]`, `{"length":3}`},
		step{"RPUSH", `"key":"l","items":["d","e"]`, `{"length":5}`},
		step{"COPY", `"key":"l","destination":"m"`, `{"copied":true}`},
		step{"LPUSH", `"key":"m","items":["0"]`, `{"length":6}`},
		step{"LRANGE", `"key":"m"`, `{"items":["0","a","b","c","d","e"],"count":6}`},
		step{"LRANGE", `"key":"l"`, `{"items":["a","b","c","d","e"],"count":5}`},
	)
}

func TestContractsJudgeWhatArrives(t *testing.T) {
	f := newFixture(t, `
format: 1
contracts:
  tags:
    key: tags:{id}
    type: set
    ttl: optional
    items: {maxLength: 3}
    maxItems: 2
  profile:
    key: profile:{id}
    type: hash
    ttl: {required: true, max: 1h}
    fields: {level: {type: integer, maximum: 100}}
  session:
    key: session:{id}
    type: string
    ttl: optional
    operations: [SET]
`)
	const denied = "contract contract-violation"
	f.play(
		step{"SADD", `"key":"s","members":["abcd","b"]`, `{"added":2,"count":2}`},
		step{"RENAME", `"key":"s","destination":"tags:1"`, denied},
		step{"COPY", `"key":"s","destination":"tags:1"`, denied},
		step{"SREM", `"key":"s","members":["abcd"]`, `{"removed":1,"count":1}`},
		step{"COPY", `"key":"s","destination":"tags:1"`, `{"copied":true}`},
		step{"SADD", `"key":"s","members":["c","d"]`, `{"added":2,"count":3}`},
		step{"COPY", `"key":"s","destination":"tags:2"`, denied},
		step{"RENAME", `"key":"s","destination":"tags:2"`, denied},
		step{"RENAME", `"key":"tags:1","destination":"tags:2"`, `{"renamed":true}`},
		step{"RENAME", `"key":"tags:2","destination":"profile:1"`, denied},
		step{"RENAME", `"key":"tags:2","destination":"free"`, `{"renamed":true}`},
		step{"SADD", `"key":"free","members":["too long"]`, `{"added":1,"count":2}`},
		step{"RENAME", `"key":"free","destination":"tags:1"`, denied},
		step{"SMEMBERS", `"key":"free"`, `{"members":["b","too long"],"count":2}`},
		step{"HSET", `"key":"h","fields":{"level":"101"},"ttl":"1m"`, `{"added":1,"updated":0,"count":1}`},
		step{"RENAME", `"key":"h","destination":"profile:1"`, denied},
		step{"HSET", `"key":"h","fields":{"level":"100"}`, `{"added":0,"updated":1,"count":1}`},
		step{"PERSIST", `"key":"h"`, "-"},
		step{"RENAME", `"key":"h","destination":"profile:1"`, denied},
		step{"EXPIRE", `"key":"h","ttl":"2h"`, `{"ttl_ms":7200000,"expires_at":"2027-01-15T10:00:00.000Z"}`},
		step{"COPY", `"key":"h","destination":"profile:1"`, denied},
		step{"EXPIRE", `"key":"h","ttl":"1h"`, `{"ttl_ms":3600000,"expires_at":"2027-01-15T09:00:00.000Z"}`},
		step{"COPY", `"key":"h","destination":"profile:1"`, `{"copied":true}`},
		step{"PERSIST", `"key":"profile:1"`, denied},
		step{"HINCRBY", `"key":"profile:1","field":"level","by":1`, denied},
		step{"SET", `"key":"session:1","value":"x"`, "created"},
		step{"DEL", `"key":"session:1"`, denied},
		step{"EXPIRE", `"key":"session:1","ttl":1`, denied},
		step{"RENAME", `"key":"session:1","destination":"free:2"`, denied},
		step{"COPY", `"key":"session:1","destination":"free:2"`, `{"copied":true}`},
		step{"COPY", `"key":"free:2","destination":"session:2"`, denied},
		step{"APPEND", `"key":"session:1","append":"x"`, denied},
	)
}

func TestViolationsPointAtTheRequest(t *testing.T) {
	f := newFixture(t, `
format: 1
contracts:
  profile:
    key: profile:{id}
    type: hash
    ttl: optional
    fields: {level: {type: integer, maximum: 100}}
  word:
    key: word:{id}
    type: string
    ttl: optional
    value: {maxLength: 3}
`)
	for _, c := range []struct{ command, members, want string }{
		{"HSET", `"key":"profile:1","fields":{"level":"101","x":"1"}`, "number.maximum [fields level] request; field.unknown [fields x] request"},
		{"HSET", `"key":"profile:1","fields":[{"field":"level","value":"101"}]`, "number.maximum [fields 0 value] request"},
		{"HSETNX", `"key":"profile:1","field":"level","value":"101"`, "number.maximum [value] request"},
		{"HINCRBY", `"key":"profile:1","field":"level","by":101`, "number.maximum [by] result"},
		{"SET", `"key":"word:1","value":"long"`, "value.length [value] request"},
		{"APPEND", `"key":"word:1","append":"long"`, "value.length [append] result"},
		{"SETRANGE", `"key":"word:1","offset":3,"value":"x"`, "value.length [value] result"},
		{"INCRBY", `"key":"word:1","by":1000`, "value.length [by] result"},
		{"MSET", `"pairs":[{"key":"a","value":"long"},{"key":"word:1","value":"long"}]`, "value.length [pairs 1 value] request"},
		{"SET", `"key":"profile:1","value":"x"`, "type.locked [key] request"},
	} {
		_, err := f.Do(t.Context(), f.op(c.command, c.members))
		var got []string
		for _, v := range classify(err).Violations {
			got = append(got, fmt.Sprint(v.Code, " ", v.Path, " ", v.Phase))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s {%s}: %s, want %s", c.command, c.members, strings.Join(got, "; "), c.want)
		}
	}
	f.play(step{"SCAN", ``, `{"keys":[]}`})
}

func TestKeysPage(t *testing.T) {
	f := newFixture(t, "format: 1\ncontracts:\n  things:\n    key: thing:{x}\n    type: set\n    ttl: optional\n")
	f.play(oneOfEach...)
	want := slices.Clone(typeNames)
	for i := range 120 {
		key := fmt.Sprintf("thing:%03d", i)
		want = append(want, key)
		f.do("SADD", `"key":"`+key+`","members":["x"]`)
	}
	f.play(step{"SET", `"key":"","value":"x"`, "created"}, step{"SET", `"key":{"base64":"AAD/"},"value":"x","ttl":"1s"`, "created"})
	want = append(want, "", "\x00\x00\xff")
	slices.Sort(want)
	for _, limit := range []int{1, 7, 100, 1000} {
		if got := f.keys(KeysPage{Page: Page{Limit: limit}}); !slices.Equal(got, want) {
			t.Errorf("limit %d: %d keys, want %d", limit, len(got), len(want))
		}
	}
	f.play(
		step{"SCAN", `"type":"set","match":"s*"`, `{"keys":["set"]}`},
		step{"SCAN", `"match":"thing:11[89]"`, `{"keys":["thing:118","thing:119"]}`},
		step{"SCAN", `"match":"thing:119","contract":"things","type":"set"`, `{"keys":["thing:119"]}`},
		step{"SCAN", `"contract":"none"`, `{"keys":[]}`},
		step{"SCAN", `"match":""`, `{"keys":[""]}`},
		step{"SCAN", `"type":"string","match":"*"`, `{"keys":["",{"base64":"AAD/"},"string"]}`},
		step{"SCAN", `"type":"stream"`, "invalid invalid-request"},
		step{"SCAN", `"limit":1001`, "invalid invalid-request"},
		step{"SCAN", `"match":"zzz*","cursor":"AXpzZXQ"`, `{"keys":[]}`},
	)
	if got := f.keys(KeysPage{Page: Page{Limit: 7}, Contract: "things"}); len(got) != 120 {
		t.Errorf("%d keys of the contract", len(got))
	}
	f.clock.step(time.Second)
	f.play(step{"SCAN", `"type":"string"`, `{"keys":["","string"]}`})
}

// keys reads all pages.
func (f *fixture) keys(op KeysPage) (keys []string) {
	f.t.Helper()
	for {
		result, err := f.Do(f.t.Context(), &op)
		if err != nil {
			f.t.Fatal(err)
		}
		list := result.Value.(KeyList)
		for _, key := range list.Keys {
			keys = append(keys, string(key))
		}
		if op.Cursor = list.Cursor; op.Cursor == nil {
			return keys
		}
	}
}

func TestRevisions(t *testing.T) {
	f := newFixture(t, "")
	revision := func(command, members string) store.Revision {
		t.Helper()
		result, err := f.Do(t.Context(), f.op(command, members))
		if err != nil {
			t.Fatalf("%s {%s}: %v", command, members, err)
		}
		return result.ETag
	}
	first := revision("SET", `"key":"a","value":"x"`)
	if first.Version == 0 || first.Changes != 1 {
		t.Errorf("a new key has revision %v", first)
	}
	for _, c := range []struct {
		command, members string
		changes          uint64
	}{
		{"GET", `"key":"a"`, 1},
		{"SET", `"key":"a","value":"x"`, 1},
		{"APPEND", `"key":"a","append":""`, 1},
		{"SETRANGE", `"key":"a","offset":0,"value":"x"`, 1},
		{"PERSIST", `"key":"a"`, 1},
		{"SET", `"key":"a","value":"y"`, 2},
		{"EXPIRE", `"key":"a","ttl":"1m"`, 3},
		{"EXPIRE", `"key":"a","ttl":"1m"`, 3},
		{"SET", `"key":"a","value":"y","keep_ttl":true`, 3},
		{"SET", `"key":"a","value":"y"`, 4},
		{"SET", `"key":"a","value":"y","media_type":"text/plain"`, 5},
		{"COPY", `"key":"a","destination":"b"`, 5},
	} {
		if got := revision(c.command, c.members); got != (store.Revision{Version: first.Version, Changes: c.changes}) {
			t.Errorf("%s {%s}: revision %v, want %v changes", c.command, c.members, got, c.changes)
		}
	}
	if got := revision("RENAME", `"key":"a","destination":"b"`); got != (store.Revision{}) {
		t.Errorf("a renamed key leaves revision %v", got)
	}
	if got := revision("GET", `"key":"b"`); got != (store.Revision{Version: first.Version, Changes: 6}) {
		t.Errorf("renamed to revision %v", got)
	}
	if got := revision("DEL", `"key":"b"`); got != (store.Revision{}) {
		t.Errorf("a deleted key has revision %v", got)
	}
	if again := revision("SET", `"key":"b","value":"y"`); again.Version <= first.Version || again.Changes != 1 {
		t.Errorf("made anew it has revision %v after %v", again, first)
	}
}
