package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms are the top folders of the module and the rooms each may import.
// Folders that are not listed hold programs: they may import any room.
var rooms = map[string][]string{
	"encoding":     {},
	"contracts":    {},
	"web":          {},
	"store/kv":     {},
	"store":        {"store/kv", "encoding", "contracts"},
	"store/verify": {"store/kv", "encoding", "contracts"},
	"backup":       {"store/kv", "encoding"},
	"service":      {"store", "contracts"},
	"api":          {"service"},
}

// libraries says which rooms may import an outside package. The root package
// is called main.
var libraries = map[string][]string{
	"github.com/go-chi/":                 {"api"},
	"github.com/swaggo/":                 {"api"},
	"github.com/go-playground/validator": {"service", "contracts", "main"},
	"github.com/dgraph-io/badger":        {"store/kv/badger"},
	"github.com/goccy/go-yaml":           {"contracts"},
	"github.com/klauspost/compress":      {"backup"},
	"github.com/RoaringBitmap/":          {"store/verify"},
	"github.com/prometheus/":             {"main"},
	"net/http":                           {"api", "web", "main", "bench", "examples"},
}

// testOnly are packages that no shipped code may import.
var testOnly = []string{
	"testing", "pgregory.net/rapid", "github.com/alicebob/miniredis", "github.com/redis/go-redis", "github.com/getkin/kin-openapi",
}

type listedPackage struct {
	ImportPath string
	Imports    []string
}

func TestArchImports(t *testing.T) {
	for _, p := range modulePackages(t) {
		for _, imported := range p.Imports {
			if err := judgeImport(p.ImportPath, imported); err != nil {
				t.Error(err)
			}
		}
	}
}

// judgeImport is the rule of who may import whom.
func judgeImport(importer, imported string) error {
	from := strings.TrimPrefix(strings.TrimPrefix(importer, "keypact"), "/")
	if from == "" {
		from = "main"
	}
	if isTestHelper(from) {
		return nil
	}
	if to, ok := strings.CutPrefix(imported, "keypact/"); ok {
		room, listed := roomOf(from)
		if target, ok := roomOf(to); listed && ok && target != room && !slices.Contains(rooms[room], target) {
			return fmt.Errorf("%s must not import %s", importer, imported)
		}
		return nil
	}
	for _, prefix := range testOnly {
		if under(imported, prefix) {
			return fmt.Errorf("%s imports %s, which is for tests", importer, imported)
		}
	}
	for prefix, allowed := range libraries {
		at := func(room string) bool { return under(from, room) }
		if under(imported, prefix) && !slices.ContainsFunc(allowed, at) {
			return fmt.Errorf("%s must not import %s; that is for %s", importer, imported, strings.Join(allowed, ", "))
		}
	}
	return nil
}

// roomOf finds the room a folder belongs to: the longest name above it.
func roomOf(folder string) (string, bool) {
	best := ""
	for room := range rooms {
		if under(folder, room) && len(room) > len(best) {
			best = room
		}
	}
	return best, best != ""
}

// isTestHelper says that the folder holds test suites that others call.
func isTestHelper(folder string) bool {
	return strings.HasSuffix(folder, "test") || strings.HasSuffix(folder, "/powerloss")
}

// under reports whether path is prefix or lies below it.
func under(path, prefix string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || strings.HasSuffix(prefix, "/") || rest[0] == '/')
}

func TestArchRuleCanFail(t *testing.T) {
	for _, test := range []struct {
		importer, imported string
		ok                 bool
	}{
		{"keypact", "keypact/api", true},
		{"keypact/api", "keypact/service", true},
		{"keypact/api", "keypact/store", false},
		{"keypact/api", "keypact/encoding", false},
		{"keypact/service", "keypact/store", true},
		{"keypact/service", "keypact/store/kv", false},
		{"keypact/service", "keypact/api", false},
		{"keypact/store", "keypact/store/kv", true},
		{"keypact/store/kv", "keypact/store", false},
		{"keypact/store/kv/badger", "keypact/store/kv", true},
		{"keypact/store/kv/badger", "keypact/encoding", false},
		{"keypact/encoding", "keypact/contracts", false},
		{"keypact/contracts", "github.com/goccy/go-yaml/ast", true},
		{"keypact/encoding", "github.com/goccy/go-yaml", false},
		{"keypact/service", "github.com/go-playground/validator/v10", true},
		{"keypact/api", "github.com/go-playground/validator/v10", false},
		{"keypact/store", "github.com/dgraph-io/badger/v4", false},
		{"keypact/store/kv/badger", "github.com/dgraph-io/badger/v4", true},
		{"keypact/service", "net/http", false},
		{"keypact/service", "net/http/httptest", false},
		{"keypact/api", "net/http", true},
		{"keypact/service", "net/netip", true},
		{"keypact/service", "github.com/go-chi/chi/v5", false},
		{"keypact/store", "pgregory.net/rapid", false},
		{"keypact/backup", "keypact/store/kv", true},
		{"keypact/backup", "keypact/store", false},
		{"keypact/store/verify", "keypact/encoding", true},
		{"keypact/store/verify", "keypact/store", false},
		{"keypact/store", "keypact/store/verify", false},
		{"keypact/api", "keypact/backup", false},
		{"keypact/store/kv/kvtest", "testing", true},
	} {
		if err := judgeImport(test.importer, test.imported); (err == nil) != test.ok {
			t.Errorf("%s imports %s: %v", test.importer, test.imported, err)
		}
	}
}

// TestArchEnvironment: what comes from outside comes in as arguments. Only the
// root package's main may ask the environment.
func TestArchEnvironment(t *testing.T) {
	for path, file := range moduleFiles(t) {
		if path == "main.go" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := call.X.(*ast.Ident)
			if ok && pkg.Name == "os" && slices.Contains([]string{"Getenv", "LookupEnv", "Environ", "Exit"}, call.Sel.Name) && !program(path) {
				t.Errorf("%s uses os.%s", path, call.Sel.Name)
			}
			return true
		})
	}
}

// TestArchComments: every package says what it is for.
func TestArchComments(t *testing.T) {
	documented := make(map[string]bool)
	for path, file := range moduleFiles(t) {
		folder := filepath.Dir(path)
		documented[folder] = documented[folder] || file.Doc != nil && !strings.HasSuffix(path, "_test.go")
	}
	for folder, ok := range documented {
		if !ok {
			t.Errorf("package in %s has no package comment", folder)
		}
	}
}

// program says that the file belongs to a program of its own, outside the
// service.
func program(path string) bool {
	return strings.HasPrefix(path, "bench/") || strings.HasPrefix(path, "examples/")
}

func modulePackages(t *testing.T) []listedPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []listedPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < len(rooms) {
		t.Fatalf("go list found only %d packages", len(list))
	}
	return list
}

// moduleFiles parses every Go file of the module, by path.
func moduleFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := make(map[string]*ast.File)
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || path == "scripts/tools"):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		files[filepath.ToSlash(path)] = file
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
