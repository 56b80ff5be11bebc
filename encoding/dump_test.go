package encoding

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc64"
	"testing"
)

// withChecksum puts the right version and checksum around the body of a dump.
func withChecksum(body []byte) []byte {
	out := append([]byte{DumpVersion}, body...)
	return binary.LittleEndian.AppendUint64(out, crc64.Checksum(out, crc64.MakeTable(crc64.ECMA)))
}

func TestDumpsThatAreNone(t *testing.T) {
	good := AppendDump(nil, &Dump{Type: TypeList, Elements: []DumpElement{{Value: []byte("a")}}})
	other := bytes.Clone(good)
	other[0] = DumpVersion + 1
	flipped := bytes.Clone(good)
	flipped[3] ^= 1
	for name, src := range map[string][]byte{
		"nothing": nil, "short": good[:8], "another version": other, "a flipped bit": flipped, "a byte less": good[:len(good)-1],
	} {
		if err := ParseDump(src, new(Dump)); !errors.Is(err, ErrNoDump) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDumpsOfNoValue(t *testing.T) {
	score := AppendFloat(nil, 1)
	for name, body := range map[string][]byte{
		"no type":             {9, 1, 0},
		"an empty list":       {byte(TypeList), 0},
		"an element missing":  {byte(TypeList), 2, 1, 'a'},
		"a member twice":      {byte(TypeSet), 2, 1, 'a', 1, 'a'},
		"members unsorted":    {byte(TypeSet), 2, 1, 'b', 1, 'a'},
		"a score that is NaN": append([]byte{byte(TypeZSet), 1, 1, 'a'}, 255, 255, 255, 255, 255, 255, 255, 255),
		"half a score":        append([]byte{byte(TypeZSet), 1, 1, 'a'}, score[:4]...),
		"bytes left over":     {byte(TypeString), 0, 1, 'a', 'b'},
		"more than there is":  {byte(TypeString), 0, 200, 'a'},
		"endless elements":    {byte(TypeSet), 255, 255, 255, 255, 255, 255, 255, 255, 127},
	} {
		err := ParseDump(withChecksum(body), new(Dump))
		if !errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNoDump) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDump reads any body under a right checksum: it is refused, or it is what
// AppendDump writes.
func FuzzDump(f *testing.F) {
	for _, record := range goldenRecords() {
		for _, c := range record.cases {
			if record.file == "dump_value" {
				f.Add(c.encoded[1 : len(c.encoded)-8])
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		src := withChecksum(body)
		var d Dump
		if err := ParseDump(src, &d); err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%v is not ErrCorrupt", err)
			}
			return
		}
		if again := AppendDump(nil, &d); !bytes.Equal(again, src) {
			t.Errorf("reads\n%x and writes\n%x", src, again)
		}
	})
}
