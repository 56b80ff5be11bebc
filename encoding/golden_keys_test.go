package encoding

import "slices"

// fields is what a key decodes to.
type fields = []any

var (
	hash32 = [32]byte{0: 0xaa, 31: 0xbb}

	metaKey   = func(k []byte) (any, error) { ns, key, err := ParseMetaKey(k); return fields{ns, string(key)}, err }
	memberKey = func(k []byte) (any, error) {
		ns, home, version, member, err := ParseMemberKey(k)
		return fields{ns, string(home), version, string(member)}, err
	}
	listKey = func(k []byte) (any, error) {
		ns, home, version, index, err := ParseListKey(k)
		return fields{ns, string(home), version, index}, err
	}
	scoreKey = func(k []byte) (any, error) {
		ns, home, version, score, member, err := ParseScoreKey(k)
		return fields{ns, string(home), version, score, string(member)}, err
	}
	treeKey = func(k []byte) (any, error) {
		ns, home, version, node, err := ParseTreeKey(k)
		return fields{ns, string(home), version, node}, err
	}
	aliasKey = func(k []byte) (any, error) {
		ns, home, version, err := ParseAliasKey(k)
		return fields{ns, string(home), version}, err
	}
	stageKey = func(k []byte) (any, error) {
		ns, home, version, err := ParseStageKey(k)
		return fields{ns, string(home), version}, err
	}
	expiryKey = func(k []byte) (any, error) {
		shard, ms, ns, key, version, err := ParseExpiryKey(k)
		return fields{shard, ms, ns, string(key), version}, err
	}
	fieldExpiryKey = func(k []byte) (any, error) {
		shard, ms, ns, home, version, field, err := ParseFieldExpiryKey(k)
		return fields{shard, ms, ns, string(home), version, string(field)}, err
	}
	reclaimKey     = func(k []byte) (any, error) { seq, err := ParseReclaimKey(k); return fields{seq}, err }
	namespaceKey   = func(k []byte) (any, error) { name, err := ParseNamespaceKey(k); return fields{name}, err }
	counterKey     = func(k []byte) (any, error) { ns, shard, err := ParseCounterKey(k); return fields{ns, shard}, err }
	contractKey    = func(k []byte) (any, error) { name, err := ParseContractKey(k); return fields{name}, err }
	idempotencyKey = func(k []byte) (any, error) { ns, hash, err := ParseIdempotencyKey(k); return fields{ns, hash}, err }
	changeKey      = func(k []byte) (any, error) { ns, seq, err := ParseChangeKey(k); return fields{ns, seq}, err }
	tokenKey       = func(k []byte) (any, error) { hash, err := ParseTokenKey(k); return fields{hash}, err }
	fixedKey       = func(k []byte) (any, error) { return string(k), nil }
)

const (
	someNS      uint32 = 0x01020304
	someVersion uint64 = 0x1112131415161718
	someTime    int64  = 1767225600123 // 2026-01-01T00:00:00.123Z
)

func goldenRecords() []goldenRecord {
	return slices.Concat(goldenDataKeys(), goldenIndexKeys(), goldenSystemKeys(), goldenValues())
}

func goldenDataKeys() []goldenRecord {
	user, nul, member := []byte("user:1"), []byte("a\x00b"), []byte("m\x00")
	const data = "family:1 ns:4 home:8 version:8 "
	return []goldenRecord{
		{"meta_key", []goldenCase{
			{"plain", AppendMetaKey(nil, someNS, user), "family:1 ns:4 user-key:8", metaKey, fields{someNS, "user:1"}},
			{"NUL inside", AppendMetaKey(nil, 0, nul), "family:1 ns:4 user-key:*", metaKey, fields{uint32(0), "a\x00b"}},
			{"empty", AppendMetaKey(nil, 0, nil), "family:1 ns:4 user-key:2", metaKey, fields{uint32(0), ""}},
		}},
		{"member_key", []goldenCase{
			{"plain", AppendMemberKey(nil, someNS, user, someVersion, member), data + "member:2", memberKey,
				fields{someNS, "user:1", someVersion, "m\x00"}},
			{"NUL inside, empty member", AppendMemberKey(nil, 0, nul, 1, nil), "family:1 ns:4 home:6 version:8 member:0", memberKey,
				fields{uint32(0), "a\x00b", uint64(1), ""}},
		}},
		{"list_key", []goldenCase{
			{"middle", AppendListKey(nil, someNS, user, someVersion, ListMiddle), data + "index:8", listKey,
				fields{someNS, "user:1", someVersion, ListMiddle}},
			{"left of the middle", AppendListKey(nil, someNS, user, someVersion, ListMiddle-1), data + "index:8", listKey,
				fields{someNS, "user:1", someVersion, ListMiddle - 1}},
		}},
		{"score_key", []goldenCase{
			{"positive", AppendScoreKey(nil, someNS, user, someVersion, 1.5, member), data + "score:8 member:2", scoreKey,
				fields{someNS, "user:1", someVersion, 1.5, "m\x00"}},
			{"zero", AppendScoreKey(nil, someNS, user, someVersion, 0, member), data + "score:8 member:2", scoreKey,
				fields{someNS, "user:1", someVersion, 0.0, "m\x00"}},
			{"negative", AppendScoreKey(nil, someNS, user, someVersion, -1.5, member), data + "score:8 member:2", scoreKey,
				fields{someNS, "user:1", someVersion, -1.5, "m\x00"}},
		}},
	}
}

func goldenIndexKeys() []goldenRecord {
	user, member := []byte("user:1"), []byte("m\x00")
	const data = "family:1 ns:4 home:8 version:8 "
	return []goldenRecord{
		{"tree_key", []goldenCase{
			{"plain", AppendTreeKey(nil, someNS, user, someVersion, 258), data + "node:8", treeKey,
				fields{someNS, "user:1", someVersion, uint64(258)}},
		}},
		{"alias_key", []goldenCase{
			{"plain", AppendAliasKey(nil, someNS, user, someVersion), data, aliasKey, fields{someNS, "user:1", someVersion}},
		}},
		{"stage_key", []goldenCase{
			{"plain", AppendStageKey(nil, someNS, user, someVersion), data, stageKey, fields{someNS, "user:1", someVersion}},
		}},
		{"expiry_key", []goldenCase{
			{"plain", AppendExpiryKey(nil, ExpiryShard(user), someTime, someNS, user, someVersion),
				"family:1 shard:1 ms:8 ns:4 key:8 version:8", expiryKey,
				fields{ExpiryShard(user), someTime, someNS, "user:1", someVersion}},
		}},
		{"field_expiry_key", []goldenCase{
			{"plain", AppendFieldExpiryKey(nil, 15, someTime, someNS, user, someVersion, member),
				"family:1 shard:1 ms:8 ns:4 home:8 version:8 field:2", fieldExpiryKey,
				fields{byte(15), someTime, someNS, "user:1", someVersion, "m\x00"}},
		}},
	}
}

func goldenSystemKeys() []goldenRecord {
	return []goldenRecord{
		{"format_key", []goldenCase{{"only", FormatKey(), "family:1", fixedKey, "\x00"}}},
		{"sequence_key", []goldenCase{
			{"version", SequenceKey(), "family:1 tag:1", fixedKey, "\x01\x01"},
			{"clock", ClockKey(), "family:1 tag:1", fixedKey, "\x01\x02"},
			{"namespace id", NamespaceSequenceKey(), "family:1 tag:1", fixedKey, "\x01\x03"},
			{"contract id", ContractSequenceKey(), "family:1 tag:1", fixedKey, "\x01\x04"},
			{"epoch", EpochKey(), "family:1 tag:1", fixedKey, "\x01\x05"},
			{"instance", InstanceKey(), "family:1 tag:1", fixedKey, "\x01\x06"},
		}},
		{"namespace_key", []goldenCase{{"plain", AppendNamespaceKey(nil, "15"), "family:1 name:2", namespaceKey, fields{"15"}}}},
		{"counter_key", []goldenCase{
			{"plain", AppendCounterKey(nil, someNS, 3), "family:1 ns:4 shard:1", counterKey, fields{someNS, byte(3)}},
		}},
		{"contract_key", []goldenCase{
			{"plain", AppendContractKey(nil, "session"), "family:1 name:7", contractKey, fields{"session"}},
		}},
		{"reclaim_key", []goldenCase{{"plain", AppendReclaimKey(nil, 258), "family:1 seq:8", reclaimKey, fields{uint64(258)}}}},
		{"idempotency_key", []goldenCase{
			{"plain", AppendIdempotencyKey(nil, someNS, hash32), "family:1 ns:4 hash:32", idempotencyKey, fields{someNS, hash32}},
		}},
		{"change_key", []goldenCase{
			{"plain", AppendChangeKey(nil, someNS, 258), "family:1 ns:4 seq:8", changeKey, fields{someNS, uint64(258)}},
		}},
		{"token_key", []goldenCase{{"plain", AppendTokenKey(nil, hash32), "family:1 hash:32", tokenKey, fields{hash32}}}},
	}
}
