package api

import "net/http"

// health says that the process lives.
func (s *server) health(x *exchange, _ *http.Request) {
	noStore(x)
	x.answerJSON(http.StatusOK, map[string]string{"status": "ok"}, nil, source{})
}

// ready says whether the service can do its work. It can with contracts whose
// last reload was refused: the former set is in force.
func (s *server) ready(x *exchange, r *http.Request) {
	state := s.options.Ready(r.Context())
	answer := struct {
		Status    string `json:"status"`
		Contracts string `json:"contracts"`
	}{"ready", "current"}
	status := http.StatusOK
	if !state.Ready {
		answer.Status, status = "unavailable", http.StatusServiceUnavailable
	}
	if state.StaleContracts {
		answer.Contracts = "stale"
	}
	noStore(x)
	x.answerJSON(status, answer, nil, source{})
}

func noStore(x *exchange) { x.set("Cache-Control", "no-store") }

// landing answers with the page at the root.
func (s *server) landing(x *exchange, r *http.Request) { x.delegate(s.options.Landing, r) }

// metrics answers with the metrics.
func (s *server) metrics(x *exchange, r *http.Request) { x.delegate(s.options.Metrics, r) }

// delegate leaves the answer to a page from elsewhere, or says that there is
// none.
func (x *exchange) delegate(page http.Handler, r *http.Request) {
	if page == nil {
		x.fail(routeUnknown("This page is not offered here."), source{})
		return
	}
	page.ServeHTTP(x, r)
}

// showSpec answers with the specification.
func (s *server) showSpec(x *exchange, _ *http.Request) {
	if s.options.Spec == nil {
		x.fail(routeUnknown("This page is not offered here."), source{})
		return
	}
	x.set("Cache-Control", "no-cache")
	x.send(http.StatusOK, "application/yaml", s.options.Spec)
}
