package main

import (
	"bytes"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"keypact/api"
)

// update makes the tests below rewrite the generated sections of README.md.
var update = flag.Bool("update", false, "rewrite the generated sections of README.md")

// section cuts out what stands between two marks of README.md.
func section(t *testing.T, readme, name string) (before, inside, after string) {
	t.Helper()
	first, last := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	before, rest, ok := strings.Cut(readme, first)
	inside, after, closed := strings.Cut(rest, last)
	if !ok || !closed {
		t.Fatalf("README.md has no section between %q and %q", first, last)
	}
	return before + first, inside, last + after
}

func readReadme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// compareSection fails unless a section of README.md is as wanted, or with
// -update makes it so.
func compareSection(t *testing.T, name, want string) {
	t.Helper()
	before, got, after := section(t, readReadme(t), name)
	if got == want {
		return
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(before+want+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("section %q of README.md is not up to date (go test -run %s -update . mends it)\n%s", name, t.Name(), firstDifference(got, want))
}

func firstDifference(got, want string) string {
	lines := strings.Split(got, "\n")
	for i, line := range strings.Split(want, "\n") {
		if i >= len(lines) || lines[i] != line {
			return fmt.Sprintf("want line %d to be\n%s\nit is\n%s", i+1, line, strings.Join(lines[min(i, len(lines)):min(i+1, len(lines))], ""))
		}
	}
	return "it has lines too many"
}

func TestReadmeConfiguration(t *testing.T) {
	compareSection(t, "configuration", settingsTable("| flag | variable | default | meaning |\n|---|---|---|---|\n", func(s setting) bool { return !s.limit() }))
}

func TestReadmeLimits(t *testing.T) {
	compareSection(t, "limits", settingsTable("| flag | variable | default | at most |\n|---|---|---|---|\n", setting.limit))
}

func settingsTable(head string, want func(setting) bool) string {
	var table strings.Builder
	table.WriteString(head)
	for _, s := range settings {
		if !want(s) {
			continue
		}
		fallback := "`" + s.fallback + "`"
		if s.fallback == "" {
			fallback = ""
		}
		flag := strings.TrimSpace("--" + s.name + " " + strings.ReplaceAll(s.arg, "|", "\\|"))
		fmt.Fprintf(&table, "| `%s` | `%s` | %s | %s |\n", flag, s.env(), fallback, s.about)
	}
	return table.String()
}

// documented is an operation in openapi.yaml.
type documented struct {
	Summary string   `yaml:"summary"`
	Verbs   []string `yaml:"x-redis-verb"`
}

// TestReadmeRoutes: the table holds the routes that are served, with the
// commands as which contracts judge them.
func TestReadmeRoutes(t *testing.T) {
	var document struct {
		Paths map[string]map[string]any `yaml:"paths"`
	}
	if err := yaml.Unmarshal(specification, &document); err != nil {
		t.Fatal(err)
	}
	described := func(route api.Route) documented {
		pattern := pathsOf(route.Pattern)[0] // the page above its files
		raw, err := yaml.Marshal(document.Paths[pattern][strings.ToLower(route.Method)])
		if err != nil {
			t.Fatal(err)
		}
		var d documented
		if err := yaml.Unmarshal(raw, &d); err != nil || d.Summary == "" {
			t.Errorf("openapi.yaml does not describe %s %s", route.Method, route.Pattern)
		}
		return d
	}
	routes := api.Routes()
	var table strings.Builder
	table.WriteString("| route | counts as | does |\n|---|---|---|\n")
	for _, route := range routes {
		twin := func(other api.Route) bool { return other.Pattern == route.Pattern && other.Method == "GET" }
		if route.Method == "HEAD" && slices.ContainsFunc(routes, twin) {
			continue // beside its GET
		}
		method := route.Method
		head := func(other api.Route) bool { return other.Pattern == route.Pattern && other.Method == "HEAD" }
		if method == "GET" && slices.ContainsFunc(routes, head) {
			method = "GET HEAD"
		}
		d := described(route)
		fmt.Fprintf(&table, "| `%s %s` | %s | %s |\n", method, route.Pattern, strings.Join(d.Verbs, " "), d.Summary)
	}
	compareSection(t, "routes", table.String())
}

// TestReadmeContracts: the contracts that the text explains are the ones that
// `make run` enforces.
func TestReadmeContracts(t *testing.T) {
	file, err := os.ReadFile("examples/contracts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	compareSection(t, "contracts", "```yaml\n"+string(file)+"```\n")
}

// step is a command of the tour and what README.md says it prints.
type step struct{ command, prints string }

// tourSteps reads the console blocks of a section: a line that begins with "$ "
// is a command, what follows is its output.
func tourSteps(t *testing.T, text string) []step {
	t.Helper()
	var steps []step
	inside := false
	for line := range strings.SplitSeq(text, "\n") {
		switch command, isCommand := strings.CutPrefix(line, "$ "); {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case inside && isCommand:
			steps = append(steps, step{command: command})
		case inside && len(steps) == 0:
			t.Fatalf("output before the first command: %q", line)
		case inside:
			steps[len(steps)-1].prints += line + "\n"
		}
	}
	return steps
}

// TestReadmeTour runs the one-minute tour, line by line, on a fresh store.
// An ellipsis in the shown output stands for anything within a line.
func TestReadmeTour(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("the tour needs %s", tool)
		}
	}
	_, tour, _ := section(t, readReadme(t), "tour")
	steps := tourSteps(t, tour)
	if len(steps) < 10 {
		t.Fatalf("the tour has only %d steps", len(steps))
	}
	p := start(t, t.TempDir(), "--contracts", "examples/contracts.yaml")
	addr := strings.TrimPrefix(p.URL, "http://")
	if _, _, err := net.SplitHostPort(addr); err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		command := strings.ReplaceAll(s.command, "localhost:8080", addr)
		cmd := exec.Command("bash", "-c", command)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("$ %s\n%v\n%s", command, err, stderr.String())
			continue
		}
		got := strings.TrimRight(string(out), "\n")
		if !matches(strings.TrimRight(s.prints, "\n"), got) {
			t.Errorf("$ %s\nprints\n%s\nREADME.md says\n%s", command, got, s.prints)
		}
	}
}

// matches compares output with what was foretold.
func matches(foretold, got string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(foretold), "…", "[^\n]*")
	return regexp.MustCompile("^" + pattern + "$").MatchString(got)
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		foretold, got string
		ok            bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"a…c", "abc", true}, {"a…c", "a\nc", false}, {"1.5", "1x5", false}, {"", "", true}, {"", "x", false},
	} {
		if matches(test.foretold, test.got) != test.ok {
			t.Errorf("%q and %q", test.foretold, test.got)
		}
	}
}
