package service

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// text puts a string where the steps want something else.
func (f *fixture) text(key string) {
	f.t.Helper()
	f.play(step{"SET", `"key":"` + key + `","value":"x"`, "created"})
}

func TestHashSetAndRead(t *testing.T) {
	f := newFixture(t, "")
	f.text("s")
	const absent = "not_found not-found"
	f.play(
		step{"HGETALL", `"key":"h"`, absent},
		step{"HGET", `"key":"h","field":"a"`, absent},
		step{"HMGET", `"key":"h","fields":["a"]`, absent},
		step{"HLEN", `"key":"h"`, `{"count":0}`},
		step{"HSET", `"key":"h","fields":{"b":"2","a":1.50,"":""}`, `{"added":3,"updated":0,"count":3}`},
		step{"HGETALL", `"key":"h"`, `{"fields":{"":"","a":"1.5","b":"2"},"count":3}`},
		step{"HSET", `"key":"h","fields":{"a":"1.5","b":"3","c":"4"}`, `{"added":1,"updated":1,"count":4}`},
		step{"HGET", `"key":"h","field":""`, `{"value":""}`},
		step{"HGET", `"key":"h","field":"x"`, absent},
		step{"HMGET", `"key":"h","fields":["b","x","","b"]`, `{"fields":{"b":"3","x":null,"":""}}`},
		step{"HLEN", `"key":"h"`, `{"count":4}`},
		step{"HSET", `"key":"h","fields":[{"field":{"base64":"/w=="},"value":"x"},{"field":"d","value":"1"},{"field":"d","value":"2"}]`, `{"added":2,"updated":0,"count":6}`},
		step{"HGETALL", `"key":"h"`, `{"fields":[{"field":"","value":""},{"field":"a","value":"1.5"},{"field":"b","value":"3"},{"field":"c","value":"4"},{"field":"d","value":"2"},{"field":{"base64":"/w=="},"value":"x"}],"count":6}`},
		step{"HMGET", `"key":"h","fields":["a"],"match":"*"`, "invalid invalid-request"},
	)
	for command, members := range map[string]string{
		"HGETALL": ``, "HGET": `,"field":"a"`, "HMGET": `,"fields":["a"]`, "HSCAN": ``, "HLEN": ``, "HSET": `,"fields":{"a":"b"}`,
		"HDEL": `,"fields":["a"]`, "HSETNX": `,"field":"a","value":"b"`, "HINCRBY": `,"field":"a","by":1`,
		"HINCRBYFLOAT": `,"field":"a","by":1`,
	} {
		f.play(step{command, `"key":"s"` + members, wrongType})
	}
	f.play(step{"GET", `"key":"s"`, `{"value":"x"}`})
}

func TestHashRemove(t *testing.T) {
	f := newFixture(t, "")
	f.play(
		step{"HDEL", `"key":"h","fields":["a"]`, `{"removed":0,"count":0}`},
		step{"HSET", `"key":"h","fields":{"a":"1","b":"2","c":"3"}`, `{"added":3,"updated":0,"count":3}`},
		step{"HDEL", `"key":"h","fields":["a","x","a"]`, `{"removed":1,"count":2}`},
		step{"HDEL", `"key":"h","fields":["b","c"]`, `{"removed":2,"count":0}`},
		step{"EXISTS", `"key":"h"`, `{"exists":false}`},
		step{"SET", `"key":"h","value":"now a string"`, "created"},
		step{"DEL", `"key":"h"`, "-"},
		step{"HSET", `"key":"h","fields":{"z":"1"}`, `{"added":1,"updated":0,"count":1}`},
		step{"HGETALL", `"key":"h"`, `{"fields":{"z":"1"},"count":1}`},
		step{"HDEL", `"key":"h","fields":[]`, "invalid invalid-request"},
	)
}

func TestHashExpires(t *testing.T) {
	f := newFixture(t, "")
	f.play(
		step{"HSET", `"key":"h","fields":{"a":"1"},"ttl":"1m"`, `{"added":1,"updated":0,"count":1}`},
		step{"HSET", `"key":"h","fields":{"b":"2"}`, `{"added":1,"updated":0,"count":2}`},
		step{"HGETALL", `"key":"h"`, `{"fields":{"a":"1","b":"2"},"count":2,"ttl_ms":60000,"expires_at":"2027-01-15T08:01:00.000Z"}`},
	)
	f.clock.step(time.Minute)
	f.play(
		step{"HGETALL", `"key":"h"`, "not_found not-found"},
		step{"HLEN", `"key":"h"`, `{"count":0}`},
		step{"HDEL", `"key":"h","fields":["a"]`, `{"removed":0,"count":0}`},
		step{"HSETNX", `"key":"h","field":"a","value":"new"`, "created"},
		step{"HGETALL", `"key":"h"`, `{"fields":{"a":"new"},"count":1}`},
	)
	f.clock.step(-time.Minute)
	f.play(step{"HGETALL", `"key":"h"`, `{"fields":{"a":"new"},"count":1}`})
}

func TestHashFieldsOneByOne(t *testing.T) {
	f := newFixture(t, "")
	put := func(field, value string, words ...Condition) string {
		result, err := f.Do(t.Context(), &HashFieldSet{Key: Bytes("h"), Field: Bytes(field), Value: Bytes(value), If: words})
		return f.answer(result, err)
	}
	remove := func(field string) string {
		result, err := f.Do(t.Context(), &HashFieldRemove{Key: Bytes("h"), Field: Bytes(field)})
		return f.answer(result, err)
	}
	for i, c := range []struct{ got, want string }{
		{remove("a"), "not_found not-found"},
		{put("a", "1"), "created"},
		{put("b", "1"), "created"},
		{put("a", "2"), "-"},
		{put("a", "3", Absent), "precondition condition-not-met"},
		{put("c", "3", Absent), "created"},
		{put("c", "3", Present), "invalid invalid-request"},
		{put(strings.Repeat("x", 4096), "1"), "created"},
		{put(strings.Repeat("x", 4097), "1"), "too_large too-large"},
		{remove("x"), "not_found not-found"},
		{remove("c"), `{"removed":1,"count":3}`},
		{f.do("HMGET", `"key":"h","fields":["a","b","c"]`), `{"fields":{"a":"2","b":"1","c":null}}`},
	} {
		if c.got != c.want {
			t.Errorf("step %d: %s, want %s", i, c.got, c.want)
		}
	}
}

func TestHashFieldIncrement(t *testing.T) {
	f := newFixture(t, "")
	f.play(
		step{"HINCRBY", `"key":"h","field":"n","by":5,"ttl":"1s"`, `{"value":5}`},
		step{"HINCRBY", `"key":"h","field":"n","by":-7`, `{"value":-2}`},
		step{"HINCRBYFLOAT", `"key":"h","field":"n","by":0.5`, `{"value":-1.5}`},
		step{"HINCRBY", `"key":"h","field":"n","by":1`, "invalid not-an-integer"},
		step{"HINCRBYFLOAT", `"key":"h","field":"p","by":10`, `{"value":10}`},
		step{"HSET", `"key":"h","fields":{"big":"9223372036854775807","word":"3x"}`, `{"added":2,"updated":0,"count":4}`},
		step{"HINCRBY", `"key":"h","field":"big","by":1`, "invalid overflow"},
		step{"HINCRBY", `"key":"h","field":"word","by":1`, "invalid not-an-integer"},
		step{"HINCRBYFLOAT", `"key":"h","field":"word","by":1`, "invalid not-a-number"},
		step{"HGETALL", `"key":"h"`, `{"fields":{"big":"9223372036854775807","n":"-1.5","p":"10","word":"3x"},"count":4,"ttl_ms":1000,"expires_at":"2027-01-15T08:00:01.000Z"}`},
	)
}

func TestHashLimits(t *testing.T) {
	f := newFixture(t, "", Limits{ValueBytes: 100, FieldBytes: 10, Result: 3, PageSize: 5})
	f.play(
		step{"HSET", `"key":"h","fields":{` + long(10) + `:` + long(100) + `}`, `{"added":1,"updated":0,"count":1}`},
		step{"HSET", `"key":"h","fields":{` + long(11) + `:"v"}`, "too_large too-large"},
		step{"HSET", `"key":"h","fields":{"a":` + long(101) + `}`, "too_large too-large"},
		step{"HSET", `"key":"h","fields":{}`, "invalid invalid-request"},
		step{"HSET", `"key":"h","fields":[{"field":"a"}]`, "invalid invalid-request"},
		step{"HSET", `"key":"h","fields":{"a":"1","b":"2"}`, `{"added":2,"updated":0,"count":3}`},
		step{"HGETALL", `"key":"h"`, `{"fields":{"a":"1","b":"2","xxxxxxxxxx":` + long(100) + `},"count":3}`},
		step{"HSET", `"key":"h","fields":{"c":"3"}`, `{"added":1,"updated":0,"count":4}`},
		step{"HGETALL", `"key":"h"`, "too_large too-large"},
		step{"HSCAN", `"key":"h","limit":6`, "invalid invalid-request"},
		step{"HSCAN", `"key":"h","limit":-1`, "invalid invalid-request"},
		step{"HGET", `"key":"h","field":` + long(11), "too_large too-large"},
	)
	_, err := f.Do(t.Context(), f.op("HSET", `"key":"h","fields":{"a/b":"1",`+long(11)+`:"v"}`))
	if got := err.(*Error).Errors; len(got) != 1 || fmt.Sprint(got[0].Path) != "[fields xxxxxxxxxxx]" {
		t.Errorf("issues %v", got)
	}
}

func TestHashPages(t *testing.T) {
	f := newFixture(t, "")
	var fields []string
	for i := range 250 {
		fields = append(fields, fmt.Sprintf(`"f%03d":"%d"`, i, i))
	}
	f.play(
		step{"HSET", `"key":"h","fields":{"":"the empty one",` + strings.Join(fields, ",") + `}`, `{"added":251,"updated":0,"count":251}`},
		step{"HSCAN", `"key":"none"`, "not_found not-found"},
		step{"HSCAN", `"key":"h","match":"f00[13]"`, `{"fields":{"f001":"1","f003":"3"}}`},
		step{"HSCAN", `"key":"h","match":"nothing*"`, `{"fields":{}}`},
	)
	for _, limit := range []int{0, 1, 7, 250, 251, 1000} {
		names, pages := f.walk(limit)
		if len(names) != 251 || names[0] != "" || names[250] != "f249" {
			t.Errorf("limit %d: %d fields from %q", limit, len(names), names)
		}
		want := map[int]int{0: 3, 1: 251, 7: 36, 250: 2, 251: 1, 1000: 1}[limit]
		if pages != want {
			t.Errorf("limit %d: %d pages, want %d", limit, pages, want)
		}
	}
}

// walk reads all pages of the hash h and writes into it between the pages.
func (f *fixture) walk(limit int) (names []string, pages int) {
	f.t.Helper()
	op := &HashFields{Key: Bytes("h"), Page: Page{Limit: limit, Match: Bytes("*")}}
	seen := map[string]bool{}
	for {
		result, err := f.Do(f.t.Context(), op)
		if err != nil {
			f.t.Fatal(err)
		}
		page := result.Value.(FieldsPage)
		pages++
		for _, field := range page.Fields {
			if seen[string(field.Field)] {
				f.t.Errorf("%q comes twice", field.Field)
			}
			seen[string(field.Field)] = true
			names = append(names, string(field.Field))
		}
		if page.Cursor == nil {
			return names, pages
		}
		f.play(step{"HSET", `"key":"h","fields":{"":"` + fmt.Sprint(limit, pages) + `"}`, `{"added":0,"updated":1,"count":251}`})
		text, _ := page.Cursor.MarshalText()
		op.Cursor = nil
		if err := op.Cursor.UnmarshalText(text); err != nil {
			f.t.Fatal(err)
		}
	}
}
