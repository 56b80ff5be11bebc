package backup

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
)

// entry is one key of a file: a record, or the mark of one that is kept.
type entry struct {
	kept       bool
	mark       uint64
	key, value []byte // of a record; valid until the next entry is read
}

// reader reads the entries of a file.
type reader struct {
	Header
	frames       *frameReader
	decompressor *zstd.Decoder

	block   []byte // entries of the present block
	rest    []byte // of them not read yet
	at      int64  // where the block's frame begins
	kept    uint64 // marks to come in the present entry
	records uint64 // so far
	last    []byte // key of the last record
	trailer Trailer
}

// newReader reads the header. close must follow.
func newReader(r io.Reader) (*reader, error) {
	f := newFrameReader(r)
	if err := f.start(); err != nil {
		return nil, err
	}
	h, err := f.header()
	if err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	return &reader{Header: h, frames: f, decompressor: d}, nil
}

func (r *reader) close() { r.decompressor.Close() }

// next reads one entry into e. Behind the last one it checks the trailer and
// returns io.EOF.
func (r *reader) next(e *entry) error {
	for r.kept == 0 && len(r.rest) == 0 {
		if err := r.nextBlock(); err != nil {
			return err
		}
	}
	r.records++
	if r.kept > 0 {
		r.kept--
		*e = entry{kept: true, mark: binary.LittleEndian.Uint64(r.rest)}
		r.rest = r.rest[markBytes:]
		return nil
	}
	kind := r.rest[0]
	r.rest = r.rest[1:]
	switch kind {
	case entryRecord:
		return r.record(e)
	case entryKept:
		r.records--
		count, ok := r.length()
		if !ok || count == 0 || count > uint64(len(r.rest))/markBytes || r.Full() {
			return damaged(r.at, "a block has marks that make no sense")
		}
		r.kept = count
		return r.next(e)
	}
	return damaged(r.at, "a block has an entry of kind %d", kind)
}

func (r *reader) record(e *entry) error {
	*e = entry{}
	var ok bool
	if e.key, ok = r.bytes(); ok {
		e.value, ok = r.bytes()
	}
	if !ok || len(e.key) == 0 || len(e.value) == 0 {
		return damaged(r.at, "a block has a record that makes no sense")
	}
	if bytes.Compare(r.last, e.key) >= 0 {
		return damaged(r.at, "a block has records out of order")
	}
	r.last = append(r.last[:0], e.key...)
	return nil
}

func (r *reader) length() (uint64, bool) {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		return 0, false
	}
	r.rest = r.rest[size:]
	return n, true
}

func (r *reader) bytes() ([]byte, bool) {
	n, ok := r.length()
	if !ok || n > uint64(len(r.rest)) {
		return nil, false
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b, true
}

// nextBlock reads a block, or the trailer, which is io.EOF.
func (r *reader) nextBlock() error {
	kind, p, at, err := r.frames.next()
	if err != nil {
		return err
	}
	r.at = at
	switch {
	case kind == kindTrailer:
		if r.trailer, err = r.frames.trailer(p, at); err != nil {
			return err
		}
		if r.trailer.Records != r.records {
			return damaged(at, "the file has %d keys, its end mark says %d", r.records, r.trailer.Records)
		}
		return io.EOF
	case kind != kindBlock || len(p) < 4:
		return damaged(at, "a part of kind %d", kind)
	}
	size := binary.LittleEndian.Uint32(p)
	if r.block, err = r.decompressor.DecodeAll(p[4:], r.block[:0]); err != nil {
		return damaged(at, "a block cannot be read: %v", err)
	}
	if uint64(len(r.block)) != uint64(size) || size == 0 {
		return damaged(at, "a block has %d bytes, not %d", len(r.block), size)
	}
	r.rest = r.block
	return nil
}
