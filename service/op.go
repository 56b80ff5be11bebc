package service

import (
	"fmt"
	"strings"
	"sync"

	"keypact/contracts"
	"keypact/store"
)

// Op is one operation: a struct of this package, filled in by a door.
type Op = store.Op

// Violation is a broken rule of a contract with its place in a request.
type Violation = store.Violation

// Revision names one state of one key; zero is an absent key.
type Revision = store.Revision

// checker is an operation with rules on its shape that tags cannot say.
type checker interface {
	check(l Limits) []Issue
}

// Row is the definition of one operation.
type Row struct {
	Name  string    // the operation's own, such as "HashSet"
	Write bool      // it may change a key
	Verbs []Verb    // the Redis commands it answers to in a batch
	New   func() Op // an empty operation, a pointer to its struct
}

// Verb is a Redis command in a batch: the operation of its row with some
// members filled in.
type Verb struct {
	Name   string
	preset func(Op)      // fills in what the command implies; may be nil
	is     func(Op) bool // whether the operation is still that command; may be nil
}

// Rows lists all operations.
func Rows() []Row {
	var all []Row
	for _, table := range tables {
		all = append(all, table()...)
	}
	return all
}

// tables are the definition tables of the types.
var tables = []func() []Row{stringRows, hashRows, listRows, setRows, zsetRows, keyRows}

// operation is an operation's struct behind a pointer.
type operation[T any] interface {
	*T
	Op
}

// read defines an operation that changes nothing.
func read[T any, P operation[T]](name string, verbs ...Verb) Row {
	return Row{Name: name, Verbs: verbs, New: func() Op { return P(new(T)) }}
}

// write defines an operation that may change a key.
func write[T any, P operation[T]](name string, verbs ...Verb) Row {
	row := read[T, P](name, verbs...)
	row.Write = true
	return row
}

// verb is a command that implies nothing beyond its row.
func verb(name string) Verb { return Verb{Name: name} }

// verbWith is a command that fills in members of the operation, and that asks
// for what is left to be so when the request has filled in the others. Either
// function may be nil.
func verbWith[T any, P operation[T]](name string, preset func(P), is func(P) bool) Verb {
	v := Verb{Name: name}
	if preset != nil {
		v.preset = func(op Op) { preset(op.(P)) }
	}
	if is != nil {
		v.is = func(op Op) bool { return is(op.(P)) }
	}
	return v
}

// entry is a command with its row.
type entry struct {
	row  *Row
	verb Verb
}

var commands = sync.OnceValue(func() map[string]entry {
	rows := Rows()
	table := make(map[string]entry)
	for i := range rows {
		for _, v := range rows[i].Verbs {
			table[v.Name] = entry{&rows[i], v}
		}
	}
	return table
})

// NewOp returns an operation for a Redis command, to be filled in with the
// members of a batch's entry, and its row. Case does not matter. An unknown
// command is false.
func NewOp(command string) (Op, *Row, bool) {
	e, ok := commands()[strings.ToUpper(command)]
	if !ok {
		return nil, nil, false
	}
	op := e.row.New()
	if e.verb.preset != nil {
		e.verb.preset(op)
	}
	return op, e.row, true
}

// CheckVerb says whether an operation, filled in, still is the Redis command
// it was made for: a request must not turn LPUSH into a push on the right.
// The error is an *Error of KindInvalid.
func CheckVerb(op Op, command string) error {
	name := strings.ToUpper(command)
	e, ok := commands()[name]
	if !ok {
		return invalid("unknown-command", "op", fmt.Sprintf("there is no command %q", command))
	}
	if !e.verb.fits(op) {
		return invalid("other-command", "op", "the members of the operation do not fit the command "+name)
	}
	return nil
}

// fits asks the verb's own test, or else compares what the operation counts
// as with what the command counts as.
func (v Verb) fits(op Op) bool {
	if v.is != nil {
		return v.is(op)
	}
	calls := op.Calls()
	return len(calls) == 0 || calls[0].Verb == contracts.CanonicalVerb(v.Name)
}

// defaulter is an operation that takes defaults from the limits.
type defaulter interface {
	defaults(l Limits)
}

// bare is an operation without what places it in a namespace.
func bare(op Op) Op {
	for {
		placed, ok := op.(interface{ Unwrap() Op })
		if !ok {
			return op
		}
		op = placed.Unwrap()
	}
}

// writer is an operation whose calls do not say whether it changes anything,
// such as one that flushes a namespace or calls others.
type writer interface {
	Writes() bool
}

// onlyReads reports whether an operation changes nothing: it says so, or it
// declares no key that it may write.
func onlyReads(op Op) bool {
	if w, ok := bare(op).(writer); ok {
		return !w.Writes()
	}
	for _, call := range op.Calls() {
		if !call.Read {
			return false
		}
	}
	return true
}
