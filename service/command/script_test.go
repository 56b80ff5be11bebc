package command

import (
	"context"
	"strings"
	"testing"
	"time"

	"keypact/contracts"
	"keypact/service"
	"keypact/store"
	"keypact/store/kv/badger"
)

// newHost is a host of an empty store in memory.
func newHost(t *testing.T, yaml string, opts Options) *Host {
	t.Helper()
	db, err := badger.Open(badger.Options{InMemory: true, MinFreeBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	set := contracts.Empty()
	if yaml != "" {
		if set, err = contracts.Parse(contracts.Source{Name: "test.yaml", Data: []byte(yaml)}); err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(context.Background(), db, store.Options{Contracts: set, Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	svc, err := service.New(st, service.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return New(svc, opts)
}

// ask runs one command whose words are given.
func (h *Host) ask(words ...string) Reply {
	list := make([][]byte, len(words))
	for i, word := range words {
		list[i] = []byte(word)
	}
	return h.Once("test").Run(context.Background(), [][][]byte{list}, time.Second)[0]
}

func failsWith(t *testing.T, got Reply, begins string) {
	t.Helper()
	failed, ok := got.(Error)
	if !ok || !strings.HasPrefix(string(failed), begins) {
		t.Errorf("got %v, want an error that begins with %q", got, begins)
	}
}

func TestScriptsAreBounded(t *testing.T) {
	for name, script := range map[string]string{
		"a loop":                    "redis.call('set','k','v') while true do end",
		"a loop of caught errors":   "redis.call('set','k','v') while true do pcall(function() while true do end end) end",
		"a loop of commands":        "while true do redis.call('set','k','v') end",
		"memory":                    "redis.call('set','k','v') local t = {} for i = 1, 1e9 do t[i] = string.rep('x', 65536) .. i end",
		"a function without an end": "redis.call('set','k','v') local function f() return f() end return f()",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, "", Options{ScriptTime: 300 * time.Millisecond})
			failsWith(t, h.ask("EVAL", script, "0"), "ERR Script killed")
			if got := h.ask("GET", "k"); got != (Null{}) {
				t.Errorf("it left %v", got)
			}
		})
	}
}

func TestLongTextsAreRefused(t *testing.T) {
	h := newHost(t, "", Options{})
	for _, script := range []string{
		"return #string.rep('x', 1e9)",
		"local s = string.rep('x', 1e6) return #s:gsub('x', s)",
		"local s, t = string.rep('x', 1e6), {} for i = 1, 1000 do t[i] = s end return #table.concat(t)",
	} {
		failsWith(t, h.ask("EVAL", script, "0"), "ERR user_script:1: the result of ")
	}
}

// TestScriptsRunDeep: a stack without a bottom is an error of the script.
func TestScriptsRunDeep(t *testing.T) {
	h := newHost(t, "", Options{})
	failsWith(t, h.ask("EVAL", "local function f() return 1 + f() end return f()", "0"), "ERR ")
	reply := h.ask("EVAL", "local t = {} t[1] = t return t", "0")
	for list, ok := reply.(Array); ok; list, ok = reply.(Array) {
		reply = list[0]
	}
	failsWith(t, reply, "ERR reached lua stack limit")
	failsWith(t, h.ask("EVAL", "local t = {} t[1] = t return cjson.encode(t)", "0"), "ERR user_script:1: Cannot serialise")
}

// TestHeavyScriptsLetOthersPass: a script that takes long runs beside the line
// of writers, and its writes take effect all the same.
func TestHeavyScriptsLetOthersPass(t *testing.T) {
	h := newHost(t, "", Options{})
	done := make(chan Reply, 1)
	go func() {
		done <- h.ask("EVAL", "local n = 0 for i = 1, 1e6 do n = n + i end redis.call('set', KEYS[1], n) return n", "1", "slow")
	}()
	passed := 0
	for {
		select {
		case reply := <-done:
			if reply != Int(500000500000) {
				t.Errorf("the script answers %v", reply)
			}
			if got, ok := h.ask("GET", "slow").(Bulk); !ok || string(got) != "500000500000" {
				t.Errorf("it wrote %v", got)
			}
			if passed == 0 {
				t.Error("no other write passed")
			}
			return
		default:
			if got := h.ask("SET", "other", "v"); got != OK {
				t.Fatalf("a write beside it: %v", got)
			}
			passed++
		}
	}
}

// TestScriptsLeaveNothing: what one script does to its libraries no other sees.
func TestScriptsLeaveNothing(t *testing.T) {
	h := newHost(t, "", Options{})
	for _, script := range []string{
		"string.format = nil", "rawset(string, 'format', 1)", "getmetatable('').__index.upper = nil",
		"setmetatable(string, {})", "setmetatable(_G, nil)", "rawset(_G, 'x', 1)", "redis.call = nil", "_G.x = 1",
		"getmetatable(_G).__newindex = nil", "local f = loadstring('y = 1') f()", "math.pi = 3", "KEYS = nil", "string = nil", "redis = {}", "_G = {}",
	} {
		if _, failed := h.ask("EVAL", script, "0").(Error); !failed {
			t.Errorf("%s is allowed", script)
		}
	}
	check := "return {string.format('%d', 7), ('a'):upper(), type(redis.call), tostring(rawget(_G, 'x')), #KEYS, tostring(math.pi > 3.1)}"
	for range 20 {
		got, _ := h.ask("EVAL", check, "1", "k").(Array)
		if len(got) != 6 || string(got[0].(Bulk)) != "7" || string(got[1].(Bulk)) != "A" || string(got[3].(Bulk)) != "nil" || got[4] != Int(1) || string(got[5].(Bulk)) != "true" {
			t.Fatalf("a later script sees %v", got)
		}
	}
}
