package command

import (
	"fmt"
	"math"
	"math/bits"

	lua "github.com/yuin/gopher-lua"
)

// bitLibrary is Mike Pall's Lua BitOp as far as Redis has it: operations on 32
// bits whose results are signed (bitop.luajit.org/semantics.html).
var bitLibrary = map[string]lua.LGFunction{
	"tobit":   func(L *lua.LState) int { return pushBits(L, toBits(L, 1)) },
	"bnot":    func(L *lua.LState) int { return pushBits(L, ^toBits(L, 1)) },
	"bswap":   func(L *lua.LState) int { return pushBits(L, bits.ReverseBytes32(toBits(L, 1))) },
	"band":    foldBits(func(a, b uint32) uint32 { return a & b }),
	"bor":     foldBits(func(a, b uint32) uint32 { return a | b }),
	"bxor":    foldBits(func(a, b uint32) uint32 { return a ^ b }),
	"lshift":  shiftBits(func(a uint32, n int) uint32 { return a << n }),
	"rshift":  shiftBits(func(a uint32, n int) uint32 { return a >> n }),
	"arshift": shiftBits(func(a uint32, n int) uint32 { return uint32(int32(a) >> n) }),
	"rol":     shiftBits(bits.RotateLeft32),
	"ror":     shiftBits(func(a uint32, n int) uint32 { return bits.RotateLeft32(a, -n) }),
	"tohex":   bitHex,
}

// toBits takes an argument modulo 2^32, rounded to the nearest integer.
func toBits(L *lua.LState, i int) uint32 {
	f := math.RoundToEven(float64(L.CheckNumber(i)))
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return uint32(int64(math.Mod(f, 1<<32)))
}

func pushBits(L *lua.LState, b uint32) int {
	L.Push(lua.LNumber(int32(b)))
	return 1
}

func foldBits(op func(a, b uint32) uint32) lua.LGFunction {
	return func(L *lua.LState) int {
		b := toBits(L, 1)
		for i := 2; i <= L.GetTop(); i++ {
			b = op(b, toBits(L, i))
		}
		return pushBits(L, b)
	}
}

func shiftBits(op func(a uint32, n int) uint32) lua.LGFunction {
	return func(L *lua.LState) int { return pushBits(L, op(toBits(L, 1), int(toBits(L, 2)&31))) }
}

// bitHex is bit.tohex(x [, digits]); negative digits are capitals.
func bitHex(L *lua.LState) int {
	b, digits, format := toBits(L, 1), L.OptInt(2, 8), "%08x"
	if digits < 0 {
		digits, format = -digits, "%08X"
	}
	L.Push(lua.LString(fmt.Sprintf(format, b)[8-min(max(digits, 0), 8):]))
	return 1
}
