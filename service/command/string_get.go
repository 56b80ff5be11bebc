package command

import "keypact/store"

// stringGet is GET key.
func stringGet(a *Args) (Call, error) {
	return a.readingString(func(s *store.String) (Reply, error) { return bulk(s.Value()), nil })
}

// readingString is a command that reads one string, its next word. An absent
// key is a string without a value.
func (a *Args) readingString(read func(s *store.String) (Reply, error)) (Call, error) {
	key := a.Next()
	return a.reading(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		return read(s)
	}, key)
}

// stringValues reads strings; absent keys have nil.
func stringValues(tx *store.Tx, keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, key := range keys {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		values[i] = s.Value()
	}
	return values, nil
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

// stringGetDel is GETDEL key.
func stringGetDel(a *Args) (Call, error) {
	key := a.Next()
	return a.writing(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		value := bulk(s.Value())
		return value, s.Remove()
	}, key)
}

// stringGetEx is GETEX key [EX|PX|EXAT|PXAT time | PERSIST]. Without an option
// it is GET, for contracts too.
func stringGetEx(a *Args) (Call, error) {
	if a.Len() == 1 {
		get := &Args{name: "GET", list: a.Rest()}
		return stringGet(get)
	}
	key := a.Next()
	var e expiry
	if !a.Token("PERSIST") {
		unit := a.OneOf("EX", "PX", "EXAT", "PXAT")
		if unit == "" || a.Len() != 1 {
			return Call{}, errSyntax
		}
		var err error
		if e, err = parseExpiry(a, unit); err != nil {
			return Call{}, err
		}
	}
	if err := a.End(); err != nil {
		return Call{}, err
	}
	return a.writing(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil || !s.Exists() {
			return Null{}, err
		}
		expires, err := e.at(tx)
		if err != nil {
			return nil, err
		}
		if !e.given && s.Expires() != 0 {
			tx.Event("persist", key)
		}
		value := bulk(s.Value())
		return value, s.Expire(expires)
	}, key)
}
