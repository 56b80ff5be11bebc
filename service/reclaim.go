package service

import "context"

// Reclaiming says how far the background worker has got with what deletes,
// overwrites, flushes and lifetimes left behind.
type Reclaiming struct {
	Backlog          int64   `json:"backlog"`           // dead values that wait, counted up to 10,000; a flushed namespace is one
	OldestSeconds    float64 `json:"oldest_seconds"`    // how long the oldest of them has waited, to the ms; 0 if none does
	ReclaimedRecords int64   `json:"reclaimed_records"` // records of dead values deleted since the start
	ExpiredKeys      int64   `json:"expired_keys"`      // keys taken out since the start because their time was over
}

// Reclaiming counts what waits for the worker now and reads what it has done
// since the process started. The error is an *Error.
func (s *Service) Reclaiming(ctx context.Context) (Reclaiming, error) {
	now, err := s.store.Reclaiming(ctx)
	if err != nil {
		return Reclaiming{}, s.report(ctx, nil, err)
	}
	return Reclaiming{
		Backlog: now.Backlog, OldestSeconds: now.Oldest.Seconds(), ReclaimedRecords: now.Reclaimed, ExpiredKeys: now.Expired,
	}, nil
}
