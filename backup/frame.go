package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

const (
	magic       = "keypact backup\n"
	fileVersion = 1

	kindHeader  = 'H'
	kindBlock   = 'B'
	kindTrailer = 'T'

	frameHead = 1 + 4 // kind and length
	frameTail = 4     // CRC

	blockBytes = 1 << 20   // a block of so much is written
	maxBlock   = 128 << 20 // of entries, and of a payload
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged says that a file is no backup, or not a whole and unchanged one.
var ErrDamaged = errors.New("the backup is damaged")

// damaged is an error about the byte at offset.
func damaged(offset int64, format string, args ...any) error {
	return fmt.Errorf("%w at byte %d: %s", ErrDamaged, offset, fmt.Sprintf(format, args...))
}

// frameWriter writes magic and frames and digests them.
type frameWriter struct {
	w      io.Writer
	sum    hash.Hash
	offset int64
	head   [frameHead]byte
	tail   [frameTail]byte
}

func newFrameWriter(w io.Writer) *frameWriter { return &frameWriter{w: w, sum: sha256.New()} }

func (f *frameWriter) start() error { return f.write([]byte(magic), []byte{fileVersion}) }

func (f *frameWriter) frame(kind byte, payload []byte) error {
	f.head[0] = kind
	binary.LittleEndian.PutUint32(f.head[1:], uint32(len(payload)))
	crc := crc32.Update(crc32.Checksum(f.head[:], castagnoli), castagnoli, payload)
	binary.LittleEndian.PutUint32(f.tail[:], crc)
	return f.write(f.head[:], payload, f.tail[:])
}

func (f *frameWriter) write(parts ...[]byte) error {
	for _, p := range parts {
		n, err := f.w.Write(p)
		f.offset += int64(n)
		if err != nil {
			return err
		}
		f.sum.Write(p)
	}
	return nil
}

// frameReader reads magic and frames and digests them.
type frameReader struct {
	r       *bufio.Reader
	sum     hash.Hash
	offset  int64 // of the next byte
	payload bytes.Buffer
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, 64<<10), sum: sha256.New()}
}

// start reads the magic.
func (f *frameReader) start() error {
	var got [len(magic) + 1]byte
	if n, err := io.ReadFull(f.r, got[:]); err != nil {
		return f.cut(int64(n), err)
	}
	if string(got[:len(magic)]) != magic {
		return damaged(0, "this is no backup of Keypact")
	}
	if got[len(magic)] != fileVersion {
		return damaged(int64(len(magic)), "the file has version %d, this program reads version %d", got[len(magic)], fileVersion)
	}
	f.sum.Write(got[:])
	f.offset = int64(len(got))
	return nil
}

// next reads one frame and where it began. The payload is valid until the next
// call. The digest covers it but for a trailer, which holds the digest.
func (f *frameReader) next() (kind byte, payload []byte, at int64, err error) {
	at = f.offset
	var head [frameHead]byte
	if n, err := io.ReadFull(f.r, head[:]); err != nil {
		return 0, nil, at, f.cut(int64(n), err)
	}
	length := binary.LittleEndian.Uint32(head[1:])
	if length > maxBlock {
		return 0, nil, at, damaged(at, "a part of %d bytes is announced", length)
	}
	// Into a buffer that grows, since the length may be wrong.
	f.payload.Reset()
	n, err := io.CopyN(&f.payload, f.r, int64(length)+frameTail)
	if err != nil {
		return 0, nil, at, f.cut(frameHead+n, err)
	}
	all := f.payload.Bytes()
	payload = all[:length]
	crc := crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, payload)
	if crc != binary.LittleEndian.Uint32(all[length:]) {
		return 0, nil, at, damaged(at, "the part that begins here does not match its checksum")
	}
	if head[0] != kindTrailer {
		f.sum.Write(head[:])
		f.sum.Write(all)
	}
	f.offset += frameHead + int64(len(all))
	return head[0], payload, at, nil
}

// end checks that nothing follows.
func (f *frameReader) end() error {
	switch _, err := f.r.ReadByte(); {
	case err == nil:
		return damaged(f.offset, "something follows the end")
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// cut turns the end of the input, n bytes further on, into damage.
func (f *frameReader) cut(n int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(f.offset+n, "the file ends before its end mark")
	}
	return err
}
