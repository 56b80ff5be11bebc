package store

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"keypact/encoding"
	"keypact/store/kv"
)

// expireStep removes up to step keys that are due and reports whether there
// were any.
func (s *Store) expireStep(ctx context.Context, round *round, step int) (bool, error) {
	due, err := s.due(ctx, round, step)
	if err != nil || len(due) == 0 {
		return false, err
	}
	taken := int64(0)
	err = s.db.Update(ctx, func(w kv.Txn) error {
		tx, err := s.begin(w)
		if err != nil {
			return err
		}
		taken = 0
		for _, entry := range due {
			expired, err := tx.expire(entry)
			if err != nil {
				return err
			}
			if expired {
				taken++
			}
		}
		tx.done.wrote = true
		return tx.finish()
	})
	if err == nil {
		s.sweeper.expired.Add(taken)
	}
	return true, err
}

// due lists up to limit entries of the expiry index whose time has come, from
// where the round stands.
func (s *Store) due(ctx context.Context, round *round, limit int) (due [][]byte, err error) {
	now, err := s.clock.now()
	if err != nil {
		return nil, err
	}
	err = s.db.View(ctx, func(r kv.Reader) error {
		for shard := range round.expiry {
			within := kv.Range{
				Lower:    round.expiry[shard],
				Upper:    encoding.AppendExpiryBound(nil, encoding.FamilyExpiry, byte(shard), now+1),
				KeysOnly: true,
				Limit:    limit - len(due),
			}
			if within.Limit == 0 {
				return nil
			}
			found := len(due)
			if err := r.Scan(within, func(key, _ []byte) bool {
				due = append(due, bytes.Clone(key))
				return true
			}); err != nil {
				return err
			}
			if len(due) > found {
				round.expiry[shard] = behind(due[len(due)-1])
			}
		}
		return nil
	})
	return due, err
}

// expire follows one entry of the expiry index and reports whether its key went.
// An entry that its key has left behind is only dropped. Contracts are not
// asked: time takes a key, no one writes it.
func (tx *Tx) expire(entry []byte) (bool, error) {
	_, ms, ns, key, version, err := encoding.ParseExpiryKey(entry)
	if err != nil {
		return false, err
	}
	if err := tx.w.Delete(entry); err != nil {
		return false, err
	}
	metaKey := encoding.AppendMetaKey(nil, ns, key)
	raw, err := tx.w.Get(nil, metaKey)
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var meta encoding.Meta
	if err := encoding.ParseMeta(raw, &meta); err != nil {
		return false, err
	}
	if meta.Version != version || meta.Expires != ms {
		return false, nil
	}
	if err := tx.s.discard(tx.w, ns, key, &meta); err != nil {
		return false, err
	}
	if err := tx.w.Delete(metaKey); err != nil {
		return false, err
	}
	if space := slices.Index(tx.ids, ns); tx.listens && space >= 0 {
		tx.done.events = append(tx.done.events, Event{spaceName(space), string(key), "expired"})
	}
	return true, addKeys(tx.w, ns, -1)
}
