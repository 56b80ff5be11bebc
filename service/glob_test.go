package service

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
		prefix  string
	}{
		{"", []string{""}, []string{"a"}, ""},
		{"*", []string{"", "a", "\x00\xff"}, nil, ""},
		{"user:*", []string{"user:", "user:1"}, []string{"user", "xuser:1"}, "user:"},
		{"h?llo", []string{"hello", "h\x00llo"}, []string{"hllo", "heello", "hé" + "llo"}, "h"},
		{"h[ae]llo", []string{"hello", "hallo"}, []string{"hillo"}, "h"},
		{"h[^e]llo", []string{"hallo", "h^llo"}, []string{"hello"}, "h"},
		{"[^a-z]", []string{"A", "5"}, []string{"a", "m", "z", ""}, ""},
		{"[z-a]", []string{"m"}, []string{"M"}, ""},
		{"[a-]", []string{"a", "]", "_"}, []string{"-"}, ""}, // from a to the bracket, which ends nothing
		{`[\]a]`, []string{"]", "a"}, []string{`\`}, ""},
		{`[\^a]`, []string{"^", "a"}, []string{"b"}, ""},
		{"[]", nil, []string{"", "]", "a"}, ""},
		{"[^]", []string{"a", "]"}, []string{""}, ""},
		{"[ab", []string{"a", "b"}, []string{"c", "[ab"}, ""},
		{`a\*b`, []string{"a*b"}, []string{"axb", `a\*b`}, "a*b"},
		{`a\`, []string{`a\`}, []string{"a"}, `a\`},
		{"**a**", []string{"a", "xax"}, []string{"", "b"}, ""},
		{"*a*b", []string{"ab", "aab", "xaxbxb"}, []string{"ba", "abx"}, ""},
		{"a*?", []string{"ab", "abc"}, []string{"a"}, "a"},
	} {
		g := newGlob([]byte(c.pattern))
		if string(g.Prefix()) != c.prefix {
			t.Errorf("%q: prefix %q, want %q", c.pattern, g.Prefix(), c.prefix)
		}
		for _, text := range c.yes {
			if !g.Match([]byte(text)) {
				t.Errorf("%q does not match %q", c.pattern, text)
			}
		}
		for _, text := range c.no {
			if g.Match([]byte(text)) {
				t.Errorf("%q matches %q", c.pattern, text)
			}
		}
	}
}

// redisMatch follows stringmatchlen of Redis step by step. It is slow on
// purpose: it tries every length for every star.
func redisMatch(pattern, text []byte) bool {
	for len(pattern) > 0 && len(text) > 0 {
		switch pattern[0] {
		case '*':
			for i := 0; i <= len(text); i++ {
				if redisMatch(pattern[1:], text[i:]) {
					return true
				}
			}
			return false
		case '?':
			pattern, text = pattern[1:], text[1:]
		case '[':
			pattern = pattern[1:]
			not := len(pattern) > 0 && pattern[0] == '^'
			if not {
				pattern = pattern[1:]
			}
			match := false
			for {
				if len(pattern) >= 2 && pattern[0] == '\\' {
					match = match || pattern[1] == text[0]
					pattern = pattern[2:]
				} else if len(pattern) == 0 {
					break
				} else if pattern[0] == ']' {
					pattern = pattern[1:]
					break
				} else if len(pattern) >= 3 && pattern[1] == '-' {
					from, to := min(pattern[0], pattern[2]), max(pattern[0], pattern[2])
					match = match || from <= text[0] && text[0] <= to
					pattern = pattern[3:]
				} else {
					match = match || pattern[0] == text[0]
					pattern = pattern[1:]
				}
			}
			if match == not {
				return false
			}
			text = text[1:]
		default:
			if pattern[0] == '\\' && len(pattern) >= 2 {
				pattern = pattern[1:]
			}
			if pattern[0] != text[0] {
				return false
			}
			pattern, text = pattern[1:], text[1:]
		}
	}
	return len(text) == 0 && len(bytes.TrimLeft(pattern, "*")) == 0
}

func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{
		{"a*b?c", "axxbyc"}, {"[^a-z]*", "Q"}, {`\[\]*[\]]`, "[]x]"}, {"*a*a*b", "aaab"}, {"[a-", "-"}, {"[", "["}, {"", ""},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, pattern, text []byte) {
		if len(pattern) > 20 || len(text) > 20 {
			return // the reference takes exponential time
		}
		g := newGlob(pattern)
		got := g.Match(text)
		if want := redisMatch(pattern, text); got != want {
			t.Errorf("%q on %q: %v, want %v", pattern, text, got, want)
		}
		if got && !bytes.HasPrefix(text, g.Prefix()) {
			t.Errorf("%q matches %q, which does not start with %q", pattern, text, g.Prefix())
		}
	})
}

func TestAHostilePatternEndsSoon(t *testing.T) {
	g := newGlob([]byte(strings.Repeat("*a", 500) + "b"))
	text := bytes.Repeat([]byte("a"), 1024)
	done := make(chan bool, 1)
	go func() { done <- g.Match(text) }()
	select {
	case matched := <-done:
		if matched {
			t.Error("it matches")
		}
	case <-time.After(time.Minute):
		t.Fatal("still matching after a minute")
	}
}
