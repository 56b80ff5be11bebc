package encoding

import (
	"bytes"
	"errors"
	"testing"
)

// trickyKeys are prefixes of one another, rich in NULs and in the bytes next to
// the escape's own, in the order of their bytes.
var trickyKeys = []string{
	"", "\x00", "\x00\x00", "\x00\x00\x00", "\x00\x00\x01", "\x00\x01", "\x00\x01\x00", "\x00\xff",
	"\x01", "\x01\x00", "\x01\x01",
	"a", "a\x00", "a\x00\x00", "a\x00\x00b", "a\x00\x01", "a\x00b", "a\x00\xff", "a\x01", "a\x01\x00", "aa", "ab", "a\xff", "b",
	"\xff", "\xff\x00", "\xff\xff",
}

func TestAppendEscaped(t *testing.T) {
	for _, test := range []struct{ key, want string }{
		{"", "\x00\x00"},
		{"a", "a\x00\x00"},
		{"\x00", "\x00\x01\x00\x00"},
		{"a\x00b", "a\x00\x01b\x00\x00"},
		{"\x00\x00", "\x00\x01\x00\x01\x00\x00"},
		{"\x01", "\x01\x00\x00"},
	} {
		if got := AppendEscaped([]byte("dst"), []byte(test.key)); string(got) != "dst"+test.want {
			t.Errorf("%q: got %q, want %q behind dst", test.key, got, test.want)
		}
	}
}

func TestEscapedKeysSortAsTheyAre(t *testing.T) {
	tails := []string{"", "\x00", "\x00\x00", "\x01", "\xff\xff"}
	for i := 1; i < len(trickyKeys); i++ {
		for _, tailA := range tails {
			for _, tailB := range tails {
				a := append(AppendEscaped(nil, []byte(trickyKeys[i-1])), tailA...)
				b := append(AppendEscaped(nil, []byte(trickyKeys[i])), tailB...)
				if bytes.Compare(a, b) >= 0 {
					t.Errorf("%q before %q, but %q not before %q", trickyKeys[i-1], trickyKeys[i], a, b)
				}
			}
		}
	}
}

func TestCutEscapedRefuses(t *testing.T) {
	for _, src := range []string{"", "a", "a\x00", "a\x00\x01", "a\x00\x01b\x00", "\x00\x02", "a\x00\xff\x00\x00", "a\x00\x01\x00\x03"} {
		if key, _, err := CutEscaped([]byte(src)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q: got %q, %v; want ErrCorrupt", src, key, err)
		}
	}
}

func TestCutEscapedKeepsAppendsOutOfItsInput(t *testing.T) {
	src := AppendEscaped(nil, []byte("key"))
	src = append(src, "rest"...)
	key, rest, err := CutEscaped(src)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(key, "xxxxxx"...)
	if string(rest) != "rest" {
		t.Errorf("rest is %q after an append to the key", rest)
	}
	if &key[0] != &src[0] {
		t.Error("a key without NULs was copied")
	}
}

func TestPrefixEnd(t *testing.T) {
	for _, test := range []struct {
		prefix string
		want   []byte
	}{
		{"a", []byte("b")},
		{"a\x00", []byte("a\x01")},
		{"a\xff", []byte("b")},
		{"a\xff\xff", []byte("b")},
		{"\xfe\xff", []byte("\xff")},
		{"", nil},
		{"\xff", nil},
		{"\xff\xff", nil},
	} {
		prefix := []byte(test.prefix)
		if got := PrefixEnd(prefix); !bytes.Equal(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%q: got %q, want %q", test.prefix, got, test.want)
		}
		if string(prefix) != test.prefix {
			t.Errorf("%q was changed to %q", test.prefix, prefix)
		}
	}
}

func FuzzEscapedRoundTrip(f *testing.F) {
	for _, key := range trickyKeys {
		f.Add([]byte(key), []byte("\x00\x00rest"))
	}
	f.Fuzz(func(t *testing.T, key, tail []byte) {
		src := append(AppendEscaped(nil, key), tail...)
		got, rest, err := CutEscaped(src)
		if err != nil || !bytes.Equal(got, key) || !bytes.Equal(rest, tail) {
			t.Errorf("%q: got %q, rest %q, %v", key, got, rest, err)
		}
	})
}

func FuzzCutEscaped(f *testing.F) {
	for _, key := range trickyKeys {
		f.Add(AppendEscaped(nil, []byte(key)))
		f.Add([]byte(key))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		key, rest, err := CutEscaped(src)
		if err != nil {
			return
		}
		if again := append(AppendEscaped(nil, key), rest...); !bytes.Equal(again, src) {
			t.Errorf("%q reads as %q, which is written %q", src, key, again)
		}
	})
}

func FuzzPrefixEnd(f *testing.F) {
	f.Add([]byte("a\xff"), []byte("a\xff\xff\xff"))
	f.Add([]byte("\xff"), []byte("\xff\xff"))
	f.Add([]byte("a"), []byte("b"))
	f.Fuzz(func(t *testing.T, prefix, key []byte) {
		end := PrefixEnd(prefix)
		inside := bytes.Compare(prefix, key) <= 0 && (end == nil || bytes.Compare(key, end) < 0)
		if inside != bytes.HasPrefix(key, prefix) {
			t.Errorf("%q inside [%q, %q): %v", key, prefix, end, inside)
		}
	})
}
