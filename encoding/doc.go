// Package encoding is the layout of the store: the bytes of every key and every
// value, and nothing else. It knows no engine, no type's meaning and no clock.
//
// The layout is that of the Kiwi document, with the ordered keys of the Todis
// document: one meta record per user key and one data record per element, named
// by the version found in meta. The bytes below are frozen: testdata/golden
// holds one file per record, and Format goes up before any of them changes.
//
// # Building blocks
//
//	u8, u16, u32, u64  fixed width, little-endian; BE says big-endian, where bytes must sort
//	u48                milliseconds since the epoch in 6 bytes, little-endian
//	uvarint            LEB128 of encoding/binary, only in its shortest spelling
//	block              uvarint length, then so many bytes
//	f64                IEEE 754 BE; positive: sign bit flipped, negative: all bits flipped; -0 is +0, no NaN
//	esc(k)             each 00 of k -> 00 01, then the end mark 00 00
//	name, member, ..   plain bytes to the end of the key or value
//
// The version is little-endian in keys too: only its equality matters, nothing
// orders by it. Keys sort by family, namespace and user key first, so the data
// of all keys lies in the order of their meta records, and a walk over both is
// one merge. A data key's home is the user key under which the data was first
// written; a rename leaves data where it is.
//
// # Keys
//
//	format              00
//	sequences, clock    01 | tag u8: 01 version, 02 clock, 03 namespace id, 04 contract id, 05 epoch, 06 instance
//	namespace           02 | name
//	counter             03 | ns u32 BE | shard u8
//	contract            04 | name
//	meta                10 | ns u32 BE | esc(key)
//	member              11 | ns u32 BE | esc(home) | version u64 | member        hash, set, zset
//	list                12 | ns u32 BE | esc(home) | version u64 | index u64 BE
//	score               13 | ns u32 BE | esc(home) | version u64 | score f64 | member
//	tree                14 | ns u32 BE | esc(home) | version u64 | node u64 BE
//	alias               15 | ns u32 BE | esc(home) | version u64
//	expiry              20 | shard u8 | ms u64 BE | ns u32 BE | esc(key) | version u64
//	field expiry        21 | shard u8 | ms u64 BE | ns u32 BE | esc(home) | version u64 | field
//	reclaim             22 | seq u64 BE
//	stage               23 | ns u32 BE | esc(home) | version u64
//	idempotency         24 | ns u32 BE | SHA-256 (32 bytes)
//	change              25 | ns u32 BE | seq u64 BE
//	token               26 | SHA-256 (32 bytes)
//
// The reserved suffix of the Kiwi document has no bytes. Shards are below 16,
// which also keeps family 21, the character '!', clear of the keys Badger
// reserves for itself ("!badger!").
//
// # Meta value
//
//	type u8 | flags uvarint | count uvarint | version u64 | changes uvarint | ctime u48
//	  | fields by flag, in the order of the bits
//	  | list: left u64 | right u64
//	  | string: value
//
//	type  01 string, 02 hash, 03 list, 04 set, 05 zset
//	bit   field
//	0     etime u48                           left out: never expires
//	1     byte size uvarint
//	2     media type block
//	3     contract id uvarint, contract revision uvarint
//	4     conformant                          the bit alone
//	5     least field expiry u48
//	6     home key block                      left out: the own key
//	7     tree root uvarint                   left out: no tree
//	8     low-water mark block
//	9     uneven uvarint                      list: positions do not follow from indexes
//	10    stride uvarint                      list; left out: 1
//	11    high-water mark block
//
// A field that a flag announces is never zero or empty, the home key apart.
//
// # Data value
//
//	flags u8 | bit 0: field expiry u48 | ctime u48 | value
//
// The value of a hash field and a list element is the user's, that of a set
// member is empty, and that of a zset member is its score, f64.
//
// # Other values
//
//	format              "keypact" | format u32
//	sequences, clock    u64
//	counter             i64
//	namespace           flags u8 | id u32
//	contract            flags u8 | id u32 | revision uvarint | SHA-256 of the contract (32 bytes)
//	score, expiry,      flags u8
//	  field expiry
//	alias               flags u8 | present key
//	tree                flags u8 | level u8
//	                      | bit 0, the root: least f64 | greatest f64 | next node id uvarint
//	                      | entries uvarint | entries
//	  entry             (score and ends are 0 beside a set or a list; a list's member is its index, u64 BE)
//	                    score f64 | member block | count uvarint | above level 0: child node id uvarint
//	reclaim             flags u8 | ns u32 | unless bit 0, whole namespace: type u8 | version u64 | home block
//	                      | bit 2: queued at u48 | bit 3, a part of a list: from u64 | to u64
//	                      | bit 1: key to go on from
//	stage               flags u8 | type u8 | epoch u64 | ctime u48
//	idempotency         flags u8 | ctime u48 | etime u48 | SHA-256 of the request (32 bytes)
//	                      | status u16 | head block | body
//	change              flags u8, bit 0: key is gone | type u8 | time u48 | version u64
//	                      | changes uvarint | verb block | key
//	token               flags u8 | scopes u8 (bit 0 read, 1 write, 2 admin) | ctime u48
//	                      | bit 0: etime u48 | bit 1: rate uvarint | name block
//	                      | patterns uvarint | each a block
//
//	dump                version u8 | type u8
//	                      | a string: media type block | value block
//	                      | all else: count uvarint | elements, with rising names
//	                      | CRC-64 (ECMA-182 as in XZ) of all before, u64
//	  element           hash: field block | value block; list: value block; set: member block;
//	                    zset: member block | score f64
//
// A dump is no record of the store: it is a value that a client takes away.
//
// No value is ever empty, since some engines refuse that. Flags that are not
// named here are zero, and a decoder refuses others: it would miss the field
// behind them. Equal records have equal bytes. There is no checksum but in a
// dump: that is the engine's.
//
// # Use
//
// Encoders append to dst and allocate only when it grows. Decoders return
// slices of their input, never panic, and wrap ErrCorrupt for anything that no
// encoder writes.
package encoding
