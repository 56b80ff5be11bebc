package api

import "net/http"

// showReclaiming answers with the figures of the background worker.
func (s *server) showReclaiming(x *exchange, r *http.Request) {
	noStore(x)
	x.showPage(r, s.service.Reclaiming())
}
