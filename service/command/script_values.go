package command

import (
	"math"
	"strconv"

	lua "github.com/yuin/gopher-lua"
)

// maxScriptDepth is how deep tables may lie in each other in a script's reply.
const maxScriptDepth = 100

// replyOf makes a reply of what a script returns: numbers lose their fraction,
// true is 1, false and nil are no value, a table with ok, err, double, map, set,
// big_number or verbatim_string is what it says, any other a list up to its
// first nil.
func (r *scriptRun) replyOf(v lua.LValue, depth int) Reply {
	switch v := v.(type) {
	case lua.LString:
		return Bulk(v)
	case lua.LNumber:
		return Int(truncate(float64(v)))
	case lua.LBool:
		if r.resp == 3 {
			return Bool(v)
		}
		if v {
			return Int(1)
		}
		return Null{}
	case *lua.LTable:
		if depth > maxScriptDepth {
			return Error("ERR reached lua stack limit")
		}
		return r.tableReply(v, depth+1)
	}
	return Null{}
}

// truncate drops the fraction of a number; what no integer can hold becomes the
// nearest.
func truncate(f float64) int64 {
	switch {
	case math.IsNaN(f):
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

func (r *scriptRun) tableReply(t *lua.LTable, depth int) Reply {
	if text, ok := t.RawGetString("err").(lua.LString); ok {
		return Error(line(string(text)))
	}
	if text, ok := t.RawGetString("ok").(lua.LString); ok {
		return Status(line(string(text)))
	}
	if number, ok := t.RawGetString("double").(lua.LNumber); ok {
		return Double(number)
	}
	if text, ok := t.RawGetString("big_number").(lua.LString); ok {
		return Text(line(string(text)))
	}
	if inner, ok := t.RawGetString("verbatim_string").(*lua.LTable); ok {
		if text, ok := inner.RawGetString("string").(lua.LString); ok {
			return Verbatim(text)
		}
	}
	if inner, ok := t.RawGetString("map").(*lua.LTable); ok {
		out := Map{}
		inner.ForEach(func(key, value lua.LValue) {
			out = append(out, r.replyOf(key, depth), r.replyOf(value, depth))
		})
		return out
	}
	if inner, ok := t.RawGetString("set").(*lua.LTable); ok {
		out := Set{}
		inner.ForEach(func(key, _ lua.LValue) { out = append(out, r.replyOf(key, depth)) })
		return out
	}
	out := Array{}
	for i := 1; ; i++ {
		v := t.RawGetInt(i)
		if v == lua.LNil {
			return out
		}
		out = append(out, r.replyOf(v, depth))
	}
}

// valueOf makes a Lua value of a command's reply, in RESP2 or RESP3 as the
// script has chosen.
func (r *scriptRun) valueOf(reply Reply) lua.LValue {
	switch v := reply.(type) {
	case Int:
		return lua.LNumber(v)
	case Bulk:
		return lua.LString(v)
	case Text:
		return lua.LString(v)
	case Status:
		return r.table("ok", lua.LString(v))
	case Error:
		return r.table("err", lua.LString(v))
	case Array:
		if r.resp == 2 {
			return r.list(Flatten(v))
		}
		return r.list(v)
	case Push:
		return r.list(v)
	case Pair:
		return r.list(v[:])
	}
	if r.resp == 2 {
		return r.value2(reply)
	}
	return r.value3(reply)
}

func (r *scriptRun) value2(reply Reply) lua.LValue {
	switch v := reply.(type) {
	case Map:
		return r.list(v)
	case Set:
		return r.list(v)
	case Double:
		return lua.LString(FormatDouble(float64(v)))
	case Verbatim:
		return lua.LString(v)
	case Bool:
		return lua.LNumber(yes(bool(v)))
	}
	return lua.LFalse
}

func (r *scriptRun) value3(reply Reply) lua.LValue {
	switch v := reply.(type) {
	case Map:
		inner := r.lua.NewTable()
		for i := 0; i+1 < len(v); i += 2 {
			inner.RawSet(r.valueOf(v[i]), r.valueOf(v[i+1]))
		}
		return r.table("map", inner)
	case Set:
		inner := r.lua.NewTable()
		for _, item := range v {
			inner.RawSet(r.valueOf(item), lua.LTrue)
		}
		return r.table("set", inner)
	case Double:
		return r.table("double", lua.LNumber(v))
	case Verbatim:
		inner := r.table("string", lua.LString(v))
		inner.RawSetString("format", lua.LString("txt"))
		return r.table("verbatim_string", inner)
	case Bool:
		return lua.LBool(v)
	}
	return lua.LNil
}

func (r *scriptRun) table(name string, value lua.LValue) *lua.LTable {
	t := r.lua.NewTable()
	t.RawSetString(name, value)
	return t
}

func (r *scriptRun) list(items []Reply) lua.LValue {
	t := r.lua.CreateTable(len(items), 0)
	for i, item := range items {
		t.RawSetInt(i+1, r.valueOf(item))
	}
	return t
}

// wordOf makes a word of a command of an argument: strings as they are, numbers
// as Redis prints them.
func wordOf(v lua.LValue) ([]byte, bool) {
	switch v := v.(type) {
	case lua.LString:
		return []byte(v), true
	case lua.LNumber:
		if f := float64(v); f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return strconv.AppendInt(nil, int64(f), 10), true
		}
		return strconv.AppendFloat(nil, float64(v), 'g', 17, 64), true
	}
	return nil, false
}
