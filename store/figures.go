package store

import (
	"context"
	"fmt"

	"keypact/encoding"
	"keypact/store/kv"
)

// Expired counts the keys taken out because their time was over, since the store
// was opened.
func (s *Store) Expired() int64 { return s.sweeper.expired.Load() }

// SpaceFigures are what there is to say of a namespace as a whole.
type SpaceFigures struct {
	Keys     int64 // expired ones that wait for the worker included
	Expiring int64 // of those looked at, how many have a time to live
	TTL      int64 // the average of those times, in ms; 0 if none is in the future
}

// SpaceFigures reads the figures of all namespaces, by their number. It looks at
// up to most times to live of all namespaces together, so that it costs no more
// in a store of many; 0 is all.
func (s *Store) SpaceFigures(ctx context.Context, most int) ([]SpaceFigures, error) {
	out := make([]SpaceFigures, s.Namespaces())
	err := s.view(ctx, func(tx *Tx) error {
		tx.op = frame{ids: tx.ids}
		numbers := make(map[uint32]int, len(tx.ids))
		for i, id := range tx.ids {
			numbers[id] = i
			n, err := tx.KeyCount(spaceName(i))
			if err != nil {
				return err
			}
			out[i].Keys = n
		}
		return tx.eachExpiry(most, func(ns uint32, ms int64) {
			if i, ok := numbers[ns]; ok {
				out[i].Expiring++
				out[i].TTL += max(0, ms-tx.now)
			}
		})
	})
	for i := range out {
		if n := out[i].Expiring; n > 0 {
			out[i].TTL /= n
		}
	}
	return out, err
}

// eachExpiry visits up to most entries of the expiry index; 0 is all.
func (tx *Tx) eachExpiry(most int, visit func(ns uint32, ms int64)) error {
	var fault error
	err := tx.r.Scan(kv.Range{
		Lower:    []byte{byte(encoding.FamilyExpiry)},
		Upper:    []byte{byte(encoding.FamilyExpiry) + 1},
		KeysOnly: true, Limit: most,
	}, func(key, _ []byte) bool {
		_, ms, ns, _, _, err := encoding.ParseExpiryKey(key)
		if err != nil {
			fault = fmt.Errorf("expiry index: %w", err)
			return false
		}
		visit(ns, ms)
		return true
	})
	if fault != nil {
		return fault
	}
	return err
}
