package command

import "keypact/store"

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
	return a.setting(key, value, o)
}

// stringGetSet is GETSET key value: SET with GET.
func stringGetSet(a *Args) (Call, error) {
	key, value := a.Next(), a.Next()
	return a.setting(key, value, setOptions{get: true})
}

// stringSetEx is SETEX key seconds value and PSETEX key milliseconds value.
func stringSetEx(a *Args) (Call, error) {
	unit := "EX"
	if a.name == "PSETEX" {
		unit = "PX"
	}
	key := a.Next()
	e, err := parseExpiry(a, unit)
	if err != nil {
		return Call{}, err
	}
	return a.setting(key, a.Next(), setOptions{expiry: e})
}

// setting is the operation of SET and those that are but forms of it.
func (a *Args) setting(key, value []byte, o setOptions) (Call, error) {
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
		tx.Event("set", key) // of an equal value too, which changes nothing
		if expires != 0 {
			tx.Event("expire", key)
		}
		if o.get {
			return old, nil
		}
		return OK, nil
	}, key)
}

// stringSetNX is SETNX key value: 1 if the key was absent and is set.
func stringSetNX(a *Args) (Call, error) { return a.settingMany(Int(1), true) }

// stringsSet is MSET key value [key value ...].
func stringsSet(a *Args) (Call, error) { return a.settingMany(OK, false) }

// stringsSetNX is MSETNX key value [key value ...]: 1 if all keys were absent
// and are set, 0 if nothing was done.
func stringsSetNX(a *Args) (Call, error) { return a.settingMany(Int(1), true) }

// settingMany sets the pairs that the words are, if onlyAbsent is not set or
// none of the keys exists. A key that is given twice takes its last value.
func (a *Args) settingMany(set Reply, onlyAbsent bool) (Call, error) {
	pairs := a.Rest()
	if len(pairs)%2 != 0 {
		return Call{}, wrongNumber(a.name)
	}
	calls := make([]store.Call, 0, len(pairs)/2)
	last := make(map[string]int, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		calls = append(calls, use(a.name, pairs[i]))
		last[string(pairs[i])] = i
	}
	return done(&act{calls: calls, apply: func(tx *store.Tx) (Reply, error) {
		keys := make([]*store.Key, len(pairs))
		for i := 0; i < len(pairs); i += 2 {
			k, err := tx.Key(pairs[i])
			if err != nil {
				return nil, err
			}
			if onlyAbsent && k.Exists() {
				return Int(0), nil
			}
			keys[i] = k
		}
		for i := 0; i < len(pairs); i += 2 {
			if last[string(pairs[i])] != i {
				continue
			}
			if err := keys[i].PutString(clone(pairs[i+1]), "", 0, false); err != nil {
				return nil, err
			}
			tx.Event("set", pairs[i])
		}
		return set, nil
	}})
}
