package encoding

import "testing"

// step is one call of a function that every operation passes through. None may
// allocate when dst has room.
type step struct {
	name string
	run  func() error
}

// appends wraps an encoder, whose dst is used again and again.
func appends(name string, encode func(dst []byte) []byte) step {
	dst := make([]byte, 0, 512)
	return step{name, func() error {
		dst = encode(dst[:0])
		return nil
	}}
}

func hotKeys() []step {
	home, nul, member := []byte("session:0123456789"), []byte("session:\x00:0123456789"), []byte("nickname")
	memberKey := AppendMemberKey(nil, 1, home, someVersion, member)
	scoreKey := AppendScoreKey(nil, 1, home, someVersion, 1.5, member)
	return []step{
		appends("AppendMetaKey", func(dst []byte) []byte { return AppendMetaKey(dst, 1, home) }),
		appends("AppendMetaKey/NUL", func(dst []byte) []byte { return AppendMetaKey(dst, 1, nul) }),
		appends("AppendMemberKey", func(dst []byte) []byte { return AppendMemberKey(dst, 1, home, someVersion, member) }),
		appends("AppendListKey", func(dst []byte) []byte { return AppendListKey(dst, 1, home, someVersion, ListMiddle) }),
		appends("AppendScoreKey", func(dst []byte) []byte { return AppendScoreKey(dst, 1, home, someVersion, 1.5, member) }),
		appends("AppendExpiryKey", func(dst []byte) []byte {
			return AppendExpiryKey(dst, ExpiryShard(home), someTime, 1, home, someVersion)
		}),
		{"ParseMemberKey", func() error { _, _, _, _, err := ParseMemberKey(memberKey); return err }},
		{"ParseScoreKey", func() error { _, _, _, _, _, err := ParseScoreKey(scoreKey); return err }},
	}
}

func hotValues() []step {
	hash := Meta{Type: TypeHash, Count: 12, Version: someVersion, Changes: 40, Created: someTime, Expires: someTime,
		ContractID: 3, ContractRevision: 2, Conformant: true}
	renamed := hash
	renamed.Home = []byte("session:0123456789")
	metas := []struct {
		name string
		m    Meta
	}{
		{"hash", hash},
		{"renamed", renamed},
		{"string", Meta{Type: TypeString, Version: someVersion, Changes: 1, Created: someTime, Value: []byte("hello")}},
		{"list", Meta{Type: TypeList, Count: 2, Version: someVersion, Changes: 2, Created: someTime, Left: ListMiddle, Right: ListMiddle + 2}},
	}
	var steps []step
	for _, kind := range metas {
		src, m := AppendMeta(nil, &kind.m), new(Meta)
		steps = append(steps,
			appends("AppendMeta/"+kind.name, func(dst []byte) []byte { return AppendMeta(dst, &kind.m) }),
			step{"ParseMeta/" + kind.name, func() error { return ParseMeta(src, m) }})
	}
	element := &Data{Created: someTime, Value: []byte("Ada")}
	src, d := AppendData(nil, element), new(Data)
	return append(steps,
		appends("AppendData", func(dst []byte) []byte { return AppendData(dst, element) }),
		step{"ParseData", func() error { return ParseData(src, d) }})
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	for _, s := range append(hotKeys(), hotValues()...) {
		if err := s.run(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if n := testing.AllocsPerRun(100, func() { _ = s.run() }); n != 0 {
			t.Errorf("%s: %v allocations", s.name, n)
		}
	}
}

func BenchmarkCodec(b *testing.B) {
	for _, s := range append(hotKeys(), hotValues()...) {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := s.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
