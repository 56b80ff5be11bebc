package api

import "net/http"

// showReclaiming answers with the figures of the background worker.
func (s *server) showReclaiming(x *exchange, r *http.Request) {
	figures, err := s.service.Reclaiming(r.Context())
	if err != nil {
		x.fail(err, source{})
		return
	}
	noStore(x)
	x.showPage(r, figures)
}
