package encoding

import (
	"encoding/binary"
	"math"
)

// flags says which optional fields m has.
func (m *Meta) flags() uint64 {
	var flags uint64
	for _, f := range [...]struct {
		bit     uint64
		present bool
	}{
		{metaExpires, m.Expires != 0},
		{metaBytes, m.Bytes != 0},
		{metaMediaType, m.MediaType != ""},
		{metaContract, m.ContractID != 0},
		{metaConformant, m.Conformant},
		{metaFieldExpires, m.FieldExpires != 0},
		{metaHome, m.HasHome || m.Home != nil},
		{metaTreeRoot, m.TreeRoot != 0},
		{metaLowWater, len(m.LowWater) != 0},
		{metaUneven, m.Uneven != 0},
		{metaStride, m.Stride != 0},
		{metaHighWater, len(m.HighWater) != 0},
	} {
		if f.present {
			flags |= f.bit
		}
	}
	return flags
}

// appendOptional appends the fields that flags names, in the order of the bits.
func (m *Meta) appendOptional(dst []byte, flags uint64) []byte {
	if flags&metaExpires != 0 {
		dst = appendTime(dst, clampExpiry(m.Expires))
	}
	if flags&metaBytes != 0 {
		dst = binary.AppendUvarint(dst, m.Bytes)
	}
	if flags&metaMediaType != 0 {
		dst = binary.AppendUvarint(dst, uint64(len(m.MediaType)))
		dst = append(dst, m.MediaType...)
	}
	if flags&metaContract != 0 {
		dst = binary.AppendUvarint(dst, uint64(m.ContractID))
		dst = binary.AppendUvarint(dst, m.ContractRevision)
	}
	if flags&metaFieldExpires != 0 {
		dst = appendTime(dst, clampExpiry(m.FieldExpires))
	}
	if flags&metaHome != 0 {
		dst = appendBlock(dst, m.Home)
	}
	if flags&metaTreeRoot != 0 {
		dst = binary.AppendUvarint(dst, m.TreeRoot)
	}
	if flags&metaLowWater != 0 {
		dst = appendBlock(dst, m.LowWater)
	}
	if flags&metaUneven != 0 {
		dst = binary.AppendUvarint(dst, m.Uneven)
	}
	if flags&metaStride != 0 {
		dst = binary.AppendUvarint(dst, m.Stride)
	}
	if flags&metaHighWater != 0 {
		dst = appendBlock(dst, m.HighWater)
	}
	return dst
}

// parseOptional reads the fields that flags names.
func (m *Meta) parseOptional(c *cursor, flags uint64) {
	if flags&metaExpires != 0 {
		m.Expires = c.expiry("expiry time")
	}
	if flags&metaBytes != 0 {
		m.Bytes = c.nonzero("byte size")
	}
	if flags&metaMediaType != 0 {
		m.MediaType = string(c.filled("media type"))
	}
	if flags&metaContract != 0 {
		m.ContractID = c.id("contract id")
		m.ContractRevision = c.uvarint("contract revision")
	}
	m.Conformant = flags&metaConformant != 0
	if flags&metaFieldExpires != 0 {
		m.FieldExpires = c.expiry("least field expiry")
	}
	if flags&metaHome != 0 {
		m.HasHome = true
		m.Home = c.block("home key")
	}
	if flags&metaTreeRoot != 0 {
		m.TreeRoot = c.nonzero("tree root")
	}
	if flags&metaLowWater != 0 {
		m.LowWater = c.filled("low-water mark")
	}
	if flags&metaUneven != 0 {
		m.Uneven = c.nonzero("uneven")
	}
	if flags&metaStride != 0 {
		m.Stride = c.nonzero("stride")
	}
	if flags&metaHighWater != 0 {
		m.HighWater = c.filled("high-water mark")
	}
}

// filled is a block behind a flag: the empty one is written by leaving it out.
func (c *cursor) filled(field string) []byte {
	b := c.block(field)
	if len(b) == 0 {
		c.fail(field)
	}
	return b
}

// id is a u32 behind a flag.
func (c *cursor) id(field string) uint32 {
	v := c.nonzero(field)
	if v > math.MaxUint32 {
		c.fail(field)
		return 0
	}
	return uint32(v)
}
