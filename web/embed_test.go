package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"keypact/web"
)

// behind answers what is left to others, and the landing page as the API does.
func behind(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/" {
		web.Page("v1 <b>").ServeHTTP(w, r)
		return
	}
	w.WriteHeader(http.StatusTeapot)
}

func answer(method, path string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	web.WithParts(http.HandlerFunc(behind)).ServeHTTP(rec, httptest.NewRequest(method, path, nil))
	return rec
}

func TestLandingPage(t *testing.T) {
	rec := answer("GET", "/")
	body := rec.Body.String()
	if rec.Code != 200 || !strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") {
		t.Fatalf("GET / is %d, %s", rec.Code, rec.Header().Get("Content-Type"))
	}
	for _, path := range []string{"/docs/", "/openapi.yaml", "/readyz", "/metrics", "/contracts", "/keys"} {
		if !strings.Contains(body, `href="`+path+`"`) {
			t.Errorf("no link to %s", path)
		}
	}
	if !strings.Contains(body, "v1 &lt;b&gt;") || strings.Contains(body, "{{") {
		t.Error("the version is missing or not escaped")
	}
}

// TestLandingPageUnderItsPolicy: nothing inline, nothing from elsewhere, and
// what the page loads is there.
func TestLandingPageUnderItsPolicy(t *testing.T) {
	rec := answer("GET", "/")
	if policy := rec.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy is %q", policy)
	}
	body := rec.Body.String()
	for _, inline := range []string{"<script", "<style", " style=", " onclick=", "javascript:", "http://", "https://"} {
		if strings.Contains(body, inline) {
			t.Errorf("the page holds %q", inline)
		}
	}
	loads := regexp.MustCompile(`(?:src|href)="(/web/[^"]+)"`).FindAllStringSubmatch(body, -1)
	if len(loads) == 0 {
		t.Fatal("the page loads no style")
	}
	for _, load := range loads {
		if rec := answer("GET", load[1]); rec.Code != 200 || rec.Body.Len() == 0 {
			t.Errorf("%s is %d with %d bytes", load[1], rec.Code, rec.Body.Len())
		}
	}
}

func TestPartsLeaveTheRestToOthers(t *testing.T) {
	for _, request := range [][2]string{{"GET", "/web/other"}, {"GET", "/web/"}, {"GET", "/index.html"}, {"POST", "/web/logo.svg"}, {"GET", "/keys"}, {"GET", "//"}} {
		if rec := answer(request[0], request[1]); rec.Code != http.StatusTeapot {
			t.Errorf("%s %s is %d", request[0], request[1], rec.Code)
		}
	}
	if rec := answer("HEAD", "/web/logo.svg"); rec.Code != 200 {
		t.Errorf("HEAD of a part is %d", rec.Code)
	}
}
