package command

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// digits writes a string as binary digits, the simplest model of its bits.
func digits(value []byte) string {
	var b strings.Builder
	for _, c := range value {
		fmt.Fprintf(&b, "%08b", c)
	}
	return b.String()
}

func TestBitSearchAgainstDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 0xff, 0xff, 1, 0x80, 0x5a}), 1, 6).Draw(t, "value")
		from := rapid.Int64Range(0, int64(len(value)*8-1)).Draw(t, "from")
		to := rapid.Int64Range(from, int64(len(value)*8-1)).Draw(t, "to")
		part := digits(value)[from : to+1]
		if got, want := countBits(value, from, to), strings.Count(part, "1"); got != want {
			t.Errorf("%d bits in %s, want %d", got, part, want)
		}
		for bit := range byte(2) {
			want := int64(strings.IndexByte(part, '0'+bit))
			if want >= 0 {
				want += from
			}
			if got := findBit(value, bit, from, to); got != want {
				t.Errorf("the first %d of %s, from %d on, is at %d, want %d", bit, part, from, got, want)
			}
		}
	})
}

// The model of a field: a number without limits, and the rules in words.
func TestBitIntegersAgainstBigNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := bitInteger{signed: rapid.Bool().Draw(t, "signed")}
		field.width = rapid.IntRange(1, 63).Draw(t, "width")
		if field.signed && rapid.Bool().Draw(t, "wide") {
			field.width = 64
		}
		value := rapid.SliceOfN(rapid.Byte(), 10, 10).Draw(t, "value")
		offset := rapid.Int64Range(0, int64(80-field.width)).Draw(t, "offset")
		by := rapid.Int64().Draw(t, "by")
		over := rapid.SampledFrom([]overflow{wrap, saturate, refuse}).Draw(t, "overflow")
		before := digits(value)
		old := modelInteger(field, before[offset:])
		if got := field.read(value, offset); got != old.Int64() {
			t.Fatalf("read %d, want %s", got, old)
		}
		want := new(big.Int).Add(old, big.NewInt(by))
		size := new(big.Int).Lsh(big.NewInt(1), uint(field.width))
		least, most := new(big.Int), new(big.Int).Sub(size, big.NewInt(1))
		if field.signed {
			half := new(big.Int).Rsh(size, 1)
			least, most = new(big.Int).Neg(half), half.Sub(half, big.NewInt(1))
		}
		fits := want.Cmp(least) >= 0 && want.Cmp(most) <= 0
		switch {
		case fits:
		case over == saturate && want.Cmp(most) > 0:
			want = most
		case over == saturate:
			want = least
		default:
			want.Sub(want, least).Mod(want, size).Add(want, least)
		}
		reply := bitIntegerOp{what: "INCRBY", field: field, offset: offset, number: by, over: over}.run(value)
		after := digits(value)
		if !fits && over == refuse {
			if reply != (Null{}) || after != before {
				t.Fatalf("a sum that does not fit answered %v and made of %s %s", reply, before, after)
			}
			return
		}
		if reply != Int(want.Int64()) || modelInteger(field, after[offset:]).Cmp(want) != 0 {
			t.Errorf("%s + %d answered %v and left %s, want %s", old, by, reply, modelInteger(field, after[offset:]), want)
		}
		end := offset + int64(field.width)
		if after[:offset] != before[:offset] || after[end:] != before[end:] {
			t.Errorf("bits outside the field have changed: %s, then %s", before, after)
		}
	})
}

// modelInteger reads a field from the front of binary digits.
func modelInteger(field bitInteger, digits string) *big.Int {
	n, _ := new(big.Int).SetString(digits[:field.width], 2)
	if field.signed && digits[0] == '1' {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(field.width)))
	}
	return n
}
