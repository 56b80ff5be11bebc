package encoding

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write golden cases that are missing; existing ones change only with Format")

const goldenDir = "testdata/golden"

// goldenRecord is one record kind and the file that freezes its bytes.
type goldenRecord struct {
	file  string
	cases []goldenCase
}

// goldenCase is one spelling of a record. fields names its parts and their
// widths, "type:1 flags:1 value:*", of which one may be the rest.
type goldenCase struct {
	name    string
	encoded []byte
	fields  string
	decode  func([]byte) (any, error)
	want    any
}

func TestGolden(t *testing.T) {
	for _, record := range goldenRecords() {
		t.Run(record.file, func(t *testing.T) {
			path := filepath.Join(goldenDir, record.file+".txt")
			frozen, err := readGolden(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range record.cases {
				if got, err := c.decode(c.encoded); err != nil || !reflect.DeepEqual(got, c.want) {
					t.Errorf("%s: decoded as %+v, %v; want %+v", c.name, got, err, c.want)
				}
			}
			write, problems := frozen.judge(record.cases, Format, *update)
			for _, problem := range problems {
				t.Error(problem)
			}
			if write && !t.Failed() {
				writeGolden(t, path, record)
			}
		})
	}
}

func TestEveryGoldenFileHasARecord(t *testing.T) {
	var want []string
	for _, record := range goldenRecords() {
		want = append(want, record.file+".txt")
	}
	entries, err := os.ReadDir(goldenDir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("golden files\n%q\nrecords\n%q", got, want)
	}
}

// goldenFile is a golden file as read: the format it froze, and bytes by case.
type goldenFile struct {
	format int
	cases  map[string][]byte
}

// judge compares cases with the file. With update it asks for the file to be
// written if cases are missing, or if it froze an older format; a case that
// differs under the same format is a problem whatever the flag says.
func (g goldenFile) judge(cases []goldenCase, format int, update bool) (write bool, problems []string) {
	if g.format > format {
		return false, []string{fmt.Sprintf("frozen under format %d, this is %d", g.format, format)}
	}
	if update && g.format < format {
		return true, nil
	}
	known := map[string]bool{}
	for _, c := range cases {
		known[c.name] = true
		frozen, ok := g.cases[c.name]
		switch {
		case !ok && update:
			write = true
		case !ok:
			problems = append(problems, c.name+": not frozen yet, run with -update")
		case !bytes.Equal(frozen, c.encoded):
			problems = append(problems, fmt.Sprintf("%s: encoded as\n%x, frozen as\n%x; other bytes need another Format",
				c.name, c.encoded, frozen))
		}
	}
	for name := range g.cases {
		if !known[name] {
			problems = append(problems, name+": frozen, but no test encodes it any more")
		}
	}
	return write, problems
}

func readGolden(path string) (goldenFile, error) {
	g := goldenFile{cases: map[string][]byte{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return g, nil
	}
	if err != nil {
		return g, err
	}
	name := ""
	for n, line := range strings.Split(string(text), "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case word == "" || word == "#":
		case word == "format":
			g.format, err = strconv.Atoi(rest)
		case word == "case":
			name = rest
			g.cases[name] = []byte{}
		default:
			var b []byte
			b, err = hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(rest), " ", ""))
			g.cases[name] = append(g.cases[name], b...)
		}
		if err != nil {
			return g, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
	}
	return g, nil
}

func writeGolden(t *testing.T, path string, record goldenRecord) {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "# %s: one field a line, in hex\nformat %d\n", record.file, Format)
	for _, c := range record.cases {
		fmt.Fprintf(&out, "\ncase %s\n", c.name)
		rest := c.encoded
		for _, field := range strings.Fields(c.fields) {
			label, width, _ := strings.Cut(field, ":")
			n, err := strconv.Atoi(width)
			if width == "*" {
				n, err = len(rest), nil
			}
			if err != nil || n > len(rest) {
				t.Fatalf("%s: field %q of %x", c.name, field, c.encoded)
			}
			fmt.Fprintf(&out, "%s\n", strings.TrimRight(fmt.Sprintf("  %-12s % x", label, rest[:n]), " "))
			rest = rest[n:]
		}
		if len(rest) > 0 {
			t.Fatalf("%s: %x left over", c.name, rest)
		}
	}
	if err := os.MkdirAll(goldenDir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestGoldenFilesDoNotChangeSilently(t *testing.T) {
	frozen := goldenFile{format: 1, cases: map[string][]byte{"a": {1}}}
	same := goldenCase{name: "a", encoded: []byte{1}}
	other := goldenCase{name: "a", encoded: []byte{2}}
	added := goldenCase{name: "b", encoded: []byte{3}}
	for _, test := range []struct {
		name     string
		cases    []goldenCase
		format   int
		update   bool
		write    bool
		problems int
	}{
		{"the same bytes", []goldenCase{same}, 1, false, false, 0},
		{"other bytes", []goldenCase{other}, 1, false, false, 1},
		{"other bytes with -update", []goldenCase{other}, 1, true, false, 1},
		{"other bytes under another format", []goldenCase{other}, 2, false, false, 1},
		{"other bytes under another format with -update", []goldenCase{other}, 2, true, true, 0},
		{"a new case", []goldenCase{same, added}, 1, false, false, 1},
		{"a new case with -update", []goldenCase{same, added}, 1, true, true, 0},
		{"a dropped case", nil, 1, true, false, 1},
		{"an older format", []goldenCase{same}, 0, true, false, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			write, problems := frozen.judge(test.cases, test.format, test.update)
			if write != test.write || len(problems) != test.problems {
				t.Errorf("write %v, problems %q", write, problems)
			}
		})
	}
}
