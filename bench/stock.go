package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
)

// How a stock travels: values in one request, and requests at a time.
const (
	stockValues = 400
	stockHands  = 4
)

// stock is a large amount of data that is brought to a service over HTTP: as
// many strings as fields of hashes, all values of one size. No two values share
// text worth compressing, and each can be told from its place.
type stock struct {
	url     string
	client  *http.Client
	text    []byte // values are cut from it
	strings int
	hashes  int // of as many fields as one request brings
	size    int // bytes of a value
}

// newStock is a stock of about so many bytes for the service at url.
func newStock(url string, total int64, size int) *stock {
	values := int(total / int64(size))
	hashes := max(1, values/2/stockValues)
	return &stock{url: url, client: newClient(), text: randomText(1 << 20), size: size,
		strings: hashes * stockValues, hashes: hashes}
}

// newClient keeps as many connections as a bench may need.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * stockHands}}
}

// randomText is text without repetitions, the same in each run.
func randomText(n int) []byte {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	source := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = letters[source.IntN(len(letters))]
	}
	return text
}

// bytes is the size of all values.
func (k *stock) bytes() int64 {
	return int64(k.strings+k.hashes*stockValues) * int64(k.size)
}

// value is that of string i, or of field i of all hashes' fields in a row.
func (k *stock) value(i int) []byte {
	at := i * 2_654_435_761 % (len(k.text) - k.size)
	return k.text[at : at+k.size]
}

func stockString(i int) string { return fmt.Sprintf("string-%09d", i) }
func stockHash(i int) string   { return fmt.Sprintf("hash-%06d", i) }
func stockField(i int) string  { return fmt.Sprintf("field-%09d", i) }

// send asks the service and returns the answer's body; an answer that is no
// success is an error.
func (k *stock) send(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, k.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	} else {
		request.Header.Set("Accept", "application/octet-stream, application/json;q=0.5")
	}
	answer, err := k.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	said, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %.60s: %s: %.200s", method, path, answer.Status, said)
	}
	return said, err
}

// share does n pieces of work with a few hands, up to the first that fails.
func share(ctx context.Context, n int, piece func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var hands sync.WaitGroup
	for range stockHands {
		hands.Go(func() {
			for i := range next {
				if err := piece(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	hands.Wait()
	return context.Cause(ctx)
}

// load brings everything, strings and hashes in turns.
func (k *stock) load(ctx context.Context) error {
	return share(ctx, 2*k.hashes, func(ctx context.Context, i int) error {
		if i%2 == 0 {
			return k.loadStrings(ctx, i/2*stockValues)
		}
		return k.loadHash(ctx, i/2)
	})
}

func (k *stock) loadStrings(ctx context.Context, first int) error {
	body := append(make([]byte, 0, stockValues*(k.size+64)), `{"pairs":[`...)
	for i := first; i < first+stockValues; i++ {
		if i > first {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"key":"%s","value":"%s"}`, stockString(i), k.value(i))
	}
	_, err := k.send(ctx, http.MethodPut, "/string", append(body, "]}"...))
	return err
}

func (k *stock) loadHash(ctx context.Context, hash int) error {
	body := append(make([]byte, 0, stockValues*(k.size+64)), `{"fields":{`...)
	for i := range stockValues {
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `"%s":"%s"`, stockField(i), k.value(hash*stockValues+i))
	}
	_, err := k.send(ctx, http.MethodPut, "/hash/"+stockHash(hash)+"/fields", append(body, "}}"...))
	return err
}

// remove deletes all but every tenth hash and as many strings.
func (k *stock) remove(ctx context.Context) error {
	return share(ctx, k.hashes, func(ctx context.Context, i int) error {
		if i%10 == 0 {
			return nil
		}
		if _, err := k.send(ctx, http.MethodDelete, "/hash/"+stockHash(i), nil); err != nil {
			return err
		}
		var query strings.Builder
		for j := i * stockValues; j < (i+1)*stockValues; j++ {
			fmt.Fprintf(&query, "&key=%s", stockString(j))
		}
		_, err := k.send(ctx, http.MethodDelete, "/keys?"+query.String()[1:], nil)
		return err
	})
}

// check reads one string or field, picked at random of those that remove
// leaves, and compares it.
func (k *stock) check(ctx context.Context) error {
	hash, i := rand.IntN((k.hashes+9)/10)*10, rand.IntN(stockValues)
	return k.compare(ctx, hash, i, rand.IntN(2) == 0)
}

// checkAny is check of all values.
func (k *stock) checkAny(ctx context.Context) error {
	return k.compare(ctx, rand.IntN(k.hashes), rand.IntN(stockValues), rand.IntN(2) == 0)
}

func (k *stock) compare(ctx context.Context, hash, i int, asString bool) error {
	number := hash*stockValues + i
	path := "/string/" + stockString(number)
	if !asString {
		path = "/hash/" + stockHash(hash) + "/fields/" + stockField(i)
	}
	got, err := k.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, k.value(number)) {
		return fmt.Errorf("GET %s: %d bytes that were never written: %.40q", path, len(got), got)
	}
	return nil
}
