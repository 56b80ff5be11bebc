package api

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// The pages come from memory, run what they hold and nothing else.
func TestDocs(t *testing.T) {
	l := plainLab(t)
	w := l.want(http.StatusOK, "", "GET", "/docs/", "")
	page, policy := w.Body.String(), w.Header().Get("Content-Security-Policy")
	if !strings.Contains(page, "SwaggerUIBundle") || !strings.Contains(page, `openapi.yaml`) {
		t.Fatalf("the index is %s", page)
	}
	for _, element := range []string{"script", "style"} {
		found := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1)
		if len(found) == 0 {
			t.Errorf("the index has no inline %s", element)
		}
		for _, match := range found {
			sum := sha256.Sum256([]byte(match[1]))
			if !strings.Contains(policy, base64.StdEncoding.EncodeToString(sum[:])) {
				t.Errorf("the policy forbids the inline %s: %s", element, policy)
			}
		}
	}
	if strings.Contains(policy, "unsafe-inline") || strings.Contains(policy, "unsafe-eval") || strings.Contains(policy, "http") {
		t.Errorf("the policy is open: %s", policy)
	}
	for _, match := range regexp.MustCompile(`(?:src|href)="\./([^"]+)"`).FindAllStringSubmatch(page, -1) {
		w := l.want(http.StatusOK, "", "GET", "/docs/"+match[1], "")
		if w.Header().Get("Content-Type") != docFiles[match[1]] || w.Body.Len() == 0 {
			t.Errorf("%s: %s, %d bytes", match[1], w.Header().Get("Content-Type"), w.Body.Len())
		}
	}
	if strings.Contains(page, `src="http`) || strings.Contains(page, `href="http`) {
		t.Error("the index needs the network")
	}
}

// Swagger UI 5 is there: version 4 does not know OpenAPI 3.1.
func TestDocsAreOfVersionFive(t *testing.T) {
	l := plainLab(t)
	bundle := l.call("GET", "/docs/swagger-ui-bundle.js", "").Body.String()
	if !regexp.MustCompile(`5\.\d+\.\d+`).MatchString(bundle) || !strings.Contains(bundle, "OpenAPI31") {
		t.Error("the bundle does not look like version 5")
	}
}

// There is nothing else under /docs/, and no way out of it.
func TestDocsServeNothingElse(t *testing.T) {
	l := plainLab(t)
	for _, path := range []string{"doc.json", "swagger-initializer.js", "swagger-ui.js.map", "x", "..%2Fopenapi.yaml", "../keys", "%2e%2e/keys"} {
		l.want(http.StatusNotFound, "", "GET", "/docs/"+path, "")
	}
	w := l.call("GET", "/docs", "")
	if w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != "/docs/" {
		t.Errorf("/docs: %d %v", w.Code, w.Header())
	}
}
