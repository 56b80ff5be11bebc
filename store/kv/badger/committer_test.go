package badger

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"keypact/store/kv"
)

// gate is a log whose writes and syncs wait until they are let through.
type gate struct {
	Log
	writes, syncs chan error // each value lets one through, an error in its place
	entered       chan string
}

func (g *gate) Write(ts uint64, group []Record) error {
	g.entered <- "write"
	if err := <-g.writes; err != nil {
		return err
	}
	return g.Log.Write(ts, group)
}

func (g *gate) Sync() error {
	g.entered <- "sync"
	if err := <-g.syncs; err != nil {
		return err
	}
	return g.Log.Sync()
}

// openGated opens a store in memory behind a gate.
func openGated(t *testing.T, o Options) (*DB, *gate) {
	g := &gate{writes: make(chan error, 100), syncs: make(chan error, 100), entered: make(chan string, 100)}
	o.InMemory = true
	o.WrapLog = func(log Log) Log { g.Log = log; return g }
	return open(t, o), g
}

func (g *gate) expect(t *testing.T, what string) {
	t.Helper()
	if got := <-g.entered; got != what {
		t.Fatalf("the log is asked to %s, want %s", got, what)
	}
}

// start runs an Update on its own goroutine; its outcome arrives on the channel.
func start(db *DB, fn func(kv.Txn) error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- db.Update(background, fn) }()
	return done
}

func setting(key string) func(kv.Txn) error {
	return func(tx kv.Txn) error { return tx.Set([]byte(key), []byte("1")) }
}

func has(t *testing.T, db *DB, key string) bool {
	t.Helper()
	var err error
	failed := db.View(background, func(r kv.Reader) error { _, err = r.Get(nil, []byte(key)); return nil })
	if failed != nil {
		t.Fatal(failed)
	}
	return err == nil
}

func unanswered(t *testing.T, what string, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		t.Fatalf("%s was answered early: %v", what, err)
	default:
	}
}

// While a group is on its way, the next one runs over it, and neither is
// answered or visible before its sync. Views wait for nobody.
func TestPipeline(t *testing.T) {
	db, log := openGated(t, Options{})
	first := start(db, setting("first"))
	log.expect(t, "write")
	ran := make(chan bool, 2)
	second := start(db, func(tx kv.Txn) error {
		_, err := tx.Get(nil, []byte("first"))
		ran <- err == nil
		return tx.Set([]byte("second"), []byte("1"))
	})
	if saw := <-ran; !saw {
		t.Error("the second group does not see the one in flight")
	}
	log.writes <- nil
	log.expect(t, "sync")
	unanswered(t, "the first group", first)
	if has(t, db, "first") {
		t.Error("visible before the sync")
	}
	// What only reads, or fails, may rest on the group in flight.
	failed := errors.New("failed")
	reading := start(db, func(tx kv.Txn) error { ran <- true; return failed })
	<-ran
	unanswered(t, "what may have read it", reading)
	log.syncs <- nil
	if err := <-first; err != nil || !has(t, db, "first") || has(t, db, "second") {
		t.Errorf("first group: %v", err)
	}
	log.expect(t, "write")
	unanswered(t, "the second group", second)
	log.writes <- nil
	log.expect(t, "sync")
	log.syncs <- nil
	if err := <-second; err != nil || !has(t, db, "second") {
		t.Errorf("second group: %v", err)
	}
	if err := <-reading; err != failed {
		t.Errorf("failed transaction: %v", err)
	}
	closeGated(t, db, log)
}

func closeGated(t *testing.T, db *DB, log *gate) {
	t.Helper()
	log.syncs <- nil // the last one
	if err := db.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// What saw only the group in flight is answered with it, not with the next.
func TestReadersJoinTheFlight(t *testing.T) {
	db, log := openGated(t, Options{})
	first := start(db, setting("first"))
	log.expect(t, "write")
	ran := make(chan bool, 1)
	reading := start(db, func(kv.Txn) error { ran <- true; return nil })
	<-ran
	unanswered(t, "a reader of the flight", reading)
	log.writes <- nil
	log.syncs <- nil
	if err := errors.Join(<-first, <-reading); err != nil {
		t.Error(err)
	}
	// With nothing in flight there is nothing to wait for.
	if err := db.Update(background, func(kv.Txn) error { return nil }); err != nil {
		t.Error(err)
	}
	closeGated(t, db, log)
}

// Requests that wait go together, with one write and one sync.
func TestGroupsForm(t *testing.T) {
	var groups [][3]int
	db, log := openGated(t, Options{OnCommit: func(requests, records, bytes int, _ time.Duration) {
		groups = append(groups, [3]int{requests, records, bytes})
	}})
	first := start(db, setting("k0"))
	log.expect(t, "write")
	var all []<-chan error
	ran := make(chan bool, 20)
	for i := range 20 {
		all = append(all, start(db, func(tx kv.Txn) error {
			ran <- true
			return setting(fmt.Sprint("k", i%10))(tx)
		}))
	}
	for range 20 {
		<-ran
	}
	for range 2 {
		log.writes <- nil
		log.syncs <- nil
	}
	for _, done := range append(all, first) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	closeGated(t, db, log)
	if want := [][3]int{{1, 1, 3}, {20, 10, 30}}; fmt.Sprint(groups) != fmt.Sprint(want) {
		t.Errorf("groups %v, want %v", groups, want)
	}
	if s := db.Stats(); s.Commits != 2 || s.Requests != 21 || s.Records != 11 || s.Syncs != 3 {
		t.Errorf("stats: %+v", s)
	}
}

// A failed write or sync stops everything, once.
func TestFailStop(t *testing.T) {
	cause := errors.New("disk on fire")
	for _, at := range []string{"write", "sync"} {
		t.Run(at, func(t *testing.T) { failAt(t, at, cause) })
	}
}

func failAt(t *testing.T, at string, cause error) {
	fatal := make(chan error, 10)
	db, log := openGated(t, Options{
		OnFatal: func(err error) { fatal <- err },
		Logger:  slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	first := start(db, setting("first"))
	log.expect(t, "write")
	ran := make(chan bool, 2)
	second := start(db, func(tx kv.Txn) error { ran <- true; return setting("second")(tx) })
	reading := start(db, func(kv.Txn) error { ran <- true; return nil })
	<-ran
	<-ran
	if at == "write" {
		log.writes <- cause
	} else {
		log.writes <- nil
		log.syncs <- cause
	}
	if err := <-first; !errors.Is(err, kv.ErrOutcomeUnknown) || !errors.Is(err, kv.ErrClosed) || !errors.Is(err, cause) {
		t.Errorf("in flight: %v", err)
	}
	for what, err := range map[string]error{
		"behind it": <-second,
		"reading":   <-reading,
		"update":    db.Update(background, setting("third")),
		"view":      db.View(background, func(kv.Reader) error { return nil }),
		"close":     db.Close(),
		"on fatal":  <-fatal,
	} {
		if !errors.Is(err, kv.ErrClosed) || !errors.Is(err, cause) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(fatal) > 0 {
		t.Error("OnFatal called twice")
	}
}

// The interval's sync runs by itself, and stops everything if it fails.
func TestIntervalSync(t *testing.T) {
	fatal := make(chan error, 1)
	db, log := openGated(t, Options{Durability: Interval, SyncInterval: time.Millisecond,
		OnFatal: func(err error) { fatal <- err }})
	log.writes <- nil
	put(t, db, "a", []byte("1"))
	log.expect(t, "write")
	log.expect(t, "sync")
	log.syncs <- nil
	log.writes <- nil
	put(t, db, "b", []byte("1"))
	log.expect(t, "write")
	log.expect(t, "sync")
	cause := errors.New("disk on fire")
	log.syncs <- cause
	if err := <-fatal; !errors.Is(err, cause) {
		t.Errorf("fatal: %v", err)
	}
	if err := db.Update(background, setting("c")); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("update: %v", err)
	}
	if err := db.Close(); !errors.Is(err, cause) {
		t.Errorf("close: %v", err)
	}
}

// A transaction that ends its goroutine gets an error, as does everyone else:
// nobody hangs.
func TestGoexit(t *testing.T) {
	db := open(t, Options{InMemory: true})
	err := db.Update(background, func(kv.Txn) error { runtime.Goexit(); return nil })
	if !errors.Is(err, kv.ErrClosed) || !errors.Is(err, errGoexit) {
		t.Errorf("update: %v", err)
	}
	if err := db.Close(); !errors.Is(err, errGoexit) {
		t.Errorf("close: %v", err)
	}
}
