package store

import "errors"

var ErrWatched = errors.New("watched")

func In(space string, op Op) Op { return op }

type Watched struct {
	Key      []byte
	Revision Revision
}

func (w Watched) Calls() []Call { return nil }
func (w Watched) Apply(tx *Tx) (any, error) { return nil, nil }
