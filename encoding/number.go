package encoding

import (
	"encoding/binary"
	"fmt"
	"math"
)

// MaxTime is the last time a record can hold: milliseconds since the epoch in
// 48 bits, in the year 10889.
const MaxTime = 1<<48 - 1

// AppendFloat appends f in 8 bytes whose order is the order of the numbers:
// big-endian IEEE 754 with the sign bit of positive numbers and all bits of
// negative ones flipped. -0 is stored as +0. NaN has no place in the order and
// never belongs here: what it leaves behind is refused by CutFloat.
func AppendFloat(dst []byte, f float64) []byte {
	bits := math.Float64bits(f)
	if f == 0 {
		bits = 0 // of -0 too
	}
	if bits>>63 == 0 {
		bits |= 1 << 63
	} else {
		bits = ^bits
	}
	return binary.BigEndian.AppendUint64(dst, bits)
}

// CutFloat reads a number written by AppendFloat and returns what follows it.
// Fewer than 8 bytes, NaN and -0 are ErrCorrupt.
func CutFloat(src []byte) (f float64, rest []byte, err error) {
	if len(src) < 8 {
		return 0, nil, fmt.Errorf("%w: float: short", ErrCorrupt)
	}
	bits := binary.BigEndian.Uint64(src)
	if bits>>63 == 1 {
		bits &^= 1 << 63
	} else {
		bits = ^bits
	}
	f = math.Float64frombits(bits)
	if f != f || f == 0 && bits != 0 {
		return 0, nil, fmt.Errorf("%w: float: NaN or -0", ErrCorrupt)
	}
	return f, src[8:], nil
}

// CutIndex reads the u64 BE that closes a list key or a tree key and returns
// what follows it. Fewer than 8 bytes are ErrCorrupt.
func CutIndex(src []byte) (index uint64, rest []byte, err error) {
	if len(src) < 8 {
		return 0, nil, fmt.Errorf("%w: index: short", ErrCorrupt)
	}
	return binary.BigEndian.Uint64(src), src[8:], nil
}

// appendTime appends milliseconds since the epoch as u48, little-endian.
func appendTime(dst []byte, ms int64) []byte {
	ms = clampTime(ms)
	return append(dst, byte(ms), byte(ms>>8), byte(ms>>16), byte(ms>>24), byte(ms>>32), byte(ms>>40))
}

// clampTime keeps a time inside the 48 bits.
func clampTime(ms int64) int64 {
	return min(max(ms, 0), MaxTime)
}

// clampExpiry keeps an expiry inside the 48 bits. Zero says that there is none,
// so a time before the epoch becomes the first millisecond after it.
func clampExpiry(ms int64) int64 {
	if ms == 0 {
		return 0
	}
	return min(max(ms, 1), MaxTime)
}

// appendBlock appends a length and the bytes.
func appendBlock(dst, b []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	return append(dst, b...)
}
