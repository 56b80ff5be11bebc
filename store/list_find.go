package store

import "bytes"

// Search says which elements of a list Positions looks for.
type Search struct {
	From  End    // the end to start at
	Rank  uint64 // of the first match to be told, counted from 1; 0 is 1
	Limit uint64 // matches to be told at most; 0 is all
	Look  uint64 // elements to be compared at most; 0 is all
}

// Positions finds elements that equal item and returns their positions, counted
// from the left, in the order in which they are found. More than Limits.Result
// are ErrTooBig. It walks the list from the end that the search starts at.
func (l *List) Positions(item []byte, s Search) (found []uint64, err error) {
	if !l.r.exists {
		return nil, nil
	}
	count, seen, matches := l.Count(), uint64(0), uint64(0)
	err = l.walk(l.r.meta.Left, l.r.meta.Right, s.From == Right, func(_ uint64, other []byte) error {
		seen++
		if bytes.Equal(item, other) {
			if matches++; matches >= s.Rank {
				position := seen - 1
				if s.From == Right {
					position = count - seen
				}
				found = append(found, position)
				if err := l.r.tx.fits(uint64(len(found))); err != nil {
					return err
				}
			}
		}
		if seen == s.Look || s.Limit > 0 && uint64(len(found)) == s.Limit {
			return errStop
		}
		return nil
	})
	return found, err
}
