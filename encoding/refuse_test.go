package encoding

import (
	"errors"
	"testing"
)

// huge is the greatest uvarint, which no record has room for.
var huge = []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}

func TestHugeCountsDoNotAllocate(t *testing.T) {
	if err := ParseTreeNode(append([]byte{0, 0}, huge...), &TreeNode{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("tree node: %v; want ErrCorrupt", err)
	}
	if err := ParseToken(append([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0}, huge...), &Token{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("token: %v; want ErrCorrupt", err)
	}
}

func TestUnknownScopesAreRefused(t *testing.T) {
	for scopes := range Scope(16) {
		err := ParseToken(AppendToken(nil, &Token{Scopes: scopes}), &Token{})
		if known := scopes < 8; known != (err == nil) {
			t.Errorf("scopes %04b: %v", scopes, err)
		}
	}
}

func TestUnknownShardsAreRefused(t *testing.T) {
	for _, shard := range []byte{0, ExpiryShards - 1, ExpiryShards, 'b'} {
		known := shard < ExpiryShards
		if _, _, _, _, _, err := ParseExpiryKey(AppendExpiryKey(nil, shard, 1, 0, nil, 0)); known != (err == nil) {
			t.Errorf("shard %d of expiry: %v", shard, err)
		}
		if _, _, _, _, _, _, err := ParseFieldExpiryKey(AppendFieldExpiryKey(nil, shard, 1, 0, nil, 0, nil)); known != (err == nil) {
			t.Errorf("shard %d of field expiry: %v", shard, err)
		}
	}
}

func TestAppendsToWhatWasReadStayOutOfTheRecord(t *testing.T) {
	src := AppendMeta(nil, &Meta{Type: TypeString, Home: []byte("home"), LowWater: []byte("low"), Value: []byte("value")})
	var m Meta
	if err := ParseMeta(src, &m); err != nil {
		t.Fatal(err)
	}
	_ = append(m.Home, "xxxxxxxx"...)
	_ = append(m.LowWater, "xxxxxxxx"...)
	if string(m.LowWater) != "low" || string(m.Value) != "value" {
		t.Errorf("low water %q, value %q after appends to what lies before them", m.LowWater, m.Value)
	}
	m.Value[0] = 'V'
	if src[len(src)-5] != 'V' {
		t.Error("the value was copied")
	}
}
