package command

import (
	"context"

	"keypact/store"
)

func objectCommands() []*Command {
	sub := func(name string, parse func(*Args) (Call, error), summary string) *Command {
		return &Command{Name: "OBJECT " + name, Arity: 3, Flags: ReadOnly, Keys: oneKey, Group: "generic", Since: "2.2.3",
			Summary: summary, parse: parse}
	}
	return []*Command{{
		Name: "OBJECT", Arity: -2, Group: "generic", Since: "2.2.3", Summary: "Tells how a value is kept",
		subs: []*Command{
			sub("ENCODING", objectEncoding, "How Redis would keep the value"),
			sub("REFCOUNT", objectCounter(1), "References to the value: always 1"),
			sub("IDLETIME", objectCounter(0), "Seconds since the last access: always 0, none is kept"),
			sub("FREQ", objectFreq, "How often the value is used: not kept"),
			{Name: "OBJECT HELP", Arity: 2, Flags: Loading | Stale, Group: "generic", Since: "6.2.0",
				Summary: "What OBJECT offers", talk: objectHelp},
		},
	}}
}

// present is a command about a key that is there; Null answers for one that is
// not.
func (a *Args) present(tell func(tx *store.Tx, k *store.Key) (Reply, error)) (Call, error) {
	key := a.Next()
	return done(&act{calls: []store.Call{look("TYPE", key)}, apply: func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key(key)
		if err != nil || !k.Exists() {
			return Null{}, err
		}
		return tell(tx, k)
	}})
}

// objectCounter is OBJECT REFCOUNT and OBJECT IDLETIME key.
func objectCounter(n int64) func(*Args) (Call, error) {
	return func(a *Args) (Call, error) {
		return a.present(func(*store.Tx, *store.Key) (Reply, error) { return Int(n), nil })
	}
}

// objectFreq is OBJECT FREQ key, which Redis too refuses unless it evicts keys
// by how often they are used.
func objectFreq(a *Args) (Call, error) {
	return a.present(func(*store.Tx, *store.Key) (Reply, error) {
		return nil, fail("ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when " +
			"switching between policies at runtime LRU and LFU data will take some time to adjust.")
	})
}

func objectHelp(_ context.Context, _ *Session, _ *Args) Reply {
	return help("OBJECT <subcommand> [<arg> ...]. Subcommands are:",
		"ENCODING <key>", "    How Redis would keep the value, by its thresholds.",
		"FREQ <key>", "    How often the key is used. It is not kept.",
		"IDLETIME <key>", "    Seconds since the key was used. Not kept: 0.",
		"REFCOUNT <key>", "    References to the value: 1.",
		"HELP", "    This text.")
}

// help is a reply of lines.
func help(lines ...string) Reply {
	out := make(Array, len(lines))
	for i, line := range lines {
		out[i] = Status(line)
	}
	return out
}

// objectEncoding is OBJECT ENCODING key: the encoding that Redis 7.0 would give
// a value written in one go. Only as many elements are looked at as Redis keeps
// in its compact encodings.
func objectEncoding(a *Args) (Call, error) {
	config := a.host.config
	return a.present(func(tx *store.Tx, k *store.Key) (Reply, error) {
		name, err := encodingOf(k, config)
		return Text(name), err
	})
}

func encodingOf(k *store.Key, c *config) (string, error) {
	var compact, loose, entries, value string
	switch k.Type() {
	case store.TypeString:
		return encodingOfString(k)
	case store.TypeList:
		return "quicklist", nil
	case store.TypeSet:
		compact, loose, entries = "intset", "hashtable", "set-max-intset-entries"
	case store.TypeHash:
		compact, loose, entries, value = "listpack", "hashtable", "hash-max-listpack-entries", "hash-max-listpack-value"
	default:
		compact, loose, entries, value = "listpack", "skiplist", "zset-max-listpack-entries", "zset-max-listpack-value"
	}
	if k.Count() > uint64(c.number(entries)) {
		return loose, nil
	}
	longest := int(c.number(value))
	err := k.Sample(0, func(name, data []byte) error {
		fits := len(name) <= longest && (k.Type() == store.TypeZSet || len(data) <= longest)
		if k.Type() == store.TypeSet {
			_, err := parseInt(name)
			fits = err == nil
		}
		if !fits {
			compact = loose
		}
		return nil
	})
	return compact, err
}

// embedded is the longest string that Redis keeps beside its head.
const embedded = 44

func encodingOfString(k *store.Key) (name string, err error) {
	name = "raw"
	err = k.Sample(0, func(_, value []byte) error {
		const longest = len("-9223372036854775808")
		if len(value) <= longest {
			if _, err := parseInt(value); err == nil {
				name = "int"
				return nil
			}
		}
		if len(value) <= embedded {
			name = "embstr"
		}
		return nil
	})
	return name, err
}
