package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"keypact/store"
)

// batch runs a batch and shows its answers, or its error with its paths.
func (f *fixture) batch(ops ...Op) []string {
	f.t.Helper()
	results, err := f.Batch(context.Background(), ops)
	if err != nil {
		failed := classify(err)
		out := []string{string(failed.Kind) + " " + failed.Code}
		for _, issue := range failed.Errors {
			out = append(out, strings.Join(issue.Path, "/"))
		}
		for _, v := range failed.Violations {
			out = append(out, fmt.Sprint(v.Operation, " ", v.Code))
		}
		return out
	}
	var out []string
	for _, result := range results {
		out = append(out, f.answer(result, nil))
	}
	return out
}

func (f *fixture) wantBatch(ops []Op, want ...string) {
	f.t.Helper()
	if got := f.batch(ops...); !slices.Equal(got, want) {
		f.t.Errorf("%q, want %q", got, want)
	}
}

func TestBatchIsAllOrNothing(t *testing.T) {
	f := newFixture(t, "")
	f.wantBatch([]Op{
		f.op("SET", `"key":"a","value":"1"`),
		f.op("INCR", `"key":"a"`),
		f.op("GET", `"key":"a"`),
		f.op("GET", `"key":"none"`),
		f.op("TYPE", `"key":"none"`),
		f.op("SCAN", ``),
	}, "created", `{"value":2}`, `{"value":"2"}`, `{"absent":true}`, `{"absent":true}`, `{"keys":["a"]}`)
	f.wantBatch([]Op{
		f.op("SET", `"key":"a","value":"3"`),
		f.op("DEL", `"key":"none"`),
		f.op("SET", `"key":"a","value":"4"`),
	}, "not_found not-found", "operations/1")
	f.wantBatch([]Op{
		f.op("SET", `"key":"a","value":"3"`),
		f.op("HGET", `"key":"a","field":"x"`),
	}, "wrong_type wrong-type", "operations/1")
	f.wantBatch([]Op{
		f.op("SET", `"key":"b","value":"3"`),
		f.op("SET", `"key":"a","value":"3","expires_at":"2020-01-01T00:00:00Z"`),
	}, "invalid expired", "operations/1/expires_at")
	f.wantBatch(nil)
	f.play(step{"GET", `"key":"a"`, `{"value":"2"}`}, step{"GET", `"key":"b"`, absentKey})
}

func TestBatchReportsEveryFaultOfShape(t *testing.T) {
	f := newFixture(t, "", Limits{BatchOperations: 3})
	f.wantBatch([]Op{
		&StringGet{},
		f.op("SET", `"key":"a","value":"3"`),
		&ListPop{Key: Bytes("l"), Wait: TTL(time.Second)},
	}, "invalid invalid-request", "operations/0/key", "operations/2/wait")
	f.play(step{"GET", `"key":"a"`, absentKey})
	get := f.op("GET", `"key":"a"`)
	f.wantBatch([]Op{get, get, get}, `{"absent":true}`, `{"absent":true}`, `{"absent":true}`)
	f.wantBatch([]Op{get, get, get, get}, "too_large too-large")
}

func TestBatchIsJudgedAtItsEnd(t *testing.T) {
	f := newFixture(t, `
format: 1
contracts:
  session:
    key: session:{id}
    type: string
    ttl: {required: true, max: 1h}
    value: {maxLength: 3}
`)
	f.wantBatch([]Op{
		f.op("SET", `"key":"session:1","value":"abc"`),
		f.op("EXPIRE", `"key":"session:1","ttl":"1h"`),
	}, "created", `{"ttl_ms":3600000,"expires_at":"2027-01-15T09:00:00.000Z"}`)
	f.wantBatch([]Op{
		f.op("SET", `"key":"session:2","value":"abcd","ttl":"1h"`),
		f.op("SET", `"key":"free","value":"abcd"`),
		f.op("SET", `"key":"session:3","value":"abcd"`),
	}, "contract contract-violation", "0 value.length", "2 value.length", "2 ttl.required")
	f.play(step{"GET", `"key":"free"`, absentKey})
}

func TestPipelineGoesOnAfterAFailure(t *testing.T) {
	f := newFixture(t, "")
	results, err := f.Pipeline(t.Context(), []Op{
		f.op("SET", `"key":"a","value":"x"`),
		f.op("INCR", `"key":"a"`),
		&StringGet{},
		f.op("GET", `"key":"none"`),
		&ListPop{Key: Bytes("l"), Wait: TTL(time.Millisecond)},
		f.op("RPUSH", `"key":"l","items":["1","2"]`),
		&ListPop{Key: Bytes("l"), Wait: TTL(time.Minute)},
		&ListPop{Key: Bytes("a"), Wait: TTL(time.Minute)},
		f.op("APPEND", `"key":"a","append":"y"`),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, f.answer(r, r.Err))
	}
	want := []string{
		"created", "invalid not-an-integer", "invalid invalid-request", absentKey, "waited in vain", `{"length":2}`,
		`{"items":["1"],"count":1}`, wrongType, `{"length":2}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := f.Pipeline(t.Context(), make([]Op, 10_001)); classify(err).Kind != KindTooLarge {
		t.Errorf("10,001 operations: %v", err)
	}
}

const warned = `
format: 1
contracts:
  counter:
    key: n:{id}
    type: string
    ttl: optional
    value: {type: integer, maximum: 10}
  draft:
    key: draft:{id}
    type: string
    mode: warn
    ttl: optional
    value: {maxLength: 3}
`

func TestValidateWritesNothing(t *testing.T) {
	f := newFixture(t, warned)
	for _, c := range []struct {
		command, members string
		valid            bool
		violations       int
		warnings         int
	}{
		{"SET", `"key":"n:1","value":10`, true, 0, 0},
		{"SET", `"key":"n:1","value":11`, false, 1, 0},
		{"SET", `"key":"draft:1","value":"long"`, true, 0, 1},
		{"SET", `"key":"free","value":"long"`, true, 0, 0},
	} {
		verdict, err := f.Validate(t.Context(), f.op(c.command, c.members))
		if err != nil || verdict.Valid != c.valid || len(verdict.Violations) != c.violations || len(verdict.Warnings) != c.warnings {
			t.Errorf("%s {%s}: %+v, error %v", c.command, c.members, verdict, err)
		}
	}
	if _, err := f.Validate(t.Context(), f.op("SET", `"key":"n:1"`)); classify(err).Kind != KindInvalid {
		t.Errorf("without a value: %v", err)
	}
	if _, err := f.Validate(t.Context(), f.op("DEL", `"key":"n:1"`)); classify(err).Kind != KindNotFound {
		t.Errorf("of an absent key: %v", err)
	}
	f.play(step{"SCAN", ``, `{"keys":[]}`})
}

func TestWarningsComeWithTheAnswer(t *testing.T) {
	f := newFixture(t, warned)
	result, err := f.Do(t.Context(), f.op("SET", `"key":"draft:1","value":"long"`))
	if err != nil || len(result.Warnings) != 1 || result.Warnings[0].Code != "value.length" || !result.Created {
		t.Errorf("%+v, error %v", result, err)
	}
	if result.ETag == (store.Revision{}) {
		t.Error("no revision")
	}
}

func TestContractsCanBeRead(t *testing.T) {
	f := newFixture(t, warned)
	list := f.Contracts()
	if len(list) != 2 || list[0].Name != "counter" || list[0].Revision != 1 || list[1].Mode != "warn" {
		t.Errorf("%+v", list)
	}
	if doc, err := f.Contract("draft"); err != nil || doc == nil {
		t.Errorf("%v, error %v", doc, err)
	}
	if _, err := f.Contract("none"); classify(err).Kind != KindNotFound {
		t.Error(err)
	}
	if e := f.Explain([]byte("n:1")); e.Contract != "counter" || !e.Governed {
		t.Errorf("%+v", e)
	}
	if e := f.Explain([]byte("free")); e.Governed {
		t.Errorf("%+v", e)
	}
}

func TestDefaultsOfLimits(t *testing.T) {
	l := Limits{PageSize: 50}.WithDefaults()
	if l.DefaultPage != 50 || l.KeyBytes != 1024 || l.Wait != 5*time.Minute || l.ValueBytes != 8<<20-64<<10 {
		t.Errorf("%+v", l)
	}
	if st := l.Store(); st.KeyBytes != 1024 || st.ElementBytes != 4096 || st.Result != 100_000 {
		t.Errorf("%+v", st)
	}
	f := newFixture(t, "", Limits{Wait: time.Second})
	result, err := f.Do(t.Context(), &ListPop{Key: Bytes("l"), Wait: TTL(time.Second + time.Millisecond)})
	if got := f.answer(result, err); got != "invalid invalid-request" {
		t.Errorf("a wait past the limit: %s", got)
	}
}
