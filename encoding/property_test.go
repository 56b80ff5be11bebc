package encoding

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func bytesGen() *rapid.Generator[[]byte] {
	return rapid.Map(keyGen(), func(s string) []byte { return []byte(s) })
}

// sometimes draws the zero value every other time, so that optional fields are
// there in every combination.
func sometimes[T any](g *rapid.Generator[T]) *rapid.Generator[T] {
	var zero T
	return rapid.OneOf(rapid.Just(zero), g)
}

func timeGen() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.SampledFrom([]int64{1, 255, 1 << 32, MaxTime}), rapid.Int64Range(1, MaxTime))
}

func scoreGen() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.SampledFrom(trickyFloats), rapid.Float64())
}

func typeGen() *rapid.Generator[Type] {
	return rapid.SampledFrom([]Type{TypeString, TypeHash, TypeList, TypeSet, TypeZSet})
}

func metaGen() *rapid.Generator[Meta] {
	return rapid.Custom(func(t *rapid.T) Meta {
		m := Meta{
			Type: typeGen().Draw(t, "type"), Count: rapid.Uint64().Draw(t, "count"),
			Version: rapid.Uint64().Draw(t, "version"), Changes: rapid.Uint64().Draw(t, "changes"),
			Created: sometimes(timeGen()).Draw(t, "created"), Expires: sometimes(timeGen()).Draw(t, "expires"),
			Bytes: sometimes(rapid.Uint64()).Draw(t, "bytes"), MediaType: sometimes(rapid.String()).Draw(t, "media type"),
			ContractID: sometimes(rapid.Uint32()).Draw(t, "contract"), Conformant: rapid.Bool().Draw(t, "conformant"),
			FieldExpires: sometimes(timeGen()).Draw(t, "field expires"), TreeRoot: sometimes(rapid.Uint64()).Draw(t, "tree"),
			HasHome: rapid.Bool().Draw(t, "renamed"), Uneven: sometimes(rapid.Uint64()).Draw(t, "uneven"), Stride: sometimes(rapid.Uint64()).Draw(t, "stride"),
		}
		if m.ContractID != 0 {
			m.ContractRevision = rapid.Uint64().Draw(t, "revision")
		}
		if m.HasHome {
			m.Home = bytesGen().Draw(t, "home")
		}
		if low := bytesGen().Draw(t, "low water"); len(low) > 0 {
			m.LowWater = low
		}
		if m.Type == TypeList {
			m.Left, m.Right = rapid.Uint64().Draw(t, "left"), rapid.Uint64().Draw(t, "right")
		}
		if m.Type == TypeString {
			m.Value = bytesGen().Draw(t, "value")
		}
		return m
	})
}

// roundTrip is the property that what was written comes back, behind whatever
// dst held.
func roundTrip[T any](g *rapid.Generator[T], write func([]byte, *T) []byte, parse func([]byte, *T) error) func(*rapid.T) {
	return func(t *rapid.T) {
		v := g.Draw(t, "record")
		dst := bytesGen().Draw(t, "dst")
		src := write(bytes.Clone(dst), &v)
		if !bytes.HasPrefix(src, dst) || len(src) == len(dst) {
			t.Fatalf("%x is not something behind %x", src, dst)
		}
		got := g.Draw(t, "what an earlier use left")
		if err := parse(src[len(dst):], &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, v) {
			t.Fatalf("wrote %+v\nread  %+v", v, got)
		}
	}
}

var recordProperties = map[string]func(*rapid.T){
	"meta": roundTrip(metaGen(), AppendMeta, ParseMeta),
	"data": roundTrip(rapid.Custom(func(t *rapid.T) Data {
		return Data{sometimes(timeGen()).Draw(t, "created"), sometimes(timeGen()).Draw(t, "expires"), bytesGen().Draw(t, "value")}
	}), AppendData, ParseData),
	"tree": roundTrip(treeGen(), AppendTreeNode, ParseTreeNode),
	"reclaim": roundTrip(rapid.Custom(func(t *rapid.T) Reclaim {
		r := Reclaim{NS: rapid.Uint32().Draw(t, "ns"), WholeNamespace: rapid.Bool().Draw(t, "whole")}
		if !r.WholeNamespace {
			r.Home, r.Version = bytesGen().Draw(t, "home"), rapid.Uint64().Draw(t, "version")
			r.Type = typeGen().Draw(t, "type")
		}
		r.Queued = sometimes(timeGen()).Draw(t, "queued")
		if !r.WholeNamespace && rapid.Bool().Draw(t, "part") {
			r.From = rapid.Uint64Max(math.MaxUint64-1).Draw(t, "from")
			r.To = rapid.Uint64Min(r.From+1).Draw(t, "to")
		}
		if cursor := bytesGen().Draw(t, "cursor"); len(cursor) > 0 {
			r.Cursor = cursor
		}
		return r
	}), AppendReclaim, ParseReclaim),
	"change": roundTrip(rapid.Custom(func(t *rapid.T) Change {
		return Change{typeGen().Draw(t, "type"), rapid.Bool().Draw(t, "gone"), sometimes(timeGen()).Draw(t, "time"),
			rapid.Uint64().Draw(t, "version"), rapid.Uint64().Draw(t, "changes"), rapid.String().Draw(t, "verb"), bytesGen().Draw(t, "key")}
	}), AppendChange, ParseChange),
	"token": roundTrip(rapid.Custom(func(t *rapid.T) Token {
		return Token{rapid.String().Draw(t, "name"), Scope(rapid.ByteRange(0, 7).Draw(t, "scopes")),
			sometimes(timeGen()).Draw(t, "created"), sometimes(timeGen()).Draw(t, "expires"), sometimes(rapid.Uint64()).Draw(t, "rate"),
			sometimes(rapid.SliceOfN(rapid.String(), 1, 5)).Draw(t, "patterns")}
	}), AppendToken, ParseToken),
	"keys": keyProperty,
}

func treeGen() *rapid.Generator[TreeNode] {
	return rapid.Custom(func(t *rapid.T) TreeNode {
		n := TreeNode{Level: rapid.Byte().Draw(t, "level"), Root: rapid.Bool().Draw(t, "root"), Entries: []TreeEntry{}}
		if n.Root {
			n.Least, n.Greatest = scoreGen().Draw(t, "least"), scoreGen().Draw(t, "greatest")
			n.NextNode = rapid.Uint64().Draw(t, "next")
		}
		for range rapid.IntRange(0, 8).Draw(t, "entries") {
			e := TreeEntry{Score: scoreGen().Draw(t, "score"), Member: bytesGen().Draw(t, "member"), Count: rapid.Uint64().Draw(t, "count")}
			if n.Level > 0 {
				e.Child = rapid.Uint64().Draw(t, "child")
			}
			n.Entries = append(n.Entries, e)
		}
		return n
	})
}

// keyProperty: the parts of a key come back, and behind a known data prefix the
// rest is what follows the version.
func keyProperty(t *rapid.T) {
	p, version := placeGen().Draw(t, "place"), rapid.Uint64().Draw(t, "version")
	home, member := []byte(p.key), bytesGen().Draw(t, "member")
	index, score := rapid.Uint64().Draw(t, "index"), scoreGen().Draw(t, "score")
	for i, key := range dataKeys(p, version, index, score, string(member)) {
		f, ns, gotHome, gotVersion, rest, err := ParseDataPrefix(key)
		if err != nil || ns != p.ns || !bytes.Equal(gotHome, home) || gotVersion != version {
			t.Fatalf("key %d: %s %d %q %d, %v", i, f, ns, gotHome, gotVersion, err)
		}
		prefix := AppendDataPrefix(nil, f, p.ns, home, version)
		if !bytes.Equal(rest, key[len(prefix):]) || !bytes.HasPrefix(key, prefix) {
			t.Fatalf("key %d: rest %x of %x behind %x", i, rest, key, prefix)
		}
		switch f {
		case FamilyMember:
			if !bytes.Equal(rest, member) {
				t.Fatalf("member %q, want %q", rest, member)
			}
		case FamilyList, FamilyTree:
			if got, tail, err := CutIndex(rest); err != nil || got != index || len(tail) != 0 {
				t.Fatalf("index %d, want %d; %x left, %v", got, index, tail, err)
			}
		case FamilyScore:
			if got, tail, err := CutFloat(rest); err != nil || got != score || !bytes.Equal(tail, member) {
				t.Fatalf("score %g, want %g; member %q, want %q; %v", got, score, tail, member, err)
			}
		}
	}
}

func TestRecordsComeBack(t *testing.T) {
	for name, property := range recordProperties {
		t.Run(name, func(t *testing.T) { rapid.Check(t, property) })
	}
}

// FuzzMetaRoundTrip lets the fuzzer steer what the properties draw.
func FuzzMetaRoundTrip(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0}, 256))
	f.Add(bytes.Repeat([]byte{0xff}, 256))
	f.Fuzz(rapid.MakeFuzz(recordProperties["meta"]))
}

// FuzzKeyRoundTrip does the same for keys.
func FuzzKeyRoundTrip(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0}, 256))
	f.Add(bytes.Repeat([]byte{0xff}, 256))
	f.Fuzz(rapid.MakeFuzz(recordProperties["keys"]))
}

func TestHomeOfARenamedKey(t *testing.T) {
	for _, test := range []struct {
		name string
		m    Meta
		want Meta
	}{
		{"own key", Meta{}, Meta{}},
		{"home alone", Meta{Home: []byte("h")}, Meta{HasHome: true, Home: []byte("h")}},
		{"empty home, not nil", Meta{Home: []byte{}}, Meta{HasHome: true, Home: []byte{}}},
		{"empty home by the flag", Meta{HasHome: true}, Meta{HasHome: true, Home: []byte{}}},
	} {
		test.m.Type, test.want.Type = TypeHash, TypeHash
		var got Meta
		if err := ParseMeta(AppendMeta(nil, &test.m), &got); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", test.name, got, err)
		}
	}
}

func TestNoValueIsEmpty(t *testing.T) {
	for _, record := range goldenRecords() {
		for _, c := range record.cases {
			if len(c.encoded) == 0 {
				t.Errorf("%s, %s is empty", record.file, c.name)
			}
		}
	}
	if len(AppendAlias(nil, nil)) == 0 || len(AppendData(nil, &Data{})) == 0 || len(AppendMeta(nil, &Meta{})) == 0 {
		t.Error("a zero record is empty")
	}
}

func TestTypeNames(t *testing.T) {
	for _, typ := range []Type{TypeString, TypeHash, TypeList, TypeSet, TypeZSet} {
		if got, ok := ParseType(typ.String()); !ok || got != typ || !typ.Valid() {
			t.Errorf("%s comes back as %v, %v", typ, got, ok)
		}
	}
	for _, name := range []string{"", "unknown", "String", "stream"} {
		if typ, ok := ParseType(name); ok {
			t.Errorf("%q is %v", name, typ)
		}
	}
	for _, typ := range []Type{0, 6, math.MaxUint8} {
		if typ.Valid() || typ.String() != "unknown" {
			t.Errorf("%d is valid as %q", byte(typ), typ)
		}
	}
}
