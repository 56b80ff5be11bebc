package contracts

import "strings"

// Pointer writes a path as a JSON Pointer (RFC 6901) in URI fragment form:
// "~" and "/" inside a part become "~0" and "~1", and whatever a fragment may
// not hold literally is percent-encoded, byte by byte. Pointer() is "#".
func Pointer(path ...string) string {
	var b strings.Builder
	b.WriteByte('#')
	for _, part := range path {
		b.WriteByte('/')
		writePointerPart(&b, part)
	}
	return b.String()
}

func writePointerPart(b *strings.Builder, part string) {
	const hex = "0123456789ABCDEF"
	for i := range len(part) {
		switch ch := part[i]; {
		case ch == '~':
			b.WriteString("~0")
		case ch == '/':
			b.WriteString("~1")
		case fragmentByte(ch):
			b.WriteByte(ch)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[ch>>4])
			b.WriteByte(hex[ch&15])
		}
	}
}

// fragmentByte reports whether RFC 3986 lets the byte stand in a fragment.
func fragmentByte(ch byte) bool {
	switch {
	case 'a' <= ch && ch <= 'z', 'A' <= ch && ch <= 'Z', '0' <= ch && ch <= '9':
		return true
	}
	return strings.IndexByte("-._!$&'()*+,;=:@?", ch) >= 0
}

// below extends a pointer that is already encoded by one part.
func below(pointer, part string) string {
	var b strings.Builder
	b.WriteString(pointer)
	b.WriteByte('/')
	writePointerPart(&b, part)
	return b.String()
}
