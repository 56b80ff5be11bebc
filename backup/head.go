package backup

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"keypact/encoding"
)

// Header says of what a file is a backup.
type Header struct {
	Format  uint32    // number of the store's format
	Point             // the snapshot
	Since   uint64    // stamp of the backup that an increment follows; 0 is a full backup
	Created time.Time // by the clock of whoever wrote it, in whole ms

	salt [16]byte // of marks
}

// Full reports whether the file needs no other.
func (h Header) Full() bool { return h.Since == 0 }

// Trailer says what a whole file holds.
type Trailer struct {
	Records uint64            // keys of the snapshot
	Content [sha256.Size]byte // digest of the snapshot
	Bytes   uint64            // of the file, before its trailer

	sum [sha256.Size]byte // of those bytes
}

// FileBytes is the size of the file.
func (t Trailer) FileBytes() uint64 { return t.Bytes + uint64(wholeTrailer) }

const (
	headerBytes  = 4 + 4*8 + 16
	trailerBytes = 8 + sha256.Size + 8 + sha256.Size
	wholeTrailer = frameHead + trailerBytes + frameTail
)

func (h Header) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, h.Format)
	for _, n := range []uint64{h.Instance, h.Stamp, h.Since, uint64(h.Created.UnixMilli())} {
		dst = binary.LittleEndian.AppendUint64(dst, n)
	}
	return append(dst, h.salt[:]...)
}

// header reads the frame behind the magic.
func (f *frameReader) header() (h Header, err error) {
	kind, p, at, err := f.next()
	if err != nil {
		return h, err
	}
	if kind != kindHeader || len(p) != headerBytes {
		return h, damaged(at, "there is no header")
	}
	u64 := func(i int) uint64 { return binary.LittleEndian.Uint64(p[4+8*i:]) }
	h.Format = binary.LittleEndian.Uint32(p)
	h.Instance, h.Stamp, h.Since = u64(0), u64(1), u64(2)
	h.Created = time.UnixMilli(int64(u64(3)))
	copy(h.salt[:], p[headerBytes-len(h.salt):])
	if h.Format != encoding.Format {
		return h, fmt.Errorf("the backup is of a store of format %d, this program reads format %d", h.Format, encoding.Format)
	}
	if h.Stamp == 0 || h.Since > h.Stamp {
		return h, damaged(at, "the header makes no sense")
	}
	return h, nil
}

func (t Trailer) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, t.Records)
	dst = append(dst, t.Content[:]...)
	dst = binary.LittleEndian.AppendUint64(dst, t.Bytes)
	return append(dst, t.sum[:]...)
}

func parseTrailer(p []byte, at int64) (t Trailer, err error) {
	if len(p) != trailerBytes {
		return t, damaged(at, "the end mark has %d bytes", len(p))
	}
	t.Records = binary.LittleEndian.Uint64(p)
	rest := p[8+copy(t.Content[:], p[8:]):]
	t.Bytes = binary.LittleEndian.Uint64(rest)
	copy(t.sum[:], rest[8:])
	if t.Bytes != uint64(at) {
		return t, damaged(at, "the end mark belongs to byte %d", t.Bytes)
	}
	return t, nil
}

// trailer checks the frame of the trailer and that nothing follows it.
func (f *frameReader) trailer(p []byte, at int64) (t Trailer, err error) {
	if t, err = parseTrailer(p, at); err != nil {
		return t, err
	}
	if t.sum != [sha256.Size]byte(f.sum.Sum(nil)) {
		return t, damaged(at, "the digest of the file is another")
	}
	return t, f.end()
}

// Ends reads header and trailer of a file of so many bytes. It finds a file
// that is cut off, not one that is damaged in between: see Check.
func Ends(file io.ReaderAt, size int64) (Header, Trailer, error) {
	front := newFrameReader(io.NewSectionReader(file, 0, size))
	if err := front.start(); err != nil {
		return Header{}, Trailer{}, err
	}
	h, err := front.header()
	if err != nil {
		return h, Trailer{}, err
	}
	at := size - int64(wholeTrailer)
	if at < front.offset {
		return h, Trailer{}, damaged(size, "the file ends before its end mark")
	}
	back := newFrameReader(io.NewSectionReader(file, at, int64(wholeTrailer)))
	kind, p, _, err := back.next()
	if err != nil || kind != kindTrailer {
		return h, Trailer{}, damaged(size, "the file ends before its end mark")
	}
	t, err := parseTrailer(p, at)
	return h, t, err
}

// Check reads a whole file, from its first byte to its last, and compares all
// checksums.
func Check(r io.Reader) (Header, Trailer, error) {
	f := newFrameReader(r)
	if err := f.start(); err != nil {
		return Header{}, Trailer{}, err
	}
	h, err := f.header()
	for err == nil {
		kind, p, at, failed := f.next()
		switch {
		case failed != nil:
			err = failed
		case kind == kindTrailer:
			t, err := f.trailer(p, at)
			return h, t, err
		case kind != kindBlock:
			err = damaged(at, "a part of kind %d", kind)
		}
	}
	return h, Trailer{}, err
}
