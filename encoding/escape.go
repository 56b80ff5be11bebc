package encoding

import (
	"bytes"
	"fmt"
)

const (
	escape    = 0x00 // opens a pair
	escapeNUL = 0x01 // 00 01 is a NUL of the key
	escapeEnd = 0x00 // 00 00 ends the key
)

// AppendEscaped appends key so that keys sort as they do unescaped whatever
// follows them, also when one is a prefix of another: each 00 becomes 00 01 and
// 00 00 ends the key. The end mark is below every continuation, which is what
// the pair printed in the Todis document (00 00 for a NUL, 00 01 at the end)
// does not give once the mark is appended.
func AppendEscaped(dst, key []byte) []byte {
	for {
		n := bytes.IndexByte(key, escape)
		if n < 0 {
			dst = append(dst, key...)
			return append(dst, escape, escapeEnd)
		}
		dst = append(dst, key[:n]...)
		dst = append(dst, escape, escapeNUL)
		key = key[n+1:]
	}
}

// CutEscaped reads a key written by AppendEscaped and returns what follows it.
// The key aliases src unless it holds a NUL. A missing end mark and an unknown
// pair are ErrCorrupt.
func CutEscaped(src []byte) (key, rest []byte, err error) {
	n := bytes.IndexByte(src, escape)
	if n >= 0 && n+1 < len(src) && src[n+1] == escapeEnd {
		return src[:n:n], src[n+2:], nil
	}
	rest = src
	for n >= 0 && n+1 < len(rest) {
		key = append(key, rest[:n]...)
		pair := rest[n+1]
		rest = rest[n+2:]
		switch pair {
		case escapeEnd:
			return key, rest, nil
		case escapeNUL:
			key = append(key, 0)
		default:
			return nil, nil, fmt.Errorf("%w: escaped key: unknown pair 00 %02x", ErrCorrupt, pair)
		}
		n = bytes.IndexByte(rest, escape)
	}
	return nil, nil, fmt.Errorf("%w: escaped key: no end mark", ErrCorrupt)
}

// PrefixEnd is the smallest key after all keys that start with prefix: the
// upper bound of a scan. It is nil if there is none, which is so for the empty
// prefix and for one of FF bytes only.
func PrefixEnd(prefix []byte) []byte {
	for n := len(prefix) - 1; n >= 0; n-- {
		if prefix[n] != 0xff {
			end := bytes.Clone(prefix[:n+1])
			end[n]++
			return end
		}
	}
	return nil
}
