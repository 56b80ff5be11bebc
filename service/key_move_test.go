package service

import (
	"context"
	"runtime"
	"testing"
	"time"
)

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
