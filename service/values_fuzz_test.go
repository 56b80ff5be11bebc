package service

import (
	"math/big"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// FuzzNumber wants the canonical text of a number to be the same number, and
// to be its own canonical text.
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"0", "-0.0", "1e3", "1.50", "-12.5e-3", "9223372036854775808", "1e400", "01", ".5", "1 ", "1e4095"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseNumber(text)
		if err != nil {
			return
		}
		given, ok := new(big.Rat).SetString(text)
		kept, same := new(big.Rat).SetString(string(n))
		if !ok || !same || given.Cmp(kept) != 0 {
			t.Errorf("%s became %s", text, n)
		}
		if again, err := ParseNumber(string(n)); err != nil || again != n {
			t.Errorf("%s became %s, then %s (%v)", text, n, again, err)
		}
		if strings.ContainsAny(string(n), "eE+") || strings.HasPrefix(string(n), "-0") && given.Sign() == 0 {
			t.Errorf("%s became %s", text, n)
		}
		if n.Whole() != given.IsInt() {
			t.Errorf("%s is whole: %v", text, n.Whole())
		}
	})
}

// FuzzDecodeValues reads any text as each of the types, and wants what is read
// to survive being written.
func FuzzDecodeValues(f *testing.F) {
	for _, seed := range []string{
		`"a"`, `{"base64":"/w=="}`, `1e3`, `"1h30m"`, `90`, `"2027-04-23T12:00:00Z"`, `["absent"]`, `{"a":"b","c":1}`,
		`[{"field":"a","value":"b"}]`, `"inf"`, `null`, `"\ud800"`, `{"base64":1}`, `"AWE"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		survives[Bytes](t, text)
		survives[Number](t, text)
		survives[Score](t, text)
		survives[Bound](t, text)
		survives[TTL](t, text)
		survives[Time](t, text)
		survives[Conditions](t, text)
		survives[Cursor](t, text)
		survives[Fields](t, text)
	})
}

func survives[T any](t *testing.T, text []byte) {
	t.Helper()
	var first, second T
	if json.Unmarshal(text, &first) != nil {
		return
	}
	written, err := json.Marshal(first)
	if err != nil {
		t.Fatalf("%T %s cannot be written: %v", first, text, err)
	}
	// Fields without a value are an answer only.
	if _, fields := any(first).(Fields); fields && strings.Contains(string(written), "null") {
		return
	}
	if err := json.Unmarshal(written, &second); err != nil {
		t.Fatalf("%T %s was written as %s: %v", first, text, written, err)
	}
	again, err := json.Marshal(second)
	if err != nil || string(again) != string(written) {
		t.Errorf("%T %s was written as %s, then as %s (%v)", first, text, written, again, err)
	}
}
