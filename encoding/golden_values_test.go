package encoding

import (
	"math"
	"slices"
)

// decodeInto turns a decoder of a struct into one of a golden case.
func decodeInto[T any](parse func([]byte, *T) error) func([]byte) (any, error) {
	return func(src []byte) (any, error) {
		var v T
		err := parse(src, &v)
		return v, err
	}
}

func decodeTo[T any](parse func([]byte) (T, error)) func([]byte) (any, error) {
	return func(src []byte) (any, error) { return parse(src) }
}

func meta(name, fields string, m Meta) goldenCase {
	return goldenCase{name, AppendMeta(nil, &m), fields, decodeInto(ParseMeta), m}
}

func data(name, fields string, d Data) goldenCase {
	return goldenCase{name, AppendData(nil, &d), fields, decodeInto(ParseData), d}
}

func goldenValues() []goldenRecord {
	return slices.Concat(goldenMeta(), goldenData(), goldenSystemValues(), goldenLateValues())
}

func goldenMeta() []goldenRecord {
	const core = "type:1 flags:1 count:1 version:8 changes:1 ctime:6 "
	return []goldenRecord{
		{"string_value", []goldenCase{
			meta("plain", core+"value:*", Meta{Type: TypeString, Version: someVersion, Changes: 1, Created: someTime, Value: []byte("Ada\x00")}),
			meta("empty", core, Meta{Type: TypeString, Version: 1, Changes: 1, Created: someTime, Value: []byte{}}),
			meta("with an expiry", core+"etime:6 value:*",
				Meta{Type: TypeString, Version: 1, Changes: 2, Created: someTime, Expires: MaxTime, Value: []byte("x")}),
			meta("with a media type", core+"media-type:17 value:*",
				Meta{Type: TypeString, Version: 1, Changes: 1, Created: someTime, MediaType: "application/json", Value: []byte("{}")}),
		}},
		{"meta_value", []goldenCase{
			meta("hash", core, Meta{Type: TypeHash, Count: 3, Version: someVersion, Changes: 7, Created: someTime}),
			meta("set with long numbers", "type:1 flags:1 count:10 version:8 changes:2 ctime:6",
				Meta{Type: TypeSet, Count: math.MaxUint64, Version: math.MaxUint64, Changes: 300, Created: 0}),
			meta("zset with a tree", "type:1 flags:2 count:2 version:8 changes:1 ctime:6 root:1 low-water:4",
				Meta{Type: TypeZSet, Count: 500, Version: 9, Changes: 9, Created: someTime, TreeRoot: 1, LowWater: []byte("low")}),
			meta("renamed", core+"home:4", Meta{Type: TypeHash, Count: 1, Version: 9, Changes: 2, Created: someTime, HasHome: true, Home: []byte("old")}),
			meta("renamed from the empty key", core+"home:1",
				Meta{Type: TypeHash, Count: 1, Version: 9, Changes: 2, Created: someTime, HasHome: true, Home: []byte{}}),
			meta("judged by a contract", core+"contract:1 revision:2",
				Meta{Type: TypeHash, Count: 1, Version: 9, Changes: 1, Created: someTime, ContractID: 5, ContractRevision: 300, Conformant: true}),
			meta("every field", "type:1 flags:2 count:1 version:8 changes:1 ctime:6 etime:6 bytes:3 media-type:4 contract:5 revision:1 "+
				"fields-etime:6 home:4 root:1 low-water:4 uneven:1",
				Meta{Type: TypeSet, Count: 2, Version: 3, Changes: 4, Created: 5, Expires: 6, Bytes: 70000, MediaType: "a/b",
					ContractID: math.MaxUint32, ContractRevision: 9, Conformant: true, FieldExpires: 10, HasHome: true, Home: []byte("old"),
					TreeRoot: 11, LowWater: []byte("low"), Uneven: 12}),
			meta("zset with both marks", "type:1 flags:2 count:2 version:8 changes:1 ctime:6 root:1 low-water:4 high-water:5",
				Meta{Type: TypeZSet, Count: 500, Version: 9, Changes: 9, Created: someTime, TreeRoot: 1, LowWater: []byte("low"), HighWater: []byte("high")}),
		}},
		{"list_meta_value", []goldenCase{
			meta("plain", core+"left:8 right:8",
				Meta{Type: TypeList, Count: 2, Version: someVersion, Changes: 2, Created: someTime, Left: ListMiddle - 1, Right: ListMiddle + 1}),
			meta("with holes", "type:1 flags:2 count:1 version:8 changes:1 ctime:6 uneven:1 left:8 right:8",
				Meta{Type: TypeList, Count: 1, Version: 1, Changes: 3, Created: someTime, Uneven: 2, Left: ListMiddle, Right: ListMiddle + 3}),
			meta("with a stride", "type:1 flags:2 count:1 version:8 changes:1 ctime:6 stride:3 left:8 right:8",
				Meta{Type: TypeList, Count: 1, Version: 1, Changes: 3, Created: someTime, Stride: 1 << 16, Left: ListMiddle, Right: ListMiddle + 1<<16}),
		}},
	}
}

func goldenData() []goldenRecord {
	return []goldenRecord{
		{"data_value", []goldenCase{
			data("hash field or list element", "flags:1 ctime:6 value:*", Data{Created: someTime, Value: []byte("v\x00")}),
			data("set member", "flags:1 ctime:6", Data{Created: someTime, Value: []byte{}}),
			data("zset member", "flags:1 ctime:6 score:8", Data{Created: someTime, Value: AppendFloat(nil, 1.5)}),
			data("field with an expiry", "flags:1 etime:6 ctime:6 value:*", Data{Created: someTime, Expires: someTime + 1, Value: []byte("v")}),
		}},
		{"index_value", []goldenCase{{"only", AppendIndexValue(nil), "flags:1",
			func(src []byte) (any, error) { return nil, ParseIndexValue(src) }, nil}}},
	}
}

func goldenSystemValues() []goldenRecord {
	return []goldenRecord{
		{"format_value", []goldenCase{{"only", AppendFormat(nil, Format), "magic:7 number:4", decodeTo(ParseFormat), uint32(Format)}}},
		{"sequence_value", []goldenCase{{"plain", AppendSequence(nil, someVersion), "next:8", decodeTo(ParseSequence), someVersion}}},
		{"namespace_value", []goldenCase{{"plain", AppendNamespace(nil, someNS), "flags:1 id:4", decodeTo(ParseNamespace), someNS}}},
		{"counter_value", []goldenCase{{"negative", AppendCounter(nil, -2), "count:8", decodeTo(ParseCounter), int64(-2)}}},
		{"contract_value", []goldenCase{
			record("plain", "flags:1 id:4 revision:2 hash:32", AppendContract, ParseContract, ContractRecord{ID: someNS, Revision: 300, Hash: hash32}),
		}},
		{"alias_value", []goldenCase{
			{"plain", AppendAlias(nil, []byte("new\x00")), "flags:1 key:4", decodeTo(ParseAlias), []byte("new\x00")},
			{"empty key", AppendAlias(nil, nil), "flags:1", decodeTo(ParseAlias), []byte{}},
		}},
		{"stage_value", []goldenCase{
			record("plain", "flags:1 type:1 epoch:8 ctime:6", AppendStage, ParseStage, Stage{Type: TypeZSet, Epoch: 258, Created: someTime}),
		}},
		{"reclaim_value", []goldenCase{
			record("one version", "flags:1 ns:4 type:1 version:8 home:5", AppendReclaim, ParseReclaim,
				Reclaim{NS: someNS, Home: []byte("user"), Version: someVersion, Type: TypeHash}),
			record("one version, half done", "flags:1 ns:4 type:1 version:8 home:1 cursor:2", AppendReclaim, ParseReclaim,
				Reclaim{NS: someNS, Home: []byte{}, Version: someVersion, Type: TypeZSet, Cursor: []byte{0x13, 0}}),
			record("one version, with its time", "flags:1 ns:4 type:1 version:8 home:5 queued:6", AppendReclaim, ParseReclaim,
				Reclaim{NS: someNS, Home: []byte("user"), Version: someVersion, Type: TypeSet, Queued: someTime}),
			record("part of a list", "flags:1 ns:4 type:1 version:8 home:5 queued:6 from:8 to:8 cursor:2", AppendReclaim, ParseReclaim,
				Reclaim{NS: someNS, Home: []byte("user"), Version: someVersion, Type: TypeList, Queued: someTime, From: 1, To: ListMiddle, Cursor: []byte{0x12, 0}}),
			record("whole namespace", "flags:1 ns:4", AppendReclaim, ParseReclaim, Reclaim{NS: someNS, WholeNamespace: true}),
		}},
	}
}

// goldenLateValues are settled ahead of what will write them.
func goldenLateValues() []goldenRecord {
	return []goldenRecord{
		{"tree_value", []goldenCase{
			record("leaf", "flags:1 level:1 entries:1 score:8 member:2 count:1 score:8 member:1 count:2", AppendTreeNode, ParseTreeNode,
				TreeNode{Entries: []TreeEntry{{Score: -1, Member: []byte("a"), Count: 64}, {Score: 2, Member: []byte{}, Count: 128}}}),
			record("root above leaves", "flags:1 level:1 least:8 greatest:8 next:1 entries:1 score:8 member:2 count:2 child:1",
				AppendTreeNode, ParseTreeNode, TreeNode{Level: 1, Root: true, Least: -1, Greatest: math.Inf(1), NextNode: 4,
					Entries: []TreeEntry{{Score: -1, Member: []byte("a"), Count: 300, Child: 2}}}),
			record("leaf beside a list", "flags:1 level:1 entries:1 score:8 member:9 count:1", AppendTreeNode, ParseTreeNode,
				TreeNode{Entries: []TreeEntry{{Member: []byte{0x80, 0, 0, 0, 0, 1, 0, 0}, Count: 64}}}),
		}},
		{"idempotency_value", []goldenCase{
			record("plain", "flags:1 ctime:6 etime:6 fingerprint:32 status:2 head:3 body:2", AppendIdempotency, ParseIdempotency,
				Idempotency{Created: someTime, Expires: someTime + 1, Fingerprint: hash32, Status: 201, Head: []byte("h:"), Body: []byte("{}")}),
		}},
		{"change_value", []goldenCase{
			record("plain", "flags:1 type:1 time:6 version:8 changes:1 verb:5 key:1", AppendChange, ParseChange,
				Change{Type: TypeHash, Time: someTime, Version: someVersion, Changes: 2, Verb: "HSET", Key: []byte("k")}),
			record("key gone", "flags:1 type:1 time:6 version:8 changes:1 verb:4 key:0", AppendChange, ParseChange,
				Change{Type: TypeSet, Gone: true, Time: someTime, Version: 1, Changes: 3, Verb: "DEL", Key: []byte{}}),
		}},
		{"token_value", []goldenCase{
			record("plain", "flags:1 scopes:1 ctime:6 name:3 patterns:1", AppendToken, ParseToken,
				Token{Name: "ci", Scopes: ScopeRead, Created: someTime}),
			record("every field", "flags:1 scopes:1 ctime:6 etime:6 rate:2 name:3 patterns:1 pattern:3 pattern:1", AppendToken, ParseToken,
				Token{Name: "ci", Scopes: ScopeRead | ScopeWrite | ScopeAdmin, Created: someTime, Expires: someTime + 1, Rate: 300, Patterns: []string{"a:", ""}}),
		}},
		goldenDumps(),
	}
}

func goldenDumps() goldenRecord {
	named := func(name, value string) DumpElement { return DumpElement{Name: []byte(name), Value: []byte(value)} }
	dump := func(name, fields string, d Dump) goldenCase {
		return record(name, "version:1 type:1 "+fields+" checksum:8", AppendDump, ParseDump, d)
	}
	one := AppendFloat(nil, 1)
	return goldenRecord{"dump_value", []goldenCase{
		dump("string", "media-type:11 value:4", Dump{Type: TypeString, MediaType: "text/plain", Value: []byte("Ada")}),
		dump("hash", "count:1 field:2 value:1 field:2 value:2", Dump{Type: TypeHash, Elements: []DumpElement{named("a", ""), named("b", "2")}}),
		dump("list", "count:1 value:2 value:2", Dump{Type: TypeList, Elements: []DumpElement{{Value: []byte("a")}, {Value: []byte("a")}}}),
		dump("set", "count:1 member:2", Dump{Type: TypeSet, Elements: []DumpElement{{Name: []byte("a")}}}),
		dump("zset", "count:1 member:2 score:8", Dump{Type: TypeZSet, Elements: []DumpElement{{Name: []byte("a"), Value: one}}}),
	}}
}

func record[T any](name, fields string, encode func([]byte, *T) []byte, decode func([]byte, *T) error, v T) goldenCase {
	return goldenCase{name, encode(nil, &v), fields, decodeInto(decode), v}
}
