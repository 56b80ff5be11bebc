package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// client calls the service.
type client struct {
	base string
}

// route joins path segments, each escaped once, and a query.
func route(query url.Values, segments ...string) string {
	path := ""
	for _, segment := range segments {
		path += "/" + url.PathEscape(segment)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// refusal is an answer that is not a success.
type refusal struct {
	Status int
	Title  string
	Detail string
	Errors []struct{ Code, Pointer, Detail string }
}

// Error is the problem in one line.
func (r *refusal) Error() string {
	text := fmt.Sprintf("%d %s: %s", r.Status, r.Title, r.Detail)
	for _, e := range r.Errors {
		text += fmt.Sprintf(" [%s at %s]", e.Code, e.Pointer)
	}
	return text
}

// call sends a request, with body as JSON unless it is nil, and decodes the
// answer into answer unless that is nil. Anything but a success is a *refusal.
func (c client) call(ctx context.Context, method, path string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, sent)
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		problem := &refusal{Status: response.StatusCode, Title: response.Status}
		if err := json.Unmarshal(raw, problem); err != nil {
			problem.Detail = string(raw)
		}
		return fmt.Errorf("%s %s: %w", method, path, problem)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(raw, answer)
}
