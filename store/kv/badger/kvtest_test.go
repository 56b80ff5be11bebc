package badger

import (
	"testing"

	"keypact/store/kv"
	"keypact/store/kv/kvtest"
)

func TestSuite(t *testing.T) {
	for name, options := range places {
		t.Run(name, func(t *testing.T) {
			kvtest.Run(t, func(t *testing.T) kv.DB { return open(t, options(t)) })
		})
	}
}

func TestExportSuite(t *testing.T) {
	for name, options := range places {
		t.Run(name, func(t *testing.T) {
			kvtest.RunExport(t, func(t *testing.T) kvtest.Exporting { return open(t, options(t)) })
		})
	}
}

// places are the places a store may be in.
var places = map[string]func(t *testing.T) Options{
	"memory": func(*testing.T) Options { return Options{InMemory: true} },
	"disk":   func(t *testing.T) Options { return Options{Dir: t.TempDir()} },
}

// open opens a store whose engine complains into the test's log.
func open(t testing.TB, o Options) *DB {
	t.Helper()
	db, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}
