package main

import (
	"slices"
	"strings"
	"testing"

	"keypact/bench/process"
)

// TestLargePartsRun runs the parts on large collections at toy size. They check
// the answers they get, so this is more than that they end; how long anything
// takes is not looked at.
func TestLargePartsRun(t *testing.T) {
	binary, err := process.Build(t.Context(), t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		part string
		rows []string // how a row of each table begins
	}{
		{"rank", []string{"rank and reverse rank of a member", "10 members at the middle by rank", "count of half of the scores"}},
		{"treecost", []string{"zset, one member an operation, 1,000 operations a transaction", "list, one item"}},
		{"discard", []string{"delete", "rename"}},
		{"reclaim", []string{"GET", "SET, synced"}},
		{"bulk", []string{"copy of a set of 3,000", "removal of 1,000 of 3,000 list items", "during union of two of 3,000 into a third: SET"}},
		{"expire", []string{"GET", "SET, synced"}},
		{"queue", []string{"list, push right and pop left", "zset, add and pop the least"}},
		{"overhead", []string{"hash", "set", "list", "zset"}},
		{"space", []string{"before", "settled", "GET", "PUT, synced"}},
		{"memory", []string{"loading", "reading at random", "afterwards"}},
	} {
		t.Run(test.part, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(parts, func(p part) bool { return p.name == test.part })
			if i < 0 {
				t.Fatal("there is no such part")
			}
			s := settings{scratch: t.TempDir(), keypact: binary}
			s.quicken()
			doc := &report{}
			if err := parts[i].run(t.Context(), s, doc); err != nil {
				t.Fatal(err)
			}
			text := doc.text.String()
			for _, row := range test.rows {
				if !strings.Contains(text, "\n| "+row) {
					t.Errorf("no row %q in\n%s", row, text)
				}
			}
			for _, bad := range []string{"NaN", "Inf", "refused", "| - |"} {
				if strings.Contains(text, bad) {
					t.Errorf("%s in\n%s", bad, text)
				}
			}
		})
	}
}

func TestUnknownPartIsRefused(t *testing.T) {
	if err := known("rank,nonsense"); err == nil || !strings.Contains(err.Error(), `"nonsense"`) {
		t.Errorf("%v", err)
	}
	if err := known(partNames()); err == nil {
		t.Error("names with spaces are taken for parts")
	}
	if err := known("rank,start"); err != nil {
		t.Error(err)
	}
}
