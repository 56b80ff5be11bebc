package encoding

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// codec reads bytes as one kind of record and writes what it read.
type codec func(src []byte) (again []byte, err error)

func valueCodec[T any](parse func([]byte, *T) error, write func([]byte, *T) []byte) codec {
	return func(src []byte) ([]byte, error) {
		var v T
		if err := parse(src, &v); err != nil {
			return nil, err
		}
		return write(nil, &v), nil
	}
}

func plainCodec[T any](parse func([]byte) (T, error), write func([]byte, T) []byte) codec {
	return func(src []byte) ([]byte, error) {
		v, err := parse(src)
		if err != nil {
			return nil, err
		}
		return write(nil, v), nil
	}
}

// codecs are all decoders, by the golden files whose bytes they read.
var codecs = map[string]codec{
	"meta_value":        valueCodec(ParseMeta, AppendMeta),
	"string_value":      valueCodec(ParseMeta, AppendMeta),
	"list_meta_value":   valueCodec(ParseMeta, AppendMeta),
	"data_value":        valueCodec(ParseData, AppendData),
	"reclaim_value":     valueCodec(ParseReclaim, AppendReclaim),
	"contract_value":    valueCodec(ParseContract, AppendContract),
	"stage_value":       valueCodec(ParseStage, AppendStage),
	"tree_value":        valueCodec(ParseTreeNode, AppendTreeNode),
	"idempotency_value": valueCodec(ParseIdempotency, AppendIdempotency),
	"change_value":      valueCodec(ParseChange, AppendChange),
	"token_value":       valueCodec(ParseToken, AppendToken),
	"dump_value":        valueCodec(ParseDump, AppendDump),
	"format_value":      plainCodec(ParseFormat, AppendFormat),
	"sequence_value":    plainCodec(ParseSequence, AppendSequence),
	"namespace_value":   plainCodec(ParseNamespace, AppendNamespace),
	"counter_value":     plainCodec(ParseCounter, AppendCounter),
	"alias_value":       plainCodec(ParseAlias, AppendAlias),
	"index_value":       func(src []byte) ([]byte, error) { return AppendIndexValue(nil), ParseIndexValue(src) },

	"namespace_key": plainCodec(ParseNamespaceKey, AppendNamespaceKey),
	"contract_key":  plainCodec(ParseContractKey, AppendContractKey),
	"reclaim_key":   plainCodec(ParseReclaimKey, AppendReclaimKey),
	"token_key":     plainCodec(ParseTokenKey, AppendTokenKey),
	"meta_key": func(src []byte) ([]byte, error) {
		ns, key, err := ParseMetaKey(src)
		return AppendMetaKey(nil, ns, key), err
	},
	"member_key": func(src []byte) ([]byte, error) {
		ns, home, version, member, err := ParseMemberKey(src)
		return AppendMemberKey(nil, ns, home, version, member), err
	},
	"list_key": func(src []byte) ([]byte, error) {
		ns, home, version, index, err := ParseListKey(src)
		return AppendListKey(nil, ns, home, version, index), err
	},
	"score_key": func(src []byte) ([]byte, error) {
		ns, home, version, score, member, err := ParseScoreKey(src)
		return AppendScoreKey(nil, ns, home, version, score, member), err
	},
	"tree_key": func(src []byte) ([]byte, error) {
		ns, home, version, node, err := ParseTreeKey(src)
		return AppendTreeKey(nil, ns, home, version, node), err
	},
	"alias_key": func(src []byte) ([]byte, error) {
		ns, home, version, err := ParseAliasKey(src)
		return AppendAliasKey(nil, ns, home, version), err
	},
	"stage_key": func(src []byte) ([]byte, error) {
		ns, home, version, err := ParseStageKey(src)
		return AppendStageKey(nil, ns, home, version), err
	},
	"expiry_key": func(src []byte) ([]byte, error) {
		shard, ms, ns, key, version, err := ParseExpiryKey(src)
		return AppendExpiryKey(nil, shard, ms, ns, key, version), err
	},
	"field_expiry_key": func(src []byte) ([]byte, error) {
		shard, ms, ns, home, version, field, err := ParseFieldExpiryKey(src)
		return AppendFieldExpiryKey(nil, shard, ms, ns, home, version, field), err
	},
	"counter_key": func(src []byte) ([]byte, error) {
		ns, shard, err := ParseCounterKey(src)
		return AppendCounterKey(nil, ns, shard), err
	},
	"idempotency_key": func(src []byte) ([]byte, error) {
		ns, hash, err := ParseIdempotencyKey(src)
		return AppendIdempotencyKey(nil, ns, hash), err
	},
	"change_key": func(src []byte) ([]byte, error) {
		ns, seq, err := ParseChangeKey(src)
		return AppendChangeKey(nil, ns, seq), err
	},
	"data prefix": func(src []byte) ([]byte, error) {
		f, ns, home, version, rest, err := ParseDataPrefix(src)
		return append(AppendDataPrefix(nil, f, ns, home, version), rest...), err
	},
}

// fixedKeys are written whole and never read.
var fixedKeys = []string{"format_key", "sequence_key"}

// checkDecoders lets every decoder read src. None may panic, a refusal is
// ErrCorrupt, and what one accepts is exactly what its encoder writes.
func checkDecoders(t *testing.T, src []byte) {
	t.Helper()
	for name, decode := range codecs {
		input := bytes.Clone(src)
		again, err := decode(input)
		if err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %x: %v is not ErrCorrupt", name, src, err)
		}
		if err == nil && !bytes.Equal(again, src) {
			t.Errorf("%s: reads\n%x and writes\n%x", name, src, again)
		}
		if !bytes.Equal(input, src) {
			t.Errorf("%s: changed its input", name)
		}
	}
}

func FuzzDecoders(f *testing.F) {
	for _, record := range goldenRecords() {
		for _, c := range record.cases {
			f.Add(c.encoded)
		}
	}
	f.Add([]byte{})
	f.Fuzz(checkDecoders)
}

func TestEveryRecordHasADecoder(t *testing.T) {
	want := append(slices.Collect(maps.Keys(codecs)), fixedKeys...)
	want = slices.DeleteFunc(want, func(name string) bool { return name == "data prefix" })
	var got []string
	for _, record := range goldenRecords() {
		got = append(got, record.file)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("golden records\n%q\ndecoders\n%q", got, want)
	}
}

// openRecords end in bytes that are the user's, so a longer one is another
// record, not a damaged one.
var openRecords = []string{
	"alias_value", "change_value", "contract_key", "data_value", "field_expiry_key", "idempotency_value",
	"member_key", "namespace_key", "reclaim_value", "score_key", "string_value",
}

// required is how many bytes of a case may not be missing: all but an open
// record's last field, if that is the user's.
func (c goldenCase) required() int {
	names := strings.Fields(c.fields)
	label, width, _ := strings.Cut(names[len(names)-1], ":")
	if !slices.Contains([]string{"member", "value", "name", "field", "score", "cursor", "body", "key"}, label) {
		return len(c.encoded)
	}
	if n, err := strconv.Atoi(width); err == nil {
		return len(c.encoded) - n
	}
	fixed := 0
	for _, field := range names[:len(names)-1] {
		_, width, _ := strings.Cut(field, ":")
		n, _ := strconv.Atoi(width)
		fixed += n
	}
	return fixed
}

func TestDecodersRefuseShortAndLongRecords(t *testing.T) {
	for _, record := range goldenRecords() {
		decode, ok := codecs[record.file]
		if !ok {
			continue
		}
		for _, c := range record.cases {
			for n := range c.required() {
				if _, err := decode(c.encoded[:n]); !errors.Is(err, ErrCorrupt) {
					t.Errorf("%s, %s: %d of %d bytes: %v; want ErrCorrupt", record.file, c.name, n, len(c.encoded), err)
				}
			}
			_, err := decode(append(bytes.Clone(c.encoded), 0))
			if open := slices.Contains(openRecords, record.file); !open && !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s, %s: a byte too many: %v; want ErrCorrupt", record.file, c.name, err)
			}
		}
	}
}

// TestDecodersSurviveDamage shows every golden record to every decoder with
// each bit flipped and cut at each byte.
func TestDecodersSurviveDamage(t *testing.T) {
	for _, record := range goldenRecords() {
		for _, c := range record.cases {
			for bit := range 8 * len(c.encoded) {
				damaged := bytes.Clone(c.encoded)
				damaged[bit/8] ^= 1 << (bit % 8)
				checkDecoders(t, damaged)
				checkDecoders(t, c.encoded[:bit/8])
			}
		}
	}
}

type fault struct {
	name string
	src  []byte
	want string
}

func metaFaults() []fault {
	core := AppendMeta(nil, &Meta{Type: TypeHash, Count: 1, Version: 1, Changes: 1, Created: 1})
	with := func(at int, b ...byte) []byte { return slices.Concat(core[:at], b, core[at+1:]) }
	behind := func(flags byte, b ...byte) []byte { return append(with(1, flags), b...) }
	return []fault{
		{"nothing", nil, "type"},
		{"type 0", with(0, 0), "type"},
		{"type 6", with(0, 6), "type"},
		{"first unknown flag", with(1, 0x80, 0x20), "unknown flag"},
		{"last flag of 64", with(1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01), "unknown flag"},
		{"flags in a longer spelling", with(1, 0x80, 0x00), "flags"},
		{"count in a longer spelling", with(2, 0x81, 0x00), "count"},
		{"count beyond 64 bits", with(2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02), "count"},
		{"short core", core[:len(core)-1], "creation time"},
		{"trailing byte", append(bytes.Clone(core), 0), "trailing bytes"},
		{"expiry announced and missing", behind(1), "expiry time"},
		{"expiry of 0", behind(1, 0, 0, 0, 0, 0, 0), "expiry time"},
		{"size of 0", behind(2, 0), "byte size"},
		{"empty media type", behind(4, 0), "media type"},
		{"media type longer than the record", behind(4, 5, 'a'), "media type"},
		{"media type of enormous length", behind(4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), "media type"},
		{"contract 0", behind(8, 0, 1), "contract id"},
		{"contract beyond 32 bits", behind(8, 0x80, 0x80, 0x80, 0x80, 0x10, 1), "contract id"},
		{"contract without revision", behind(8, 1), "contract revision"},
		{"home announced and missing", behind(64), "home key"},
		{"unevenness of 0", append(with(1, 0x80, 0x04), 0), "uneven"},
		{"stride of 0", append(with(1, 0x80, 0x08), 0), "stride"},
		{"empty high-water mark", append(with(1, 0x80, 0x10), 0), "high-water mark"},
		{"list without bounds", with(0, byte(TypeList)), "left bound"},
		{"list with one bound", append(with(0, byte(TypeList)), 1, 2, 3, 4, 5, 6, 7, 8), "right bound"},
	}
}

func TestParseMetaNamesTheFault(t *testing.T) {
	for _, test := range metaFaults() {
		t.Run(test.name, func(t *testing.T) {
			var m Meta
			err := ParseMeta(test.src, &m)
			if !errors.Is(err, ErrCorrupt) || !strings.HasSuffix(err.Error(), ": meta value: "+test.want) {
				t.Errorf("got %v, want ErrCorrupt for the %s", err, test.want)
			}
		})
	}
}

func TestKeysOfAnotherFamilyAreRefused(t *testing.T) {
	for _, record := range goldenRecords() {
		if !strings.HasSuffix(record.file, "_key") || slices.Contains(fixedKeys, record.file) {
			continue
		}
		for _, c := range record.cases {
			for _, other := range []byte{0x00, 0x0f, c.encoded[0] + 1, 0xff} {
				key := append([]byte{other}, c.encoded[1:]...)
				if _, err := codecs[record.file](key); !errors.Is(err, ErrCorrupt) {
					t.Errorf("%s in family %#x: %v; want ErrCorrupt", record.file, other, err)
				}
			}
		}
	}
}
