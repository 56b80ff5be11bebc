package service

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
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

// aString runs fn on a string, absent or not; a hash is refused.
func (b *book) aString(key string, fn func(p page, found bool) outcome) outcome {
	p, found := b.pages[key]
	if p.fields != nil {
		return wrongType
	}
	return fn(p, found)
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

func draftGet(_ *rapid.T, key string) draft {
	return draft{&StringGet{Key: Bytes(key)}, func(b *book) outcome {
		return b.aString(key, func(p page, found bool) outcome {
			if !found {
				return absentKey
			}
			return asJSON(StringValue{Value: Bytes(p.text), Remaining: b.remaining(p)})
		})
	}}
}

func draftSet(t *rapid.T, key string) draft {
	op := &StringSet{Key: Bytes(key), Value: Bytes(drawText.Draw(t, "value")), Expiry: drawExpiry(t)}
	op.If = rapid.SampledFrom([]Conditions{nil, nil, Only(Absent), Only(Present)}).Draw(t, "if")
	op.KeepTTL = op.TTL == 0 && rapid.Bool().Draw(t, "keep ttl")
	return draft{op, func(b *book) outcome {
		p, found := b.pages[key]
		if op.If.Has(Absent) && found || op.If.Has(Present) && !found {
			return unmetCondition
		}
		old := int64(0)
		if op.KeepTTL {
			old = p.expires
		}
		b.pages[key] = page{text: string(op.Value), expires: b.deadline(op.Expiry, old)}
		if found {
			return "-"
		}
		return "created"
	}}
}

// put writes a string and answers its length.
func (b *book) put(key string, p page, text string, e Expiry) outcome {
	b.pages[key] = page{text: text, expires: b.deadline(e, p.expires)}
	return asJSON(Length{Length: int64(len(text))})
}

func draftAppend(t *rapid.T, key string) draft {
	op := &StringPatch{Key: Bytes(key), Append: Bytes(drawText.Draw(t, "tail")), Expiry: drawExpiry(t)}
	return draft{op, func(b *book) outcome {
		return b.aString(key, func(p page, _ bool) outcome { return b.put(key, p, p.text+string(op.Append), op.Expiry) })
	}}
}

func draftOverlay(t *rapid.T, key string) draft {
	offset := rapid.Int64Range(0, 12).Draw(t, "offset")
	op := &StringPatch{Key: Bytes(key), Offset: &offset, Value: Bytes(drawText.Draw(t, "part")), Expiry: drawExpiry(t)}
	return draft{op, func(b *book) outcome {
		return b.aString(key, func(p page, found bool) outcome {
			part := string(op.Value)
			if part == "" && !found {
				return `{"length":0}`
			}
			text := p.text
			if part != "" {
				text += strings.Repeat("\x00", max(0, int(offset)-len(text)))
				text = text[:offset] + part + text[min(len(text), int(offset)+len(part)):]
			}
			return b.put(key, p, text, op.Expiry)
		})
	}}
}

func draftRange(t *rapid.T, key string) draft {
	start, stop := drawBound.Draw(t, "start"), drawBound.Draw(t, "stop")
	return draft{&StringRange{Key: Bytes(key), Start: start, Stop: &stop}, func(b *book) outcome {
		return b.aString(key, func(p page, found bool) outcome {
			if !found {
				return absentKey
			}
			part := []byte{}
			for i := range len(p.text) {
				n := int64(len(p.text))
				from, to := start, stop
				if from < 0 {
					from += n
				}
				if to < 0 {
					to += n
				}
				if from <= int64(i) && int64(i) <= to {
					part = append(part, p.text[i])
				}
			}
			return asJSON(StringPart{Value: part})
		})
	}}
}

// counted is old plus by, or the error of counting.
func counted(old string, found bool, by Number) (string, outcome) {
	if !found {
		old = "0"
	}
	if !strings.Contains(string(by), ".") {
		n, err := strconv.ParseInt(old, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != old {
			return "", "invalid not-an-integer"
		}
		step, _ := strconv.ParseInt(string(by), 10, 64)
		sum := new(big.Int).Add(big.NewInt(n), big.NewInt(step))
		if !sum.IsInt64() {
			return "", "invalid overflow"
		}
		return sum.String(), ""
	}
	a, ok := new(big.Rat).SetString(old)
	if !ok {
		return "", "invalid not-a-number"
	}
	step, _ := new(big.Rat).SetString(string(by))
	text := a.Add(a, step).FloatString(30)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		text = "0"
	}
	return text, ""
}

func draftIncr(t *rapid.T, key string) draft {
	op := &StringIncr{Key: Bytes(key), By: drawNumber.Draw(t, "by"), Expiry: drawExpiry(t)}
	return draft{op, func(b *book) outcome {
		return b.aString(key, func(p page, found bool) outcome {
			text, failed := counted(p.text, found, op.By)
			if failed != "" {
				return failed
			}
			b.put(key, p, text, op.Expiry)
			return asJSON(Counted{Value: Number(text)})
		})
	}}
}

func draftSetMany(t *rapid.T, _ string) draft {
	op := &StringsSet{Expiry: drawExpiry(t)}
	for range rapid.IntRange(1, 3).Draw(t, "pairs") {
		op.Pairs = append(op.Pairs, KeyValue{Bytes(drawBook.Draw(t, "key")), Bytes(drawText.Draw(t, "value"))})
	}
	if rapid.Bool().Draw(t, "if absent") {
		op.If = Only(Absent)
	}
	return draft{op, func(b *book) outcome {
		fresh, all := map[string]bool{}, map[string]bool{}
		for _, pair := range op.Pairs {
			_, found := b.pages[string(pair.Key)]
			if found && op.If != nil {
				return unmetCondition
			}
			all[string(pair.Key)] = true
			if !found {
				fresh[string(pair.Key)] = true
			}
		}
		for _, pair := range op.Pairs {
			b.pages[string(pair.Key)] = page{text: string(pair.Value), expires: b.deadline(op.Expiry, 0)}
		}
		return asJSON(StringsStored{Count: int64(len(all)), Created: int64(len(fresh))})
	}}
}

func draftInfo(_ *rapid.T, key string) draft {
	return draft{&KeyTTLGet{Key: Bytes(key)}, func(b *book) outcome {
		p, found := b.pages[key]
		if !found {
			return absentKey
		}
		return lifeOf(b, p.expires)
	}}
}

func lifeOf(b *book, expires int64) string {
	if expires == 0 {
		return asJSON(Lifetime{})
	}
	return asJSON(Lifetime{TTLMillis: new(expires - b.now), ExpiresAt: TimeOf(expires)})
}

func draftDelete(_ *rapid.T, key string) draft {
	return draft{&KeyDelete{Key: Bytes(key)}, func(b *book) outcome {
		if _, found := b.pages[key]; !found {
			return absentKey
		}
		delete(b.pages, key)
		return "-"
	}}
}

func draftExpire(t *rapid.T, key string) draft {
	op := &KeyTTLSet{Key: Bytes(key), Expiry: Expiry{TTL: TTL(time.Duration(rapid.IntRange(1, 4).Draw(t, "ttl")) * time.Second)}}
	if rapid.IntRange(0, 4).Draw(t, "past") == 0 {
		op.Expiry = Expiry{ExpiresAt: TimeOf(1)}
	}
	op.If = rapid.SampledFrom([]Conditions{nil, Only(Absent), Only(Present), Only(Greater), Only(Less), Only(Present, Greater)}).Draw(t, "if")
	return draft{op, func(b *book) outcome {
		p, found := b.pages[key]
		if !found {
			return absentKey
		}
		at := b.deadline(op.Expiry, 1)
		endless := p.expires == 0
		if op.If.Has(Absent) && !endless || op.If.Has(Present) && endless ||
			op.If.Has(Greater) && (endless || at <= p.expires) || op.If.Has(Less) && !endless && at >= p.expires {
			return unmetCondition
		}
		if at <= b.now {
			delete(b.pages, key)
			return lifeOf(b, 0)
		}
		p.expires = at
		b.pages[key] = p
		return lifeOf(b, at)
	}}
}

func draftPersist(_ *rapid.T, key string) draft {
	return draft{&KeyTTLClear{Key: Bytes(key)}, func(b *book) outcome {
		p, found := b.pages[key]
		if !found {
			return absentKey
		}
		p.expires = 0
		b.pages[key] = p
		return "-"
	}}
}

func draftRename(t *rapid.T, key string) draft {
	to := drawBook.Draw(t, "destination")
	op := &KeyRename{Key: Bytes(key), Destination: Bytes(to)}
	if rapid.Bool().Draw(t, "if absent") {
		op.If = Only(Absent)
	}
	return draft{op, func(b *book) outcome {
		p, found := b.pages[key]
		if !found {
			return absentKey
		}
		if _, taken := b.pages[to]; taken && op.If != nil {
			return unmetCondition
		}
		delete(b.pages, key)
		b.pages[to] = p
		return `{"renamed":true}`
	}}
}

func draftCopy(t *rapid.T, key string) draft {
	to := drawBook.Draw(t, "destination")
	op := &KeyCopy{Key: Bytes(key), Destination: Bytes(to), Replace: rapid.Bool().Draw(t, "replace")}
	return draft{op, func(b *book) outcome {
		p, found := b.pages[key]
		if !found {
			return absentKey
		}
		if key == to {
			return "invalid same-key"
		}
		if _, taken := b.pages[to]; taken && !op.Replace {
			return unmetCondition
		}
		p.fields = maps.Clone(p.fields)
		b.pages[to] = p
		return `{"copied":true}`
	}}
}

func draftKeys(t *rapid.T, _ string) draft {
	op := &KeysPage{Type: rapid.SampledFrom([]string{"", "string", "hash"}).Draw(t, "type")}
	return draft{op, func(b *book) outcome {
		list := KeyList{Keys: []Bytes{}}
		for _, key := range slices.Sorted(maps.Keys(b.pages)) {
			if op.Type == "" || (op.Type == "hash") == (b.pages[key].fields != nil) {
				list.Keys = append(list.Keys, Bytes(key))
			}
		}
		return asJSON(list)
	}}
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
