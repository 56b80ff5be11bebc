package command

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// openLibraries gives the script what it may use: Lua's base, table, string and
// math without what reaches outside, and redis, cjson and bit. Names that are
// not defined cannot be read, and no global can be made.
func (r *scriptRun) openLibraries() {
	L := r.lua
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
	r.bound()
	L.SetGlobal("redis", r.redisLibrary())
	L.SetGlobal("cjson", L.SetFuncs(L.NewTable(), map[string]lua.LGFunction{"encode": jsonEncode, "decode": jsonDecode}))
	L.GetGlobal("cjson").(*lua.LTable).RawSetString("null", jsonNull)
	L.SetGlobal("bit", L.SetFuncs(L.NewTable(), bitLibrary))
	L.SetGlobal("KEYS", r.words(r.keys))
	L.SetGlobal("ARGV", r.words(r.args))
	r.lockGlobals()
}

func (r *scriptRun) words(list [][]byte) *lua.LTable {
	t := r.lua.CreateTable(len(list), 0)
	for i, word := range list {
		t.RawSetInt(i+1, lua.LString(word))
	}
	return t
}

// lockGlobals makes mistakes with names errors, as Redis does.
func (r *scriptRun) lockGlobals() {
	L := r.lua
	meta := L.SetFuncs(L.NewTable(), map[string]lua.LGFunction{
		"__index": func(L *lua.LState) int {
			L.RaiseError("Script attempted to access nonexistent global variable '%s'", L.Get(2).String())
			return 0
		},
		"__newindex": func(L *lua.LState) int {
			L.RaiseError("Attempt to modify a readonly table")
			return 0
		},
	})
	meta.RawSetString("__metatable", lua.LFalse)
	L.SetMetatable(L.G.Global, meta)
}

// maxScriptText is the longest text that a script may make at once, in bytes.
const maxScriptText = 64 << 20

// bound keeps the functions that make long texts of short ones within bounds;
// they run to their end before anybody can stop them.
func (r *scriptRun) bound() {
	r.guard("string", "rep", func(L *lua.LState) bool {
		return int64(len(L.CheckString(1)))*int64(max(L.CheckInt(2), 0)) <= maxScriptText
	})
	r.guard("string", "gsub", func(L *lua.LState) bool {
		text, with := L.CheckString(1), 0
		if s, ok := L.Get(3).(lua.LString); ok {
			with = len(s)
		}
		return int64(len(text))*int64(with+1) <= maxScriptText && len(text) <= 1<<20
	})
	r.guard("table", "concat", func(L *lua.LState) bool {
		t, size := L.CheckTable(1), len(L.OptString(2, ""))*L.CheckTable(1).Len()
		for i := 1; i <= t.Len() && size <= maxScriptText; i++ {
			if s, ok := t.RawGetInt(i).(lua.LString); ok {
				size += len(s)
			}
		}
		return size <= maxScriptText
	})
	r.guard("string", "format", func(L *lua.LState) bool {
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
func (r *scriptRun) guard(library, name string, fits func(*lua.LState) bool) {
	table := r.lua.GetGlobal(library).(*lua.LTable)
	inner := table.RawGetString(name).(*lua.LFunction).GFunction
	table.RawSetString(name, r.lua.NewFunction(func(L *lua.LState) int {
		if !fits(L) {
			L.RaiseError("the result of %s.%s is too long", library, name)
		}
		return inner(L)
	}))
}

// redisLibrary is the table redis.
func (r *scriptRun) redisLibrary() *lua.LTable {
	L := r.lua
	t := L.SetFuncs(L.NewTable(), map[string]lua.LGFunction{
		"call":               func(L *lua.LState) int { return r.luaCall(L, true) },
		"pcall":              func(L *lua.LState) int { return r.luaCall(L, false) },
		"error_reply":        func(L *lua.LState) int { return r.push(r.table("err", lua.LString(errorText(L.CheckString(1))))) },
		"status_reply":       func(L *lua.LState) int { return r.push(r.table("ok", lua.LString(L.CheckString(1)))) },
		"sha1hex":            func(L *lua.LState) int { return r.push(lua.LString(shaOf([]byte(L.CheckString(1))))) },
		"log":                r.luaLog,
		"setresp":            r.luaSetResp,
		"replicate_commands": func(L *lua.LState) int { return r.push(lua.LTrue) },
		"set_repl":           func(*lua.LState) int { return 0 },
		"breakpoint":         func(L *lua.LState) int { return r.push(lua.LFalse) },
		"debug":              func(*lua.LState) int { return 0 },
	})
	for name, value := range map[string]lua.LValue{
		"LOG_DEBUG": lua.LNumber(0), "LOG_VERBOSE": lua.LNumber(1), "LOG_NOTICE": lua.LNumber(2), "LOG_WARNING": lua.LNumber(3),
		"REPL_NONE": lua.LNumber(0), "REPL_SLAVE": lua.LNumber(1), "REPL_REPLICA": lua.LNumber(1), "REPL_AOF": lua.LNumber(2), "REPL_ALL": lua.LNumber(3),
		"REDIS_VERSION": lua.LString(redisVersion), "REDIS_VERSION_NUM": lua.LNumber(0x07000f),
	} {
		t.RawSetString(name, value)
	}
	return t
}

func (r *scriptRun) push(v lua.LValue) int {
	r.lua.Push(v)
	return 1
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
