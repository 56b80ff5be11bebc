package service

import (
	"context"

	"keypact/store"
)

// Figures are what there is to say of the store as a whole.
type Figures struct {
	Waiting int    // operations that wait for elements
	Expired int64  // keys removed because their time was over, since the store was opened
	Changes uint64 // keys changed since the store was opened
	Spaces  []store.SpaceFigures
}

// lifetimesSeen is how many times to live Figures looks at.
const lifetimesSeen = 10_000

// Figures reads the figures. With spaces it counts the keys of the namespaces
// too and looks at up to 10,000 times to live.
func (s *Service) Figures(ctx context.Context, spaces bool) (Figures, error) {
	f := Figures{Waiting: s.store.Waiting(), Expired: s.store.Expired(), Changes: s.store.Changes()}
	if !spaces {
		return f, nil
	}
	var err error
	f.Spaces, err = s.store.SpaceFigures(ctx, lifetimesSeen)
	if err != nil {
		return f, s.report(ctx, nil, err)
	}
	return f, nil
}

// SetNotify turns the store's events of keys on or off; see store.Options.Notify.
func (s *Service) SetNotify(on bool) { s.store.SetNotify(on) }
