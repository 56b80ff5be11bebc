package service

import (
	"fmt"
	"strings"
	"testing"
	"time"
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
