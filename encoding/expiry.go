package encoding

import "encoding/binary"

// ExpiryShards is how many parts the expiry index has. Writers spread over
// them, so that no one place of the keyspace takes all the writes.
const ExpiryShards = 16

// ExpiryShard is the part of the expiry index that holds key: its 32-bit FNV-1a
// hash (Fowler, Noll, Vo) modulo ExpiryShards. It is part of the format.
func ExpiryShard(key []byte) byte {
	hash := uint32(2166136261)
	for _, b := range key {
		hash = (hash ^ uint32(b)) * 16777619
	}
	return byte(hash % ExpiryShards)
}

// AppendExpiryKey appends the key under which the background worker finds what
// is due. ms is the expiry noted in the key's meta, clamped as it is there. The
// record's value is AppendIndexValue.
func AppendExpiryKey(dst []byte, shard byte, ms int64, ns uint32, key []byte, version uint64) []byte {
	return appendDue(dst, FamilyExpiry, shard, ms, ns, key, version)
}

// ParseExpiryKey reads an expiry key. The user key aliases k unless it holds a
// NUL.
func ParseExpiryKey(k []byte) (shard byte, ms int64, ns uint32, key []byte, version uint64, err error) {
	c := cursor{rest: k}
	shard, ms, ns, key, version = c.due(FamilyExpiry)
	return shard, ms, ns, key, version, c.end("expiry key")
}

// AppendExpiryBound appends the bound of one shard below which every expiry key
// is due before ms: FamilyExpiry or FamilyFieldExpiry. With ms 0 it is the
// shard's lower end.
func AppendExpiryBound(dst []byte, f Family, shard byte, ms int64) []byte {
	dst = append(dst, byte(f), shard)
	return binary.BigEndian.AppendUint64(dst, uint64(clampTime(ms)))
}

// AppendFieldExpiryKey appends the key under which the background worker finds
// fields that are due. home and version name the data, as in the member key,
// and shard is ExpiryShard of home. The record's value is AppendIndexValue.
func AppendFieldExpiryKey(dst []byte, shard byte, ms int64, ns uint32, home []byte, version uint64, field []byte) []byte {
	dst = appendDue(dst, FamilyFieldExpiry, shard, ms, ns, home, version)
	return append(dst, field...)
}

// ParseFieldExpiryKey reads a field expiry key. The field aliases k, and so
// does the home key unless it holds a NUL.
func ParseFieldExpiryKey(k []byte) (shard byte, ms int64, ns uint32, home []byte, version uint64, field []byte, err error) {
	c := cursor{rest: k}
	shard, ms, ns, home, version = c.due(FamilyFieldExpiry)
	field = c.tail()
	return shard, ms, ns, home, version, field, c.end("field expiry key")
}

func appendDue(dst []byte, f Family, shard byte, ms int64, ns uint32, key []byte, version uint64) []byte {
	dst = AppendExpiryBound(dst, f, shard, max(clampExpiry(ms), 1))
	dst = binary.BigEndian.AppendUint32(dst, ns)
	dst = AppendEscaped(dst, key)
	return binary.LittleEndian.AppendUint64(dst, version)
}

func (c *cursor) due(f Family) (shard byte, ms int64, ns uint32, key []byte, version uint64) {
	c.family(f)
	shard = c.u8("shard")
	if shard >= ExpiryShards {
		c.fail("shard")
	}
	at := c.u64BE("expiry time")
	if at == 0 || at > MaxTime {
		c.fail("expiry time")
	}
	ns, key, version = c.data()
	return shard, int64(at), ns, key, version
}
