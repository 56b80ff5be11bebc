package command

import (
	"keypact/service"
	"keypact/store"
)

// writingHash is a command that may change the hash under a key.
func (a *Args) writingHash(key []byte, write func(tx *store.Tx, h *store.Hash) (Reply, error)) (Call, error) {
	return a.writing(onHash(key, write), key)
}

// hashSet is HSET key field value [field value ...], which says how many fields
// are new, and HMSET, which does not. A field that is given twice takes its
// last value.
func hashSet(a *Args) (Call, error) {
	key, pairs := a.Next(), a.Rest()
	if len(pairs)%2 != 0 {
		return Call{}, wrongNumber(a.name)
	}
	last := make(map[string]int, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		last[string(pairs[i])] = i
	}
	return a.writingHash(key, func(tx *store.Tx, h *store.Hash) (Reply, error) {
		created := Int(0)
		for i := 0; i < len(pairs); i += 2 {
			if last[string(pairs[i])] != i {
				continue
			}
			added, _, err := h.Put(pairs[i], pairs[i+1])
			if err != nil {
				return nil, err
			}
			created += yes(added)
		}
		tx.Event("hset", key)
		if a.name == "HMSET" {
			return OK, nil
		}
		return created, nil
	})
}

// hashSetNX is HSETNX key field value: 1 if the field was absent and is set.
func hashSetNX(a *Args) (Call, error) {
	key, field, value := a.Next(), a.Next(), a.Next()
	return a.writingHash(key, func(_ *store.Tx, h *store.Hash) (Reply, error) {
		if _, found, err := h.Field(field); err != nil || found {
			return Int(0), err
		}
		_, _, err := h.Put(field, value)
		return Int(1), err
	})
}

// hashDel is HDEL key field [field ...]. The last field takes the key with it.
func hashDel(a *Args) (Call, error) {
	key, fields := a.Next(), a.Rest()
	return a.writingHash(key, func(_ *store.Tx, h *store.Hash) (Reply, error) {
		removed := Int(0)
		for _, field := range fields {
			dropped, err := h.Drop(field)
			if err != nil {
				return nil, err
			}
			removed += yes(dropped)
		}
		return removed, nil
	})
}

// hashIncr is HINCRBY key field number.
func hashIncr(a *Args) (Call, error) {
	key, field := a.Next(), a.Next()
	by, err := a.Int()
	if err != nil {
		return Call{}, err
	}
	op := &service.HashFieldIncr{Key: key, Field: field, By: service.NumberOf(by)}
	return Call{Op: op, Reply: counted, Errors: map[string]Error{"not-an-integer": "ERR hash value is not an integer"}}, nil
}

// hashIncrFloat is HINCRBYFLOAT key field number.
func hashIncrFloat(a *Args) (Call, error) {
	key, field := a.Next(), a.Next()
	by, err := a.decimal("ERR value is NaN or Infinity")
	if err != nil {
		return Call{}, err
	}
	op := &service.HashFieldIncr{Key: key, Field: field, By: by, Decimal: true}
	return Call{Op: op, Reply: countedDecimal, Errors: map[string]Error{
		"not-a-number": "ERR hash value is not a float", "overflow": errInfinite,
	}}, nil
}
