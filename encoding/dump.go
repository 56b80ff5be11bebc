package encoding

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc64"
)

// DumpVersion is the first byte of every dump that AppendDump writes.
const DumpVersion = 1

// ErrNoDump says that bytes are no dump of a version that this program reads,
// or that they are damaged.
var ErrNoDump = fmt.Errorf("%w: dump: version or checksum", ErrCorrupt)

// dumpTable is that of CRC-64/XZ, the polynomial of ECMA-182.
var dumpTable = crc64.MakeTable(crc64.ECMA)

// Dump is one value of any type by itself, as DUMP gives it away and RESTORE
// takes it.
type Dump struct {
	Type      Type
	MediaType string        // of a string
	Value     []byte        // of a string
	Elements  []DumpElement // of all else; at least one, and in the order of their names if they have any
}

// DumpElement is a hash's field and value, a list's value, a set's member, or a
// sorted set's member and score, f64 as its value.
type DumpElement struct{ Name, Value []byte }

// AppendDump appends d with its checksum.
func AppendDump(dst []byte, d *Dump) []byte {
	start := len(dst)
	dst = append(dst, DumpVersion, byte(d.Type))
	if d.Type == TypeString {
		dst = appendBlock(dst, []byte(d.MediaType))
		dst = appendBlock(dst, d.Value)
	} else {
		dst = binary.AppendUvarint(dst, uint64(len(d.Elements)))
		for _, e := range d.Elements {
			dst = e.appendTo(dst, d.Type)
		}
	}
	return binary.LittleEndian.AppendUint64(dst, crc64.Checksum(dst[start:], dumpTable))
}

func (e DumpElement) appendTo(dst []byte, t Type) []byte {
	if t != TypeList {
		dst = appendBlock(dst, e.Name)
	}
	switch t {
	case TypeHash, TypeList:
		return appendBlock(dst, e.Value)
	case TypeZSet:
		return append(dst, e.Value...)
	}
	return dst
}

// ParseDump reads src into d, whose parts alias src. Another version and a wrong
// checksum are ErrNoDump; a sound checksum over what AppendDump does not write
// is another ErrCorrupt.
func ParseDump(src []byte, d *Dump) error {
	const sum = 8
	if len(src) < sum+1 || src[0] != DumpVersion {
		return ErrNoDump
	}
	body := src[:len(src)-sum]
	if binary.LittleEndian.Uint64(src[len(body):]) != crc64.Checksum(body, dumpTable) {
		return ErrNoDump
	}
	c := cursor{rest: body[1:]}
	*d = Dump{Type: c.typ()}
	if d.Type == TypeString {
		d.MediaType, d.Value = string(c.block("media type")), c.block("value")
		return c.end("dump")
	}
	count := c.nonzero("count")
	d.Elements = make([]DumpElement, 0, min(count, uint64(len(c.rest))))
	for ; count > 0 && c.fault == ""; count-- {
		d.Elements = append(d.Elements, c.dumped(d))
	}
	return c.end("dump")
}

// dumped reads one element. Names rise, so that none comes twice.
func (c *cursor) dumped(d *Dump) (e DumpElement) {
	if d.Type != TypeList {
		e.Name = c.block("name")
		if n := len(d.Elements); n > 0 && bytes.Compare(d.Elements[n-1].Name, e.Name) >= 0 {
			c.fail("name out of order")
		}
	}
	switch d.Type {
	case TypeHash, TypeList:
		e.Value = c.block("value")
	case TypeZSet:
		e.Value = c.take(8, "score")
		if c.fault == "" {
			if _, _, err := CutFloat(e.Value); err != nil {
				c.fail("score")
			}
		}
	}
	return e
}
