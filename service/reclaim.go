package service

// Reclaiming says how far the background worker has got with what deletes,
// overwrites, flushes and lifetimes left behind.
type Reclaiming struct {
	Backlog          int64   `json:"backlog"`           // dead values that wait, as of the worker's last round; counted up to 10,000
	OldestSeconds    float64 `json:"oldest_seconds"`    // how long the oldest of them has waited, to the ms; 0 if none does
	ReclaimedRecords int64   `json:"reclaimed_records"` // records of dead values deleted since the start
	ExpiredKeys      int64   `json:"expired_keys"`      // keys taken out since the start because their time was over
}

// Reclaiming reads the worker's figures. They are in memory and start anew with
// the process.
func (s *Service) Reclaiming() Reclaiming {
	now := s.store.Reclaiming()
	return Reclaiming{
		Backlog: now.Backlog, OldestSeconds: now.Oldest.Seconds(), ReclaimedRecords: now.Reclaimed, ExpiredKeys: now.Expired,
	}
}
