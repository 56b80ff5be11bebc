package command

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func numbers(from, to int) (out [][]byte) {
	for i := from; i < to; i++ {
		out = append(out, []byte(strconv.Itoa(i)))
	}
	return out
}

func sketchOf(t testing.TB, elements [][]byte) []byte {
	t.Helper()
	value, _, err := addToSketch(nil, elements)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func counts(t testing.TB, values ...[]byte) float64 {
	t.Helper()
	n, err := countSketch(values)
	if err != nil {
		t.Fatal(err)
	}
	return float64(n)
}

// The standard error of 2^14 registers is 0.81 %; five times that is never met
// by chance, and small counts are exact.
func TestSketchesCount(t *testing.T) {
	for _, n := range []int{0, 1, 5, 100, 1000, 1500, 5000, 20_000, 50_000, 200_000} {
		value := sketchOf(t, numbers(0, n))
		for name, got := range map[string]float64{
			"its own count": counts(t, value),
			"a union":       counts(t, value, sketchOf(t, numbers(n/2, n))),
		} {
			if most := 5 * 0.0081 * float64(n); math.Abs(got-float64(n)) > most || n <= 100 && got != float64(n) {
				t.Errorf("%s of %d elements is %v", name, n, got)
			}
		}
	}
}

// What was added one by one, at once, in any order or by merging is the same
// sketch, byte for byte, but for the count in its head.
func TestSketchesAreCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		elements := numbers(0, rapid.SampledFrom([]int{0, 3, 200, 900, 1300, 4000}).Draw(t, "elements"))
		cut := rapid.IntRange(0, len(elements)).Draw(t, "cut")
		whole, _, err := addToSketch(nil, elements)
		if err != nil {
			t.Fatal(err)
		}
		second, _, _ := addToSketch(nil, elements[cut:])
		both, _, _ := addToSketch(second, elements[:cut])
		first, _, _ := addToSketch(nil, elements[:cut])
		union, err := mergeSketches([][]byte{first, second})
		if err != nil {
			t.Fatal(err)
		}
		merged, err := formatSketch(union, true)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(both[sketchHead:], whole[sketchHead:]) || !bytes.Equal(merged[sketchHead:], whole[sketchHead:]) {
			t.Error("the sketches differ")
		}
		if kept, fresh := countOf(t, whole), countOf(t, both); kept != fresh {
			t.Errorf("the count that is kept is %d, counted anew %d", kept, fresh)
		}
		if again, changed, err := addToSketch(whole, elements); err != nil || changed || again[15] != 0x80 {
			t.Errorf("adding the same again: changed %v, %v", changed, err)
		}
	})
}

func countOf(t *rapid.T, value []byte) uint64 {
	n, err := countSketch([][]byte{value})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// FuzzSketch: no string breaks the commands, and what is refused is refused
// with one of two errors.
func FuzzSketch(f *testing.F) {
	for _, n := range []int{0, 3, 300, 3000} {
		f.Add(sketchOf(f, numbers(0, n)))
	}
	f.Add([]byte("HYLL"))
	f.Add([]byte{})
	other := sketchOf(f, numbers(0, 10))
	f.Fuzz(func(t *testing.T, value []byte) {
		added, _, err := addToSketch(value, numbers(0, 3))
		if err != nil {
			if reply := ErrorReply(err); reply != errNoSketch && reply != errBrokenSketch {
				t.Fatalf("refused with %q", reply)
			}
			if _, err := countSketch([][]byte{value, other}); value != nil && err == nil {
				t.Error("refused by PFADD and counted by PFCOUNT")
			}
			return
		}
		if n, err := countSketch([][]byte{added, other}); err != nil || n == 0 {
			t.Errorf("after adding: %d, %v", n, err)
		}
	})
}

func TestBrokenSketchesAreRefused(t *testing.T) {
	for _, n := range []int{3, 3000} {
		value := sketchOf(t, numbers(0, n))
		for i := range len(value) + 1 {
			if _, err := parseSketch(value[:i]); i < len(value) && (err == nil) {
				t.Fatalf("the first %d bytes of %d are accepted", i, len(value))
			}
		}
		if _, err := parseSketch(append(bytes.Clone(value), 0)); fmt.Sprint(ErrorReply(err)) != string(errBrokenSketch) {
			t.Errorf("a byte more: %v", err)
		}
		foreign := bytes.Clone(value)
		foreign[sketchHead+1] = 16
		if _, err := parseSketch(foreign); ErrorReply(err) != errBrokenSketch {
			t.Errorf("another precision: %v", err)
		}
	}
}
