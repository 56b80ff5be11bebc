package service

import (
	"context"

	"keypact/store"
)

// Flush removes every key of a namespace. It is an administrator's act and no
// operation: contracts are not asked, and no batch holds it.
type Flush struct {
	Namespace *string `json:"namespace"` // must be given, so that no stray request empties a store
}

// Flushed is the answer of Flush.
type Flushed struct {
	Removed int64 `json:"removed"` // keys, expired ones that the worker had not taken yet included
}

// Flush removes every key of a namespace in one step, however many there are;
// the background worker gives their space back. Operations that wait go on
// waiting. No namespace, or another one than the one there is, is an *Error of
// KindInvalid; too little free space is one of KindFull.
func (s *Service) Flush(ctx context.Context, flush Flush) (Flushed, error) {
	switch name := flush.Namespace; {
	case name == nil:
		return Flushed{}, shapeError([]Issue{{Path: []string{"namespace"}, Detail: "is required"}})
	case *name != store.DefaultNamespace:
		return Flushed{}, shapeError([]Issue{{Path: []string{"namespace"}, Detail: "must be " + store.DefaultNamespace + ": there is one namespace"}})
	}
	removed, err := s.store.Flush(ctx)
	if err != nil {
		return Flushed{}, s.report(ctx, nil, err)
	}
	return Flushed{Removed: removed}, nil
}
