package store

import (
	"testing"

	"keypact/encoding"
)

func TestEssential(t *testing.T) {
	meta := func(m encoding.Meta) []byte { return encoding.AppendMeta(nil, &m) }
	key := encoding.AppendMetaKey(nil, 1, []byte("k"))
	for _, test := range []struct {
		name       string
		key, value []byte
		want       bool
	}{
		{"meta of a hash", key, meta(encoding.Meta{Type: encoding.TypeHash, Version: 1, Count: 2}), true},
		{"meta of a list", key, meta(encoding.Meta{Type: encoding.TypeList, Version: 1, Count: 2, Right: 2}), true},
		{"meta of a string", key, meta(encoding.Meta{Type: encoding.TypeString, Version: 1, Value: []byte("x")}), false},
		{"damaged meta", key, []byte{0xff}, false},
		{"no meta any more", key, nil, true},
		{"reclaim record", encoding.AppendReclaimKey(nil, 1), []byte("x"), true},
		{"clock", encoding.ClockKey(), []byte("x"), true},
		{"counter", encoding.AppendCounterKey(nil, 1, 0), []byte("x"), true},
		{"namespace", encoding.AppendNamespaceKey(nil, "0"), []byte("x"), true},
		{"alias", encoding.AppendAliasKey(nil, 1, []byte("k"), 1), []byte("x"), true},
		{"list element", encoding.AppendListKey(nil, 1, []byte("k"), 1, 1), []byte("x"), false},
		{"list element that goes", encoding.AppendListKey(nil, 1, []byte("k"), 1, 1), nil, true},
		{"member", []byte{byte(encoding.FamilyMember), 1}, []byte("x"), false},
		{"score", []byte{byte(encoding.FamilyScore), 1}, []byte("x"), false},
		{"unknown family", []byte{0xee}, []byte("x"), false},
		{"no key", nil, []byte("x"), false},
	} {
		if got := Essential(test.key, test.value); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
