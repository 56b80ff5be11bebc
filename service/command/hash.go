package command

import "keypact/store"

func hashCommands() []*Command {
	const group = "hash"
	return []*Command{
		{Name: "HSET", Arity: -4, Flags: Write | DenyOOM | Fast, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Writes fields of a hash", parse: hashSet},
		{Name: "HMSET", Arity: -4, Flags: Write | DenyOOM | Fast, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Writes fields of a hash, as HSET does", parse: hashSet},
		{Name: "HSETNX", Arity: 4, Flags: Write | DenyOOM | Fast, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Writes a field of a hash if it is absent", parse: hashSetNX},
		{Name: "HDEL", Arity: -3, Flags: Write | Fast, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Removes fields of a hash", parse: hashDel},
		{Name: "HINCRBY", Arity: 4, Flags: Write | DenyOOM | Fast, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Adds to a whole number in a field of a hash", parse: hashIncr},
		{Name: "HINCRBYFLOAT", Arity: 4, Flags: Write | DenyOOM | Fast, Keys: oneKey, Group: group, Since: "2.6.0",
			Summary: "Adds to a decimal number in a field of a hash", parse: hashIncrFloat},
		{Name: "HGET", Arity: 3, Flags: ReadOnly | Fast, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Reads a field of a hash", parse: hashGet},
		{Name: "HMGET", Arity: -3, Flags: ReadOnly | Fast, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Reads fields of a hash", parse: hashFields},
		{Name: "HGETALL", Arity: 2, Flags: ReadOnly, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Reads a whole hash", parse: hashAll},
		{Name: "HKEYS", Arity: 2, Flags: ReadOnly, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Lists the fields of a hash", parse: hashNames},
		{Name: "HVALS", Arity: 2, Flags: ReadOnly, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Lists the values of a hash", parse: hashValues},
		{Name: "HEXISTS", Arity: 3, Flags: ReadOnly | Fast, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Says whether a hash has a field", parse: hashHas},
		{Name: "HLEN", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey, Group: group, Since: "2.0.0",
			Summary: "Counts the fields of a hash", parse: hashCount},
		{Name: "HSTRLEN", Arity: 3, Flags: ReadOnly | Fast, Keys: oneKey, Group: group, Since: "3.2.0",
			Summary: "Counts the bytes of a field's value", parse: hashValueLength},
		{Name: "HRANDFIELD", Arity: -2, Flags: ReadOnly, Keys: oneKey, Group: group, Since: "6.2.0",
			Summary: "Picks fields of a hash at random", parse: hashRandom},
	}
}

// onHash makes of work on the hash under a key the work of an operation.
func onHash(key []byte, work func(tx *store.Tx, h *store.Hash) (Reply, error)) func(tx *store.Tx) (Reply, error) {
	return func(tx *store.Tx) (Reply, error) {
		h, err := tx.Hash(key)
		if err != nil {
			return nil, err
		}
		return work(tx, h)
	}
}

// readingHash is a command that reads the hash under a key.
func (a *Args) readingHash(key []byte, read func(h *store.Hash) (Reply, error)) (Call, error) {
	return a.reading(onHash(key, func(_ *store.Tx, h *store.Hash) (Reply, error) { return read(h) }), key)
}

// hashGet is HGET key field.
func hashGet(a *Args) (Call, error) {
	key, field := a.Next(), a.Next()
	return a.readingHash(key, func(h *store.Hash) (Reply, error) {
		value, _, err := h.Field(field)
		return bulk(value), err
	})
}

// hashFields is HMGET key field [field ...].
func hashFields(a *Args) (Call, error) {
	key, fields := a.Next(), a.Rest()
	return a.readingHash(key, func(h *store.Hash) (Reply, error) {
		values := make([][]byte, len(fields))
		for i, field := range fields {
			value, _, err := h.Field(field)
			if err != nil {
				return nil, err
			}
			values[i] = value
		}
		return bulks(values), nil
	})
}

// hashHas is HEXISTS key field.
func hashHas(a *Args) (Call, error) {
	key, field := a.Next(), a.Next()
	return a.readingHash(key, func(h *store.Hash) (Reply, error) {
		_, found, err := h.Field(field)
		return yes(found), err
	})
}

// hashValueLength is HSTRLEN key field: 0 for an absent field.
func hashValueLength(a *Args) (Call, error) {
	key, field := a.Next(), a.Next()
	return a.readingHash(key, func(h *store.Hash) (Reply, error) {
		value, _, err := h.Field(field)
		return Int(len(value)), err
	})
}

// hashCount is HLEN key.
func hashCount(a *Args) (Call, error) {
	return a.readingHash(a.Next(), func(h *store.Hash) (Reply, error) { return Int(h.Count()), nil })
}

// hashAll is HGETALL key.
func hashAll(a *Args) (Call, error) {
	return a.readingPairs(func(pairs []store.Pair) Reply {
		out := make(Map, 0, 2*len(pairs))
		for _, p := range pairs {
			out = append(out, Bulk(p.Field), Bulk(p.Value))
		}
		return out
	})
}

// hashNames is HKEYS key.
func hashNames(a *Args) (Call, error) {
	return a.readingPairs(func(pairs []store.Pair) Reply {
		out := make(Array, len(pairs))
		for i, p := range pairs {
			out[i] = Bulk(p.Field)
		}
		return out
	})
}

// hashValues is HVALS key.
func hashValues(a *Args) (Call, error) {
	return a.readingPairs(func(pairs []store.Pair) Reply {
		out := make(Array, len(pairs))
		for i, p := range pairs {
			out[i] = Bulk(p.Value)
		}
		return out
	})
}

// readingPairs is a command that reads a whole hash, in the order of its
// fields. One of more than Limits.Result fields is too large.
func (a *Args) readingPairs(reply func(pairs []store.Pair) Reply) (Call, error) {
	return a.readingHash(a.Next(), func(h *store.Hash) (Reply, error) {
		pairs, err := h.All()
		return reply(pairs), err
	})
}
