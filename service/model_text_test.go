package service

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

// book is what strings, hashes and keys mean, in plain Go.
type book struct {
	now   int64
	pages map[string]page
}

// page is one key: a hash if it has fields, else a string.
type page struct {
	text    string
	fields  map[string]string
	expires int64
}

// outcome of an operation on a book: an answer as JSON, "created", "-", or the
// kind and code of an error, after which the book is as it was.
type outcome = string

const unmetCondition = "precondition condition-not-met"

func (b *book) clone() *book {
	out := &book{now: b.now, pages: maps.Clone(b.pages)}
	for key, p := range out.pages {
		p.fields = maps.Clone(p.fields)
		out.pages[key] = p
	}
	return out
}

func (b *book) pass(d time.Duration) {
	b.now += d.Milliseconds()
	maps.DeleteFunc(b.pages, func(_ string, p page) bool { return p.expires != 0 && p.expires <= b.now })
}

func (b *book) remaining(p page) Remaining {
	if p.expires == 0 {
		return Remaining{}
	}
	return Remaining{TTLMillis: p.expires - b.now, ExpiresAt: TimeOf(p.expires)}
}

// deadline is when a write with this expiry ends, or else the old moment.
func (b *book) deadline(e Expiry, old int64) int64 {
	if e.TTL == 0 {
		return old
	}
	return b.now + e.TTL.Milliseconds()
}

func asJSON(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// draft is an operation with what a book makes of it.
type draft struct {
	op   Op
	want func(b *book) outcome
}

var (
	bookKeys   = []string{"", "k1", "k2", "k3", "k\x00"}
	drawBook   = rapid.SampledFrom(bookKeys)
	drawField  = rapid.SampledFrom([]string{"", "a", "b", "a\x00", "\xff"})
	drawText   = rapid.SampledFrom([]string{"", "x", "10", "-3", "9223372036854775807", "1.5", "0.25", "ab\x00\xff", "07"})
	drawNumber = rapid.SampledFrom([]Number{"1", "-1", "7", "0.1", "-0.25", "9223372036854775807", "0"})
	drafts     = []func(*rapid.T, string) draft{
		draftGet, draftSet, draftSet, draftAppend, draftOverlay, draftRange, draftIncr, draftIncr, draftSetMany,
		draftHashGet, draftHashSet, draftHashSet, draftHashRemove, draftHashIncr, draftHashFields,
		draftInfo, draftDelete, draftExpire, draftPersist, draftRename, draftCopy, draftKeys,
	}
)

func drawDraft(t *rapid.T) draft {
	return rapid.SampledFrom(drafts).Draw(t, "operation")(t, drawBook.Draw(t, "key"))
}

// aHash runs fn on a hash, absent or not; a string is refused.
func (b *book) aHash(key string, fn func(p page, found bool) outcome) outcome {
	p, found := b.pages[key]
	if found && p.fields == nil {
		return wrongType
	}
	if p.fields == nil {
		p.fields = map[string]string{}
	}
	return fn(p, found)
}

// TestModelOfStringsAndHashes runs random operations, alone and in batches, and
// compares every answer with the book's.
func TestModelOfStringsAndHashes(t *testing.T) {
	f := newFixture(t, "")
	rapid.Check(t, func(t *rapid.T) {
		b := &book{now: f.clock.ms.Load(), pages: map[string]page{}}
		if _, err := f.Do(context.Background(), &KeysDelete{Keys: texts(bookKeys...)}); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			if rapid.IntRange(0, 9).Draw(t, "time passes") == 0 {
				f.clock.step(time.Second)
				b.pass(time.Second)
			}
			if rapid.IntRange(0, 3).Draw(t, "batch") > 0 {
				d := drawDraft(t)
				result, err := f.Do(context.Background(), d.op)
				if got, want := f.answer(result, err), d.want(b); got != want {
					t.Fatalf("%T %s: %s, want %s", d.op, asJSON(d.op), got, want)
				}
				continue
			}
			b = f.tryBatch(t, b, rapid.SliceOfN(rapid.Custom(drawDraft), 1, 5).Draw(t, "operations"))
		}
		f.compareWithBook(t, b)
	})
}

// tryBatch runs operations together and returns the book after them.
func (f *fixture) tryBatch(t *rapid.T, b *book, list []draft) *book {
	after := b.clone()
	var ops []Op
	var want []string
	for _, d := range list {
		ops = append(ops, d.op)
		if len(want) < len(ops)-1 {
			continue // an earlier one has failed
		}
		answer := d.want(after)
		if answer == absentKey && onlyReads(d.op) {
			answer = `{"absent":true}`
		}
		want = append(want, answer)
		if failedOutcome(answer) {
			want = []string{answer, fmt.Sprint("operations/", len(ops)-1)}
			break
		}
	}
	ops = ops[:0]
	for _, d := range list {
		ops = append(ops, d.op)
	}
	if got := f.batch(ops...); !slices.Equal(got, want) {
		t.Fatalf("batch of %d: %q, want %q", len(ops), got, want)
	}
	if len(want) > 0 && failedOutcome(want[0]) {
		return b
	}
	return after
}

func failedOutcome(answer outcome) bool {
	kind, _, two := strings.Cut(answer, " ")
	return two && slices.Contains(Kinds(), Kind(kind))
}

// compareWithBook reads every key whole.
func (f *fixture) compareWithBook(t *rapid.T, b *book) {
	for _, key := range bookKeys {
		d := draftGet(t, key)
		if b.pages[key].fields != nil {
			d = draftHashGet(t, key)
		}
		result, err := f.Do(context.Background(), d.op)
		if got, want := f.answer(result, err), d.want(b); got != want {
			t.Fatalf("at the end %q holds %s, want %s", key, got, want)
		}
	}
}
