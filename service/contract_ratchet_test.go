package service_test

import (
	"testing"
	"time"
)

// scene is a store that held data before there were contracts, and what may be
// done to it afterwards.
type scene struct {
	name      string
	seed      []string // without contracts
	contracts string   // put in force after that
	steps     []act
}

// act is one command, or a batch of several, and what comes of it.
type act struct {
	lines []string
	want  string
}

func line(text, want string) act                { return act{[]string{text}, want} }
func together(want string, lines ...string) act { return act{lines, want} }

// play runs scenes, each in a store of its own. What is refused leaves no trace.
func play(t *testing.T, scenes []scene) {
	t.Helper()
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			l := openContractLab(t, "")
			l.must(s.seed...)
			l.govern("format: 1\n" + s.contracts)
			for _, a := range s.steps {
				before := l.records()
				var got string
				if len(a.lines) == 1 {
					got = l.do(a.lines[0])
				} else {
					got = l.batch(a.lines...)
				}
				if got != a.want {
					t.Errorf("%.150q: %s, want %s", a.lines, got, a.want)
				}
				if err := l.unchanged(before); err != nil && a.want != "ok" {
					t.Errorf("%.150q: %v", a.lines, err)
				}
			}
		})
	}
}

const profileRules = `
contracts:
  p:
    key: p:{id}
    type: hash
    ttl: optional
    fields: {level: {type: integer, maximum: 100}, name: {maxLength: 3}}
`

func TestRatchetThroughTheDoors(t *testing.T) {
	play(t, []scene{
		{
			"fields", []string{`HSET "key":"p:1","fields":{"level":"200","name":"Adam","x":"1"}`}, profileRules,
			[]act{
				line(`HSET "key":"p:1","fields":{"x":"1","level":200}`, "ok"), // as it is
				line(`HSET "key":"p:1","fields":{"x":"2"}`, "field.unknown fields/x"),
				line(`HSET "key":"p:1","fields":{"level":"150"}`, "number.maximum fields/level"),
				line(`HINCRBY "key":"p:1","field":"level","by":-1`, "number.maximum by"),
				line(`HSET "key":"p:1","fields":{"level":"100"}`, "ok"),
				line(`HSET "key":"p:1","fields":{"level":"200"}`, "number.maximum fields/level"), // it is good by now
				line(`HDEL "key":"p:1","fields":["x"]`, "ok"),
				line(`HSET "key":"p:1","fields":{"x":"1"}`, "field.unknown fields/x"),
				line(`EXPIRE "key":"p:1","ttl":"1m"`, "ok"), // with a name that is too long
				together("value.length 1/fields/name", `DEL "key":"p:1"`, `HSET "key":"p:1","fields":{"name":"Adam"}`),
				line(`RENAME "key":"p:1","destination":"p:2"`, "value.length destination"),
				line(`COPY "key":"p:1","destination":"p:2"`, "value.length destination"),
				line(`RENAME "key":"p:1","destination":"elsewhere"`, "ok"),
			},
		},
		{
			"counts", []string{`SADD "key":"s:1","members":["a","b","c","d","e"]`},
			"contracts:\n  s: {key: 's:{id}', type: set, ttl: optional, maxItems: 3}\n",
			[]act{
				line(`SADD "key":"s:1","members":["a"]`, "ok"),
				line(`SADD "key":"s:1","members":["f"]`, "items.max members"),
				together("ok", `SREM "key":"s:1","members":["a"]`, `SADD "key":"s:1","members":["f"]`),
				together("items.max 1/members", `SREM "key":"s:1","members":["b"]`, `SADD "key":"s:1","members":["g","h"]`),
				line(`SREM "key":"s:1","members":["b"]`, "ok"), // four are left
				together("items.max 1/members", `SREM "key":"s:1","members":["c"]`, `SADD "key":"s:1","members":["g","h"]`),
				line(`SADD "key":"s:1","members":["b"]`, "items.max members"),
				line(`SUNIONSTORE "keys":["s:1"],"destination":"s:1"`, "items.max keys"), // written anew
				line(`SPOP "key":"s:1","count":2`, "ok"),
				line(`SADD "key":"s:1","members":["x"]`, "ok"),
			},
		},
		{
			"lifetimes", []string{`SET "key":"v:1","value":"a"`, `SET "key":"v:2","value":"a","ttl":"3h"`},
			"contracts:\n  v: {key: 'v:{id}', type: string, ttl: {required: true, max: 1h}}\n",
			[]act{
				line(`APPEND "key":"v:1","append":"b"`, "ok"),
				line(`PERSIST "key":"v:1"`, "ok"),
				line(`SET "key":"v:1","value":"ab"`, "ttl.required ttl"),
				line(`EXPIRE "key":"v:1","ttl":"2h"`, "ttl.max ttl"),
				line(`EXPIRE "key":"v:2","ttl":"4h"`, "ttl.max ttl"),
				line(`EXPIRE "key":"v:2","ttl":"2h"`, "ok"),
				line(`PERSIST "key":"v:2"`, "ttl.required key"),
				line(`APPEND "key":"v:2","append":"b"`, "ok"),
				line(`SET "key":"v:2","value":"c","keep_ttl":true`, "ttl.max ttl"), // an overwrite
				line(`EXPIRE "key":"v:2","ttl":"1h"`, "ok"),
				line(`EXPIRE "key":"v:2","ttl":"2h"`, "ttl.max ttl"),
			},
		},
		{
			"lists", []string{`RPUSH "key":"l:1","items":["long","a","long","b"]`},
			"contracts:\n  l: {key: 'l:{id}', type: list, ttl: optional, maxItems: 2, items: {maxBytes: 3}}\n",
			[]act{
				line(`LSET "key":"l:1","index":0,"value":"longer"`, "value.bytes value"),
				line(`LSET "key":"l:1","index":0,"value":"long"`, "ok"),
				line(`LINSERT "key":"l:1","pivot":"a","value":"c"`, "items.max value"),
				line(`LMOVE "key":"l:1","destination":"l:1"`, "ok"), // a,long,b,long
				line(`LTRIM "key":"l:1","start":1,"stop":-1`, "ok"),
				line(`LREM "key":"l:1","value":"b"`, "ok"),
				line(`RPUSH "key":"l:1","items":["c"]`, "items.max items"),
				line(`LPOP "key":"l:1"`, "ok"),
				line(`RPUSH "key":"l:1","items":["c"]`, "ok"),
				line(`RPUSH "key":"l:2","items":["long"]`, "value.bytes items/0"),
			},
		},
		{
			"scores", []string{`ZADD "key":"z:1","members":[{"member":"1","score":50},{"member":"x","score":1}]`},
			"contracts:\n  z: {key: 'z:{id}', type: zset, ttl: optional, items: {pattern: '^[0-9]+$'}, score: {maximum: 10}}\n",
			[]act{
				line(`ZADD "key":"z:1","members":[{"member":"1","score":50}]`, "ok"),
				line(`ZADD "key":"z:1","members":[{"member":"1","score":40}]`, "number.maximum members/0/score"),
				line(`ZINCRBY "key":"z:1","member":"1","by":-41`, "ok"),
				line(`ZINCRBY "key":"z:1","member":"x"`, "ok"), // the member was there, its score is good
				line(`ZREM "key":"z:1","members":["x"]`, "ok"),
				line(`ZINCRBY "key":"z:1","member":"x"`, "value.pattern member"),
			},
		},
		{
			"required fields", []string{`HSET "key":"r:1","fields":{"a":"1","x":"1"}`},
			"contracts:\n  r: {key: 'r:{id}', type: hash, ttl: optional, required: [a, b]}\n",
			[]act{
				line(`HSET "key":"r:1","fields":{"x":"2"}`, "ok"),
				line(`HDEL "key":"r:1","fields":["a"]`, "field.missing fields"),
				line(`HDEL "key":"r:1","fields":["x"]`, "ok"),
				line(`HSET "key":"r:1","fields":{"b":"2"}`, "ok"),
				line(`HDEL "key":"r:1","fields":["b"]`, "field.missing fields"),
				together("ok", `HDEL "key":"r:1","fields":["a","b"]`, `HSET "key":"r:1","fields":{"a":"3","b":"4"}`),
				line(`HDEL "key":"r:1","fields":["a","b"]`, "ok"), // nothing is left
				line(`HSET "key":"r:1","fields":{"a":"1"}`, "field.missing fields"),
				together("ok", `HSET "key":"r:1","fields":{"a":"1"}`, `HSETNX "key":"r:1","field":"b","value":"1"`),
			},
		},
	})
}

// TestStrictAsksForTheWholeKey: a write to a key that does not conform passes
// only if the key conforms afterwards.
func TestStrictAsksForTheWholeKey(t *testing.T) {
	play(t, []scene{{
		"fields", []string{`HSET "key":"p:1","fields":{"level":"200","name":"Ada","x":"1"}`},
		"defaults: {existing: strict}" + profileRules,
		[]act{
			line(`HSET "key":"p:1","fields":{"name":"Eve"}`, "number.maximum fields, field.unknown fields"),
			line(`HDEL "key":"p:1","fields":["x"]`, "number.maximum fields"),
			together("ok", `HDEL "key":"p:1","fields":["x"]`, `HSET "key":"p:1","fields":{"level":"1"}`),
			line(`HSET "key":"p:1","fields":{"name":"Eve"}`, "ok"),
			line(`HSET "key":"p:1","fields":{"level":"101"}`, "number.maximum fields/level"),
		},
	}, {
		"deletion", []string{`HSET "key":"p:1","fields":{"level":"200"}`}, "defaults: {existing: strict}" + profileRules,
		[]act{line(`DEL "key":"p:1"`, "ok")},
	}})
}

// TestExpiredDataExcusesNothing: what has expired is gone, for the ratchet too.
func TestExpiredDataExcusesNothing(t *testing.T) {
	l := openContractLab(t, "")
	l.must(`SADD "key":"s:1","members":["a","b","c"],"ttl":"1m"`, `HSET "key":"p:1","fields":{"x":"1"},"ttl":"1m"`, `SET "key":"s:2","value":"a","ttl":"1m"`)
	l.govern("format: 1" + profileRules + "  s: {key: 's:{id}', type: set, ttl: optional, maxItems: 2}\n")
	l.refuse(`SADD "key":"s:1","members":["d"]`, "items.max members")
	l.refuse(`SADD "key":"s:2","members":["d"]`, "wrong_type wrong-type")
	l.step(time.Minute)
	l.refuse(`HSET "key":"p:1","fields":{"x":"1"}`, "field.unknown fields/x")
	l.refuse(`SADD "key":"s:1","members":["a","b","c"]`, "items.max members")
	l.must(`SADD "key":"s:1","members":["d","e"]`, `SADD "key":"s:2","members":["d"]`)
}

// strange holds one key of each type, with content that the rules below refuse.
var strange = []string{
	`SET "key":"c:string","value":"long"`,
	`HSET "key":"c:hash","fields":{"a":"long","b":"long"}`,
	`RPUSH "key":"c:list","items":["long","long","long","b"]`,
	`SADD "key":"c:set","members":["long","longer","longest"]`,
	`ZADD "key":"c:zset","members":[{"member":"long","score":1},{"member":"longer","score":2},{"member":"longest","score":3}]`,
}

var readAll = []act{
	line(`GET "key":"c:string"`, "ok"), line(`HGETALL "key":"c:hash"`, "ok"), line(`LRANGE "key":"c:list"`, "ok"),
	line(`SMEMBERS "key":"c:set"`, "ok"), line(`ZRANGE "key":"c:zset"`, "ok"), line(`TYPE "key":"c:set"`, "ok"),
}

var deleteAll = []act{
	line(`StringDelete "key":"c:string"`, "ok"), line(`HashDelete "key":"c:hash"`, "ok"), line(`ListDelete "key":"c:list"`, "ok"),
	together("ok", `DEL "key":"c:set"`, `UNLINK "keys":["c:zset"]`), line(`GET "key":"c:string"`, "not_found not-found"),
}

var removeParts = []act{
	line(`HDEL "key":"c:hash","fields":["a"]`, "ok"), line(`LPOP "key":"c:list"`, "ok"),
	line(`LTRIM "key":"c:list","start":0,"stop":-2`, "ok"), line(`LREM "key":"c:list","value":"long","count":1`, "ok"),
	line(`SREM "key":"c:set","members":["long"]`, "ok"), line(`SPOP "key":"c:set"`, "ok"),
	line(`ZREM "key":"c:zset","members":["long"]`, "ok"), line(`ZPOPMAX "key":"c:zset"`, "ok"),
	line(`EXPIREAT "key":"c:string","expires_at":"2020-01-01T00:00:00Z"`, "ok"),
	line(`HDEL "key":"c:hash","fields":["b"]`, "ok"), line(`LPOP "key":"c:list"`, "ok"),
	line(`SPOP "key":"c:set"`, "ok"), line(`ZPOPMIN "key":"c:zset"`, "ok"),
	line(`TYPE "key":"c:zset"`, "not_found not-found"),
}

// TestBadDataCanBeRemoved: whatever was stored before its contract, or under
// another, can be read and taken away, as a whole and, where the type is right,
// in parts.
func TestBadDataCanBeRemoved(t *testing.T) {
	each := func(rules string) string {
		all := "contracts:\n"
		for _, typ := range []string{"string", "hash", "list", "set", "zset"} {
			all += "  " + typ + ": {key: 'c:" + typ + "', type: " + typ + ", " + rules + "}\n"
		}
		return all
	}
	var scenes []scene
	for _, s := range []struct{ name, contracts string }{
		{"as a string", "contracts:\n  c: {key: 'c:{t}', type: string, ttl: optional}\n"},
		{"as a set", "contracts:\n  c: {key: 'c:{t}', type: set, ttl: optional}\n"},
		{"of strict contracts", "defaults: {existing: strict}\n" + each("ttl: {required: true}")},
		{"of keys too long", "defaults: {maxKeyBytes: 1}\n"},
	} {
		scenes = append(scenes, scene{s.name, strange, s.contracts, append(readAll[:len(readAll):len(readAll)], deleteAll...)})
	}
	for _, s := range []struct{ name, contracts string }{
		{"of keys that are denied by now", "unmatched: deny\n"},
		{"without the lifetime they need", each("ttl: {required: true, max: 1m}")},
		{"with bad variables", "contracts:\n" +
			"  s: {key: 'c:{t}', type: string, ttl: optional, vars: {t: {maxLength: 1}}}\n" +
			"  h: {key: 'c:hash', type: hash, ttl: optional, fields: {c: {}}, required: [c]}\n" +
			"  l: {key: 'c:list', type: list, ttl: optional, maxItems: 1, items: {maxBytes: 1}}\n" +
			"  t: {key: 'c:set', type: set, ttl: optional, maxItems: 1, items: {maxBytes: 1}}\n" +
			"  z: {key: 'c:zset', type: zset, ttl: optional, maxItems: 1, items: {maxBytes: 1}, score: {minimum: 5}}\n"},
	} {
		scenes = append(scenes, scene{"parts " + s.name, strange, s.contracts, append(readAll[:len(readAll):len(readAll)], removeParts...)})
	}
	play(t, scenes)
}

// TestOldTypesStay: a key of a type that its contract no longer allows can be
// read, deleted, moved away and replaced, but not written.
func TestOldTypesStay(t *testing.T) {
	play(t, []scene{{
		"a set that should be a string", []string{`SADD "key":"k:1","members":["a","b"]`, `SADD "key":"k:2","members":["a"]`},
		"contracts:\n  k: {key: 'k:{id}', type: string, ttl: optional, value: {maxBytes: 3}}\n",
		[]act{
			line(`SMEMBERS "key":"k:1"`, "ok"),
			line(`SISMEMBER "key":"k:1","member":"a"`, "ok"),
			line(`SUNION "keys":["k:1","k:2"]`, "ok"),
			line(`GET "key":"k:1"`, "wrong_type wrong-type"),
			line(`SADD "key":"k:1","members":["c"]`, "type.locked key"),
			line(`SADD "key":"k:1","members":["a"]`, "ok"), // changes nothing
			line(`SREM "key":"k:1","members":["a"]`, "type.locked key"),
			line(`RENAME "key":"k:1","destination":"k:3"`, "type.locked destination"),
			line(`SET "key":"k:1","value":"long"`, "value.bytes value"),
			line(`SET "key":"k:1","value":"a"`, "ok"),
			line(`APPEND "key":"k:1","append":"b"`, "ok"),
			line(`SPOP "key":"k:2","count":5`, "ok"), // the last member frees the key
			line(`SET "key":"k:2","value":"a"`, "ok"),
		},
	}})
}
