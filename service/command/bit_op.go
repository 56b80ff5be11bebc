package command

import "keypact/store"

// bitOp is BITOP AND|OR|XOR|NOT destination key [key ...]. A shorter string
// counts as filled up with zero bytes, an absent key as an empty string. An
// empty result deletes the destination.
func bitOp(a *Args) (Call, error) {
	how := a.OneOf("AND", "OR", "XOR", "NOT")
	if how == "" {
		return Call{}, errSyntax
	}
	destination, sources := a.Next(), a.Rest()
	if how == "NOT" && len(sources) != 1 {
		return Call{}, Error("ERR BITOP NOT must be called with a single source key.")
	}
	calls := []store.Call{use(a.name, destination)}
	for _, key := range sources {
		calls = append(calls, look("GET", key))
	}
	return done(&act{calls: calls, apply: func(tx *store.Tx) (Reply, error) {
		values, err := stringValues(tx, sources)
		if err != nil {
			return nil, err
		}
		k, err := tx.Key(destination)
		if err != nil {
			return nil, err
		}
		result := combine(how, values)
		if len(result) == 0 {
			return Int(0), k.Remove()
		}
		return Int(len(result)), k.PutString(result, "", 0, false)
	}})
}

// combine makes a new string, as long as the longest.
func combine(how string, values [][]byte) []byte {
	size := 0
	for _, value := range values {
		size = max(size, len(value))
	}
	out := make([]byte, size)
	copy(out, values[0])
	if how == "NOT" {
		for i := range out {
			out[i] = ^out[i]
		}
	}
	for _, value := range values[1:] {
		switch how {
		case "AND":
			for i, b := range value {
				out[i] &= b
			}
			clear(out[len(value):])
		case "OR":
			for i, b := range value {
				out[i] |= b
			}
		case "XOR":
			for i, b := range value {
				out[i] ^= b
			}
		}
	}
	return out
}
