package api

import (
	"context"
	"io"
	"net/http"
	"time"

	"keypact/service"
)

// Backup writes a backup to w: a full one, or, if since is not empty, an
// increment to the backup that since names. What is wrong with since is a
// *service.Error, before anything is written.
type Backup func(ctx context.Context, since string, w io.Writer) error

// backup answers with a backup while the service goes on. It has no length and
// may take longer than any other answer: as long as the client takes it. When
// it fails after it began, the connection is broken, and the file lacks its
// end mark.
func (s *server) backup(x *exchange, r *http.Request) {
	if s.options.Backup == nil {
		x.fail(routeUnknown("Backups are not offered here."), source{})
		return
	}
	since, err := backupSince(r)
	if err != nil {
		x.fail(err, source{})
		return
	}
	out := &stream{x: x, control: http.NewResponseController(x)}
	err = s.options.Backup(r.Context(), since, out)
	switch {
	case err == nil:
	case x.status == 0:
		x.fail(err, source{})
	default:
		s.log.WarnContext(r.Context(), "a backup broke off", "request", x.id, "bytes", x.bytes, "error", err)
		panic(http.ErrAbortHandler)
	}
}

// backupSince reads the query.
func backupSince(r *http.Request) (since string, err error) {
	if err := refuseElsewhere(r, "Pages from elsewhere may not take backups."); err != nil {
		return "", err
	}
	given := false
	err = eachParameter(r.URL.RawQuery, func(name, text string) error {
		switch {
		case name != "since":
			return unknownParameter(name, []string{"since"})
		case given:
			return badParameter(name, "is given more than once")
		case text == "":
			return badParameter(name, "is empty")
		}
		since, given = text, true
		return nil
	})
	return since, err
}

// refuseElsewhere refuses pages from elsewhere, whatever CORS allows: reading
// the whole store is much work and no page's business.
func refuseElsewhere(r *http.Request, detail string) error {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return &refusal{kind: service.KindForbidden, code: "cross-origin", detail: detail}
	}
	return nil
}

// stream is an answer that goes on for as long as the client takes it.
type stream struct {
	x       *exchange
	control *http.ResponseController
}

const (
	streamPatience = time.Minute // in which the client must take
	streamPiece    = 64 << 10    // so many bytes
)

// Write begins the answer with the first byte and moves the deadline on.
func (s *stream) Write(p []byte) (n int, err error) {
	if s.x.status == 0 {
		noStore(s.x)
		s.x.set("Content-Type", typeBinary)
		s.x.set("Content-Disposition", `attachment; filename="keypact.backup"`)
	}
	for err == nil && n < len(p) {
		// Test servers have no deadlines, which is no harm.
		_ = s.control.SetWriteDeadline(time.Now().Add(streamPatience))
		var written int
		written, err = s.x.Write(p[n:min(n+streamPiece, len(p))])
		n += written
	}
	return n, err
}
