package command

import (
	"math/bits"
	"strconv"
	"strings"

	"keypact/store"
)

func bitCommands() []*Command {
	const group = "bitmap"
	return []*Command{
		{Name: "SETBIT", Arity: 4, Flags: Write | DenyOOM, Keys: oneKey, Group: group, Since: "2.2.0",
			Summary: "Writes one bit of a string and returns the one before", parse: bitSet},
		{Name: "GETBIT", Arity: 3, Flags: ReadOnly | Fast, Keys: oneKey, Group: group, Since: "2.2.0",
			Summary: "Reads one bit of a string", parse: bitGet},
		{Name: "BITCOUNT", Arity: -2, Flags: ReadOnly, Keys: oneKey, Group: group, Since: "2.6.0",
			Summary: "Counts the bits that are set", parse: bitCount},
		{Name: "BITPOS", Arity: -3, Flags: ReadOnly, Keys: oneKey, Group: group, Since: "2.8.7",
			Summary: "Finds the first bit that is set, or clear", parse: bitPos},
		{Name: "BITOP", Arity: -4, Flags: Write | DenyOOM, Keys: Keys{First: 2, Last: -1, Step: 1}, Group: group, Since: "2.6.0",
			Summary: "Combines strings bit by bit and stores the result", parse: bitOp},
		{Name: "BITFIELD", Arity: -2, Flags: Write | DenyOOM, Keys: oneKey, Group: group, Since: "3.2.0",
			Summary: "Reads and writes integers of any width inside a string", parse: bitField},
		{Name: "BITFIELD_RO", Arity: -2, Flags: ReadOnly | Fast, Keys: oneKey, Group: group, Since: "6.0.0",
			Summary: "Reads integers of any width inside a string", parse: bitField},
	}
}

// errBitOffset is the error of a position that no string reaches.
const errBitOffset = Error("ERR bit offset is not an integer or out of range")

// maxBits is how many bits a string may have in Redis, at 512 MiB. What a value
// may have here is less, and is checked when it grows.
const maxBits = 512 << 20 * 8

// bitOffset takes a position. Behind a number sign it counts fields of a width;
// width 0 allows none.
func (a *Args) bitOffset(width int64) (int64, error) {
	text, times := a.Text(), int64(1)
	if rest, ok := strings.CutPrefix(text, "#"); ok && width > 0 {
		text, times = rest, width
	}
	offset, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(offset, 10) != text || offset < 0 || offset >= maxBits/times {
		return 0, errBitOffset
	}
	return offset * times, nil
}

// bitSet is SETBIT key offset value.
func bitSet(a *Args) (Call, error) {
	key := a.Next()
	offset, err := a.bitOffset(0)
	if err != nil {
		return Call{}, err
	}
	bit, err := a.Int()
	if err != nil || bit != 0 && bit != 1 {
		return Call{}, Error("ERR bit is not an integer or out of range")
	}
	return growing(a.writing(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		part := []byte{0}
		if value := s.Value(); offset/8 < int64(len(value)) {
			part[0] = value[offset/8]
		}
		mask := byte(0x80) >> (offset % 8)
		old := yes(part[0]&mask != 0)
		part[0] &^= mask
		if bit == 1 {
			part[0] |= mask
		}
		return old, s.Overlay(offset/8, part)
	}, key))
}

// bitGet is GETBIT key offset. Behind the end all bits are clear.
func bitGet(a *Args) (Call, error) {
	key := a.Next()
	offset, err := a.bitOffset(0)
	if err != nil {
		return Call{}, err
	}
	return a.reading(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		return Int(bitAt(s.Value(), offset)), nil
	}, key)
}

func bitAt(value []byte, offset int64) uint64 {
	if offset/8 >= int64(len(value)) {
		return 0
	}
	return uint64(value[offset/8]>>(7-offset%8)) & 1
}

// bitRange is a range of bytes, or of bits.
type bitRange struct {
	given, endGiven, inBits bool
	start, end              int64
}

// bitRange takes start and end, of which the end may be left out if open is
// set, and then BYTE or BIT. Nothing is the whole string.
func (a *Args) bitRange(open bool) (r bitRange, err error) {
	r.end = -1
	if !a.More() {
		return r, nil
	}
	r.given = true
	if r.start, err = a.Int(); err != nil {
		return r, err
	}
	if open && !a.More() {
		return r, nil
	}
	r.endGiven = true
	if r.end, err = a.Int(); err != nil {
		return r, err
	}
	if a.More() {
		unit := a.OneOf("BYTE", "BIT")
		if unit == "" {
			return r, errSyntax
		}
		r.inBits = unit == "BIT"
	}
	return r, a.End()
}

// of finds the bits that the range covers of a string, both included.
func (r bitRange) of(value []byte) (from, to int64, ok bool) {
	size := int64(len(value))
	if r.inBits {
		return within(r.start, r.end, size*8)
	}
	from, to, ok = within(r.start, r.end, size)
	return from * 8, to*8 + 7, ok
}

// bitCount is BITCOUNT key [start end [BYTE|BIT]].
func bitCount(a *Args) (Call, error) {
	key := a.Next()
	r, err := a.bitRange(false)
	if err != nil {
		return Call{}, err
	}
	return a.reading(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		from, to, ok := r.of(s.Value())
		if !ok {
			return Int(0), nil
		}
		return Int(countBits(s.Value(), from, to)), nil
	}, key)
}

// countBits counts the bits that are set from one position to another, both
// included and inside the value.
func countBits(value []byte, from, to int64) (n int) {
	first, last := from/8, to/8
	for _, b := range value[first : last+1] {
		n += bits.OnesCount8(b)
	}
	n -= bits.OnesCount8(value[first] & ^(0xff >> (from % 8)))
	return n - bits.OnesCount8(value[last]&(0x7f>>(to%8)))
}
