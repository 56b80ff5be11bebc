package command

import (
	"math"

	"keypact/store"
)

func dumpCommands() []*Command {
	return []*Command{
		{Name: "DUMP", Arity: 2, Flags: ReadOnly, Keys: oneKey, Group: "generic", Since: "2.6.0",
			Summary: "Writes a value into one string, in a form of this service's own", parse: keyDump},
		{Name: "RESTORE", Arity: -4, Flags: Write | DenyOOM, Keys: oneKey, Group: "generic", Since: "2.6.0",
			Summary: "Makes a key of what DUMP has written", parse: keyRestore},
	}
}

// keyDump is DUMP key.
func keyDump(a *Args) (Call, error) {
	key := a.Next()
	return a.reading(func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key(key)
		if err != nil {
			return nil, err
		}
		dump, err := k.Dump()
		return Bulk(dump), err
	}, key)
}

// restoreOptions are the words behind RESTORE key ttl dump. What IDLETIME and
// FREQ say is not kept.
type restoreOptions struct{ replace, absolute bool }

func parseRestoreOptions(a *Args) (o restoreOptions, err error) {
	idle, freq := false, false
	for a.More() {
		switch {
		case a.Token("REPLACE"):
			o.replace = true
		case a.Token("ABSTTL"):
			o.absolute = true
		case a.Len() > 1 && !freq && a.Token("IDLETIME"):
			n, err := a.Int()
			if err != nil {
				return o, err
			}
			if idle = true; n < 0 {
				return o, Error("ERR Invalid IDLETIME value, must be >= 0")
			}
		case a.Len() > 1 && !idle && a.Token("FREQ"):
			n, err := a.Int()
			if err != nil {
				return o, err
			}
			if freq = true; n < 0 || n > math.MaxUint8 {
				return o, Error("ERR Invalid FREQ value, must be >= 0 and <= 255")
			}
		default:
			return o, errSyntax
		}
	}
	return o, nil
}

const errBusyKey = Error("BUSYKEY Target key name already exists.")

// keyRestore is RESTORE key ttl dump [REPLACE] [ABSTTL] [IDLETIME s] [FREQ n].
func keyRestore(a *Args) (Call, error) {
	key, ttl, dump := a.Next(), a.Next(), a.Next()
	o, err := parseRestoreOptions(a)
	if err != nil {
		return Call{}, err
	}
	expires, ttlFault := parseInt(ttl)
	call, err := a.writing(func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key(key)
		if err != nil {
			return nil, err
		}
		if k.Exists() && !o.replace {
			return nil, fail(errBusyKey)
		}
		if ttlFault != nil {
			return nil, fail(errNotInteger)
		}
		if expires < 0 {
			return nil, fail("ERR Invalid TTL value, must be >= 0")
		}
		return OK, restore(tx, k, key, dump, expires, o)
	}, key)
	call.Errors = map[string]Error{
		"no-dump":     "ERR DUMP payload version or checksum are wrong",
		"dump-format": "ERR Bad data format",
	}
	return call, err
}

func restore(tx *store.Tx, k *store.Key, key, dump []byte, expires int64, o restoreOptions) error {
	if expires != 0 && !o.absolute {
		if expires > math.MaxInt64-tx.Now() {
			return fail("ERR invalid expire time in 'restore' command")
		}
		expires += tx.Now()
	}
	existed := k.Exists()
	if err := k.Restore(dump, expires); err != nil {
		return err
	}
	if expires != 0 && expires <= tx.Now() {
		if existed {
			tx.Event("del", key)
		}
		return nil
	}
	tx.Event("restore", key)
	return nil
}
