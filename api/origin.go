package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/cors"

	"keypact/service"
)

// Headers that browsers may send from elsewhere, and that scripts may read.
var (
	acceptedHeaders = []string{
		"Accept", "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Keypact-Namespace",
		"Last-Event-ID", "Range", requestIDHeader, redisEncoding, redisFormat, redisSyncToken,
		"Upstash-Telemetry-Platform", "Upstash-Telemetry-Runtime", "Upstash-Telemetry-Sdk",
	}
	exposedHeaders = []string{
		"Accept-Ranges", "Allow", "Content-Range", "Contract-Warning", "ETag", "Location", "Retry-After", requestIDHeader,
		redisSyncToken,
	}
)

// preflightSeconds is how long a browser may remember what it is allowed.
const preflightSeconds = 600

// handler is the middleware that answers preflights and marks answers.
func (c CORS) handler() func(http.Handler) http.Handler {
	return cors.Handler(cors.Options{
		AllowedOrigins: c.Origins,
		AllowedMethods: methods,
		AllowedHeaders: acceptedHeaders,
		ExposedHeaders: exposedHeaders,
		MaxAge:         preflightSeconds,
	})
}

// guard is the middleware that refuses a browser's writes from origins that
// are not configured. Without it any page could write to a service on the
// reader's own machine: simple requests need no preflight.
func (c CORS) guard() (func(http.Handler) http.Handler, error) {
	protection := http.NewCrossOriginProtection()
	for _, origin := range c.Origins {
		if origin == "*" {
			continue
		}
		if strings.Contains(origin, "*") {
			return nil, fmt.Errorf("CORS origin %q: a star stands for every origin, or not at all", origin)
		}
		if err := protection.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("CORS origin %q: %w", origin, err)
		}
	}
	open := slices.Contains(c.Origins, "*")
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !open && protection.Check(r) != nil {
				w.(*exchange).fail(&refusal{
					kind: service.KindForbidden, code: "cross-origin",
					detail: "Browsers may not write from this origin; it can be allowed in the configuration.",
				}, source{})
				return
			}
			next.ServeHTTP(w, r)
		})
	}, nil
}
