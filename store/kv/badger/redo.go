package badger

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// redoFile holds a group that is too large for one Badger transaction while it
// is written in several. A process that ends in between leaves the file, and
// the next open writes the group once more before anyone reads: either all of
// it is there or nothing.
//
// The file is whole and durable before the first transaction. It is gone, for
// good, before the next group is written: repeated later, it could bring back
// records that were deleted since and whose deletions compaction has dropped.
type redoFile struct {
	dir  string // empty: everything is in memory, nothing survives the process
	sync func(*os.File) error
}

const redoName = "REDO"

// redoMagic begins the file; its last byte is the number of the layout: then
// come the timestamp and the number of records (8 bytes each, little endian),
// per record the lengths of key and value as varints, the latter one higher and
// 0 for a deletion, key and value, and at the end the CRC-32C of everything.
const redoMagic = "kpredo\x00\x01"

func (f redoFile) path() string { return filepath.Join(f.dir, redoName) }

// save makes the group durable.
func (f redoFile) save(ts uint64, group []Record) error {
	if f.dir == "" {
		return nil
	}
	if err := f.write(ts, group); err != nil {
		return fmt.Errorf("write redo file: %w", err)
	}
	return syncDir(f.dir)
}

func (f redoFile) write(ts uint64, group []Record) (err error) {
	file, err := os.OpenFile(f.path(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := crc32.New(castagnoli)
	w := bufio.NewWriterSize(io.MultiWriter(file, sum), 1<<16)
	head := binary.LittleEndian.AppendUint64([]byte(redoMagic), ts)
	_, _ = w.Write(binary.LittleEndian.AppendUint64(head, uint64(len(group)))) // Flush tells
	for _, r := range group {
		sizes := binary.AppendUvarint(nil, uint64(len(r.Key)))
		if r.Value == nil {
			sizes = append(sizes, 0)
		} else {
			sizes = binary.AppendUvarint(sizes, uint64(len(r.Value))+1)
		}
		_, _ = w.Write(sizes)
		_, _ = w.Write(r.Key)
		_, _ = w.Write(r.Value)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if _, err := file.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32())); err != nil {
		return err
	}
	return f.sync(file)
}

// clear removes the file for good.
func (f redoFile) clear() error {
	if f.dir == "" {
		return nil
	}
	if err := os.Remove(f.path()); err != nil {
		return fmt.Errorf("remove redo file: %w", err)
	}
	return syncDir(f.dir)
}

// load returns the group in the file; none if there is no file. A file that is
// not whole belongs to a group of which nothing was written, and is removed.
func (f redoFile) load() (ts uint64, group []Record, err error) {
	if f.dir == "" {
		return 0, nil, nil
	}
	data, err := os.ReadFile(f.path())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, fmt.Errorf("read redo file: %w", err)
	}
	ts, group, ok := parseRedo(data)
	if !ok {
		return 0, nil, f.clear()
	}
	return ts, group, nil
}

// parseRedo reads what write wrote; false if it is not whole.
func parseRedo(data []byte) (ts uint64, group []Record, ok bool) {
	const head = len(redoMagic) + 16
	if len(data) < head+4 || string(data[:len(redoMagic)]) != redoMagic {
		return 0, nil, false
	}
	body, sum := data[:len(data)-4], data[len(data)-4:]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(sum) {
		return 0, nil, false
	}
	ts = binary.LittleEndian.Uint64(body[len(redoMagic):])
	n := binary.LittleEndian.Uint64(body[len(redoMagic)+8:])
	for rest := body[head:]; len(rest) > 0; {
		var r Record
		if r, rest, ok = parseRedoRecord(rest); !ok {
			return 0, nil, false
		}
		group = append(group, r)
	}
	return ts, group, uint64(len(group)) == n && n > 0
}

func parseRedoRecord(rest []byte) (r Record, left []byte, ok bool) {
	key, n := binary.Uvarint(rest)
	if n <= 0 {
		return r, nil, false
	}
	rest = rest[n:]
	value, n := binary.Uvarint(rest)
	if n <= 0 {
		return r, nil, false
	}
	rest = rest[n:]
	deletion := value == 0
	value -= min(value, 1)
	if key > uint64(len(rest)) || value > uint64(len(rest))-key {
		return r, nil, false
	}
	r.Key = rest[:key]
	if !deletion {
		r.Value = rest[key : key+value]
	}
	return r, rest[key+value:], true
}
