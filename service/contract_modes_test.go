package service_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"keypact/service"
	"keypact/service/sourcetest"
	"keypact/store"
)

// inMode are the example contracts in another mode.
func inMode(t testing.TB, mode string) string {
	t.Helper()
	const enforced = "defaults: {mode: enforce,"
	text := exampleContracts(t)
	if !strings.Contains(text, enforced) {
		t.Fatal("the example contracts have other defaults")
	}
	return strings.Replace(text, enforced, "defaults: {mode: "+mode+",", 1)
}

// outcome is what came of one operation.
type outcome struct {
	answer     string
	violations string // that refused it
	warnings   string
}

// attemptIn runs a try's request and forgets what it wrote. ok is false if it is
// malformed.
func (l *contractLab) attemptIn(name string, try sourcetest.Try, n int) (out outcome, ok bool) {
	l.t.Helper()
	defer l.clear()
	for _, line := range try.Setup {
		l.must(sourcetest.Number(line, n))
	}
	op := l.empty(name)
	members := "{" + sourcetest.Number(try.Members, n) + "}"
	if err := json.Unmarshal([]byte(members), op, json.RejectUnknownMembers(true)); err != nil {
		return outcome{}, false
	}
	result, err := l.svc.Do(context.Background(), op)
	out.violations = wordy(violationsOf(err))
	out.warnings = wordy(result.Warnings)
	out.answer = verdict(err)
	if err == nil && name != "SetPop" && name != "SPOP" { // they pick at random
		out.answer = asText(l.t, result.Value)
	}
	return out, true
}

// wordy writes all that a violation says, but for the mode of its contract.
func wordy(found []store.Violation) string {
	var lines []string
	for _, v := range found {
		lines = append(lines, strings.Join([]string{
			v.Code, strings.Join(v.Path, "/"), v.Detail, v.Rule, v.Phase, v.Verb, string(v.DataKey), v.Contract, v.Key,
			asTextOf(v.Limit), asTextOf(v.Actual),
		}, " | "))
	}
	return strings.Join(lines, "\n")
}

func asTextOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestWarnSaysWhatEnforceSays: every violation that refuses a write is, word
// for word, a warning in mode warn, and there the write does what it does in
// mode off. Mode off says nothing.
func TestWarnSaysWhatEnforceSays(t *testing.T) {
	for contract, tries := range sourcetest.Tries() {
		t.Run(contract, func(t *testing.T) {
			enforce, warn, off := openContractLab(t, exampleContracts(t)), openContractLab(t, inMode(t, "warn")), openContractLab(t, inMode(t, "off"))
			warned, n := 0, 0
			for _, try := range tries {
				if strings.Contains(try.Members, `"wait"`) && try.Setup == nil {
					continue // in mode warn it would wait
				}
				names := strings.Fields(try.Ops)
				if len(try.Members)+len(strings.Join(try.Setup, "")) > 4096 {
					names = names[:1] // the others write as much for the same words
				}
				for _, name := range names {
					n++
					e, ok := enforce.attemptIn(name, try, n)
					if !ok {
						continue
					}
					w, _ := warn.attemptIn(name, try, n)
					o, _ := off.attemptIn(name, try, n)
					if w.answer != o.answer || w.violations != "" || o.violations != "" {
						t.Errorf("%s, by %s: it is answered %s in mode warn, %s in mode off", try.Name, name, w.answer, o.answer)
					}
					if o.warnings != "" {
						t.Errorf("%s, by %s: warnings in mode off: %s", try.Name, name, o.warnings)
					}
					if w.warnings != e.violations && w.warnings != "" {
						t.Errorf("%s, by %s:\n%s\nin mode warn, but\n%s\nin mode enforce", try.Name, name, w.warnings, e.violations)
					}
					if w.warnings != "" {
						warned++
					} else if e.violations != "" && !strings.Contains(w.answer, " ") {
						t.Errorf("%s, by %s: no warning, but %s", try.Name, name, e.violations)
					}
				}
			}
			if warned == 0 {
				t.Error("nothing was warned of")
			}
		})
	}
}

// TestABatchIsJudgedAtItsEnd: lifetimes, counts and required fields of the
// state that a batch leads to count; commands, arguments and elements each
// count by themselves.
func TestABatchIsJudgedAtItsEnd(t *testing.T) {
	l := openContractLab(t, exampleContracts(t))
	const set, expire = `SET "key":"session:1","value":"a"`, `EXPIRE "key":"session:1","ttl":"1h"`
	full := `SADD "key":"tags:1","members":` + sourcetest.List(`"t%d"`, 1, 501)
	for _, test := range []struct {
		want  string
		lines []string
	}{
		{"ttl.required 0/ttl", []string{set}},
		{"ok", []string{set, expire}},
		{"ttl.required 2/key", []string{set, expire, `PERSIST "key":"session:1"`}},
		{"ttl.required 2/ttl", []string{set, expire, set}},
		{"ok", []string{set, expire, `SET "key":"session:1","value":"b","keep_ttl":true`}},
		{"ok", []string{set, `DEL "key":"session:1"`}},
		{"ok", []string{set, `RENAME "key":"session:1","destination":"free"`}},
		{"ok", []string{set, expire, `RENAME "key":"session:1","destination":"session:2"`}},
		{"ttl.required 1/destination", []string{set, `RENAME "key":"session:1","destination":"session:2"`}},
		{"ok", []string{`INCR "key":"session:1"`, `EXPIRE "key":"session:1","ttl":60`}},
		{"ttl.max 1/ttl", []string{set, `EXPIRE "key":"session:1","ttl":3601`}},
		{"ok", []string{set, `EXPIRE "key":"session:1","ttl":3601`, expire}},
		{"value.bytes 0/value", []string{`SET "key":"session:1","value":"","ttl":"1h"`, set, expire}}, // it was written once

		{"items.max 0/members", []string{full}},
		{"ok", []string{full, `SREM "key":"tags:1","members":["t1"]`}},
		{"items.max 1/members", []string{`SREM "key":"tags:2","members":["t1"]`, full}},
		{"ok", []string{`DEL "key":"tags:1"`, full, `SPOP "key":"tags:1"`}},
		{"value.excludes 0/members/0, items.max 1/members", []string{`SADD "key":"tags:3","members":["a b"]`, full}},

		{
			"operation.denied 0/key, number.maximum 1/fields/level, ttl.required 2/ttl",
			[]string{`RPUSH "key":"queue:order:1","items":["a"]`, `HSET "key":"profile:1","fields":{"level":101}`, `SET "key":"session:9","value":"a"`},
		},
		{"wrong_type wrong-type", []string{`HSET "key":"profile:1","fields":{"level":101}`, `SADD "key":"text","members":["a"]`}},
		{"operation.denied 0/key", []string{`RPOP "key":"queue:order:none"`, `GET "key":"none"`}},
	} {
		l.must(`SET "key":"text","value":"a"`)
		before := l.records()
		if got := l.batch(test.lines...); got != test.want {
			t.Errorf("%.200q: %s, want %s", test.lines, got, test.want)
		}
		if err := l.unchanged(before); err != nil && test.want != "ok" {
			t.Errorf("%.200q: %v", test.lines, err)
		}
	}
}

// TestAPipelineIsJudgedStepByStep: each operation of a pipeline has its own
// fate, and is judged when it ends.
func TestAPipelineIsJudgedStepByStep(t *testing.T) {
	l := openContractLab(t, exampleContracts(t))
	lines := []string{
		`SET "key":"session:1","value":"a"`, `SET "key":"session:1","value":"a","ttl":"1h"`, `PERSIST "key":"session:1"`,
		`LPUSH "key":"queue:order:1","items":["a"]`, `LPOP "key":"queue:order:1"`,
		`ListPop "key":"queue:order:1","side":"right","wait":"1s"`, `APPEND "key":"session:1","append":"b"`,
	}
	wants := []string{"ttl.required ttl", "ok", "ttl.required key", "ok", "operation.denied key", "ok", "ok"}
	ops := make([]service.Op, len(lines))
	for i, line := range lines {
		ops[i] = l.op(split(line))
	}
	results, err := l.svc.Pipeline(context.Background(), ops)
	if err != nil {
		t.Fatal(err)
	}
	for i, result := range results {
		if got := verdict(result.Err); got != wants[i] {
			t.Errorf("%s: %s, want %s", lines[i], got, wants[i])
		}
	}
	if got := l.answer(`GET "key":"session:1"`); !strings.HasPrefix(got, `{"value":"ab"`) {
		t.Errorf("the session is %s", got)
	}
}

// TestWarningsOfABatchStandBesideTheirOperations: also those that only the end
// of the batch shows.
func TestWarningsOfABatchStandBesideTheirOperations(t *testing.T) {
	l := openContractLab(t, inMode(t, "warn"))
	ops := []service.Op{
		l.op("HSET", `"key":"profile:1","fields":{"level":101,"x":"y"}`), l.op("GET", `"key":"none"`),
		l.op("SET", `"key":"session:1","value":""`), l.op("SADD", `"key":"tags:1","members":["a b"]`),
	}
	results, err := l.svc.Batch(context.Background(), ops)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"number.maximum 0/fields/level, field.unknown 0/fields/x", "", "value.bytes 2/value, ttl.required 2/ttl", "value.excludes 3/members/0",
	} {
		if got := violationText(results[i].Warnings, true); got != want {
			t.Errorf("operation %d: warnings %q, want %q", i, got, want)
		}
	}
}
