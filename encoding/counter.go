package encoding

import "encoding/binary"

// AppendCounterKey appends the key of one part of a namespace's key counter.
// The number of keys is the sum over the parts; how many there are is the
// engine's need.
func AppendCounterKey(dst []byte, ns uint32, shard byte) []byte {
	return append(AppendPrefix(dst, FamilyCounter, ns), shard)
}

// ParseCounterKey reads a counter key.
func ParseCounterKey(k []byte) (ns uint32, shard byte, err error) {
	c := cursor{rest: k}
	c.family(FamilyCounter)
	ns = c.u32BE("namespace")
	shard = c.u8("shard")
	return ns, shard, c.end("counter key")
}

// AppendCounter appends the value of a counter record. One part alone may be
// negative.
func AppendCounter(dst []byte, n int64) []byte {
	return binary.LittleEndian.AppendUint64(dst, uint64(n))
}

// ParseCounter reads the value of a counter record.
func ParseCounter(src []byte) (n int64, err error) {
	c := cursor{rest: src}
	n = int64(c.u64("count"))
	return n, c.end("counter value")
}
