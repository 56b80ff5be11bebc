package api

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"keypact/service"
)

const (
	typeJSON   = "application/json"
	typeBinary = "application/octet-stream"
)

// accepts is what a request says about the media types it can take.
type accepts struct {
	ranges []mediaRange // empty takes everything
}

// mediaRange is one part of an Accept header.
type mediaRange struct {
	kind    string // "text/html", "text/*" or "*/*"
	quality float64
}

// maxRanges is how many parts of an Accept header are looked at.
const maxRanges = 32

// acceptsOf reads the Accept headers of a request (RFC 9110, section 12.5.1).
// A part that makes no sense is passed over.
func acceptsOf(r *http.Request) accepts {
	headers := r.Header["Accept"]
	if len(headers) == 0 || len(headers) == 1 && (headers[0] == "*/*" || headers[0] == "") {
		return accepts{}
	}
	var a accepts
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			if len(a.ranges) == maxRanges {
				return a
			}
			kind, params, err := mime.ParseMediaType(part)
			if err != nil || !strings.Contains(kind, "/") {
				continue
			}
			quality := 1.0
			if q, ok := params["q"]; ok {
				if quality, err = strconv.ParseFloat(q, 64); err != nil || !(quality >= 0 && quality <= 1) {
					continue
				}
			}
			a.ranges = append(a.ranges, mediaRange{kind, quality})
		}
	}
	return a
}

// quality is how welcome a media type is: by the most specific part that fits
// it. 0 is not at all.
func (a accepts) quality(kind string) float64 {
	if len(a.ranges) == 0 {
		return 1
	}
	top, _, _ := strings.Cut(kind, "/")
	best, quality := 0, 0.0
	for _, r := range a.ranges {
		specific := 0
		switch {
		case r.kind == kind:
			specific = 3
		case r.kind == top+"/*":
			specific = 2
		case r.kind == "*/*":
			specific = 1
		}
		if specific > best || specific == best && specific > 0 && r.quality > quality {
			best, quality = specific, r.quality
		}
	}
	return quality
}

// pick returns the most welcome of the offered types, the first of equals, or
// "" if none will do.
func (a accepts) pick(offers ...string) string {
	chosen, best := "", 0.0
	for _, offer := range offers {
		kind, _, _ := strings.Cut(offer, ";")
		if q := a.quality(strings.ToLower(strings.TrimSpace(kind))); q > best {
			chosen, best = offer, q
		}
	}
	return chosen
}

func notAcceptable(offers ...string) *refusal {
	return &refusal{
		kind: service.KindNotAcceptable, code: "not-acceptable",
		detail: "The answer is offered as " + strings.Join(offers, ", ") + " only.",
	}
}
