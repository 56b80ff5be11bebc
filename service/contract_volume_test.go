package service_test

import (
	"context"
	"fmt"
	"testing"

	"keypact/service"
	"keypact/service/sourcetest"
)

// items are list elements of one byte.
func items(n int) []service.Bytes {
	out := make([]service.Bytes, n)
	for i := range out {
		out[i] = service.Bytes("x")
	}
	return out
}

// TestTheOrderQueueIsFullAt100000 fills a queue through its contract.
func TestTheOrderQueueIsFullAt100000(t *testing.T) {
	l := openContractLab(t, exampleContracts(t))
	push := func(n int) string {
		_, err := l.svc.Do(context.Background(), &service.ListPush{
			Key: service.Bytes("queue:order:full"), Items: items(n), Side: "left",
		})
		return verdict(err)
	}
	for range 4 {
		if got := push(24_999); got != "ok" {
			t.Fatal(got)
		}
	}
	full := func(want string) {
		t.Helper()
		if got := l.answer(`LLEN "key":"queue:order:full"`); got != `{"count":`+want+`}` {
			t.Errorf("the queue has %s, want %s", got, want)
		}
	}
	if got := push(5); got != "items.max items" {
		t.Errorf("from 99996 to 100001: %s", got)
	}
	full("99996")
	if got := push(4); got != "ok" {
		t.Errorf("from 99996 to 100000: %s", got)
	}
	l.must(`RPUSH "key":"free","items":["a"]`)
	for line, want := range map[string]string{
		`LPUSH "key":"queue:order:full","items":["a"]`:                    "items.max items",
		`LMOVE "key":"free","destination":"queue:order:full","to":"left"`: "items.max destination",
	} {
		if got := l.do(line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	if got := l.batch(`LPUSH "key":"queue:order:1","items":["a"]`, `LPUSH "key":"queue:order:full","items":["a"]`); got != "items.max 1/items" {
		t.Errorf("in a batch: %s", got)
	}
	l.must(`ListMove "key":"queue:order:full","destination":"queue:order:full","from":"right","to":"left","wait":"1s"`)
	full("100000")
	l.must(`ListPop "key":"queue:order:full","side":"right","wait":"1s"`, `LPUSH "key":"queue:order:full","items":["a"]`)
	full("100000")
}

// TestSetAlgebraStopsAt10000 reads sets of which one is governed by tags.
func TestSetAlgebraStopsAt10000(t *testing.T) {
	l := openContractLab(t, exampleContracts(t))
	keys := ""
	for i := range 20 {
		l.must(fmt.Sprintf(`SADD "key":"tags:%d","members":%s`, i, sourcetest.List(`"t%d"`, i*500+1, i*500+500)))
		keys += fmt.Sprintf(`"tags:%d",`, i)
	}
	l.must(
		`SADD "key":"tags:more","members":["t1","one"]`,
		`SADD "key":"many","members":`+sourcetest.List(`"t%d"`, 1, 10_000),
		`SADD "key":"most","members":`+sourcetest.List(`"t%d"`, 1, 10_001),
	)
	for _, test := range []struct{ line, want string }{
		{`SUNION "keys":[` + keys + `"tags:0"]`, "ok"},
		{`SUNION "keys":[` + keys + `"tags:more"]`, "result.items keys"},
		{`SUNION "keys":[` + keys + `"tags:more"],"limit":10000`, "ok"},
		{`SUNION "keys":["many","tags:0"]`, "ok"},
		{`SUNION "keys":["most","tags:0"]`, "result.items keys"},
		{`SUNION "keys":["most"]`, "ok"},
		{`SUNION "keys":["most","tags:absent"]`, "result.items keys"},
		{`SINTER "keys":["most","many"]`, "ok"},
		{`SINTER "keys":["most","tags:more"]`, "ok"},
		{`SDIFF "keys":["most","tags:more"]`, "ok"}, // 10000 are left
		{`SDIFF "keys":["most","tags:absent"]`, "result.items keys"},
		{`SUNIONSTORE "keys":["many","tags:0"],"destination":"stored"`, "ok"},
		{`SUNIONSTORE "keys":["most","tags:0"],"destination":"stored"`, "result.items keys"},
		{`SDIFFSTORE "keys":["most","tags:absent"],"destination":"most"`, "result.items keys"},
		{`SUNIONSTORE "keys":["most"],"destination":"tags:0"`, "items.max keys"},
		{`SUNIONSTORE "keys":["many"],"destination":"tags:0"`, "items.max keys"},
		{`SUNIONSTORE "keys":["tags:more"],"destination":"tags:0"`, "ok"},
	} {
		stored := l.stored()
		if got := l.do(test.line); got != test.want {
			t.Errorf("%.80s: %s, want %s", test.line, got, test.want)
		}
		if after := l.stored(); after != stored && test.want != "ok" {
			t.Errorf("%.80s: the keys were %s and are %s", test.line, stored, after)
		}
	}
	if got := l.batch(`SADD "key":"free","members":["a"]`, `SUNION "keys":["most","tags:1"]`); got != "result.items 1/keys" {
		t.Errorf("in a batch: %s", got)
	}
	if got := l.answer(`EXISTS "key":"free"`); got != `{"exists":false}` {
		t.Errorf("the batch left a trace: %s", got)
	}
}

// stored describes the keys that the test below writes to, revisions included.
func (l *contractLab) stored() string {
	l.t.Helper()
	return l.answer(`TYPE "key":"stored"`) + l.answer(`TYPE "key":"most"`) + l.answer(`TYPE "key":"tags:0"`)
}

// TestTheStrictestResultLimitHolds: where several contracts limit a result,
// each is judged in its own mode.
func TestTheStrictestResultLimitHolds(t *testing.T) {
	l := openContractLab(t, `
format: 1
contracts:
  wide:   {key: 'wide:{id}', type: set, ttl: optional, maxResult: 5}
  narrow: {key: 'narrow:{id}', type: set, ttl: optional, maxResult: 3}
  asleep: {key: 'asleep:{id}', type: set, ttl: optional, maxResult: 1, mode: off}
  warned: {key: 'warned:{id}', type: set, ttl: optional, maxResult: 2, mode: warn}
`)
	l.must(
		`SADD "key":"four","members":["a","b","c","d"]`, `SADD "key":"six","members":["a","b","c","d","e","f"]`,
	)
	for _, test := range []struct{ keys, want string }{
		{`"four","wide:1"`, "ok"},
		{`"four","wide:1","narrow:1"`, "result.items keys"},
		{`"six","wide:1","asleep:1"`, "result.items keys"},
		{`"six","wide:1","warned:1"`, "result.items keys"},
		{`"four","wide:1","warned:1"`, "ok"},
		{`"six","asleep:1"`, "ok"},
		{`"six","warned:1"`, "ok"},
	} {
		if got := l.do(`SUNION "keys":[` + test.keys + `]`); got != test.want {
			t.Errorf("%s: %s, want %s", test.keys, got, test.want)
		}
	}
}
