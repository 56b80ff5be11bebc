package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"keypact/service"
)

// verifyLab serves a verification that is given, over real connections.
func verifyLab(t *testing.T, verify Verify) string {
	t.Helper()
	server := httptest.NewServer(newLab(t, "", service.Limits{}, Options{Verify: verify}))
	t.Cleanup(server.Close)
	return server.URL + "/admin/verify"
}

func TestVerify(t *testing.T) {
	url := verifyLab(t, func(_ context.Context, limit int) (any, error) {
		switch limit {
		case 7:
			return nil, &service.Error{Kind: service.KindBusy, Code: "verify-runs", Detail: "Another verification is running."}
		case 8:
			return nil, errors.New("a secret reason")
		}
		return map[string]int{"limit": limit}, nil
	})
	for _, test := range []struct {
		query  string
		header []string
		status int
		says   string
	}{
		{"", nil, 200, `{"limit":0}`},
		{"?limit=20", nil, 200, `{"limit":20}`},
		{"?limit=7", nil, 503, "verify-runs"},
		{"?limit=8", nil, 500, "internal"},
		{"?limit=0", nil, 400, "bad-parameter"},
		{"?limit=10001", nil, 400, "from 1 to 10000"},
		{"?limit=x", nil, 400, "bad-parameter"},
		{"?limit=1&limit=2", nil, 400, "more than once"},
		{"?repair=true", nil, 400, "repair"},
		{"", []string{"Accept", "text/html"}, 406, "not-acceptable"},
		{"", []string{"Sec-Fetch-Site", "cross-site"}, 403, "cross-origin"},
	} {
		answer, body, err := get(t, url+test.query, test.header...)
		if err != nil || answer.StatusCode != test.status || !strings.Contains(string(body), test.says) {
			t.Errorf("%s %q: %s, %s, %v", test.query, test.header, answer.Status, body, err)
		}
		if strings.Contains(string(body), "secret") {
			t.Errorf("%s: %s", test.query, body)
		}
	}
}

// TestVerifyEndsWithItsClient: nobody reads a whole store for a client that
// went away.
func TestVerifyEndsWithItsClient(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	url := verifyLab(t, func(ctx context.Context, _ int) (any, error) {
		close(began)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-began
		leave()
	}()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := http.DefaultClient.Do(r); err == nil {
		_ = answer.Body.Close()
		t.Error("the answer came all the same")
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// TestNoVerify: what is not offered is not there.
func TestNoVerify(t *testing.T) {
	answer, body, err := get(t, verifyLab(t, nil))
	if err != nil || answer.StatusCode != http.StatusNotFound {
		t.Errorf("%s %s %v", answer.Status, body, err)
	}
}
