package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// crashCall is one request of a crash test's writer.
type crashCall struct {
	method, path, body string
	also               int // a status beyond the successes that is fine
}

func (c crashCall) send(ctx context.Context, client *http.Client, url string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, c.method, url+c.path, strings.NewReader(c.body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	// An acknowledgement is the whole answer.
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// crashStep is one kind of write: its request, and the same on a model.
type crashStep struct {
	request func(prefix, n string) crashCall
	apply   func(s *crashState, n string)
}

// crashState is all that one writer has in the store.
type crashState struct {
	Value   string
	Counter string
	Hash    map[string]string
	List    []string
	Set     []string
	ZSet    map[string]string
	// written by one batch each time
	PairHash map[string]string
	PairList []string
	PairLast string
}

func pick(n string, of int) string {
	number, _ := strconv.Atoi(n)
	return strconv.Itoa(number % of)
}

var crashSteps = []crashStep{
	{
		func(prefix, n string) crashCall {
			return crashCall{"PUT", "/string/" + prefix + ":value", `{"value":"` + n + `"}`, 0}
		},
		func(s *crashState, n string) { s.Value = n },
	}, {
		func(prefix, n string) crashCall {
			return crashCall{"PUT", "/hash/" + prefix + ":hash/fields", fmt.Sprintf(`{"fields":{"a%s":"%s","b%s":"%s"}}`, pick(n, 23), n, pick(n, 31), n), 0}
		},
		func(s *crashState, n string) { s.Hash["a"+pick(n, 23)], s.Hash["b"+pick(n, 31)] = n, n },
	}, {
		func(prefix, n string) crashCall {
			return crashCall{"POST", "/list/" + prefix + ":list/items", fmt.Sprintf(`{"items":["%s","%s!"]}`, n, n), 0}
		},
		func(s *crashState, n string) { s.List = append(s.List, n, n+"!") },
	}, {
		func(prefix, n string) crashCall {
			return crashCall{"PUT", "/set/" + prefix + ":set/members", `{"members":["m` + pick(n, 40) + `"]}`, 0}
		},
		func(s *crashState, n string) {
			if !slices.Contains(s.Set, "m"+pick(n, 40)) {
				s.Set = append(s.Set, "m"+pick(n, 40))
			}
		},
	}, {
		func(prefix, n string) crashCall {
			return crashCall{"PUT", "/zset/" + prefix + ":zset/members", fmt.Sprintf(`{"members":[{"member":"m%s","score":%s}]}`, pick(n, 30), n), 0}
		},
		func(s *crashState, n string) { s.ZSet["m"+pick(n, 30)] = n },
	}, {
		func(prefix, n string) crashCall {
			return crashCall{"POST", "/batch", fmt.Sprintf(`{"operations":[{"op":"HSET","key":"%[1]s:pair:hash","fields":{"f%[3]s":"%[2]s"}},`+
				`{"op":"RPUSH","key":"%[1]s:pair:list","items":["%[2]s"]},{"op":"SET","key":"%[1]s:pair:last","value":"%[2]s"},`+
				`{"op":"INCR","key":"%[1]s:counter"}]}`, prefix, n, pick(n, 50)), 0}
		},
		func(s *crashState, n string) {
			s.PairHash["f"+pick(n, 50)] = n
			s.PairList = append(s.PairList, n)
			s.PairLast = n
			s.count()
		},
	}, {
		func(prefix, _ string) crashCall {
			return crashCall{"POST", "/list/" + prefix + ":list/pop", `{}`, http.StatusNotFound}
		},
		func(s *crashState, _ string) {
			if len(s.List) > 0 {
				s.List = s.List[1:]
			}
		},
	}, {
		func(prefix, _ string) crashCall {
			return crashCall{"POST", "/string/" + prefix + ":counter/incr", `{}`, 0}
		},
		func(s *crashState, _ string) { s.count() },
	}, {
		func(prefix, n string) crashCall {
			if pick(n, 17) == "0" {
				return crashCall{"DELETE", "/hash/" + prefix + ":hash", "", http.StatusNotFound}
			}
			return crashCall{"POST", "/set/" + prefix + ":set/members/remove", `{"members":["m` + pick(n, 7) + `"]}`, 0}
		},
		func(s *crashState, n string) {
			if pick(n, 17) == "0" {
				clear(s.Hash)
				return
			}
			s.Set = slices.DeleteFunc(s.Set, func(m string) bool { return m == "m"+pick(n, 7) })
		},
	},
}

func (s *crashState) count() {
	n, _ := strconv.Atoi(s.Counter)
	s.Counter = strconv.Itoa(n + 1)
}

// crashRequest is a writer's request number n.
func crashRequest(prefix string, n int) crashCall {
	return crashSteps[n%len(crashSteps)].request(prefix, strconv.Itoa(n))
}

// crashStateAfter is what the first so many requests of a writer leave.
func crashStateAfter(requests int) *crashState {
	s := &crashState{Hash: map[string]string{}, ZSet: map[string]string{}, PairHash: map[string]string{}, List: []string{}, Set: []string{}, PairList: []string{}}
	for n := range requests {
		crashSteps[n%len(crashSteps)].apply(s, strconv.Itoa(n))
	}
	slices.Sort(s.Set)
	return s
}

// readCrashState reads all that a writer has, and compares each count that the
// store keeps with the elements that are there.
func readCrashState(ctx context.Context, url, prefix string) (*crashState, error) {
	r := &crashReader{ctx: ctx, url: url, prefix: prefix}
	s := &crashState{
		Value: r.text("value"), Counter: r.text("counter"), Hash: r.hash("hash"), List: r.list("list"), Set: r.set("set"),
		ZSet: r.zset("zset"), PairHash: r.hash("pair:hash"), PairList: r.list("pair:list"), PairLast: r.text("pair:last"),
	}
	return s, errors.Join(r.problems...)
}

// crashReader reads values and notes what is wrong.
type crashReader struct {
	ctx         context.Context
	url, prefix string
	problems    []error
}

// get reads one route of a key; an absent key leaves into as it is.
func (r *crashReader) get(kind, key, rest string, into any) {
	err := readJSON(r.ctx, r.url+"/"+kind+"/"+r.prefix+":"+key+rest, into)
	if err != nil && !errors.Is(err, errAbsent) {
		r.problems = append(r.problems, fmt.Errorf("%s: %w", key, err))
	}
}

// counted compares the count that the key's record holds.
func (r *crashReader) counted(kind, key string, elements int) {
	var answer struct{ Count int }
	r.get(kind, key, "/count", &answer)
	if answer.Count != elements {
		r.problems = append(r.problems, fmt.Errorf("%s counts %d elements and has %d", key, answer.Count, elements))
	}
}

func (r *crashReader) text(key string) string {
	var answer struct{ Value string }
	r.get("string", key, "", &answer)
	return answer.Value
}

func (r *crashReader) hash(key string) map[string]string {
	answer := struct{ Fields map[string]string }{map[string]string{}}
	r.get("hash", key, "", &answer)
	r.counted("hash", key, len(answer.Fields))
	return answer.Fields
}

func (r *crashReader) list(key string) []string {
	answer := struct{ Items []string }{[]string{}}
	r.get("list", key, "/items", &answer)
	r.counted("list", key, len(answer.Items))
	return answer.Items
}

func (r *crashReader) set(key string) []string {
	answer := struct{ Members []string }{[]string{}}
	r.get("set", key, "", &answer)
	r.counted("set", key, len(answer.Members))
	slices.Sort(answer.Members)
	return answer.Members
}

func (r *crashReader) zset(key string) map[string]string {
	var answer struct {
		Members []struct {
			Member string
			Score  float64
		}
	}
	r.get("zset", key, "/members?limit=1000", &answer)
	r.counted("zset", key, len(answer.Members))
	members := map[string]string{}
	for _, m := range answer.Members {
		members[m.Member] = strconv.FormatFloat(m.Score, 'f', -1, 64)
	}
	return members
}
