package resp

import "strconv"

// splitLine parts an inline command into words. A word may be quoted: between
// double quotes \n, \r, \t, \b, \a and \xHH stand for bytes, and \ takes any
// other byte as it is; between single quotes \' is a quote. A closing quote
// must end its word. ok is false if quotes are not balanced.
func splitLine(line []byte) (words [][]byte, ok bool) {
	for {
		for len(line) > 0 && blank(line[0]) {
			line = line[1:]
		}
		if len(line) == 0 {
			return words, true
		}
		word, rest, ok := cutWord(line)
		if !ok {
			return nil, false
		}
		words, line = append(words, word), rest
	}
}

func blank(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' || b == 0 }

// cutWord takes the first word off a line.
func cutWord(line []byte) (word, rest []byte, ok bool) {
	word = []byte{}
	for len(line) > 0 && !blank(line[0]) {
		switch quote := line[0]; quote {
		case '"', '\'':
			var inside []byte
			if inside, line, ok = cutQuoted(line[1:], quote); !ok || len(line) > 0 && !blank(line[0]) {
				return nil, nil, false
			}
			return append(word, inside...), line, true
		default:
			word, line = append(word, quote), line[1:]
		}
	}
	return word, line, true
}

// cutQuoted takes what stands before the closing quote.
func cutQuoted(line []byte, quote byte) (inside, rest []byte, ok bool) {
	for len(line) > 0 {
		switch {
		case line[0] == quote:
			return inside, line[1:], true
		case line[0] == '\\' && len(line) > 1:
			b, n := unescape(line, quote)
			inside, line = append(inside, b...), line[n:]
		default:
			inside, line = append(inside, line[0]), line[1:]
		}
	}
	return nil, nil, false
}

// unescape reads a backslash and what belongs to it, n bytes.
func unescape(line []byte, quote byte) (b []byte, n int) {
	if quote == '\'' {
		if line[1] == '\'' {
			return []byte{'\''}, 2
		}
		return []byte{'\\'}, 1
	}
	if line[1] == 'x' && len(line) > 3 {
		if value, err := strconv.ParseUint(string(line[2:4]), 16, 8); err == nil {
			return []byte{byte(value)}, 4
		}
	}
	if short, ok := escapes[line[1]]; ok {
		return []byte{short}, 2
	}
	return []byte{line[1]}, 2
}

var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'a': '\a'}
