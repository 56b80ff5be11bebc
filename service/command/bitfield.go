package command

import (
	"math"
	"strconv"

	"keypact/store"
)

// overflow is what becomes of a number that its field cannot hold.
type overflow int

const (
	wrap     overflow = iota // it loses its upper bits
	saturate                 // it becomes the number nearest to it
	refuse                   // nothing is written
)

// bitIntegerOp is one of GET, SET and INCRBY inside BITFIELD.
type bitIntegerOp struct {
	what   string
	field  bitInteger
	offset int64
	number int64 // of SET and INCRBY
	over   overflow
}

// bitField is BITFIELD key [GET type offset | [OVERFLOW WRAP|SAT|FAIL]
// SET type offset value | INCRBY type offset number ...], and BITFIELD_RO, which
// knows only GET. Without a write it counts as the latter for contracts.
func bitField(a *Args) (Call, error) {
	key := a.Next()
	ops, end, err := parseBitField(a)
	if err != nil {
		return Call{}, err
	}
	if end == 0 {
		return done(&act{calls: []store.Call{look("BITFIELD_RO", key)}, apply: func(tx *store.Tx) (Reply, error) {
			s, err := tx.String(key)
			if err != nil {
				return nil, err
			}
			return runBitField(s.Value(), ops), nil
		}})
	}
	if a.name == "BITFIELD_RO" {
		return Call{}, Error("ERR BITFIELD_RO only supports the GET subcommand")
	}
	return a.writing(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		if end > int64(tx.Limits().ValueBytes) {
			return nil, fail(errStringSize)
		}
		value := make([]byte, max(int64(len(s.Value())), end))
		copy(value, s.Value())
		out := runBitField(value, ops)
		return out, s.Edit(value)
	}, key)
}

// parseBitField reads the operations. end is how long the string must be for
// those that write; 0 if none does.
func parseBitField(a *Args) (ops []bitIntegerOp, end int64, err error) {
	over := wrap
	for a.More() {
		what := a.OneOf("GET", "SET", "INCRBY", "OVERFLOW")
		if what == "OVERFLOW" && a.More() {
			if over, err = a.overflow(); err != nil {
				return nil, 0, err
			}
			continue
		}
		words := map[string]int{"GET": 2, "SET": 3, "INCRBY": 3}[what]
		if words == 0 || a.Len() < words {
			return nil, 0, errSyntax
		}
		op := bitIntegerOp{what: what, over: over}
		if op.field, err = a.bitInteger(); err != nil {
			return nil, 0, err
		}
		if op.offset, err = a.bitOffset(int64(op.field.width)); err != nil {
			return nil, 0, err
		}
		if what != "GET" {
			if op.number, err = a.Int(); err != nil {
				return nil, 0, err
			}
			end = max(end, (op.offset+int64(op.field.width)+7)/8)
		}
		ops = append(ops, op)
	}
	return ops, end, nil
}

func (a *Args) overflow() (overflow, error) {
	switch a.OneOf("WRAP", "SAT", "FAIL") {
	case "WRAP":
		return wrap, nil
	case "SAT":
		return saturate, nil
	case "FAIL":
		return refuse, nil
	}
	return wrap, Error("ERR Invalid OVERFLOW type specified")
}

// runBitField does the operations, in order, on a string that is long enough
// for those that write; it changes the string.
func runBitField(value []byte, ops []bitIntegerOp) Reply {
	out := make(Array, len(ops))
	for i, op := range ops {
		out[i] = op.run(value)
	}
	return out
}

func (op bitIntegerOp) run(value []byte) Reply {
	old := op.field.read(value, op.offset)
	var number int64
	var fits bool
	switch op.what {
	case "GET":
		return Int(old)
	case "SET":
		number, fits = op.field.sum(op.number, 0, op.over)
	default:
		number, fits = op.field.sum(old, op.number, op.over)
	}
	if !fits && op.over == refuse {
		return Null{}
	}
	op.field.write(value, op.offset, number)
	if op.what == "SET" {
		return Int(old)
	}
	return Int(number)
}

// bitInteger is a type of integers: i1 to i64, u1 to u63.
type bitInteger struct {
	signed bool
	width  int // in bits
}

func (a *Args) bitInteger() (bitInteger, error) {
	const invalid = Error("ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.")
	text := a.Text()
	if text == "" || text[0] != 'i' && text[0] != 'u' {
		return bitInteger{}, invalid
	}
	t := bitInteger{signed: text[0] == 'i'}
	width, err := strconv.Atoi(text[1:])
	if err != nil || strconv.Itoa(width) != text[1:] || width < 1 || width > 64 || width == 64 && !t.signed {
		return bitInteger{}, invalid
	}
	t.width = width
	return t, nil
}

// read reads the number at a position; behind the end all bits are clear.
func (t bitInteger) read(value []byte, offset int64) int64 {
	var raw uint64
	for i := range int64(t.width) {
		raw = raw<<1 | bitAt(value, offset+i)
	}
	return t.cut(raw)
}

// write writes the number's lower bits at a position inside the value.
func (t bitInteger) write(value []byte, offset, number int64) {
	for i := range int64(t.width) {
		at := offset + i
		mask := byte(0x80) >> (at % 8)
		value[at/8] &^= mask
		if number>>(int64(t.width)-1-i)&1 == 1 {
			value[at/8] |= mask
		}
	}
}

// cut keeps the lower bits and makes a number of them.
func (t bitInteger) cut(raw uint64) int64 {
	unused := 64 - t.width
	if t.signed {
		return int64(raw<<unused) >> unused
	}
	return int64(raw << unused >> unused)
}

// limits are the least and the greatest number of the type.
func (t bitInteger) limits() (least, most int64) {
	if t.signed {
		return math.MinInt64 >> (64 - t.width), math.MaxInt64 >> (64 - t.width)
	}
	return 0, math.MaxInt64 >> (63 - t.width)
}

// sum adds. If the type cannot hold the result, fits is false and the result is
// what over makes of it. A negative number given to an unsigned type counts as
// a very great one, as in Redis.
func (t bitInteger) sum(number, by int64, over overflow) (result int64, fits bool) {
	least, most := t.limits()
	sum := number + by
	above := by > 0 && sum < number || !(by < 0 && sum > number) && sum > most
	if !t.signed && number < 0 {
		above = true
	}
	below := !above && (by < 0 && sum > number || sum < least)
	switch {
	case !above && !below:
		return sum, true
	case over == saturate && above:
		return most, false
	case over == saturate:
		return least, false
	}
	return t.cut(uint64(sum)), false
}
