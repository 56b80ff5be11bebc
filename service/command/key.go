package command

import (
	"math"

	"keypact/service"
	"keypact/store"
)

func keyCommands() []*Command {
	const group = "generic"
	return []*Command{
		{Name: "DEL", Arity: -2, Flags: Write, Keys: allKeys, Group: group, Since: "1.0.0",
			Summary: "Deletes keys, in one step each however large they are", parse: keysDelete},
		{Name: "UNLINK", Arity: -2, Flags: Write | Fast, Keys: allKeys, Group: group, Since: "4.0.0",
			Summary: "Deletes keys, as DEL does", parse: keysDelete},
		{Name: "EXISTS", Arity: -2, Flags: ReadOnly | Fast, Keys: allKeys, Group: group, Since: "1.0.0",
			Summary: "Counts the keys that are there", parse: keysExist},
		{Name: "TOUCH", Arity: -2, Flags: ReadOnly | Fast, Keys: allKeys, Group: group, Since: "3.2.1",
			Summary: "Counts the keys that are there; no time of access is kept", parse: keysExist},
		{Name: "TYPE", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey, Group: group, Since: "1.0.0",
			Summary: "Tells what a key holds", parse: keyType},
		{Name: "KEYS", Arity: 2, Flags: ReadOnly, Group: group, Since: "1.0.0",
			Summary: "Lists the keys that match a pattern", parse: keysMatching},
		{Name: "RANDOMKEY", Arity: 1, Flags: ReadOnly, Group: group, Since: "1.0.0",
			Summary: "Picks a key", parse: keyRandom},
		{Name: "DBSIZE", Arity: 1, Flags: ReadOnly | Fast, Group: "server", Since: "1.0.0",
			Summary: "Counts the keys of the namespace", parse: keysCount},
	}
}

// keysDelete is DEL and UNLINK key [key ...].
func keysDelete(a *Args) (Call, error) {
	keys := a.Rest()
	return a.writing(func(tx *store.Tx) (Reply, error) {
		removed := 0
		for _, key := range keys {
			k, err := tx.Key(key)
			if err != nil {
				return nil, err
			}
			if !k.Exists() {
				continue
			}
			if err := k.Remove(); err != nil {
				return nil, err
			}
			tx.Event("del", key)
			removed++
		}
		return Int(removed), nil
	}, keys...)
}

// keysExist is EXISTS and TOUCH key [key ...]. A key that is named twice counts
// twice.
func keysExist(a *Args) (Call, error) {
	keys := a.Rest()
	calls := make([]store.Call, len(keys))
	for i, key := range keys {
		calls[i] = look("EXISTS", key)
	}
	return done(&act{calls: calls, apply: func(tx *store.Tx) (Reply, error) {
		n := 0
		for _, key := range keys {
			k, err := tx.Key(key)
			if err != nil {
				return nil, err
			}
			if k.Exists() {
				n++
			}
		}
		return Int(n), nil
	}})
}

// keyType is TYPE key.
func keyType(a *Args) (Call, error) {
	key := a.Next()
	return a.reading(func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key(key)
		if err != nil {
			return nil, err
		}
		if !k.Exists() {
			return Status("none"), nil
		}
		return Status(k.Type().String()), nil
	}, key)
}

// keysMatching is KEYS pattern. More keys than one answer may hold are an error.
func keysMatching(a *Args) (Call, error) {
	word := clone(a.Next())
	filter := store.KeyFilter{Prefix: service.GlobPrefix(word), Match: service.Glob(word)}
	return a.reading(func(tx *store.Tx) (Reply, error) {
		most := tx.Limits().Result
		keys, _, err := tx.Keys(nil, most+1, math.MaxInt, filter)
		if err != nil {
			return nil, err
		}
		if err := tx.JudgeResult(nil, len(keys)); err != nil {
			return nil, err
		}
		return bulks(keys), nil
	})
}

// keyRandom is RANDOMKEY.
func keyRandom(a *Args) (Call, error) {
	return a.reading(func(tx *store.Tx) (Reply, error) {
		key, err := tx.RandomKey()
		if err != nil {
			return nil, err
		}
		return bulk(key), nil
	})
}

// keysCount is DBSIZE. Keys that have expired count until the store has removed
// them.
func keysCount(a *Args) (Call, error) {
	return a.reading(func(tx *store.Tx) (Reply, error) {
		n, err := tx.KeyCount("")
		return Int(n), err
	})
}
