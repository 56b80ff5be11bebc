package command

import (
	"bytes"

	"keypact/store"
)

func hllCommands() []*Command {
	const group = "hyperloglog"
	return []*Command{
		{Name: "PFADD", Arity: -2, Flags: Write | DenyOOM | Fast, Keys: oneKey, Group: group, Since: "2.8.9",
			Summary: "Adds elements to a sketch that counts how many differ", parse: hllAdd},
		{Name: "PFCOUNT", Arity: -2, Flags: ReadOnly, Keys: allKeys, Group: group, Since: "2.8.9",
			Summary: "Estimates how many different elements were added to sketches", parse: hllCount},
		{Name: "PFMERGE", Arity: -2, Flags: Write | DenyOOM, Keys: allKeys, Group: group, Since: "2.8.9",
			Summary: "Adds sketches to a sketch", parse: hllMerge},
	}
}

// hllAdd is PFADD key [element ...]: 1 if the key is new or the estimate may
// have changed.
func hllAdd(a *Args) (Call, error) {
	key, elements := a.Next(), a.Rest()
	return a.writing(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		added, changed, err := addToSketch(s.Value(), elements)
		if err != nil || !changed {
			return Int(0), err
		}
		return Int(1), s.Edit(added)
	}, key)
}

// hllCount is PFCOUNT key [key ...].
func hllCount(a *Args) (Call, error) {
	keys := a.Rest()
	return a.reading(func(tx *store.Tx) (Reply, error) {
		values, err := stringValues(tx, keys)
		if err != nil {
			return nil, err
		}
		n, err := countSketch(values)
		return Int(n), err
	}, keys...)
}

// hllMerge is PFMERGE destination [key ...]. The destination keeps what it has.
func hllMerge(a *Args) (Call, error) {
	destination, sources := a.Next(), a.Rest()
	calls := []store.Call{use(a.name, destination)}
	for _, key := range sources {
		calls = append(calls, look("PFCOUNT", key))
	}
	return done(&act{calls: calls, apply: func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(destination)
		if err != nil {
			return nil, err
		}
		values, err := stringValues(tx, sources)
		if err != nil {
			return nil, err
		}
		union, err := mergeSketches(append(values, s.Value()))
		if err != nil {
			return nil, err
		}
		merged, err := formatSketch(union, true)
		if err != nil {
			return nil, err
		}
		if s.Exists() && bytes.Equal(merged[sketchHead:], s.Value()[sketchHead:]) {
			return OK, nil
		}
		return OK, s.Edit(merged)
	}})
}
