package contracts

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// passing are checks of data that is in order, which is what a server does
// all day. None of them may allocate.
func passing(t testing.TB) map[string]func() []Violation {
	set := examples(t)
	session, profile := set.Get("session"), set.Get("profile")
	queue, tags, products := set.Get("order-queue"), set.Get("tags"), set.Get("hot-products")
	strict := one(t, `
key: a:{b}:{c...}
type: zset
vars: {b: {maxLength: 9, pattern: '^[a-z]+$'}, c: {excludes: [control]}}
items: {type: number, minimum: 0, maximum: 1e30, multipleOf: 0.01}
score: {minimum: 0, multipleOf: 0.01}`)
	key, token := []byte("session:8f14e45f"), []byte(strings.Repeat("t", 512))
	longKey := []byte("a:bcd:e:f:g")
	nickname, avatar, level, expire := []byte("nickname"), []byte("avatar"), []byte("level"), []byte("vip_expire")
	ada, picture, fifty, date := []byte("Ada é"), []byte("https://example.com/a.png"), []byte("50"), []byte("2027-04-23")
	element, tag, product, price := []byte(strings.Repeat("e", 4096)), []byte("红色"), []byte("123456"), []byte("19.99")
	wait := 5 * time.Second
	return map[string]func() []Violation{
		"match": func() []Violation {
			if set.Match(key) != session {
				t.Error("no match")
			}
			return nil
		},
		"key":       func() []Violation { return session.CheckKey(key) },
		"variables": func() []Violation { return strict.CheckKey(longKey) },
		"type":      func() []Violation { return session.CheckType(TypeString) },
		"value":     func() []Violation { return session.CheckValue(token) },
		"nickname":  func() []Violation { return profile.CheckField(nickname, ada) },
		"avatar":    func() []Violation { return profile.CheckField(avatar, picture) },
		"level":     func() []Violation { return profile.CheckField(level, fifty) },
		"date":      func() []Violation { return profile.CheckField(expire, date) },
		"element":   func() []Violation { return queue.CheckItem(element) },
		"tag":       func() []Violation { return tags.CheckItem(tag) },
		"pattern":   func() []Violation { return products.CheckItem(product) },
		"number":    func() []Violation { return strict.CheckItem(price) },
		"score":     func() []Violation { return products.CheckScore(123456) },
		"decimal":   func() []Violation { return strict.CheckScore(19.99) },
		"count":     func() []Violation { return tags.CheckCount(500) },
		"ttl":       func() []Violation { return session.CheckTTL(TTLState{Has: true, Remaining: time.Minute, Set: true}) },
		"operation": func() []Violation { return queue.CheckOperation(Call{Verb: "BRPOP", Timeout: &wait}) },
	}
}

func TestPassingChecksDoNotAllocate(t *testing.T) {
	for name, check := range passing(t) {
		if found := check(); found != nil {
			t.Errorf("%s: %v", name, found)
		}
		if raceDetector {
			continue // the detector makes pools forget on purpose
		}
		if n := testing.AllocsPerRun(200, func() { check() }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkPassing(b *testing.B) {
	for name, check := range passing(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				check()
			}
		})
	}
}

// manyContracts is a file of n contracts of the usual shapes.
func manyContracts(n int) string {
	var text strings.Builder
	text.WriteString("format: 1\ncontracts:\n")
	shapes := []string{"svc%d:user:{id}", "svc%d:{kind}:{id}:state", "svc%d:log:{day}:lines:{rest...}", "svc%d:config"}
	for i := range n {
		key := fmt.Sprintf(shapes[i%len(shapes)], i/len(shapes))
		fmt.Fprintf(&text, "  c%d: {key: '%s', type: hash, ttl: optional, fields: {a: {maxLength: 9}, b: {type: integer, minimum: 1}}}\n", i, key)
	}
	return text.String()
}

func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		set := parse(b, manyContracts(n))
		for _, key := range []string{"svc1:user:42", "svc1:order:42:state", "svc1:log:monday:lines:a:b", "elsewhere:x"} {
			b.Run(fmt.Sprintf("%d/%s", n, key), func(b *testing.B) {
				b.ReportAllocs()
				bytes := []byte(key)
				for b.Loop() {
					set.Match(bytes)
				}
			})
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		source := Source{"c.yaml", []byte(manyContracts(n))}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Parse(source); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
