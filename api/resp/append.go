package resp

import (
	"math"
	"strconv"

	"keypact/service/command"
)

// Append renders a reply for a client of RESP version 2 or 3.
func Append(dst []byte, r command.Reply, proto int) []byte {
	if proto == 3 {
		return append3(dst, r)
	}
	return append2(dst, r)
}

// append2 renders a reply in RESP2, which has strings, errors, integers and
// arrays only.
func append2(dst []byte, r command.Reply) []byte {
	switch r := r.(type) {
	case command.Null:
		return append(dst, "$-1\r\n"...)
	case command.NullArray:
		return append(dst, "*-1\r\n"...)
	case command.Array:
		return appendList(dst, '*', command.Flatten(r), append2)
	case command.Map:
		return appendList(dst, '*', r, append2)
	case command.Set:
		return appendList(dst, '*', r, append2)
	case command.Push:
		return appendList(dst, '*', r, append2)
	case command.Pair:
		return appendList(dst, '*', r[:], append2)
	case command.Double:
		return appendText(dst, command.FormatDouble(float64(r)))
	case command.Bool:
		if r {
			return append(dst, ":1\r\n"...)
		}
		return append(dst, ":0\r\n"...)
	case command.Verbatim:
		return appendText(dst, string(r))
	}
	return appendCommon(dst, r)
}

// append3 renders a reply in RESP3.
func append3(dst []byte, r command.Reply) []byte {
	switch r := r.(type) {
	case command.Null, command.NullArray:
		return append(dst, "_\r\n"...)
	case command.Array:
		return appendList(dst, '*', r, append3)
	case command.Map:
		dst = appendHead(dst, '%', len(r)/2)
		for _, value := range r {
			dst = append3(dst, value)
		}
		return dst
	case command.Set:
		return appendList(dst, '~', r, append3)
	case command.Push:
		return appendList(dst, '>', r, append3)
	case command.Pair:
		return appendList(dst, '*', r[:], append3)
	case command.Double:
		return appendDouble(dst, float64(r))
	case command.Bool:
		if r {
			return append(dst, "#t\r\n"...)
		}
		return append(dst, "#f\r\n"...)
	case command.Verbatim:
		dst = appendHead(dst, '=', len(r)+len("txt:"))
		dst = append(append(dst, "txt:"...), r...)
		return append(dst, "\r\n"...)
	}
	return appendCommon(dst, r)
}

// appendCommon renders what both versions have.
func appendCommon(dst []byte, r command.Reply) []byte {
	switch r := r.(type) {
	case command.Status:
		dst = append(append(dst, '+'), r...)
		return append(dst, "\r\n"...)
	case command.Error:
		dst = append(append(dst, '-'), r...)
		return append(dst, "\r\n"...)
	case command.Int:
		dst = strconv.AppendInt(append(dst, ':'), int64(r), 10)
		return append(dst, "\r\n"...)
	case command.Bulk:
		dst = appendHead(dst, '$', len(r))
		return append(append(dst, r...), "\r\n"...)
	case command.Text:
		return appendText(dst, string(r))
	}
	return append(dst, "-ERR the reply cannot be rendered\r\n"...)
}

func appendText(dst []byte, text string) []byte {
	dst = appendHead(dst, '$', len(text))
	return append(append(dst, text...), "\r\n"...)
}

func appendHead(dst []byte, kind byte, n int) []byte {
	dst = strconv.AppendInt(append(dst, kind), int64(n), 10)
	return append(dst, "\r\n"...)
}

func appendList(dst []byte, kind byte, list []command.Reply, one func([]byte, command.Reply) []byte) []byte {
	dst = appendHead(dst, kind, len(list))
	for _, r := range list {
		dst = one(dst, r)
	}
	return dst
}

func appendDouble(dst []byte, f float64) []byte {
	dst = append(dst, ',')
	switch {
	case math.IsNaN(f):
		dst = append(dst, "nan"...)
	default:
		dst = append(dst, command.FormatDouble(f)...)
	}
	return append(dst, "\r\n"...)
}
