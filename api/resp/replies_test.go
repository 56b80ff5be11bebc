package resp

import (
	"math"

	"keypact/service/command"
)

// replies are one reply of each type, in the notation of readText.
var replies = []struct {
	reply        command.Reply
	resp2, resp3 string
}{
	{command.OK, "OK", "OK"},
	{command.Error("ERR no"), "-ERR no", "-ERR no"},
	{command.Int(-7), "(-7)", "(-7)"},
	{command.Bulk("a\r\nb"), `"a\r\nb"`, `"a\r\nb"`},
	{command.Bulk{}, `""`, `""`},
	{command.Text("t"), `"t"`, `"t"`},
	{command.Null{}, "nil", "nil"},
	{command.NullArray{}, "nil*", "nil"},
	{command.Array{command.Int(1), command.Array{}}, "[(1), []]", "[(1), []]"},
	{command.Map{command.Text("a"), command.Int(1)}, `["a", (1)]`, `{"a": (1)}`},
	{command.Set{command.Text("a")}, `["a"]`, `~["a"]`},
	{command.Push{command.Text("message")}, `["message"]`, `>["message"]`},
	{command.Double(1.5), `"1.5"`, ",1.5"},
	{command.Double(math.Inf(-1)), `"-inf"`, ",-inf"},
	{command.Double(1e20), `"1e+20"`, ",1e+20"},
	{command.Double(12345678901234567), `"12345678901234568"`, ",12345678901234568"},
	{command.Double(0.00001), `"1.0000000000000001e-05"`, ",1.0000000000000001e-05"},
	{command.Bool(true), "(1)", "#t"},
	{command.Bool(false), "(0)", "#f"},
	{command.Verbatim("hi"), `"hi"`, `="txt:hi"`},
	{
		command.Array{command.Pair{command.Text("m"), command.Double(2)}, command.Pair{command.Text("n"), command.Double(3)}},
		`["m", "2", "n", "3"]`, `[["m", ,2], ["n", ,3]]`,
	},
}
