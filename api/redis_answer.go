package api

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"keypact/service/command"
)

// appendOutcome writes the reply to one command: {"result": ..}, or
// {"error": ".."} for an error.
func appendOutcome(dst []byte, r command.Reply, encoded bool) []byte {
	if failed, ok := r.(command.Error); ok {
		dst = append(dst, `{"error":`...)
		return append(appendString(dst, string(failed), false), '}')
	}
	dst = append(dst, `{"result":`...)
	if status, ok := r.(command.Status); ok && status == command.OK {
		encoded = false
	}
	return append(appendValue(dst, r, encoded), '}')
}

// appendOutcomes writes a list of replies.
func appendOutcomes(dst []byte, replies []command.Reply, encoded bool) []byte {
	dst = append(dst, '[')
	for i, r := range replies {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendOutcome(dst, r, encoded)
	}
	return append(dst, ']')
}

// appendValue writes a reply as RESP2 has it: maps and sets are flat arrays,
// doubles are strings.
func appendValue(dst []byte, r command.Reply, encoded bool) []byte {
	switch r := r.(type) {
	case command.Int:
		return strconv.AppendInt(dst, int64(r), 10)
	case command.Bool:
		if r {
			return append(dst, '1')
		}
		return append(dst, '0')
	case command.Status:
		return appendString(dst, string(r), encoded)
	case command.Error:
		return appendString(dst, string(r), false)
	case command.Bulk:
		return appendString(dst, string(r), encoded)
	case command.Text:
		return appendString(dst, string(r), encoded)
	case command.Verbatim:
		return appendString(dst, string(r), encoded)
	case command.Double:
		return appendString(dst, command.FormatDouble(float64(r)), encoded)
	case command.Array:
		return appendList(dst, command.Flatten(r), encoded)
	case command.Map:
		return appendList(dst, r, encoded)
	case command.Set:
		return appendList(dst, r, encoded)
	case command.Push:
		return appendList(dst, r, encoded)
	case command.Pair:
		return appendList(dst, r[:], encoded)
	}
	return append(dst, "null"...)
}

func appendList(dst []byte, list []command.Reply, encoded bool) []byte {
	dst = append(dst, '[')
	for i, r := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendValue(dst, r, encoded)
	}
	return append(dst, ']')
}

// appendString writes a string, in base64 if that was asked for. Otherwise
// what is not UTF-8 becomes U+FFFD.
func appendString(dst []byte, text string, encoded bool) []byte {
	if encoded {
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(text))
		return append(dst, '"')
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	dst, err := jsontext.AppendQuote(dst, text)
	if err != nil { // it is valid UTF-8
		return append(dst, `""`...)
	}
	return dst
}
