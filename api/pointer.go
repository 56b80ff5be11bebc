package api

import (
	"strings"
	"unicode"
)

// maxName is how much of a name that a client made up is said back to it, in
// bytes.
const maxName = 128

// appendPointer adds the reference tokens of a path to a JSON Pointer in its
// URI fragment form (RFC 6901, section 6): ~ and / are ~0 and ~1, and whatever
// may not stand in a fragment is percent-encoded, bytes that are not UTF-8
// included.
func appendPointer(dst []byte, path ...string) []byte {
	for _, token := range path {
		dst = append(dst, '/')
		for i := range len(token) {
			switch c := token[i]; {
			case c == '~':
				dst = append(dst, '~', '0')
			case c == '/':
				dst = append(dst, '~', '1')
			case inFragment(c):
				dst = append(dst, c)
			default:
				const digits = "0123456789ABCDEF"
				dst = append(dst, '%', digits[c>>4], digits[c&15])
			}
		}
	}
	return dst
}

// pointerTo is the pointer of a path from the root of the body.
func pointerTo(path ...string) string { return string(appendPointer([]byte{'#'}, path...)) }

// inFragment reports whether a byte may stand in a URI fragment as it is
// (RFC 3986, section 3.5), % excepted.
func inFragment(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("-._~!$&'()*+,;=:@?", c) >= 0
}

// printable makes a name that came from outside fit for an answer: short, and
// UTF-8 without control characters.
func printable(name string) string {
	if len(name) > maxName {
		name = name[:maxName] + "..."
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(name, "?"))
}
