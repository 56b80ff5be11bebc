package command

import "keypact/store"

// bitPos is BITPOS key bit [start [end [BYTE|BIT]]]. A clear bit is found right
// behind a string that has none, unless the range has an end; in an absent key
// it is the first.
func bitPos(a *Args) (Call, error) {
	key := a.Next()
	bit, err := a.Int()
	if err != nil {
		return Call{}, err
	}
	if bit != 0 && bit != 1 {
		return Call{}, Error("ERR The bit argument must be 1 or 0.")
	}
	r, err := a.bitRange(true)
	if err != nil {
		return Call{}, err
	}
	return a.reading(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		value := s.Value()
		if !s.Exists() {
			return Int(-bit), nil
		}
		from, to, ok := r.of(value)
		if !ok {
			return Int(-1), nil
		}
		if at := findBit(value, byte(bit), from, to); at >= 0 || bit == 1 || r.endGiven {
			return Int(at), nil
		}
		return Int(len(value) * 8), nil
	}, key)
}

// findBit is the position of the first bit that is as asked for, between two
// positions inside the value, both included; -1 if there is none.
func findBit(value []byte, bit byte, from, to int64) int64 {
	full := byte(0xff) * (1 - bit) // a byte without such a bit
	for at := from; at <= to; {
		b := value[at/8]
		if at%8 == 0 && b == full {
			at += 8
			continue
		}
		if b>>(7-at%8)&1 == bit {
			return at
		}
		at++
	}
	return -1
}
