package command

import (
	"context"
	"runtime/debug"

	"keypact/store"
)

func memoryCommands() []*Command {
	sub := func(name string, since, summary string, fn func(context.Context, *Session, *Args) Reply) *Command {
		return &Command{Name: "MEMORY " + name, Arity: 2, Group: "server", Since: since, Summary: summary, talk: fn}
	}
	return []*Command{{
		Name: "MEMORY", Arity: -2, Group: "server", Since: "4.0.0", Summary: "Tells of the room that things take",
		subs: []*Command{
			{Name: "MEMORY USAGE", Arity: -3, Flags: ReadOnly, Keys: oneKey, Group: "server", Since: "4.0.0",
				Summary: "About how many bytes a key takes on disk", parse: memoryUsage},
			sub("STATS", "4.0.0", "The process's memory", memoryStats),
			sub("DOCTOR", "4.0.0", "Advice on memory: none is needed, values lie on disk", memoryDoctor),
			sub("PURGE", "4.0.0", "Gives unused memory back to the system", memoryPurge),
			sub("MALLOC-STATS", "4.0.0", "Not offered: the allocator is Go's", memoryMallocStats),
			sub("HELP", "4.0.0", "What MEMORY offers", memoryHelp),
		},
	}}
}

// Room of a record beside the key, the name and the value, in bytes.
const (
	metaRoom    = 40 // of the key itself
	elementRoom = 24 // of a field, a member or a list's element; a list's index comes on top
	orderRoom   = 16 // of a place in the order of scores
)

// memoryUsage is MEMORY USAGE key [SAMPLES n]: an estimate from the number of
// elements and the sizes of the first n of them, 5 unless said, 0 is all. It is
// what the records take on disk, before compression.
func memoryUsage(a *Args) (Call, error) {
	key, samples := a.Next(), int64(5)
	for a.More() {
		if a.Len() < 2 || !a.Token("SAMPLES") {
			return Call{}, errSyntax
		}
		n, err := a.Int()
		if err != nil {
			return Call{}, err
		}
		if samples = n; n < 0 {
			return Call{}, errSyntax
		}
	}
	return done(&act{calls: []store.Call{look("TYPE", key)}, apply: func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key(key)
		if err != nil || !k.Exists() {
			return Null{}, err
		}
		n, err := roomOf(k, len(key), int(samples))
		return Int(n), err
	}})
}

// roomOf estimates the room of a key and its elements.
func roomOf(k *store.Key, keyLength, samples int) (int64, error) {
	seen, bytes := int64(0), int64(0)
	err := k.Sample(samples, func(name, value []byte) error {
		seen++
		bytes += int64(len(name) + len(value))
		if k.Type() == store.TypeZSet {
			bytes += int64(len(name) + keyLength + orderRoom)
		}
		return nil
	})
	room := int64(metaRoom + keyLength)
	if k.Type() == store.TypeString {
		return room + bytes, err
	}
	if k.Type() == store.TypeList {
		bytes += 8 * seen
	}
	bytes += seen * int64(elementRoom+keyLength)
	if seen > 0 {
		room += int64(float64(bytes) / float64(seen) * float64(k.Count()))
	}
	return room, err
}

func memoryStats(_ context.Context, s *Session, _ *Args) Reply {
	m := readMemory()
	return Map{
		Text("peak.allocated"), Int(m.peak), Text("total.allocated"), Int(m.used),
		Text("startup.allocated"), Int(0), Text("clients.normal"), Int(0),
		Text("dataset.bytes"), Int(0), Text("allocator.allocated"), Int(m.used), Text("allocator.resident"), Int(m.system),
	}
}

func memoryDoctor(_ context.Context, _ *Session, _ *Args) Reply {
	return Verbatim("No advice is needed: values lie on disk, and memory holds a cache of a fixed size.\n")
}

func memoryPurge(_ context.Context, _ *Session, _ *Args) Reply {
	debug.FreeOSMemory()
	return OK
}

func memoryMallocStats(_ context.Context, _ *Session, _ *Args) Reply {
	return Verbatim("Stats not supported for the current allocator\n")
}

func memoryHelp(_ context.Context, _ *Session, _ *Args) Reply {
	return help("MEMORY <subcommand> [<arg> ...]. Subcommands are:",
		"DOCTOR", "    Advice on memory.",
		"MALLOC-STATS", "    Not offered.",
		"PURGE", "    Give unused memory back.",
		"STATS", "    The process's memory.",
		"USAGE <key> [SAMPLES <count>]", "    About how many bytes the key takes on disk.",
		"HELP", "    This text.")
}
