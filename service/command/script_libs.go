package command

import (
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
)

// scriptState is a Lua state with all that scripts may use: Lua's base, table,
// string and math without what reaches outside, and redis, cjson and bit. Making
// one takes longer than most scripts do, so states are used again; scripts can
// leave nothing in them, because no table that outlives a run can be changed.
type scriptState struct {
	lua    *lua.LState
	locked map[*lua.LTable]bool // tables that scripts must not change
	run    *scriptRun           // the one that runs; nil between runs
}

// scriptStates are those that nobody uses now.
var scriptStates = sync.Pool{New: func() any { return newScriptState() }}

func newScriptState() *scriptState {
	s := &scriptState{locked: make(map[*lua.LTable]bool)}
	s.lua = lua.NewState(lua.Options{SkipOpenLibs: true, CallStackSize: 256, RegistrySize: 1024, RegistryMaxSize: 64 << 10})
	L := s.lua
	for _, lib := range []struct {
		name string
		open lua.LGFunction
	}{{lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}, {lua.StringLibName, lua.OpenString}, {lua.MathLibName, lua.OpenMath}} {
		L.Push(L.NewFunction(lib.open))
		L.Push(lua.LString(lib.name))
		L.Call(1, 0)
	}
	for _, name := range []string{
		"dofile", "loadfile", "print", "_printregs", "module", "require", "newproxy", "collectgarbage", "package",
	} {
		L.SetGlobal(name, lua.LNil)
	}
	s.bound()
	s.share("table", L.GetGlobal("table").(*lua.LTable))
	s.share("string", L.GetGlobal("string").(*lua.LTable))
	s.share("math", L.GetGlobal("math").(*lua.LTable))
	s.share("redis", s.redisLibrary())
	s.share("bit", L.SetFuncs(L.NewTable(), bitLibrary))
	json := L.SetFuncs(L.NewTable(), map[string]lua.LGFunction{"encode": jsonEncode, "decode": jsonDecode})
	json.RawSetString("null", jsonNull)
	s.share("cjson", json)
	s.lockGlobals()
	return s
}

// share makes a library a global whose content cannot be changed: what scripts
// see is an empty table that looks things up in the real one.
func (s *scriptState) share(name string, library *lua.LTable) {
	L := s.lua
	shown, meta := L.NewTable(), L.NewTable()
	meta.RawSetString("__index", library)
	meta.RawSetString("__newindex", L.NewFunction(refuseChange))
	meta.RawSetString("__metatable", lua.LFalse)
	L.SetMetatable(shown, meta)
	L.SetGlobal(name, shown)
	s.locked[shown], s.locked[meta], s.locked[library] = true, true, true
}

func refuseChange(L *lua.LState) int {
	L.RaiseError("Attempt to modify a readonly table")
	return 0
}

// lockGlobals makes mistakes with names errors, as Redis does, and closes the
// ways around that.
func (s *scriptState) lockGlobals() {
	L := s.lua
	globals := L.G.Global
	s.locked[globals] = true
	set := L.GetGlobal("rawset").(*lua.LFunction).GFunction
	L.SetGlobal("rawset", L.NewFunction(func(L *lua.LState) int {
		if s.locked[L.CheckTable(1)] {
			return refuseChange(L)
		}
		return set(L)
	}))
	if text, ok := L.GetMetatable(lua.LString("")).(*lua.LTable); ok {
		text.RawSetString("__metatable", lua.LFalse)
	}
	absent := L.SetFuncs(L.NewTable(), map[string]lua.LGFunction{"__index": func(L *lua.LState) int {
		L.RaiseError("Script attempted to access nonexistent global variable '%s'", L.Get(2).String())
		return 0
	}})
	L.SetMetatable(globals, absent)
	s.share("_G", globals)
	L.Env = globals.RawGetString("_G").(*lua.LTable)
}

// words makes a list of a command's words a global.
func (s *scriptState) words(name string, list [][]byte) {
	t := s.lua.CreateTable(len(list), 0)
	for i, word := range list {
		t.RawSetInt(i+1, lua.LString(word))
	}
	s.lua.G.Global.RawSetString(name, t)
}

// maxScriptText is the longest text that a script may make at once, in bytes.
const maxScriptText = 64 << 20

// bound keeps the functions that make long texts of short ones within bounds;
// they run to their end before anybody can stop them.
func (s *scriptState) bound() {
	s.guard("string", "rep", func(L *lua.LState) bool {
		return int64(len(L.CheckString(1)))*int64(max(L.CheckInt(2), 0)) <= maxScriptText
	})
	s.guard("string", "gsub", func(L *lua.LState) bool {
		text, with := L.CheckString(1), 0
		if s, ok := L.Get(3).(lua.LString); ok {
			with = len(s)
		}
		return int64(len(text))*int64(with+1) <= maxScriptText && len(text) <= 1<<20
	})
	s.guard("table", "concat", func(L *lua.LState) bool {
		t, size := L.CheckTable(1), len(L.OptString(2, ""))*L.CheckTable(1).Len()
		for i := 1; i <= t.Len() && size <= maxScriptText; i++ {
			if s, ok := t.RawGetInt(i).(lua.LString); ok {
				size += len(s)
			}
		}
		return size <= maxScriptText
	})
	s.guard("string", "format", func(L *lua.LState) bool {
		size := 0
		for i := 1; i <= L.GetTop(); i++ {
			if s, ok := L.Get(i).(lua.LString); ok {
				size += len(s)
			}
		}
		return size <= maxScriptText
	})
}

// guard lets a library's function run only if its arguments fit.
func (s *scriptState) guard(library, name string, fits func(*lua.LState) bool) {
	table := s.lua.GetGlobal(library).(*lua.LTable)
	inner := table.RawGetString(name).(*lua.LFunction).GFunction
	table.RawSetString(name, s.lua.NewFunction(func(L *lua.LState) int {
		if !fits(L) {
			L.RaiseError("the result of %s.%s is too long", library, name)
		}
		return inner(L)
	}))
}

// redisLibrary is the table redis.
func (s *scriptState) redisLibrary() *lua.LTable {
	L := s.lua
	push := func(v lua.LValue) int {
		L.Push(v)
		return 1
	}
	t := L.SetFuncs(L.NewTable(), map[string]lua.LGFunction{
		"call":               func(L *lua.LState) int { return s.run.luaCall(L, true) },
		"pcall":              func(L *lua.LState) int { return s.run.luaCall(L, false) },
		"error_reply":        func(L *lua.LState) int { return push(s.run.table("err", lua.LString(errorText(L.CheckString(1))))) },
		"status_reply":       func(L *lua.LState) int { return push(s.run.table("ok", lua.LString(L.CheckString(1)))) },
		"sha1hex":            func(L *lua.LState) int { return push(lua.LString(shaOf([]byte(L.CheckString(1))))) },
		"log":                func(L *lua.LState) int { return s.run.luaLog(L) },
		"setresp":            func(L *lua.LState) int { return s.run.luaSetResp(L) },
		"replicate_commands": func(*lua.LState) int { return push(lua.LTrue) },
		"set_repl":           func(*lua.LState) int { return 0 },
		"breakpoint":         func(*lua.LState) int { return push(lua.LFalse) },
		"debug":              func(*lua.LState) int { return 0 },
	})
	for name, value := range redisNumbers {
		t.RawSetString(name, value)
	}
	t.RawSetString("REDIS_VERSION", lua.LString(redisVersion))
	return t
}

// redisNumbers are the constants of the table redis.
var redisNumbers = map[string]lua.LNumber{
	"LOG_DEBUG": 0, "LOG_VERBOSE": 1, "LOG_NOTICE": 2, "LOG_WARNING": 3,
	"REPL_NONE": 0, "REPL_SLAVE": 1, "REPL_REPLICA": 1, "REPL_AOF": 2, "REPL_ALL": 3,
	"REDIS_VERSION_NUM": 0x07000f,
}

// errorText gives an error the code ERR if it has none of its own.
func errorText(text string) string {
	text = strings.TrimPrefix(text, "-")
	if code, _, found := strings.Cut(text, " "); found && code == strings.ToUpper(code) && code != "" {
		return text
	}
	return "ERR " + text
}

// luaCall runs a command. Of call an error is raised, of pcall returned.
func (r *scriptRun) luaCall(L *lua.LState, raise bool) int {
	var reply Reply
	words := make([][]byte, L.GetTop())
	for i := range words {
		word, ok := wordOf(L.Get(i + 1))
		if !ok {
			reply = Error("ERR Lua redis lib command arguments must be strings or integers")
			break
		}
		words[i] = word
	}
	switch {
	case reply != nil:
	case len(words) == 0:
		reply = Error("ERR Please specify at least one argument for this redis lib call")
	default:
		reply = r.call(words)
	}
	value := r.valueOf(reply)
	if failed, ok := reply.(Error); ok {
		table := value.(*lua.LTable)
		table.RawSetString("err", lua.LString(failed))
		if where := strings.Split(strings.TrimSuffix(L.Where(1), ": "), ":"); len(where) > 1 {
			table.RawSetString("line", lua.LString(where[1]))
		}
		table.RawSetString("source", lua.LString("@user_script"))
		if raise {
			L.Error(table, 1)
		}
	}
	L.Push(value)
	return 1
}

// luaLog is redis.log(level, text ...).
func (r *scriptRun) luaLog(L *lua.LState) int {
	if L.GetTop() < 2 {
		L.RaiseError("redis.log() requires two arguments or more.")
	}
	level := L.CheckInt(1)
	if level < 0 || level > 3 {
		L.RaiseError("Invalid log level.")
	}
	var parts []string
	for i := 2; i <= L.GetTop(); i++ {
		parts = append(parts, L.Get(i).String())
	}
	r.host.log.Debug("a script says", "script", r.script.sha, "level", level, "text", strings.Join(parts, " "))
	return 0
}

// luaSetResp is redis.setresp(2|3).
func (r *scriptRun) luaSetResp(L *lua.LState) int {
	version := L.CheckInt(1)
	if version != 2 && version != 3 {
		L.RaiseError("RESP version must be 2 or 3.")
	}
	r.resp = version
	return 0
}
