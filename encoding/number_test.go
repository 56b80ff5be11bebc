package encoding

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"testing"
)

// trickyFloats are in order.
var trickyFloats = []float64{
	math.Inf(-1), -math.MaxFloat64, -1e300, -2, -1.0000000000000002, -1, -0.1,
	-0x1p-1022, -0x1.ffffffffffffep-1023, -math.SmallestNonzeroFloat64,
	0,
	math.SmallestNonzeroFloat64, 2 * math.SmallestNonzeroFloat64, 0x1.ffffffffffffep-1023, 0x1p-1022,
	0.1, 1, 1.0000000000000002, 2, 1 << 53, 1<<53 + 2, 1e300, math.MaxFloat64, math.Inf(1),
}

func TestFloatsSortAsTheyAre(t *testing.T) {
	for i := 1; i < len(trickyFloats); i++ {
		a, b := AppendFloat(nil, trickyFloats[i-1]), AppendFloat(nil, trickyFloats[i])
		if bytes.Compare(a, b) >= 0 {
			t.Errorf("%g before %g, but %x not before %x", trickyFloats[i-1], trickyFloats[i], a, b)
		}
	}
}

func TestNegativeZeroIsZero(t *testing.T) {
	negative := AppendFloat(nil, math.Copysign(0, -1))
	if zero := AppendFloat(nil, 0); !bytes.Equal(negative, zero) {
		t.Errorf("-0 is %x, 0 is %x", negative, zero)
	}
	f, _, err := CutFloat(negative)
	if err != nil || f != 0 || math.Signbit(f) {
		t.Errorf("-0 comes back as %g, sign %v, %v", f, math.Signbit(f), err)
	}
}

func TestCutFloatRefuses(t *testing.T) {
	for name, src := range map[string][]byte{
		"nothing":      nil,
		"seven bytes":  make([]byte, 7),
		"NaN":          AppendFloat(nil, math.NaN()),
		"negative NaN": AppendFloat(nil, math.Copysign(math.NaN(), -1)),
		"-0":           binary.BigEndian.AppendUint64(nil, 1<<63-1),
	} {
		if f, _, err := CutFloat(src); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: got %g, %v; want ErrCorrupt", name, f, err)
		}
	}
}

func TestCutIndex(t *testing.T) {
	index, rest, err := CutIndex([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
	if err != nil || index != 0x0102030405060708 || len(rest) != 1 {
		t.Errorf("got %#x, rest %x, %v", index, rest, err)
	}
	if _, _, err := CutIndex(make([]byte, 7)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("seven bytes: %v; want ErrCorrupt", err)
	}
}

func TestTimesOutsideTheRecordTakeTheNearest(t *testing.T) {
	for _, test := range []struct{ created, expires, wantCreated, wantExpires int64 }{
		{0, 0, 0, 0},
		{-5, -5, 0, 1},
		{1, 1, 1, 1},
		{MaxTime, MaxTime, MaxTime, MaxTime},
		{MaxTime + 1, MaxTime + 1, MaxTime, MaxTime},
		{math.MaxInt64, math.MaxInt64, MaxTime, MaxTime},
		{math.MinInt64, math.MinInt64, 0, 1},
	} {
		var m Meta
		if err := ParseMeta(AppendMeta(nil, &Meta{Type: TypeHash, Created: test.created, Expires: test.expires}), &m); err != nil {
			t.Fatal(err)
		}
		if m.Created != test.wantCreated || m.Expires != test.wantExpires {
			t.Errorf("%+v: meta has %d, %d", test, m.Created, m.Expires)
		}
		var d Data
		if err := ParseData(AppendData(nil, &Data{Created: test.created, Expires: test.expires}), &d); err != nil {
			t.Fatal(err)
		}
		if d.Created != test.wantCreated || d.Expires != test.wantExpires {
			t.Errorf("%+v: data has %d, %d", test, d.Created, d.Expires)
		}
		// The index must name the time that meta names, or its record stays.
		_, ms, _, _, _, err := ParseExpiryKey(AppendExpiryKey(nil, 0, test.expires, 0, nil, 0))
		if err != nil || ms != max(test.wantExpires, 1) {
			t.Errorf("%+v: expiry key has %d, %v", test, ms, err)
		}
	}
}

func FuzzFloatOrder(f *testing.F) {
	for i := 1; i < len(trickyFloats); i++ {
		f.Add(math.Float64bits(trickyFloats[i-1]), math.Float64bits(trickyFloats[i]))
	}
	f.Add(uint64(0), uint64(1)<<63)
	f.Fuzz(func(t *testing.T, bitsA, bitsB uint64) {
		a, b := math.Float64frombits(bitsA), math.Float64frombits(bitsB)
		if math.IsNaN(a) || math.IsNaN(b) {
			return
		}
		encodedA, encodedB := AppendFloat(nil, a), AppendFloat(nil, b)
		if bytes.Compare(encodedA, encodedB) != cmp.Compare(a, b) {
			t.Errorf("%g and %g: %x and %x", a, b, encodedA, encodedB)
		}
		if got, rest, err := CutFloat(encodedA); err != nil || got != a || len(rest) != 0 {
			t.Errorf("%g comes back as %g, rest %x, %v", a, got, rest, err)
		}
	})
}
