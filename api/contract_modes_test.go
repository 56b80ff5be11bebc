package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"keypact/service/sourcetest"
)

// TestWarningsOnEveryRoute sends the tries of the example contracts to doors in
// mode enforce, warn and off: what the first refuses the second lets pass as
// the third does, and says in its headers, and in the body if there is one,
// what the first said.
func TestWarningsOnEveryRoute(t *testing.T) {
	for contract, tries := range sourcetest.Tries() {
		t.Run(contract, func(t *testing.T) {
			enforce, warn, off := openDoor(t, "../examples/contracts.yaml", ""), openDoor(t, "../examples/contracts.yaml", "warn"), openDoor(t, "../examples/contracts.yaml", "off")
			n, warned := 0, 0
			for _, try := range tries {
				if try.Want == sourcetest.OK || try.Want == sourcetest.Malformed || len(try.Members) > 4096 || len(try.Setup) > 0 && len(try.Setup[0]) > 4096 ||
					strings.Contains(try.Members, `"wait"`) && try.Setup == nil {
					continue // in mode warn it would wait
				}
				for _, name := range strings.Fields(try.Ops) {
					for _, r := range requestsFor(t, name, try) {
						n++
						if warnedAs(enforce, warn, off, r, try, n) {
							warned++
						}
					}
				}
			}
			if warned == 0 {
				t.Error("nothing was warned of")
			}
		})
	}
}

// warnedAs compares the answers of the three doors to one form of a try.
func warnedAs(enforce, warn, off *contractDoor, r request, try sourcetest.Try, n int) bool {
	enforce.t.Helper()
	target, body := sourcetest.Number(r.target, n), sourcetest.Number(r.body, n)
	for _, d := range []*contractDoor{enforce, warn, off} {
		for _, line := range try.Setup {
			d.must(sourcetest.Number(line, n))
		}
	}
	e := enforce.send(r.route, r.method, target, r.media, body)
	w := warn.send(r.route, r.method, target, r.media, body)
	o := off.send(r.route, r.method, target, r.media, body)
	at := fmt.Sprintf("%s: %s %.100s", try.Name, r.method, r.target)
	if w.Code != o.Code || e.Code != http.StatusUnprocessableEntity {
		enforce.t.Errorf("%s: status %d in mode enforce, %d in warn, %d in off", at, e.Code, w.Code, o.Code)
	}
	lines := w.Header().Values("Contract-Warning")
	if len(o.Header().Values("Contract-Warning")) > 0 || w.Code >= 300 {
		if len(o.Header().Values("Contract-Warning")) > 0 || len(lines) > 0 {
			enforce.t.Errorf("%s: warnings where there should be none", at)
		}
		return false
	}
	var refused, passed struct {
		Errors, Warnings []contractFault
	}
	if err := json.Unmarshal(e.Body.Bytes(), &refused); err != nil {
		enforce.t.Fatal(err)
	}
	if len(lines) != len(refused.Errors) {
		enforce.t.Errorf("%s: %d warning lines for %d violations", at, len(lines), len(refused.Errors))
	}
	for _, fault := range refused.Errors {
		text := ": " + fault.Code + " at " + strings.TrimPrefix(fault.place(), "parameter ") + ": "
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, text) }) {
			enforce.t.Errorf("%s: no line of %q has %q", at, lines, text)
		}
	}
	if w.Body.Len() == 0 {
		return true
	}
	if err := json.Unmarshal(w.Body.Bytes(), &passed); err != nil {
		enforce.t.Fatal(err)
	}
	if !slices.Equal(passed.Warnings, refused.Errors) {
		enforce.t.Errorf("%s: warnings %+v, want %+v", at, passed.Warnings, refused.Errors)
	}
	return true
}

// TestWarningLinesAreFitForHeaders: whatever names a request holds, warnings
// are short lines of printable ASCII, a few of them.
func TestWarningLinesAreFitForHeaders(t *testing.T) {
	d := openDoor(t, "../examples/contracts.yaml", "warn")
	var fields []string
	for i := range 30 {
		fields = append(fields, fmt.Sprintf(`"n\u0000\r\n\"é\u2028%s%d":"x"`, strings.Repeat("y", 40*i), i))
	}
	w := d.send("PUT /hash/{key}/fields", "PUT", "/hash/profile:1/fields", "application/json", `{"fields":{`+strings.Join(fields, ",")+`}}`)
	lines := w.Header().Values("Contract-Warning")
	if w.Code != http.StatusCreated && w.Code != http.StatusOK || len(lines) == 0 || len(lines) > 9 {
		t.Fatalf("status %d, %d lines of warning: %s", w.Code, len(lines), w.Body)
	}
	for _, line := range lines {
		if len(line) > 600 || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("a line of warning: %q", line)
		}
	}
	if last := lines[len(lines)-1]; !strings.Contains(last, "and 22 more") {
		t.Errorf("the last line is %q", last)
	}
}

// TestTheOrderQueueIsFullAt100000OverHTTP fills a queue through its route.
func TestTheOrderQueueIsFullAt100000OverHTTP(t *testing.T) {
	d := openDoor(t, "../examples/contracts.yaml", "")
	const route = "POST /list/{key}/items"
	push := func(n int) (status int, body string) {
		w := d.send(route, "POST", "/list/queue:order:1/items", "application/json", `{"side":"left","items":[`+strings.Repeat(`"x",`, n-1)+`"x"]}`)
		return w.Code, w.Body.String()
	}
	for i, step := range []struct{ n, status int }{{33_333, 201}, {33_333, 200}, {33_333, 200}, {2, 422}, {1, 200}, {1, 422}} {
		status, body := push(step.n)
		if status != step.status || status == 422 && !strings.Contains(body, `"limit":100000`) {
			t.Fatalf("push %d of %d items: %d %.300s", i, step.n, status, body)
		}
	}
	w := d.send(route, "POST", "/batch", "application/json", `{"operations":[{"op":"LPUSH","key":"queue:order:1","items":["x"]}]}`)
	if w.Code != 422 || !strings.Contains(w.Body.String(), `"pointer":"#/operations/0/items"`) {
		t.Errorf("in a batch: %d %s", w.Code, w.Body)
	}
}

// TestSetAlgebraStopsAt10000OverHTTP reads sets of which one is governed.
func TestSetAlgebraStopsAt10000OverHTTP(t *testing.T) {
	d := openDoor(t, "../examples/contracts.yaml", "")
	d.must(`SADD "key":"many","members":`+sourcetest.List(`"t%d"`, 1, 9999), `SADD "key":"tags:1","members":["one"]`, `SADD "key":"tags:2","members":["two"]`,
		`SADD "key":"two","members":["two"]`)
	for _, test := range []struct {
		route, body string
		status      int
	}{
		{"/sets/union", `{"keys":["many","tags:1"]}`, 200},
		{"/sets/union", `{"keys":["many","tags:1","tags:2"]}`, 422},
		{"/sets/union", `{"keys":["many","tags:1"],"destination":"all"}`, 201},
		{"/sets/union", `{"keys":["many","tags:1","tags:2"],"destination":"all"}`, 422},
		{"/sets/diff", `{"keys":["all","tags:2"]}`, 200},
		{"/sets/union", `{"keys":["all","two"],"destination":"all"}`, 200}, // 10001, of keys that have no limit
		{"/sets/diff", `{"keys":["all","tags:2"]}`, 200},
		{"/sets/diff", `{"keys":["all","tags:none"]}`, 422},
		{"/sets/diff", `{"keys":["all","tags:none"],"limit":10000}`, 200},
		{"/sets/inter", `{"keys":["all","tags:1"]}`, 200},
		{"/sets/union", `{"keys":["many"],"destination":"tags:1"}`, 422},
	} {
		w := d.send("POST "+test.route, "POST", test.route, "application/json", test.body)
		if w.Code != test.status {
			t.Errorf("%s %s: %d %.200s", test.route, test.body, w.Code, w.Body)
		}
		if w.Code == 422 && !strings.Contains(w.Body.String(), `"pointer":"#/keys"`) {
			t.Errorf("%s %s: %s", test.route, test.body, w.Body)
		}
	}
}

// TestParallelRequestsEndAtTheLimit: 200 additions at once to a set that may
// have 500 members end at exactly 500.
func TestParallelRequestsEndAtTheLimit(t *testing.T) {
	d := openDoor(t, "../examples/contracts.yaml", "")
	d.must(`SADD "key":"tags:1","members":["first"]`, `SREM "key":"tags:1","members":["first"]`)
	var passed, refused atomic.Int64
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			_, w := d.raw("PUT", "/set/tags:1/members", "application/json", `{"members":`+sourcetest.List(`"t%d"`, i*4, i*4+3)+`}`)
			switch w.Code {
			case http.StatusOK, http.StatusCreated:
				passed.Add(1)
			case http.StatusUnprocessableEntity:
				refused.Add(1)
			default:
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		})
	}
	group.Wait()
	_, w := d.raw("GET", "/set/tags:1/count", "", "")
	if !strings.Contains(w.Body.String(), `{"count":500}`) || passed.Load() != 125 || refused.Load() != 75 {
		t.Errorf("%s after %d additions and %d refusals", w.Body, passed.Load(), refused.Load())
	}
}
