package api

import (
	"encoding/base32"
	"encoding/binary"
	"math/rand/v2"
	"net/http"
	"time"
)

// maxRequestID is the longest request id that is taken over, in bytes.
const maxRequestID = 128

// requestID takes over the client's id of the request if it is fit for headers
// and logs, or else makes one.
func (s *server) requestID(r *http.Request) string {
	if given := r.Header[requestIDHeader]; len(given) == 1 && saneID(given[0]) {
		return given[0]
	}
	return s.options.NewID()
}

func saneID(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c == ':') {
			return false
		}
	}
	return true
}

// crockford is the alphabet of ULIDs, without letters that look like digits.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// newID makes an id of the milliseconds since the epoch and 80 bits of chance,
// so that ids sort by time. It is no secret.
func newID() string {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(time.Now().UnixMilli())<<16|rand.Uint64()&0xffff)
	binary.BigEndian.PutUint64(raw[8:], rand.Uint64())
	var text [26]byte
	crockford.Encode(text[:], raw[:])
	return string(text[:])
}
