package service

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestKeysPage(t *testing.T) {
	f := newFixture(t, "format: 1\ncontracts:\n  things:\n    key: thing:{x}\n    type: set\n    ttl: optional\n")
	f.play(oneOfEach...)
	want := slices.Clone(typeNames)
	for i := range 120 {
		key := fmt.Sprintf("thing:%03d", i)
		want = append(want, key)
		f.do("SADD", `"key":"`+key+`","members":["x"]`)
	}
	f.play(step{"SET", `"key":"","value":"x"`, "created"}, step{"SET", `"key":{"base64":"AAD/"},"value":"x","ttl":"1s"`, "created"})
	want = append(want, "", "\x00\x00\xff")
	slices.Sort(want)
	for _, limit := range []int{1, 7, 100, 1000} {
		if got := f.keys(KeysPage{Page: Page{Limit: limit}}); !slices.Equal(got, want) {
			t.Errorf("limit %d: %d keys, want %d", limit, len(got), len(want))
		}
	}
	f.play(
		step{"SCAN", `"type":"set","match":"s*"`, `{"keys":["set"]}`},
		step{"SCAN", `"match":"thing:11[89]"`, `{"keys":["thing:118","thing:119"]}`},
		step{"SCAN", `"match":"thing:119","contract":"things","type":"set"`, `{"keys":["thing:119"]}`},
		step{"SCAN", `"contract":"none"`, `{"keys":[]}`},
		step{"SCAN", `"match":""`, `{"keys":[""]}`},
		step{"SCAN", `"type":"string","match":"*"`, `{"keys":["",{"base64":"AAD/"},"string"]}`},
		step{"SCAN", `"type":"stream"`, "invalid invalid-request"},
		step{"SCAN", `"limit":1001`, "invalid invalid-request"},
		step{"SCAN", `"match":"zzz*","cursor":"AXpzZXQ"`, `{"keys":[]}`},
	)
	if got := f.keys(KeysPage{Page: Page{Limit: 7}, Contract: "things"}); len(got) != 120 {
		t.Errorf("%d keys of the contract", len(got))
	}
	f.clock.step(time.Second)
	f.play(step{"SCAN", `"type":"string"`, `{"keys":["","string"]}`})
}

// keys reads all pages.
func (f *fixture) keys(op KeysPage) (keys []string) {
	f.t.Helper()
	for {
		result, err := f.Do(f.t.Context(), &op)
		if err != nil {
			f.t.Fatal(err)
		}
		list := result.Value.(KeyList)
		for _, key := range list.Keys {
			keys = append(keys, string(key))
		}
		if op.Cursor = list.Cursor; op.Cursor == nil {
			return keys
		}
	}
}
