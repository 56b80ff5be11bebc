package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	isoFolder = "/usr/share/iso-codes/json"
	wordList  = "/usr/share/dict/american-english"
)

// TestIso loads Debian's reference data through HTTP under the example's
// contracts. README.md prints the answers; what can be counted in the files is
// counted again here, without the service.
func TestIso(t *testing.T) {
	if _, err := os.Stat(isoFolder); err != nil {
		t.Fatalf("the package iso-codes is missing: %v", err)
	}
	if _, err := os.Stat(wordList); err != nil {
		t.Fatalf("the package wamerican is missing: %v", err)
	}
	p := start(t, t.TempDir(), "--contracts", "examples/iso/contracts.yaml", "--log-level", "warn")
	cmd := exec.Command("go", "run", "./examples/iso", "-url", p.URL, "-codes", isoFolder, "-words", wordList)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	answers := string(out)
	for _, counted := range []string{countLanguages(t), countFrance(t), countWords(t)} {
		if !strings.Contains(answers, "\n  "+counted+"\n") {
			t.Errorf("the files say %q, the answers are\n%s", counted, answers)
		}
	}
	for key, want := range map[string]string{
		"/zset/words:alphabet/count": fmt.Sprintf(`"count":%d`, len(words(t))),
		"/hash/country:FR":           `"alpha_3":"FRA"`,
	} {
		if got := expect(t, 200, "GET", p.URL+key, ""); !strings.Contains(got, want) {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	if packaged("iso-codes") == "4.15.0-1" && packaged("wamerican") == "2020.12.07-2" {
		compareSection(t, "iso", "```text\n"+answers+"```\n")
	} else {
		t.Log("README.md prints the answers of other versions of the packages")
	}
}

func packaged(name string) string {
	version, _ := exec.Command("dpkg-query", "-W", "-f", "${Version}", name).Output()
	return string(version)
}

func isoTable(t *testing.T, name string) []map[string]string {
	t.Helper()
	raw, err := os.ReadFile(isoFolder + "/iso_" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var file map[string][]map[string]string
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return file[name]
}

func countLanguages(t *testing.T) string {
	all, extinct := isoTable(t, "639-3"), 0
	for _, language := range all {
		if language["type"] == "E" {
			extinct++
		}
	}
	return fmt.Sprintf("%d, %d of them extinct", len(all), extinct)
}

func countFrance(t *testing.T) string {
	top, deeper := 0, 0
	for _, s := range isoTable(t, "3166-2") {
		switch {
		case !strings.HasPrefix(s["code"], "FR-"):
		case s["parent"] == "":
			top++
		default:
			deeper++
		}
	}
	return fmt.Sprintf("%d and %d", top, deeper)
}

func words(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(wordList)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(raw))
}

func countWords(t *testing.T) string {
	var found []string
	for _, word := range words(t) {
		if word >= "keyp" && word <= "keys" {
			found = append(found, word)
		}
	}
	slices.Sort(found)
	return strings.Join(found, ", ")
}

// TestIsoContractsHold: nothing gets past them by another route.
func TestIsoContractsHold(t *testing.T) {
	p := start(t, t.TempDir(), "--contracts", "examples/iso/contracts.yaml")
	for _, refused := range [][3]string{
		{"PUT", "/hash/country:FRA/fields", `{"fields":{"alpha_3":"FRA","name":"France","numeric":"250"}}`},
		{"PUT", "/hash/country:FR/fields", `{"fields":{"name":"France"}}`},
		{"PUT", "/set/languages:type:L/members", `{"members":["French"]}`},
		{"PUT", "/zset/subdivisions:FR/members", `{"members":[{"member":"FR-IDF","score":0.5}]}`},
		{"POST", "/zset/words:length/members/word/incr", `{"by":1}`},
		{"PUT", "/string/elsewhere", `{"value":"v"}`},
	} {
		body := expect(t, 422, refused[0], p.URL+refused[1], refused[2])
		if !regexp.MustCompile(`"error_count":[1-9]`).MatchString(body) {
			t.Errorf("%s is refused with %s", refused[1], body)
		}
	}
}
