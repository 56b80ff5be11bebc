package badger

import (
	"errors"
	"runtime/debug"

	"keypact/store/kv"
)

// limits bound transactions and groups.
type limits struct {
	txnBytes, txnRecords     int
	groupBytes, groupRecords int // of a group of several requests: what one Badger transaction takes
	aloneBytes, aloneRecords int // of a group of one request
	softBytes, softRecords   int // no further request joins past these
}

// recordCost bounds what Badger adds to a record's key and value.
const recordCost = 16

// group is the run of requests that are written and synced together. Its
// transactions run on snapshot, under the group before it, which may still be
// on its way to the disk, under its own overlay.
type group struct {
	limits    limits
	epoch     *epoch
	snapshot  snapshot
	inFlight  *overlay // of the group before, nil if that was published already
	overlay   *overlay
	undo      []undo // of the request that runs now
	bytes     int    // of the overlay, with Badger's own cost
	records   int    // of the overlay, parts of long values included
	room      room   // free space when the group began
	crowded   bool   // the request that runs now is not the first to write
	overflow  bool   // the request that runs now did not fit
	shut      bool   // a request did not fit: no further one joins
	txns      uint32 // transactions begun; numbers them
	requests  []*request
	essential func(key, value []byte) bool // see Options
	onPanic   func(any)                    // hears of panics in callbacks
}

// charge accounts for e in before's place; false if the group has no room.
func (g *group) charge(before, e *entry) bool {
	bytes, records := cost(e)
	oldBytes, oldRecords := cost(before)
	bytes, records = g.bytes+bytes-oldBytes, g.records+records-oldRecords
	mostBytes, mostRecords := g.limits.aloneBytes, g.limits.aloneRecords
	if g.crowded {
		mostBytes, mostRecords = g.limits.groupBytes, g.limits.groupRecords
	}
	if bytes > mostBytes || records > mostRecords {
		return false
	}
	g.bytes, g.records = bytes, records
	return true
}

// uncharge accounts for before being back in e's place.
func (g *group) uncharge(e, before *entry) {
	bytes, records := cost(e)
	oldBytes, oldRecords := cost(before)
	g.bytes += oldBytes - bytes
	g.records += oldRecords - records
}

// cost is what e takes in a Badger transaction.
func cost(e *entry) (bytes, records int) {
	if e == nil {
		return 0, 0
	}
	return costOf(e.key, e.value)
}

func costOf(key, value []byte) (bytes, records int) {
	bytes, records = len(key)+len(value)+recordCost, 1
	if len(value) > partBytes {
		parts := (len(value) + partBytes - 1) / partBytes
		bytes += parts * (len(key) + recordCost)
		records += parts
	}
	return bytes, records
}

// closed reports whether the group is long enough to go.
func (g *group) closed() bool {
	return g.shut || g.bytes >= g.limits.softBytes || g.records >= g.limits.softRecords
}

// run runs a request: its function, and what that queued with After. It
// reports false, with nothing left behind, if the group has no room for it.
func (g *group) run(r *request) bool {
	g.crowded = len(g.overlay.entries) > 0
	g.undo, g.overflow = g.undo[:0], false
	var line []func(kv.Txn) error
	r.published, r.err = nil, nil
	line, r.published, r.err = g.runOne(r.fn)
	for len(line) > 0 {
		fn := line[0]
		// What fn queues runs right behind it, before its elder siblings.
		more, published, _ := g.runOne(fn)
		line = append(more, line[1:]...)
		r.published = append(r.published, published...)
	}
	if g.overflow && g.crowded {
		(&txn{group: g}).Undo(0)
		r.published, r.err = nil, nil
		g.shut = true
		return false
	}
	return true
}

// runOne runs one function as a transaction; if it fails nothing is left of it.
func (g *group) runOne(fn func(kv.Txn) error) (after []func(kv.Txn) error, published []func(), err error) {
	g.txns++
	t := &txn{group: g, number: g.txns, from: len(g.undo)}
	err = call(fn, t)
	if err == nil {
		err = t.failed
	}
	if err != nil {
		t.Undo(t.from)
	}
	t.ended = true
	return t.after, t.published, err
}

// errGoexit is what becomes of the engine when a transaction ends the
// goroutine that all transactions run on.
var errGoexit = errors.New("a transaction called runtime.Goexit")

// call runs fn and turns a panic into an error.
func call(fn func(kv.Txn) error, t *txn) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &kv.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return fn(t)
}
