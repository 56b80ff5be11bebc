package encoding

import (
	"bytes"
	"encoding/binary"
)

// Tags of the sequence family.
const (
	tagVersion   = 1
	tagClock     = 2
	tagNamespace = 3
	tagContract  = 4
	tagEpoch     = 5
	tagInstance  = 6
)

// magic opens the value of the format record, so that a directory of another
// program is told from a store of another format.
var magic = []byte("keypact")

// FormatKey is the key of the record that holds the store's format number.
func FormatKey() []byte { return []byte{byte(FamilyFormat)} }

// SequenceKey is the key of the store-wide sequence that versions and reclaim
// records are numbered from.
func SequenceKey() []byte { return []byte{byte(FamilySequence), tagVersion} }

// ClockKey is the key of the clock's high-water mark, ms since the epoch.
func ClockKey() []byte { return []byte{byte(FamilySequence), tagClock} }

// NamespaceSequenceKey is the key of the sequence of namespace ids.
func NamespaceSequenceKey() []byte { return []byte{byte(FamilySequence), tagNamespace} }

// ContractSequenceKey is the key of the sequence of contract ids.
func ContractSequenceKey() []byte { return []byte{byte(FamilySequence), tagContract} }

// EpochKey is the key of the count of times the store was opened, which tells
// staged data of this process from what a crashed one left.
func EpochKey() []byte { return []byte{byte(FamilySequence), tagEpoch} }

// InstanceKey is the key of the random number that tells one store, with all
// that was written to it, from others. A restored store gets one of its own.
func InstanceKey() []byte { return []byte{byte(FamilySequence), tagInstance} }

// AppendFormat appends the value of the format record.
func AppendFormat(dst []byte, format uint32) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, magic...), format)
}

// ParseFormat reads the value of the format record. Whether the number is known
// is for the caller to judge.
func ParseFormat(src []byte) (format uint32, err error) {
	c := cursor{rest: src}
	if !bytes.Equal(c.take(uint64(len(magic)), "magic"), magic) {
		c.fail("magic")
	}
	format = c.u32("format number")
	return format, c.end("format value")
}

// AppendSequence appends the value of a record of the sequence family: the
// first number not handed out yet, a time, or an epoch.
func AppendSequence(dst []byte, next uint64) []byte {
	return binary.LittleEndian.AppendUint64(dst, next)
}

// ParseSequence reads the value of a record of the sequence family.
func ParseSequence(src []byte) (next uint64, err error) {
	c := cursor{rest: src}
	next = c.u64("number")
	return next, c.end("sequence value")
}
