package backup

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"keypact/encoding"
	"keypact/store/kv"
)

// Kinds of entries.
const (
	entryRecord = 1
	entryKept   = 2
)

// Write writes a backup of db to w while db is in use: a full one, or, if since
// is not the zero Point, an increment to the backup of that point. Nothing is
// written before db and since have been looked at: a store without format or
// instance, or of another format, and a point that is not of its past
// (ErrPoint) are errors. Memory is bounded by the largest record.
func Write(ctx context.Context, w io.Writer, db kv.Exporter, since Point, now time.Time) (h Header, t Trailer, err error) {
	err = db.Export(ctx, func(x kv.Export) error {
		if h, err = describe(x, since, now); err != nil {
			return err
		}
		t, err = write(w, x, h)
		return err
	})
	return h, t, err
}

// describe makes the header of a backup of x.
func describe(x kv.Export, since Point, now time.Time) (Header, error) {
	raw, err := x.Get(nil, encoding.FormatKey())
	if err != nil {
		return Header{}, fmt.Errorf("reading the store's format: %w", err)
	}
	h := Header{Since: since.Stamp, Created: now.Truncate(time.Millisecond)}
	if h.Format, err = encoding.ParseFormat(raw); err != nil {
		return Header{}, err
	}
	if h.Format != encoding.Format {
		return Header{}, fmt.Errorf("the store has format %d, this program reads format %d", h.Format, encoding.Format)
	}
	if raw, err = x.Get(nil, encoding.InstanceKey()); err != nil {
		return Header{}, fmt.Errorf("reading the store's instance id: %w", err)
	}
	if h.Instance, err = encoding.ParseSequence(raw); err != nil {
		return Header{}, err
	}
	h.Stamp = x.Stamp()
	if _, err := rand.Read(h.salt[:]); err != nil {
		return Header{}, err
	}
	return h, since.reachedBy(h.Point)
}

// errRecordTooLong says that a record does not fit into a block.
var errRecordTooLong = errors.New("a record is too long for a backup")

func write(w io.Writer, x kv.Export, h Header) (Trailer, error) {
	// One block at a time, each by itself: what the encoder holds stays small.
	compressor, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(blockBytes), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return Trailer{}, err
	}
	b := &blockWriter{frames: newFrameWriter(w), compressor: compressor, content: newContent()}
	if err := b.frames.start(); err != nil {
		return Trailer{}, err
	}
	if err := b.frames.frame(kindHeader, h.append(nil)); err != nil {
		return Trailer{}, err
	}
	marks := marker{salt: h.salt}
	err = x.Records(func(key, value []byte, stamp uint64) error {
		b.content.add(key, value)
		if stamp > h.Since {
			return b.record(key, value)
		}
		return b.keep(marks.of(key))
	})
	if err != nil {
		return Trailer{}, err
	}
	return b.finish()
}

// blockWriter gathers entries into blocks.
type blockWriter struct {
	frames     *frameWriter
	compressor *zstd.Encoder
	content    content
	entries    []byte
	kept       []byte // marks that follow the entries
	payload    []byte
}

func (b *blockWriter) record(key, value []byte) error {
	b.endKept()
	b.entries = append(b.entries, entryRecord)
	b.entries = appendPair(b.entries, key, value)
	return b.flushAt(blockBytes)
}

func (b *blockWriter) keep(mark uint64) error {
	b.kept = binary.LittleEndian.AppendUint64(b.kept, mark)
	return b.flushAt(blockBytes)
}

// endKept turns the marks into an entry.
func (b *blockWriter) endKept() {
	if len(b.kept) == 0 {
		return
	}
	b.entries = binary.AppendUvarint(append(b.entries, entryKept), uint64(len(b.kept)/markBytes))
	b.entries = append(b.entries, b.kept...)
	b.kept = b.kept[:0]
}

// flushAt writes the block if it has reached a size.
func (b *blockWriter) flushAt(size int) error {
	if len(b.entries)+len(b.kept) < size {
		return nil
	}
	b.endKept()
	if len(b.entries) > maxBlock {
		return errRecordTooLong
	}
	b.payload = binary.LittleEndian.AppendUint32(b.payload[:0], uint32(len(b.entries)))
	b.payload = b.compressor.EncodeAll(b.entries, b.payload)
	b.entries = b.entries[:0]
	return b.frames.frame(kindBlock, b.payload)
}

// finish writes what is left and the trailer.
func (b *blockWriter) finish() (Trailer, error) {
	if err := b.flushAt(1); err != nil {
		return Trailer{}, err
	}
	t := Trailer{Records: b.content.records, Content: b.content.digest(), Bytes: uint64(b.frames.offset)}
	b.frames.sum.Sum(t.sum[:0])
	return t, b.frames.frame(kindTrailer, t.append(nil))
}

// appendPair appends key and value, each with its length.
func appendPair(dst, key, value []byte) []byte {
	dst = append(binary.AppendUvarint(dst, uint64(len(key))), key...)
	return append(binary.AppendUvarint(dst, uint64(len(value))), value...)
}

// content digests the records of a snapshot, which come in the order of keys.
type content struct {
	records uint64
	sum     hash.Hash
	buf     []byte
}

func newContent() content { return content{sum: sha256.New()} }

func (c *content) add(key, value []byte) {
	c.records++
	c.buf = append(binary.AppendUvarint(c.buf[:0], uint64(len(key))), key...)
	c.buf = binary.AppendUvarint(c.buf, uint64(len(value)))
	c.sum.Write(c.buf)
	c.sum.Write(value)
}

func (c *content) digest() (d [sha256.Size]byte) {
	c.sum.Sum(d[:0])
	return d
}

const markBytes = 8

// marker makes the marks of keys.
type marker struct {
	salt [16]byte
	buf  []byte
}

func (m *marker) of(key []byte) uint64 {
	m.buf = append(append(m.buf[:0], m.salt[:]...), key...)
	sum := sha256.Sum256(m.buf)
	return binary.LittleEndian.Uint64(sum[:])
}
