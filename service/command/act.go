package command

import (
	"time"

	"keypact/contracts"
	"keypact/service"
	"keypact/store"
)

// act is an operation that only commands have: the keys it uses and what it
// does with them. Its value is a Reply.
type act struct {
	calls  []store.Call
	writes bool // it changes the store, though it names no key
	apply  func(tx *store.Tx) (Reply, error)
	only   func(key []byte) *act // of one that waits for several keys: the same for one of them
}

// Calls lists the keys.
func (a *act) Calls() []store.Call { return a.calls }

// Writes reports whether the operation may change the store.
func (a *act) Writes() bool {
	for _, call := range a.calls {
		if !call.Read {
			return true
		}
	}
	return a.writes
}

// Shaped says that the words have been checked where they were parsed.
func (a *act) Shaped() bool { return true }

// Apply does the work.
func (a *act) Apply(tx *store.Tx) (any, error) { return a.apply(tx) }

// For is the operation for one of the keys it waits for.
func (a *act) For(key []byte) store.Op {
	if a.only == nil {
		return a
	}
	return a.only(key)
}

// reading is a command that reads keys.
func (a *Args) reading(apply func(tx *store.Tx) (Reply, error), keys ...[]byte) (Call, error) {
	return a.acting(true, apply, keys...)
}

// writing is a command that may change keys.
func (a *Args) writing(apply func(tx *store.Tx) (Reply, error), keys ...[]byte) (Call, error) {
	return a.acting(false, apply, keys...)
}

// acting makes the operation. On each key it counts as the command itself.
func (a *Args) acting(read bool, apply func(tx *store.Tx) (Reply, error), keys ...[]byte) (Call, error) {
	verb := contracts.CanonicalVerb(a.name)
	calls := make([]store.Call, len(keys))
	for i, key := range keys {
		calls[i] = store.Call{Verb: verb, Key: key, Read: read}
	}
	return Call{Op: &act{calls: calls, apply: apply}}, nil
}

// use is one key of an operation that uses its keys in different ways.
func use(verb string, key []byte) store.Call {
	return store.Call{Verb: contracts.CanonicalVerb(verb), Key: key}
}

// look is a key that an operation only reads.
func look(verb string, key []byte) store.Call {
	return store.Call{Verb: contracts.CanonicalVerb(verb), Key: key, Read: true}
}

// waiting marks uses of keys as those that an operation waits for.
func waiting(wait time.Duration, calls ...store.Call) []store.Call {
	for i := range calls {
		calls[i].Wait = &wait
	}
	return calls
}

// counting says how many elements the uses of keys ask for; nil if that was not
// said.
func counting(n *int64, calls ...store.Call) []store.Call {
	for i := range calls {
		calls[i].Count = n
	}
	return calls
}

// done is a call whose operation answers with a Reply of its own.
func done(op service.Op) (Call, error) { return Call{Op: op}, nil }
