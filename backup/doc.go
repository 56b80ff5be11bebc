// Package backup writes a store into one file while it is in use, in full or as
// an increment to an earlier file, and makes a store of such files again.
//
// It copies records as bytes. Of their meaning it knows the format number, the
// store's instance id and its sequence of versions, nothing else.
//
// # File
//
//	file     magic | frames: one header, blocks, one trailer; nothing behind
//	magic    "keypact backup\n" | u8 1, the version of what follows
//	frame    kind u8 | length u32 | payload | CRC-32C of all that u32
//	header   kind 'H': format of the store u32 | instance u64 | stamp u64 | since u64
//	           | created, ms since the epoch u64 | salt (16 bytes)
//	block    kind 'B': size u32 | so many bytes of entries, compressed as Zstandard (RFC 8878)
//	trailer  kind 'T': records u64 | content SHA-256 (32 bytes) | bytes u64 | SHA-256 of them (32 bytes)
//
// Numbers are little-endian. An entry is one of
//
//	record   01 | key length uvarint | key | value length uvarint | value
//	kept     02 | count uvarint | so many marks u64
//
// Entries stand in the order of keys and never cross a block. A block has about
// 1 MiB and never more than 128 MiB, so that writing and reading take bounded
// memory.
//
// The stamp says up to which commit the file goes. A full backup has since 0
// and a record for every key. An increment has the stamp of an earlier file of
// the same store as since, a record for every key that was written after it,
// and for every other key that is present a mark, the first eight bytes of
// SHA-256(salt | key). Marks are needed because deletions leave no trace in the
// engine: whoever applies the increment walks over the records it has, in the
// order of keys beside the entries, and drops what neither has the next mark
// nor a record. A dropped key whose mark happens to be the next one, which is a
// chance of 2^-64 for each, is found by the digest of the content.
//
// Records counts the keys of the snapshot, marked ones included. The content
// digest is that of all of them, in the order of keys, each as key length
// uvarint | key | value length uvarint | value: the store that is restored is
// held against it record by record. Bytes is where the trailer's frame begins,
// and the last digest is that of everything before it.
//
// The format is not Badger's own stream because that loses deletions which
// compaction has dropped, has no end mark, and ties a backup to one engine.
//
// # Reading
//
// A file without its trailer is no backup. Whatever is cut off, flipped or
// added is an error that is ErrDamaged and names the byte.
package backup
