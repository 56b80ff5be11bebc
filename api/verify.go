package api

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Verify looks whether all records of the store fit together, while writes go
// on, and returns a report that lists up to limit faults; 0 is its default.
type Verify func(ctx context.Context, limit int) (report any, err error)

// mostFaults is how many faults one answer lists at most.
const mostFaults = 10_000

// verify answers with a report. That may take longer than any other answer; a
// client that goes away ends it.
func (s *server) verify(x *exchange, r *http.Request) {
	if s.options.Verify == nil {
		x.fail(routeUnknown("Verification is not offered here."), source{})
		return
	}
	if acceptsOf(r).pick(typeJSON) == "" {
		x.fail(notAcceptable(typeJSON), source{})
		return
	}
	limit, err := verifyLimit(r)
	if err != nil {
		x.fail(err, source{})
		return
	}
	control := http.NewResponseController(x)
	_ = control.SetWriteDeadline(time.Time{}) // test servers have none
	report, err := s.options.Verify(r.Context(), limit)
	_ = control.SetWriteDeadline(time.Now().Add(streamPatience))
	if err != nil {
		x.fail(err, source{})
		return
	}
	noStore(x)
	x.answerJSON(http.StatusOK, report, nil, source{})
}

// verifyLimit reads the query. Pages from elsewhere are refused as they are for
// backups.
func verifyLimit(r *http.Request) (limit int, err error) {
	if err := refuseElsewhere(r, "Pages from elsewhere may not have the store verified."); err != nil {
		return 0, err
	}
	err = eachParameter(r.URL.RawQuery, func(name, text string) error {
		switch {
		case name != "limit":
			return unknownParameter(name, []string{"limit"})
		case limit != 0:
			return badParameter(name, "is given more than once")
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mostFaults {
			return badParameter(name, "must be a whole number from 1 to "+strconv.Itoa(mostFaults))
		}
		limit = n
		return nil
	})
	return limit, err
}
