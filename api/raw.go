package api

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"keypact/service"
)

// rawValue is an answer that is one value, with the media type it was stored
// with, if any.
type rawValue interface {
	Raw() (value []byte, mediaType string)
}

// answerValue writes a value as JSON or raw, as the request likes it best. A
// value with a media type of its own is offered raw first, any other as JSON
// first.
func (x *exchange) answerValue(r *http.Request, accept accepts, value rawValue, result service.Result) {
	raw, stored := value.Raw()
	offers := []string{typeJSON, typeBinary}
	if stored != "" && headerSafe(stored) {
		offers = []string{stored, typeJSON, typeBinary}
	}
	x.Header()["Vary"] = append(x.Header()["Vary"], "Accept")
	switch chosen := accept.pick(offers...); {
	case chosen == "":
		x.fail(notAcceptable(offers...), source{})
	case chosen == typeJSON:
		x.tag(result, "json", moving(result.Value))
		x.answerJSON(http.StatusOK, result.Value, nil, source{})
	default:
		x.answerRaw(r, raw, chosen, result)
	}
}

// headerSafe reports whether a stored media type may be answered: it is text
// that came from outside.
func headerSafe(mediaType string) bool {
	if _, _, err := mime.ParseMediaType(mediaType); err != nil {
		return false
	}
	for i := range len(mediaType) {
		if c := mediaType[i]; c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// rangedPattern is the route whose values may be read in parts.
const rangedPattern = "/string/{key}"

// answerRaw writes the bare bytes of a value, or, of a string, the range of
// them that the request asks for. They are nobody's page: browsers run nothing in them.
func (x *exchange) answerRaw(r *http.Request, value []byte, mediaType string, result service.Result) {
	h := x.Header()
	x.tag(result, "raw", false)
	h["Content-Security-Policy"] = sandboxed
	if x.pattern != rangedPattern {
		x.send(http.StatusOK, mediaType, value)
		return
	}
	from, to, ranged, ok := x.rangeOf(r, len(value))
	if !ok {
		x.fail(&refusal{
			kind: service.KindInvalid, status: http.StatusRequestedRangeNotSatisfiable, code: "range-not-satisfiable",
			detail: fmt.Sprintf("The value has %d bytes; the range lies outside of it.", len(value)),
			header: http.Header{"Content-Range": {"bytes */" + strconv.Itoa(len(value))}},
		}, source{})
		return
	}
	if !ranged {
		x.set("Accept-Ranges", "bytes")
		x.send(http.StatusOK, mediaType, value)
		return
	}
	x.set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(value)))
	x.send(http.StatusPartialContent, mediaType, value[from:to])
}

// rangeOf reads the Range header (RFC 9110, section 14): one range of bytes.
// Several ranges, other units and what makes no sense are passed over, as is a
// range whose If-Range names another revision. It is not ok if no byte of the
// value lies in the range.
func (x *exchange) rangeOf(r *http.Request, size int) (from, to int, ranged, ok bool) {
	spec, isBytes := strings.CutPrefix(r.Header.Get("Range"), "bytes=")
	if !isBytes || r.Method != http.MethodGet {
		return 0, size, false, true
	}
	if condition := r.Header.Get("If-Range"); condition != "" && condition != x.Header().Get("ETag") {
		return 0, size, false, true
	}
	first, last, dashed := strings.Cut(strings.TrimSpace(spec), "-")
	a, errA := offset(first)
	b, errB := offset(last)
	switch {
	case !dashed || errA != nil || errB != nil || first == "" && last == "":
		return 0, size, false, true
	case first == "": // the last b bytes
		return max(0, size-b), size, true, b > 0 && size > 0
	case last == "":
		return a, size, true, a < size
	case b < a:
		return 0, size, false, true
	}
	return a, min(b, size-1) + 1, true, a < size
}

// offset is a position in a value; what lies beyond every value counts as the
// end of the largest.
func offset(text string) (int, error) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, fmt.Errorf("%q is no position", text)
		}
	}
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 1<<62 - 1, nil
	}
	return n, nil
}
