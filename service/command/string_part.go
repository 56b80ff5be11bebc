package command

import "keypact/store"

// errStringSize is the error of a string that would grow beyond what a value
// may have. Redis names its own setting there.
const errStringSize = Error("ERR string exceeds maximum allowed size (proto-max-bulk-len)")

// growing gives a call that makes a string longer the text of that error.
func growing(c Call, err error) (Call, error) {
	c.Errors = map[string]Error{"too-large": errStringSize}
	return c, err
}

// stringAppend is APPEND key value.
func stringAppend(a *Args) (Call, error) {
	key, tail := a.Next(), a.Next()
	return growing(a.writing(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		if err := s.Append(tail); err != nil {
			return nil, err
		}
		tx.Event("append", key)
		return Int(len(s.Value())), nil
	}, key))
}

// stringLength is STRLEN key.
func stringLength(a *Args) (Call, error) {
	return a.readingString(func(s *store.String) (Reply, error) { return Int(len(s.Value())), nil })
}

// stringSetRange is SETRANGE key offset value.
func stringSetRange(a *Args) (Call, error) {
	key := a.Next()
	offset, err := a.Int()
	if err != nil {
		return Call{}, err
	}
	if offset < 0 {
		return Call{}, Error("ERR offset is out of range")
	}
	part := a.Next()
	return growing(a.writing(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		if err := s.Overlay(offset, part); err != nil {
			return nil, err
		}
		if len(part) > 0 {
			tx.Event("setrange", key)
		}
		return Int(len(s.Value())), nil
	}, key))
}

// stringGetRange is GETRANGE key start end, and SUBSTR, its former name.
func stringGetRange(a *Args) (Call, error) {
	key := a.Next()
	start, end, err := a.bounds()
	if err != nil {
		return Call{}, err
	}
	return a.reading(func(tx *store.Tx) (Reply, error) {
		s, err := tx.String(key)
		if err != nil {
			return nil, err
		}
		value := s.Value()
		from, to, ok := within(start, end, int64(len(value)))
		if !ok {
			return Bulk{}, nil
		}
		return Bulk(value[from : to+1]), nil
	}, key)
}

// bounds takes the first and the last position of a range.
func (a *Args) bounds() (start, end int64, err error) {
	if start, err = a.Int(); err != nil {
		return 0, 0, err
	}
	end, err = a.Int()
	return start, end, err
}

// within finds the positions that a range covers of n, both included; ok is
// false if there are none. Negative positions count from the end. One left of
// the front is the front, even the last one, unless both are negative and the
// wrong way round: so GETRANGE key 0 -100 is the first byte, as in Redis 7.0.
func within(start, end, n int64) (from, to int64, ok bool) {
	if start < 0 && end < 0 && start > end {
		return 0, 0, false
	}
	if start < 0 {
		start = max(start+n, 0)
	}
	if end < 0 {
		end = max(end+n, 0)
	}
	end = min(end, n-1)
	return start, end, start <= end
}
