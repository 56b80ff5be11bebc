package store

import (
	"time"

	"keypact/contracts"
)

// Op is one operation: a value with a meaning.
type Op interface {
	// Calls lists the keys the operation may write, or read, and the canonical
	// command it counts as on each. The first is the primary key, whose
	// revision the outcome carries. A write to a key that is not listed fails.
	Calls() []Call
	// Apply does the work. It may run again, so it has no outside effects.
	Apply(tx *Tx) (any, error)
}

// Call is the use of one command on one key.
type Call struct {
	Verb  string
	Space string // name of the namespace of the key; empty is the operation's own
	Key   []byte
	Read  bool           // the command changes nothing on this key
	Wait  *time.Duration // how long a blocking command waits; nil if it does not
	Count *int64         // how many elements are asked for; nil if not said

	KeyAt  string // member of the request that names the key; empty is "key"
	DataAt string // member that carries the elements; empty if none does
}

func (c Call) keyPath() []string {
	if c.KeyAt == "" {
		return []string{"key"}
	}
	return []string{c.KeyAt}
}

func (c Call) dataPath() []string {
	if c.DataAt == "" {
		return c.keyPath()
	}
	return []string{c.DataAt}
}

// contractCall is the call as contracts judge it.
func (c Call) contractCall() contracts.Call {
	return contracts.Call{Verb: c.Verb, Read: c.Read, Timeout: c.Wait, Count: c.Count}
}

// Mode is how a list of operations fails.
type Mode int

const (
	// Each gives every operation its own fate: it is judged as a whole when it
	// ends, and a failing one unwinds alone.
	Each Mode = iota
	// Atomic is all or nothing. Counts, lifetimes and required fields are
	// judged once, on the state at the end of the list. Violations of contracts
	// are collected to the end; an error of another kind stops at once.
	Atomic
	// Exec lets operations fail alone, without undoing the others: the rules on
	// commands, arguments and elements, and their own errors, are inline. Counts,
	// lifetimes and required fields are judged once, on the state at the end of
	// the list; a violation of those undoes everything. An operation that writes
	// more than the transaction may hold is ErrTooBig of the engine, inline.
	Exec
)

// Revision names one state of one key. The zero revision is an absent key.
type Revision struct {
	Version uint64 // new at each creation and each whole replacement
	Changes uint64 // effective operations on this version
}

// Outcome is what became of one operation.
type Outcome struct {
	Value    any
	Err      error       // not in mode Atomic
	Warnings []Violation // of contracts in mode warn
	Revision Revision    // of the primary key after the operation
	Created  bool        // the primary key was absent before the operation and is there now

	nested []Violation // that rejected operations which this one called
}

// Place says which members of the request the next writes come from, so that
// a violation can point at them. List is the member that holds many elements;
// with it Index or, if Name is not nil, Name picks one of them. Identity and
// Data name the members that carry the element's identity (field, member) and
// its data (value, score); inside a list they are parts of the element.
type Place struct {
	List           string
	Index          int
	Name           []byte
	Identity, Data string
}

// path spells out the place of the element's identity, or of its data.
func (p Place) path(identity bool) []string {
	var path []string
	if p.List != "" {
		path = append(path, p.List)
		if p.Name != nil {
			path = append(path, string(p.Name))
		} else {
			path = append(path, itoa(p.Index))
		}
	}
	leaf := p.Data
	if identity || leaf == "" && p.List == "" {
		leaf = p.Identity
	}
	if leaf != "" {
		path = append(path, leaf)
	}
	return path
}
