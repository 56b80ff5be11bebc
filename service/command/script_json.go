package command

import (
	"bytes"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	lua "github.com/yuin/gopher-lua"
)

// jsonNull stands for null in tables, as cjson.null does.
var jsonNull = &lua.LUserData{}

// maxJSONDepth is how deep values may lie in each other.
const maxJSONDepth = 100

// jsonDecode is cjson.decode(text).
func jsonDecode(L *lua.LState) int {
	dec := jsontext.NewDecoder(bytes.NewReader([]byte(L.CheckString(1))), jsontext.AllowDuplicateNames(true))
	value, err := decodeJSON(L, dec, 0)
	if err == nil {
		if _, err = dec.ReadToken(); err == io.EOF {
			L.Push(value)
			return 1
		}
	}
	L.RaiseError("cjson.decode: the text is not JSON")
	return 0
}

func decodeJSON(L *lua.LState, dec *jsontext.Decoder, depth int) (lua.LValue, error) {
	if depth > maxJSONDepth {
		L.RaiseError("Found too many nested data structures (%d)", depth)
	}
	token, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 'n':
		return jsonNull, nil
	case 't', 'f':
		return lua.LBool(token.Bool()), nil
	case '"':
		return lua.LString(token.String()), nil
	case '0':
		number, err := token.Float()
		return lua.LNumber(number), err
	case '[':
		t := L.NewTable()
		for i := 1; dec.PeekKind() != ']'; i++ {
			value, err := decodeJSON(L, dec, depth+1)
			if err != nil {
				return nil, err
			}
			t.RawSetInt(i, value)
		}
		_, err := dec.ReadToken()
		return t, err
	}
	t := L.NewTable()
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := lua.LString(name.String())
		value, err := decodeJSON(L, dec, depth+1)
		if err != nil {
			return nil, err
		}
		t.RawSet(key, value)
	}
	_, err = dec.ReadToken()
	return t, err
}

// jsonEncode is cjson.encode(value). A table with the keys 1 to n is an array,
// any other, and an empty one, an object.
func jsonEncode(L *lua.LState) int {
	L.Push(lua.LString(appendJSON(L, nil, L.CheckAny(1), 0)))
	return 1
}

func appendJSON(L *lua.LState, dst []byte, v lua.LValue, depth int) []byte {
	if depth > maxJSONDepth {
		L.RaiseError("Cannot serialise, excessive depth (%d)", depth)
	}
	if len(dst) > maxScriptText {
		L.RaiseError("Cannot serialise: the text is too long")
	}
	switch v := v.(type) {
	case lua.LBool:
		return strconv.AppendBool(dst, bool(v))
	case lua.LNumber:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			L.RaiseError("Cannot serialise number: must not be NaN or Inf")
		}
		return strconv.AppendFloat(dst, float64(v), 'g', 14, 64)
	case lua.LString:
		return appendJSONString(dst, string(v))
	case *lua.LTable:
		if n := v.Len(); n > 0 && isArray(v, n) {
			return appendJSONArray(L, dst, v, n, depth)
		}
		return appendJSONObject(L, dst, v, depth)
	case *lua.LNilType:
		return append(dst, "null"...)
	case *lua.LUserData:
		if v == jsonNull {
			return append(dst, "null"...)
		}
	}
	L.RaiseError("Cannot serialise %s: type not supported", v.Type().String())
	return nil
}

// appendJSONString quotes a string. Bytes that are not UTF-8 pass as they are,
// as cjson lets them.
func appendJSONString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\' || c == '/':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c < ' ' || c == 0x7f:
			const digits = "0123456789abcdef"
			dst = append(dst, `\u00`...)
			dst = append(dst, digits[c>>4], digits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// isArray reports whether the table has no other keys than 1 to n.
func isArray(t *lua.LTable, n int) bool {
	keys := 0
	t.ForEach(func(lua.LValue, lua.LValue) { keys++ })
	return keys == n
}

func appendJSONArray(L *lua.LState, dst []byte, t *lua.LTable, n, depth int) []byte {
	dst = append(dst, '[')
	for i := 1; i <= n; i++ {
		if i > 1 {
			dst = append(dst, ',')
		}
		dst = appendJSON(L, dst, t.RawGetInt(i), depth+1)
	}
	return append(dst, ']')
}

func appendJSONObject(L *lua.LState, dst []byte, t *lua.LTable, depth int) []byte {
	dst = append(dst, '{')
	first := true
	t.ForEach(func(key, value lua.LValue) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		switch key.Type() {
		case lua.LTString, lua.LTNumber:
			dst = appendJSONString(dst, key.String())
		default:
			L.RaiseError("Cannot serialise table: table key must be a number or string")
		}
		dst = append(dst, ':')
		dst = appendJSON(L, dst, value, depth+1)
	})
	return append(dst, '}')
}
