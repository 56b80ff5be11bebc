package encoding

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrCorrupt says that bytes are no record of this format: short, longer than
// the record, an unknown flag or type, or a spelling no encoder writes. Every
// decoder wraps it with the record and the field at fault.
var ErrCorrupt = errors.New("encoding: corrupt record")

// cursor reads a record from front to back. The first fault sticks and empties
// the rest, so a decoder reads all of its fields and asks once, at the end.
type cursor struct {
	rest  []byte
	fault string
}

func (c *cursor) fail(fault string) {
	if c.fault == "" {
		c.fault = fault
	}
	c.rest = nil
}

// err reports the fault, if any, of the record named.
func (c *cursor) err(record string) error {
	if c.fault == "" {
		return nil
	}
	return fmt.Errorf("%w: %s: %s", ErrCorrupt, record, c.fault)
}

// end is err, and bytes left over are a fault too.
func (c *cursor) end(record string) error {
	if len(c.rest) > 0 {
		c.fail("trailing bytes")
	}
	return c.err(record)
}

// take cuts n bytes; the result has no spare capacity, so that a caller's
// append cannot reach into the record.
func (c *cursor) take(n uint64, field string) []byte {
	if c.fault != "" || n > uint64(len(c.rest)) {
		c.fail(field)
		return nil
	}
	b := c.rest[:n:n]
	c.rest = c.rest[n:]
	return b
}

// tail takes all that is left. It is never nil unless the record is at fault.
func (c *cursor) tail() []byte {
	return c.take(uint64(len(c.rest)), "value")
}

func (c *cursor) u8(field string) byte {
	if b := c.take(1, field); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u16(field string) uint16 {
	if b := c.take(2, field); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32(field string) uint32 {
	if b := c.take(4, field); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u32BE(field string) uint32 {
	if b := c.take(4, field); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64(field string) uint64 {
	if b := c.take(8, field); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (c *cursor) u64BE(field string) uint64 {
	if b := c.take(8, field); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// uvarint refuses the longer spellings of a number, so that equal records have
// equal bytes.
func (c *cursor) uvarint(field string) uint64 {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 || n > 1 && c.rest[n-1] == 0 {
		c.fail(field)
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

// nonzero is a uvarint behind a flag: zero is written by leaving the field out.
func (c *cursor) nonzero(field string) uint64 {
	v := c.uvarint(field)
	if v == 0 {
		c.fail(field)
	}
	return v
}

// time reads milliseconds since the epoch, u48.
func (c *cursor) time(field string) int64 {
	b := c.take(6, field)
	if b == nil {
		return 0
	}
	low := binary.LittleEndian.Uint32(b)
	high := binary.LittleEndian.Uint16(b[4:])
	return int64(high)<<32 | int64(low)
}

// expiry is a time behind a flag.
func (c *cursor) expiry(field string) int64 {
	ms := c.time(field)
	if ms == 0 {
		c.fail(field)
	}
	return ms
}

// block reads a length and that many bytes.
func (c *cursor) block(field string) []byte {
	return c.take(c.uvarint(field), field)
}

// float reads an ordered float.
func (c *cursor) float(field string) float64 {
	f, rest, err := CutFloat(c.rest)
	if err != nil {
		c.fail(field)
		return 0
	}
	c.rest = rest
	return f
}

// escaped reads an escaped key.
func (c *cursor) escaped(field string) []byte {
	key, rest, err := CutEscaped(c.rest)
	if err != nil {
		c.fail(field)
		return nil
	}
	c.rest = rest
	return key
}

// family expects the key's first byte.
func (c *cursor) family(want Family) {
	if f := c.u8("family"); Family(f) != want {
		c.fail("family")
	}
}

// flags reads a flags byte of which only the known bits may be set.
func (c *cursor) flags(known byte) byte {
	flags := c.u8("flags")
	if flags&^known != 0 {
		c.fail("unknown flag")
	}
	return flags
}

// typ reads the type of a key.
func (c *cursor) typ() Type {
	t := Type(c.u8("type"))
	if !t.Valid() {
		c.fail("type")
	}
	return t
}
