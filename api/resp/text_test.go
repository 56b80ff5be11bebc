package resp

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readText reads one reply and writes it down:
//
//	OK               a simple string
//	ERR text         an error, with a - before it: -ERR text
//	(7)              an integer
//	"text"           a string, with Go's escapes
//	nil, nil*        no value; no array in RESP2
//	[a, b]           an array; ~[..] a set, >[..] a message, {a: b} a map of RESP3
//	,1.5  #t  =txt   a double, a truth value, a text for a person of RESP3
func readText(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSuffix(line, "\r\n")
	rest := line[1:]
	switch line[0] {
	case '+':
		return rest, nil
	case '-', ',', '#', '(':
		return line, nil
	case ':':
		return "(" + rest + ")", nil
	case '_':
		return "nil", nil
	case '$', '=':
		return readBulk(r, line[0], rest)
	case '*', '~', '>', '%':
		return readList(r, line[0], rest)
	}
	return "", fmt.Errorf("a reply begins with %q", line)
}

func readBulk(r *bufio.Reader, kind byte, length string) (string, error) {
	n, err := strconv.Atoi(length)
	if err != nil {
		return "", err
	}
	if n < 0 {
		return "nil", nil
	}
	body := make([]byte, n+2)
	if _, err := io.ReadFull(r, body); err != nil {
		return "", err
	}
	text := strconv.QuoteToASCII(string(body[:n]))
	if kind == '=' {
		return "=" + text, nil
	}
	return text, nil
}

func readList(r *bufio.Reader, kind byte, length string) (string, error) {
	n, err := strconv.Atoi(length)
	if err != nil {
		return "", err
	}
	if n < 0 {
		return "nil*", nil
	}
	if kind == '%' {
		n *= 2
	}
	items := make([]string, n)
	for i := range items {
		if items[i], err = readText(r); err != nil {
			return "", err
		}
	}
	if kind == '%' {
		pairs := make([]string, n/2)
		for i := range pairs {
			pairs[i] = items[2*i] + ": " + items[2*i+1]
		}
		return "{" + strings.Join(pairs, ", ") + "}", nil
	}
	list := "[" + strings.Join(items, ", ") + "]"
	if kind != '*' {
		list = string(kind) + list
	}
	return list, nil
}
