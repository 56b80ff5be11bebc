package command

import (
	"strconv"

	"keypact/store"
)

func serverCommands() []*Command {
	const group = "server"
	return []*Command{
		{Name: "FLUSHDB", Arity: -1, Flags: Write, Group: group, Since: "1.0.0",
			Summary: "Deletes all keys of the namespace, in one step", parse: flush},
		{Name: "FLUSHALL", Arity: -1, Flags: Write, Group: group, Since: "1.0.0",
			Summary: "Deletes all keys of all namespaces, in one step", parse: flush},
		{Name: "SWAPDB", Arity: 3, Flags: Write | Fast, Group: group, Since: "4.0.0",
			Summary: "Exchanges the keys of two namespaces", parse: swap},
		{Name: "TIME", Arity: 1, Flags: Loading | Stale | Fast, Group: group, Since: "2.6.0",
			Summary: "The service's time: seconds since 1970, and microseconds", parse: now},
	}
}

// changing is a command that may change the store without naming a key.
func changing(apply func(tx *store.Tx) (Reply, error)) (Call, error) {
	return done(&act{writes: true, apply: apply})
}

// flush is FLUSHDB and FLUSHALL [ASYNC|SYNC]. The keys are gone at once either
// way; what they held is cleared away behind the scenes.
func flush(a *Args) (Call, error) {
	if a.More() {
		if a.OneOf("ASYNC", "SYNC") == "" || a.More() {
			return Call{}, errSyntax
		}
	}
	all := a.name == "FLUSHALL"
	return changing(func(tx *store.Tx) (_ Reply, err error) {
		if all {
			_, err = tx.FlushAll()
		} else {
			_, err = tx.Flush("")
		}
		return OK, err
	})
}

// swap is SWAPDB namespace namespace.
func swap(a *Args) (Call, error) {
	var names [2]string
	for i, invalid := range []Error{"ERR invalid first DB index", "ERR invalid second DB index"} {
		n, err := parseInt(a.Next())
		if err != nil {
			return Call{}, invalid
		}
		names[i] = strconv.FormatInt(n, 10)
	}
	for _, name := range names {
		if _, err := spaceName([]byte(name)); err != nil {
			return Call{}, err
		}
	}
	return changing(func(tx *store.Tx) (Reply, error) { return OK, tx.Swap(names[0], names[1]) })
}

// now is TIME.
func now(a *Args) (Call, error) {
	at := a.host.now()
	return a.reading(func(*store.Tx) (Reply, error) {
		return Array{
			Text(strconv.FormatInt(at.Unix(), 10)), Text(strconv.Itoa(at.Nanosecond() / 1000)),
		}, nil
	})
}
