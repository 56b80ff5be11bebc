package command

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func TestLCSAgainstRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]byte("abc")), 0, 9)
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		table := compareLCS(a, b)
		if want := longestCommon(a, b); table.length != want {
			t.Fatalf("length %d, want %d", table.length, want)
		}
		common := lcsOptions{}.reply(a, b).(Bulk)
		if len(common) != table.length || !subsequence(common, a) || !subsequence(common, b) {
			t.Errorf("%q is not a subsequence of both of length %d", common, table.length)
		}
		total, lastA, lastB := 0, len(a), len(b)
		for _, m := range table.matches() {
			if !bytes.Equal(a[m.a:m.a+m.length], b[m.b:m.b+m.length]) || m.a+m.length > lastA || m.b+m.length > lastB {
				t.Errorf("match %+v", m)
			}
			total, lastA, lastB = total+m.length, m.a, m.b
		}
		if total != table.length {
			t.Errorf("matches of %d bytes, want %d", total, table.length)
		}
	})
}

// longestCommon is the definition.
func longestCommon(a, b []byte) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	if a[0] == b[0] {
		return 1 + longestCommon(a[1:], b[1:])
	}
	return max(longestCommon(a[1:], b), longestCommon(a, b[1:]))
}

// subsequence reports whether part is a subsequence of whole.
func subsequence(part, whole []byte) bool {
	for _, c := range whole {
		if len(part) > 0 && part[0] == c {
			part = part[1:]
		}
	}
	return len(part) == 0
}
