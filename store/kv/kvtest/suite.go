// Package kvtest is the one suite every engine passes. An engine's test calls
// Run with a function that opens an empty store; the suite closes it.
package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"keypact/store/kv"
)

// Run tests the engine that open opens, and the same engine behind Retry. Each
// call of open must give an empty store, with a limit of at most 8 MiB for one
// transaction. The suite closes what it opens.
func Run(t *testing.T, open func(t *testing.T) kv.DB) {
	t.Helper()
	t.Run("plain", func(t *testing.T) { run(t, open) })
	t.Run("retried", func(t *testing.T) {
		run(t, func(t *testing.T) kv.DB { return Retry(open(t)) })
	})
}

var tests = []struct {
	name string
	run  func(t *testing.T, db kv.DB)
}{
	{"get appends", testGetAppends},
	{"get many", testGetMany},
	{"scan ranges", testScanRanges},
	{"scan while writing", testScanWhileWriting},
	{"records are copied", testRecordsAreCopied},
	{"long values", testLongValues},
	{"empty keys and values are refused", testEmptyRefused},
	{"a refused write fails the whole", testRefusalFailsWhole},
	{"a failed function leaves nothing", testFailureLeavesNothing},
	{"too big fails whole", testTooBig},
	{"a panic fails its transaction only", testPanic},
	{"an ended transaction answers errors", testEndedTxn},
	{"a cancelled context keeps it from running", testCancelled},
	{"delete of nothing", testDeleteOfNothing},
	{"marks nest", testMarksNest},
	{"undo takes back everything", testUndoTakesBackEverything},
	{"size is net", testSize},
	{"after runs in order", testAfterOrder},
	{"after fails alone", testAfterFailsAlone},
	{"after is dropped with its transaction", testAfterDropped},
	{"undone puts right", testUndone},
	{"published when visible", testPublishedWhenVisible},
	{"published is dropped with its transaction", testPublishedDropped},
	{"snapshot stays", testSnapshotStays},
	{"view runs while a transaction does", testViewBesideTxn},
	{"exact counters", testExactCounters},
	{"sums stay whole", testSumsStayWhole},
	{"draft writes nothing", testDraftWritesNothing},
	{"draft fails", testDraftFails},
	{"draft beside a transaction", testDraftBesideTxn},
	{"model", testModel},
	{"closed", testClosed},
}

func run(t *testing.T, open func(t *testing.T) kv.DB) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			db := open(t)
			defer func() {
				if err := db.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			test.run(t, db)
		})
	}
}

// failer is what helpers need of *testing.T and *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// update runs fn and expects it to end with the error want, or with none.
func update(t failer, db kv.DB, fn func(kv.Txn) error, want ...error) {
	t.Helper()
	err := db.Update(context.Background(), fn)
	if len(want) > 0 {
		if !errors.Is(err, want[0]) {
			t.Fatalf("update: %v, want %v", err, want[0])
		}
		return
	}
	if err != nil {
		t.Fatalf("update: %v", err)
	}
}

// errUndone ends a transaction that shall leave nothing.
var errUndone = errors.New("undone on purpose")

func view(t failer, db kv.DB, fn func(kv.Reader) error) {
	t.Helper()
	if err := db.View(context.Background(), fn); err != nil {
		t.Fatalf("view: %v", err)
	}
}

// put stores pairs given as "key=value".
func put(t failer, db kv.DB, pairs ...string) {
	t.Helper()
	update(t, db, func(tx kv.Txn) error { return set(tx, pairs...) })
}

// set writes pairs given as "key=value"; "key=" deletes.
func set(tx kv.Txn, pairs ...string) error {
	for _, p := range pairs {
		key, value, _ := strings.Cut(p, "=")
		var err error
		if value == "" {
			err = tx.Delete([]byte(key))
		} else {
			err = tx.Set([]byte(key), []byte(value))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dump lists a scan as "key=value key=value".
func dump(r kv.Reader, in kv.Range) (string, error) {
	var out []string
	err := r.Scan(in, func(key, value []byte) bool {
		out = append(out, fmt.Sprintf("%s=%s", key, value))
		return true
	})
	return strings.Join(out, " "), err
}

// holds checks everything in the store.
func holds(t failer, db kv.DB, want ...string) {
	t.Helper()
	var got string
	view(t, db, func(r kv.Reader) (err error) {
		got, err = dump(r, kv.Range{})
		return err
	})
	if got != strings.Join(want, " ") {
		t.Fatalf("the store holds %q, want %q", got, strings.Join(want, " "))
	}
}

func get(r kv.Reader, key string) string {
	v, err := r.Get(nil, []byte(key))
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return ""
	case err != nil:
		return "error: " + err.Error()
	}
	return string(v)
}

func repeat(n int) []byte { return bytes.Repeat([]byte("v"), n) }
