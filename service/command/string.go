package command

import (
	"strconv"

	"keypact/service"
	"keypact/store"
)

func stringCommands() []*Command {
	const group = "string"
	return []*Command{
		{Name: "GET", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey, Group: group, Since: "1.0.0",
			Summary: "Reads a string", parse: stringGet},
		{Name: "MGET", Arity: -2, Flags: ReadOnly | Fast, Keys: allKeys, Group: group, Since: "1.0.0",
			Summary: "Reads strings", parse: stringsGet},
		{Name: "SET", Arity: -3, Flags: Write | DenyOOM, Keys: oneKey, Group: group, Since: "1.0.0",
			Summary: "Writes a string, whatever the key held", parse: stringSet},
		{Name: "INCR", Arity: 2, Flags: Write | DenyOOM | Fast, Keys: oneKey, Group: group, Since: "1.0.0",
			Summary: "Adds one to a whole number", parse: stringIncr},
		{Name: "DECR", Arity: 2, Flags: Write | DenyOOM | Fast, Keys: oneKey, Group: group, Since: "1.0.0",
			Summary: "Takes one from a whole number", parse: stringIncr},
		{Name: "INCRBY", Arity: 3, Flags: Write | DenyOOM | Fast, Keys: oneKey, Group: group, Since: "1.0.0",
			Summary: "Adds to a whole number", parse: stringIncr},
		{Name: "DECRBY", Arity: 3, Flags: Write | DenyOOM | Fast, Keys: oneKey, Group: group, Since: "1.0.0",
			Summary: "Takes from a whole number", parse: stringIncr},
	}
}

// stringGet is GET key.
func stringGet(a *Args) (Call, error) {
	key := a.Next()
	return a.reading(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		return bulk(s.Value()), nil
	}, key)
}

// stringsGet is MGET key [key ...]. A key of another type has no value.
func stringsGet(a *Args) (Call, error) {
	keys := a.Rest()
	return a.reading(func(tx *store.Tx) (Reply, error) {
		out := make(Array, len(keys))
		for i, key := range keys {
			k, err := tx.Key(key)
			if err != nil {
				return nil, err
			}
			out[i] = Null{}
			if k.Type() != store.TypeString {
				continue
			}
			s, err := tx.String(key)
			if err != nil {
				return nil, err
			}
			out[i] = bulk(s.Value())
		}
		return out, nil
	}, keys...)
}

// setOptions are the words behind SET key value.
type setOptions struct {
	onlyAbsent, onlyPresent bool
	get, keepTTL            bool
	expiry                  expiry
}

func parseSetOptions(a *Args) (o setOptions, err error) {
	for a.More() {
		switch word := a.OneOf("NX", "XX", "GET", "KEEPTTL", "EX", "PX", "EXAT", "PXAT"); word {
		case "NX":
			o.onlyAbsent = true
		case "XX":
			o.onlyPresent = true
		case "GET":
			o.get = true
		case "KEEPTTL":
			o.keepTTL = true
		case "":
			return o, errSyntax
		default:
			if o.expiry.given {
				return o, errSyntax
			}
			if o.expiry, err = parseExpiry(a, word); err != nil {
				return o, err
			}
		}
	}
	if o.onlyAbsent && o.onlyPresent || o.keepTTL && o.expiry.given {
		return o, errSyntax
	}
	return o, nil
}

// stringSet is SET key value [NX|XX] [GET] [EX|PX|EXAT|PXAT time | KEEPTTL].
func stringSet(a *Args) (Call, error) {
	key, value := a.Next(), a.Next()
	o, err := parseSetOptions(a)
	if err != nil {
		return Call{}, err
	}
	return a.writing(func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key(key)
		if err != nil {
			return nil, err
		}
		var old Reply = Null{}
		if o.get {
			s, err := tx.String(key)
			if err != nil {
				return nil, err
			}
			old = bulk(s.Value())
		}
		if o.onlyAbsent && k.Exists() || o.onlyPresent && !k.Exists() {
			return old, nil
		}
		expires, err := o.expiry.at(tx)
		if err != nil {
			return nil, err
		}
		if err := k.PutString(clone(value), "", expires, o.keepTTL); err != nil {
			return nil, err
		}
		if o.get {
			return old, nil
		}
		return OK, nil
	}, key)
}

// stringIncr is INCR and DECR key, INCRBY and DECRBY key number.
func stringIncr(a *Args) (Call, error) {
	key, by := a.Next(), int64(1)
	if a.More() {
		n, err := a.Int()
		if err != nil {
			return Call{}, err
		}
		by = n
	}
	if down := a.name == "DECR" || a.name == "DECRBY"; down {
		if by == -by && by != 0 {
			return Call{}, Error("ERR decrement would overflow")
		}
		by = -by
	}
	op := &service.StringIncr{Key: key, By: service.Number(strconv.FormatInt(by, 10))}
	return Call{Op: op, Reply: counted}, nil
}

// counted is the reply to operations that count whole numbers.
func counted(r service.Result) Reply {
	n, err := strconv.ParseInt(string(r.Value.(service.Counted).Value), 10, 64)
	if err != nil {
		return ErrInternal
	}
	return Int(n)
}
