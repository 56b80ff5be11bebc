package kvtest

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"keypact/store/kv"
)

// testModel runs random programs, several at a time, and then replays them in
// the order in which they took effect against a plain map: whatever any of them
// saw must be what the map shows.
func testModel(t *testing.T, db kv.DB) {
	rapid.Check(t, func(t *rapid.T) {
		update(t, db, clear)
		m := model{}
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			programs := rapid.SliceOfN(drawProgram(2), 1, 6).Draw(t, "programs")
			playRound(t, db, m, programs)
		}
		var got string
		view(t, db, func(r kv.Reader) (err error) { got, err = dump(r, kv.Range{}); return err })
		if want, _ := dump(&modelTxn{m: m}, kv.Range{}); got != want {
			t.Fatalf("the store holds %q, want %q", got, want)
		}
	})
}

// playRound runs programs at once on db and then one by one on m.
func playRound(t *rapid.T, db kv.DB, m model, programs []program) {
	outcomes := make([]outcome, len(programs))
	var group sync.WaitGroup
	for i, p := range programs {
		group.Go(func() { outcomes[i] = p.play(db) })
	}
	group.Wait()
	// A transaction that took effect raised the turn it saw; those that failed
	// saw the state of their turn before it was raised.
	order := make([]int, len(programs))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool {
		x, y := outcomes[order[a]], outcomes[order[b]]
		if x.turn != y.turn {
			return x.turn < y.turn
		}
		return x.err != nil && y.err == nil
	})
	for _, i := range order {
		if err := outcomes[i].err; err != nil && !errors.Is(err, errUndone) {
			t.Fatalf("program %d: %v", i, err)
		}
		if got, want := outcomes[i].saw.String(), m.play(programs[i]).String(); got != want {
			t.Fatalf("program %d, turn %d saw\n%s\nwant\n%s", i, outcomes[i].turn, got, want)
		}
	}
}

// outcome is what a program saw, and when it ran.
type outcome struct {
	turn int
	saw  trace
	err  error
}

// trace is what a transaction saw, and those that it queued.
type trace struct {
	lines []string
	after []*trace
}

func (t *trace) String() string {
	out := strings.Join(t.lines, "\n")
	for _, a := range t.after {
		out += "\nthen: " + a.String()
	}
	return out
}

// program is one transaction.
type program struct {
	steps []step
	fails bool
}

type step struct {
	kind       string
	key, upper string
	value      string
	reverse    bool
	keysOnly   bool
	limit      int
	mark       int
	after      *program
}

// turnKey counts the transactions that took effect.
const turnKey = "\x01turn"

func drawKey() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune{0, 'a', 'b', 0x7e}), 1, 3, -1)
}

func drawProgram(depth int) *rapid.Generator[program] {
	return rapid.Custom(func(t *rapid.T) program {
		return program{
			steps: rapid.SliceOfN(drawStep(depth), 1, 12).Draw(t, "steps"),
			fails: rapid.IntRange(0, 4).Draw(t, "fails") == 0,
		}
	})
}

func drawStep(depth int) *rapid.Generator[step] {
	kinds := []string{"set", "set", "set", "delete", "get", "scan", "scan", "mark", "undo", "size"}
	if depth > 0 {
		kinds = append(kinds, "after")
	}
	return rapid.Custom(func(t *rapid.T) step {
		s := step{kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch s.kind {
		case "set":
			s.key = drawKey().Draw(t, "key")
			s.value = rapid.StringOfN(rapid.RuneFrom([]rune("xyz")), 1, 4, -1).Draw(t, "value")
		case "get", "delete":
			s.key = drawKey().Draw(t, "key")
		case "scan":
			s.key = rapid.OneOf(rapid.Just(""), drawKey()).Draw(t, "lower")
			s.upper = rapid.OneOf(rapid.Just(""), drawKey()).Draw(t, "upper")
			s.reverse, s.keysOnly = rapid.Bool().Draw(t, "reverse"), rapid.Bool().Draw(t, "keys only")
			s.limit = rapid.IntRange(0, 4).Draw(t, "limit")
		case "undo":
			s.mark = rapid.IntRange(0, 3).Draw(t, "mark")
		case "after":
			p := drawProgram(depth-1).Draw(t, "after")
			s.after = &p
		}
		return s
	})
}

// play runs the program on db.
func (p program) play(db kv.DB) (o outcome) {
	o.err = db.Update(context.Background(), func(tx kv.Txn) error {
		o.turn, o.saw = 0, trace{} // it may run again
		if turn := get(tx, turnKey); turn != "" {
			o.turn, _ = strconv.Atoi(turn)
		}
		if err := add(tx, []byte(turnKey), 1); err != nil {
			return err
		}
		return p.run(tx, &o.saw)
	})
	return o
}

// run interprets the program and notes what it sees.
func (p program) run(tx kv.Txn, saw *trace) error {
	note := func(format string, args ...any) { saw.lines = append(saw.lines, fmt.Sprintf(format, args...)) }
	marks := []int{tx.Mark()}
	for _, s := range p.steps {
		var err error
		switch s.kind {
		case "set":
			err = tx.Set([]byte(s.key), []byte(s.value))
		case "delete":
			err = tx.Delete([]byte(s.key))
		case "get":
			note("get %q = %q", s.key, get(tx, s.key))
		case "scan":
			r := s.scan()
			var got string
			got, err = dump(tx, r)
			note("scan %q %q %v %v %d = %q", r.Lower, r.Upper, r.Reverse, r.KeysOnly, r.Limit, got)
		case "mark":
			marks = append(marks, tx.Mark())
		case "undo":
			at := min(s.mark, len(marks)-1)
			tx.Undo(marks[at])
			marks = marks[:at+1]
		case "size":
			bytes, records := tx.Size()
			note("size %d %d", bytes, records)
		case "after":
			s.queue(tx, saw)
		}
		if err != nil {
			return err
		}
	}
	if p.fails {
		return errUndone
	}
	return nil
}

// queue has the step's program run behind the transaction.
func (s step) queue(tx kv.Txn, saw *trace) {
	queued := &trace{}
	saw.after = append(saw.after, queued)
	tx.After(func(tx kv.Txn) error {
		*queued = trace{} // it may run again
		return s.after.run(tx, queued)
	})
}

func (s step) scan() kv.Range {
	r := kv.Range{Lower: []byte(s.key), Reverse: s.reverse, KeysOnly: s.keysOnly, Limit: s.limit}
	if s.upper != "" {
		r.Upper = []byte(s.upper)
	}
	return r
}
