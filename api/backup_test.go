package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"keypact/service"
)

// backupLab serves a backup that is given, over real connections.
func backupLab(t *testing.T, backup Backup) string {
	t.Helper()
	server := httptest.NewServer(newLab(t, "", service.Limits{}, Options{Backup: backup}))
	t.Cleanup(server.Close)
	return server.URL + "/admin/backup"
}

func get(t *testing.T, url string, header ...string) (*http.Response, []byte, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer, body, err
}

func TestBackupStreams(t *testing.T) {
	file := bytes.Repeat([]byte("0123456789"), 100_000)
	asked := make(chan string, 1)
	url := backupLab(t, func(_ context.Context, since string, w io.Writer) error {
		asked <- since
		n, err := w.Write(file)
		if n != len(file) {
			t.Errorf("%d bytes were written", n)
		}
		return err
	})
	for _, since := range []string{"", "00f3a1b2c3d4e5f6-4711"} {
		target := url
		if since != "" {
			target += "?since=" + since
		}
		answer, body, err := get(t, target)
		if err != nil || answer.StatusCode != http.StatusOK || !bytes.Equal(body, file) {
			t.Errorf("since %q: %s, %d bytes, %v", since, answer.Status, len(body), err)
		}
		if got := <-asked; got != since {
			t.Errorf("since %q arrived as %q", since, got)
		}
		if answer.ContentLength >= 0 || answer.Header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("length %d, header %v", answer.ContentLength, answer.Header)
		}
	}
}

// TestBackupBreaksOff: an error before the first byte is a problem, one behind
// it breaks the connection.
func TestBackupBreaksOff(t *testing.T) {
	broken := errors.New("a table is damaged")
	url := backupLab(t, func(_ context.Context, since string, w io.Writer) error {
		switch since {
		case "busy":
			return &service.Error{Kind: service.KindBusy, Code: "backup-runs", Detail: "Another backup is running."}
		case "broken":
			return broken
		}
		_, err := w.Write(make([]byte, 100_000))
		return errors.Join(err, broken)
	})
	if answer, body, err := get(t, url); err == nil || answer.StatusCode != http.StatusOK {
		t.Errorf("%s, %d bytes as if they were all", answer.Status, len(body))
	}
	for since, status := range map[string]int{"busy": 503, "broken": 500} {
		answer, body, err := get(t, url+"?since="+since)
		if err != nil || answer.StatusCode != status || !strings.Contains(string(body), "urn:keypact:problem") {
			t.Errorf("%s: %s %s, %v", since, answer.Status, body, err)
		}
	}
}

func TestBackupRefuses(t *testing.T) {
	url := backupLab(t, func(context.Context, string, io.Writer) error {
		t.Error("it ran")
		return nil
	})
	for _, test := range []struct {
		query  string
		header []string
		status int
	}{
		{"?since=", nil, 400},
		{"?since=a&since=b", nil, 400},
		{"?sinse=a", nil, 400},
		{"", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"", []string{"Sec-Fetch-Site", "same-site"}, 403},
	} {
		if answer, body, _ := get(t, url+test.query, test.header...); answer.StatusCode != test.status {
			t.Errorf("%s %v: %s %s", test.query, test.header, answer.Status, body)
		}
	}
	if answer, _, _ := get(t, backupLab(t, nil)); answer.StatusCode != 404 {
		t.Errorf("without backups: %s", answer.Status)
	}
}

// TestBackupEndsWithItsClient: when the client leaves, the backup learns of it.
func TestBackupEndsWithItsClient(t *testing.T) {
	ended := make(chan error, 1)
	url := backupLab(t, func(ctx context.Context, _ string, w io.Writer) error {
		var err error
		for err == nil && ctx.Err() == nil {
			_, err = w.Write(make([]byte, 100_000))
		}
		ended <- errors.Join(err, ctx.Err())
		return err
	})
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	leave()
	if err := <-ended; err == nil {
		t.Error("it went on to its end")
	}
}
