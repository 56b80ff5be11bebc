package service

import (
	"fmt"
	"testing"
	"time"
)

const wrongType = "wrong_type wrong-type"

// other puts a hash where the steps want a string.
func (f *fixture) other(key string) {
	f.t.Helper()
	f.play(step{"HSET", `"key":"` + key + `","fields":{"f":"v"}`, `{"added":1,"updated":0,"count":1}`})
}

func TestSetAndGet(t *testing.T) {
	f := newFixture(t, "")
	f.other("h")
	f.play(
		step{"GET", `"key":"a"`, "not_found not-found"},
		step{"GET", `"key":"h"`, wrongType},
		step{"SET", `"key":"a","value":"x"`, "created"},
		step{"SET", `"key":"a","value":"y"`, "-"},
		step{"GET", `"key":"a"`, `{"value":"y"}`},
		step{"SET", `"key":"a","value":""`, "-"},
		step{"GET", `"key":"a"`, `{"value":""}`},
		step{"SET", `"key":"","value":1e3`, "created"},
		step{"GET", `"key":""`, `{"value":"1000"}`},
		step{"SET", `"key":"h","value":{"base64":"/w=="}`, "-"},
		step{"GET", `"key":"h"`, `{"value":{"base64":"/w=="}}`},
		step{"HGETALL", `"key":"h"`, wrongType},
		step{"SET", `"key":"m","value":"<p>","media_type":"text/html"`, "created"},
		step{"GET", `"key":"m"`, `{"value":"<p>","media_type":"text/html"}`},
		step{"APPEND", `"key":"m","append":"x"`, `{"length":4}`},
		step{"GET", `"key":"m"`, `{"value":"<p>x","media_type":"text/html"}`},
		step{"SET", `"key":"m","value":"<p>x"`, "-"},
		step{"GET", `"key":"m"`, `{"value":"<p>x"}`},
	)
}

func TestSetConditions(t *testing.T) {
	f := newFixture(t, "")
	f.other("h")
	const unmet = "precondition condition-not-met"
	f.play(
		step{"SET", `"key":"a","value":"x","if":"present"`, unmet},
		step{"GET", `"key":"a"`, "not_found not-found"},
		step{"SETNX", `"key":"a","value":"x"`, "created"},
		step{"SETNX", `"key":"a","value":"y"`, unmet},
		step{"SETNX", `"key":"h","value":"y"`, unmet},
		step{"SET", `"key":"a","value":"z","if":["present"]`, "-"},
		step{"GET", `"key":"a"`, `{"value":"z"}`},
		step{"SET", `"key":"a","value":"z","if":["present","absent"]`, "invalid invalid-request"},
		step{"SET", `"key":"a","value":"z","if":"greater"`, "invalid invalid-request"},
	)
}

func TestSetAndTimeToLive(t *testing.T) {
	f := newFixture(t, "")
	f.play(
		step{"SET", `"key":"a","value":"x","ttl":"90s"`, "created"},
		step{"GET", `"key":"a"`, `{"value":"x","ttl_ms":90000,"expires_at":"2027-01-15T08:01:30.000Z"}`},
		step{"SET", `"key":"a","value":"y","keep_ttl":true`, "-"},
		step{"PTTL", `"key":"a"`, `{"ttl_ms":90000,"expires_at":"2027-01-15T08:01:30.000Z"}`},
		step{"SET", `"key":"a","value":"y"`, "-"},
		step{"PTTL", `"key":"a"`, `{"ttl_ms":null,"expires_at":null}`},
		step{"SET", `"key":"a","value":"y","keep_ttl":true`, "-"},
		step{"SET", `"key":"a","value":"y","expires_at":"2027-01-15T08:00:01Z"`, "-"},
		step{"PTTL", `"key":"a"`, `{"ttl_ms":1000,"expires_at":"2027-01-15T08:00:01.000Z"}`},
		step{"SET", `"key":"a","value":"y","expires_at":"2027-01-15T08:00:00Z"`, "invalid expired"},
		step{"SET", `"key":"a","value":"y","expires_at":"2027-01-15T08:00:01Z","ttl":"1s"`, "invalid invalid-request"},
		step{"SET", `"key":"a","value":"y","keep_ttl":true,"ttl":"1s"`, "invalid invalid-request"},
		step{"HSET", `"key":"h","fields":{"f":"v"},"ttl":5`, `{"added":1,"updated":0,"count":1}`},
		step{"SET", `"key":"h","value":"y","keep_ttl":true`, "-"},
		step{"PTTL", `"key":"h"`, `{"ttl_ms":5000,"expires_at":"2027-01-15T08:00:05.000Z"}`},
	)
	f.clock.step(time.Second)
	f.play(
		step{"GET", `"key":"a"`, "not_found not-found"},
		step{"SET", `"key":"a","value":"z","if":"present"`, "precondition condition-not-met"},
		step{"SET", `"key":"a","value":"z","keep_ttl":true`, "created"},
		step{"PTTL", `"key":"a"`, `{"ttl_ms":null,"expires_at":null}`},
	)
}

func TestAppendAndOverwriteParts(t *testing.T) {
	f := newFixture(t, "", Limits{ValueBytes: 12})
	f.other("h")
	const tooLarge, bad = "too_large too-large", "invalid invalid-request"
	f.play(
		step{"APPEND", `"key":"a","append":"xy"`, `{"length":2}`},
		step{"APPEND", `"key":"a","append":"z"`, `{"length":3}`},
		step{"APPEND", `"key":"a","append":""`, `{"length":3}`},
		step{"APPEND", `"key":"empty","append":""`, `{"length":0}`},
		step{"GET", `"key":"empty"`, `{"value":""}`},
		step{"APPEND", `"key":"h","append":"x"`, wrongType},
		step{"APPEND", `"key":"a","append":"123456789","ttl":"1s"`, `{"length":12}`},
		step{"APPEND", `"key":"a","append":"x"`, tooLarge},
		step{"APPEND", `"key":"a","append":` + long(13), tooLarge},
		step{"GET", `"key":"a"`, `{"value":"xyz123456789","ttl_ms":1000,"expires_at":"2027-01-15T08:00:01.000Z"}`},
		step{"SETRANGE", `"key":"t","offset":6,"value":"TAIL"`, `{"length":10}`},
		step{"GET", `"key":"t"`, `{"value":"\u0000\u0000\u0000\u0000\u0000\u0000TAIL"}`},
		step{"SETRANGE", `"key":"t","offset":0,"value":"HEAD"`, `{"length":10}`},
		step{"GET", `"key":"t"`, `{"value":"HEAD\u0000\u0000TAIL"}`},
		step{"SETRANGE", `"key":"none","offset":1,"value":""`, `{"length":0}`},
		step{"SETRANGE", `"key":"none","offset":1,"value":"","ttl":"1s"`, `{"length":0}`},
		step{"EXISTS", `"key":"none"`, `{"exists":false}`},
		step{"SETRANGE", `"key":"t","offset":99,"value":""`, `{"length":10}`},
		step{"SETRANGE", `"key":"t","offset":9,"value":"ABC"`, `{"length":12}`},
		step{"SETRANGE", `"key":"t","offset":9,"value":"ABCD"`, tooLarge},
		step{"SETRANGE", `"key":"t","offset":9223372036854775807,"value":"A"`, tooLarge},
		step{"SETRANGE", `"key":"h","offset":0,"value":"A"`, wrongType},
		step{"SETRANGE", `"key":"t","offset":-1,"value":"A"`, bad},
		step{"SETRANGE", `"key":"t","value":"A"`, bad},
		step{"SETRANGE", `"key":"t","offset":1`, bad},
		step{"SETRANGE", `"key":"t"`, bad},
		step{"APPEND", `"key":"t","append":"x","offset":0`, bad},
	)
}

func TestRangeAndLength(t *testing.T) {
	f := newFixture(t, "")
	f.other("h")
	f.play(
		step{"STRLEN", `"key":"a"`, `{"length":0}`},
		step{"STRLEN", `"key":"h"`, wrongType},
		step{"GETRANGE", `"key":"a"`, "not_found not-found"},
		step{"GETRANGE", `"key":"h"`, wrongType},
		step{"SET", `"key":"a","value":"This is a string"`, "created"},
		step{"STRLEN", `"key":"a"`, `{"length":16}`},
	)
	for _, c := range []struct {
		start, stop int64
		want        string
	}{
		{0, 3, "This"}, {-3, -1, "ing"}, {0, -1, "This is a string"}, {10, 100, "string"}, {5, 4, ""}, {16, 20, ""},
		{-100, 1, "Th"}, {-1, -3, ""}, {-9223372036854775808, 9223372036854775807, "This is a string"}, {0, -100, ""},
	} {
		f.play(step{"GETRANGE", fmt.Sprintf(`"key":"a","start":%d,"stop":%d`, c.start, c.stop), `{"value":"` + c.want + `"}`})
	}
	f.play(step{"GETRANGE", `"key":"a","start":10`, `{"value":"string"}`})
}

func TestIncrement(t *testing.T) {
	f := newFixture(t, "")
	f.other("h")
	const notInteger, overflow, bad = "invalid not-an-integer", "invalid overflow", "invalid invalid-request"
	f.play(
		step{"INCR", `"key":"n"`, `{"value":1}`},
		step{"INCRBY", `"key":"n","by":41`, `{"value":42}`},
		step{"DECR", `"key":"n"`, `{"value":41}`},
		step{"DECRBY", `"key":"n","by":-1e1`, `{"value":51}`},
		step{"INCRBY", `"key":"n","by":0`, `{"value":51}`},
		step{"INCR", `"key":"h"`, wrongType},
		step{"SET", `"key":"n","value":9007199254740991`, "-"},
		step{"INCR", `"key":"n"`, `{"value":9007199254740992}`},
		step{"INCR", `"key":"n"`, `{"value":9007199254740993}`},
		step{"SET", `"key":"n","value":"100"`, "-"},
		step{"INCRBY", `"key":"n","by":9223372036854775807`, overflow},
		step{"GET", `"key":"n"`, `{"value":"100"}`},
		step{"SET", `"key":"n","value":"-9223372036854775808"`, "-"},
		step{"DECR", `"key":"n"`, overflow},
		step{"INCR", `"key":"n"`, `{"value":-9223372036854775807}`},
		step{"SET", `"key":"n","value":"0"`, "-"},
		step{"DECRBY", `"key":"n","by":-9223372036854775807`, `{"value":9223372036854775807}`},
		step{"DECRBY", `"key":"n","by":-9223372036854775808`, bad},
		step{"INCRBY", `"key":"n","by":9223372036854775808`, bad},
		step{"INCR", `"key":"t","ttl":"1m"`, `{"value":1}`},
		step{"INCR", `"key":"t"`, `{"value":2}`},
		step{"PTTL", `"key":"t"`, `{"ttl_ms":60000,"expires_at":"2027-01-15T08:01:00.000Z"}`},
	)
	for _, stored := range []string{" 11", "11 ", "1.5", "", "+5", "05", "-0", "0x1", "9223372036854775808", "1e3"} {
		f.play(
			step{"SET", `"key":"n","value":"` + stored + `"`, "-"},
			step{"INCR", `"key":"n"`, notInteger},
			step{"GET", `"key":"n"`, `{"value":"` + stored + `"}`},
		)
	}
	f.clock.step(time.Minute)
	f.play(step{"INCR", `"key":"t"`, `{"value":1}`}, step{"PTTL", `"key":"t"`, `{"ttl_ms":null,"expires_at":null}`})
}

func TestIncrementByDecimals(t *testing.T) {
	f := newFixture(t, "")
	f.other("h")
	f.play(
		step{"INCRBYFLOAT", `"key":"f","by":0.1`, `{"value":0.1}`},
		step{"INCRBYFLOAT", `"key":"f","by":0.2`, `{"value":0.3}`},
		step{"GET", `"key":"f"`, `{"value":"0.3"}`},
		step{"SET", `"key":"f","value":"10.50"`, "-"},
		step{"INCRBYFLOAT", `"key":"f","by":0.25`, `{"value":10.75}`},
		step{"INCRBYFLOAT", `"key":"f","by":1`, `{"value":11.75}`},
		step{"INCRBYFLOAT", `"key":"f","by":-11.75`, `{"value":0}`},
		step{"SET", `"key":"f","value":"5.0e3"`, "-"},
		step{"INCRBYFLOAT", `"key":"f","by":2.0e2`, `{"value":5200}`},
		step{"SET", `"key":"f","value":"9007199254740993"`, "-"},
		step{"INCRBYFLOAT", `"key":"f","by":0.5`, `{"value":9007199254740993.5}`},
		step{"SET", `"key":"f","value":"1e308"`, "-"},
		step{"INCRBYFLOAT", `"key":"f","by":1e308`, "invalid overflow"},
		step{"INCRBYFLOAT", `"key":"h","by":1`, wrongType},
		step{"INCRBYFLOAT", `"key":"f","by":1e400`, "invalid overflow"},
	)
	for _, stored := range []string{"abc", "", " 1", "1 ", "inf", "nan", "0x1p3", "1e", ".", "1.2.3", "1_0"} {
		f.play(
			step{"SET", `"key":"f","value":"` + stored + `"`, "-"},
			step{"INCRBYFLOAT", `"key":"f","by":1`, "invalid not-a-number"},
			step{"GET", `"key":"f"`, `{"value":"` + stored + `"}`},
		)
	}
	for stored, want := range map[string]string{".5": "1.5", "5.": "6", "+5": "6", "05": "6"} {
		f.play(
			step{"SET", `"key":"f","value":"` + stored + `"`, "-"},
			step{"INCRBYFLOAT", `"key":"f","by":1`, `{"value":` + want + `}`},
		)
	}
}

func TestManyStrings(t *testing.T) {
	f := newFixture(t, "")
	f.other("h")
	f.play(
		step{"MGET", `"keys":["a","h",""]`, `{"values":[null,null,null]}`},
		step{"MSET", `"pairs":[{"key":"a","value":"1"},{"key":"b","value":"2"},{"key":"a","value":"3"}]`, `{"count":2,"created":2}`},
		step{"MGET", `"keys":["a","b","h","a"]`, `{"values":["3","2",null,"3"]}`},
		step{"MSET", `"pairs":[{"key":"b","value":"4"},{"key":"h","value":"5"},{"key":"c","value":"6"}],"ttl":"1s"`, `{"count":3,"created":1}`},
		step{"MGET", `"keys":["a","b","h","c"]`, `{"values":["3","4","5","6"]}`},
		step{"MSETNX", `"pairs":[{"key":"new","value":"1"},{"key":"a","value":"1"}]`, "precondition condition-not-met"},
		step{"MSETNX", `"pairs":[{"key":"new","value":"1"},{"key":"new","value":"2"}]`, `{"count":1,"created":1}`},
		step{"GET", `"key":"new"`, `{"value":"2"}`},
		step{"MSET", `"pairs":[]`, "invalid invalid-request"},
		step{"MGET", `"keys":[]`, "invalid invalid-request"},
	)
	f.clock.step(time.Second)
	f.play(step{"MGET", `"keys":["a","b","h","c"]`, `{"values":["3",null,null,null]}`})
}

func TestShapeOfStrings(t *testing.T) {
	f := newFixture(t, "", Limits{ValueBytes: 100})
	key, past := long(1024), long(1025)
	f.play(
		step{"SET", `"key":` + key + `,"value":` + long(100), "created"},
		step{"SET", `"key":` + past + `,"value":"x"`, "invalid invalid-request"},
		step{"GET", `"key":` + past, "invalid invalid-request"},
		step{"SET", `"key":"a","value":` + long(101), "too_large too-large"},
		step{"SET", `"key":` + past + `,"value":` + long(101), "invalid invalid-request"},
		step{"SET", `"key":"a"`, "invalid invalid-request"},
		step{"SET", `"value":"a"`, "invalid invalid-request"},
		step{"MGET", `"keys":["a",` + past + `]`, "invalid invalid-request"},
	)
	_, err := f.Do(t.Context(), f.op("MGET", `"keys":["a",`+past+`]`))
	if got := err.(*Error).Errors; len(got) != 1 || fmt.Sprint(got[0].Path) != "[keys 1]" {
		t.Errorf("issues %v", got)
	}
}

func TestStringDelete(t *testing.T) {
	f := newFixture(t, "")
	f.other("h")
	f.play(step{"SET", `"key":"a","value":"x"`, "created"})
	for _, c := range []struct{ key, want string }{
		{"a", "-"}, {"a", "not_found not-found"}, {"h", wrongType},
	} {
		result, err := f.Do(t.Context(), &StringDelete{Key: Bytes(c.key)})
		if got := f.answer(result, err); got != c.want {
			t.Errorf("%s: %s, want %s", c.key, got, c.want)
		}
	}
}
