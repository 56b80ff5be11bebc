package command

import (
	"math"
	"strconv"
)

// Reply is what a command answers: one of the types below, which are those of
// RESP3 (github.com/redis/redis-specifications, protocol/RESP3.md). Doors
// render them; what RESP2 lacks becomes what Redis sends there instead.
type Reply interface{ reply() }

// The types of replies.
type (
	Status    string   // a simple string, such as OK
	Error     string   // an error: its code and a text, such as "ERR syntax error"
	Int       int64    // an integer
	Bulk      []byte   // any bytes; never nil
	Text      string   // any bytes, for what the program says itself
	Null      struct{} // no value
	NullArray struct{} // no array; RESP3 has but one null
	Array     []Reply  // values in order
	Map       []Reply  // names and values in turn; a flat array in RESP2
	Set       []Reply  // values without an order; an array in RESP2
	Push      []Reply  // what was not asked for; an array in RESP2
	Double    float64  // a floating-point number; text in RESP2
	Bool      bool     // a truth value; 1 or 0 in RESP2
	Verbatim  string   // text for a person; plain text in RESP2
	Pair      [2]Reply // an element with its score: an array of two in RESP3, two values of the array around it in RESP2
)

func (Status) reply()    {}
func (Error) reply()     {}
func (Int) reply()       {}
func (Bulk) reply()      {}
func (Text) reply()      {}
func (Null) reply()      {}
func (NullArray) reply() {}
func (Array) reply()     {}
func (Map) reply()       {}
func (Set) reply()       {}
func (Push) reply()      {}
func (Double) reply()    {}
func (Bool) reply()      {}
func (Verbatim) reply()  {}
func (Pair) reply()      {}

// Error is the text of the error.
func (e Error) Error() string { return string(e) }

// OK is the reply of a command that has nothing else to say.
const OK = Status("OK")

// bulk makes a value a reply; nil is Null.
func bulk(value []byte) Reply {
	if value == nil {
		return Null{}
	}
	return Bulk(value)
}

// bulks makes a list of values an array; nil values are Null.
func bulks[B ~[]byte](values []B) Array {
	out := make(Array, len(values))
	for i, value := range values {
		out[i] = bulk(value)
	}
	return out
}

// yes is 1 or 0, as commands answer a question.
func yes(b bool) Int {
	if b {
		return 1
	}
	return 0
}

// FormatDouble writes a number as Redis 7.0 does, like C's %.17g: 17 digits that
// count, without zeros at the end, and an exponent below 1e-4 and from 1e17 on;
// infinities are inf and -inf, and minus zero is -0.
func FormatDouble(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	return strconv.FormatFloat(f, 'g', 17, 64)
}

// Flatten lays the pairs among values out as RESP2 has them, one value after
// the other.
func Flatten(values []Reply) []Reply {
	pairs := 0
	for _, value := range values {
		if _, ok := value.(Pair); ok {
			pairs++
		}
	}
	if pairs == 0 {
		return values
	}
	out := make([]Reply, 0, len(values)+pairs)
	for _, value := range values {
		if p, ok := value.(Pair); ok {
			out = append(out, p[0], p[1])
			continue
		}
		out = append(out, value)
	}
	return out
}
