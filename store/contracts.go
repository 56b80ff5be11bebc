package store

import (
	"context"
	"errors"

	"keypact/contracts"
	"keypact/encoding"
	"keypact/store/kv"
)

// Contracts returns the set in force, with the ids and revisions this store
// gave its contracts.
func (s *Store) Contracts() *contracts.Set { return s.set.Load() }

// SetContracts puts a set in force between two transactions: one before judges
// by the old set, one after by the new set. A contract whose content changed
// gets the next revision, and the store remembers it. Operations that wait are
// judged anew.
func (s *Store) SetContracts(ctx context.Context, set *contracts.Set) error {
	return s.db.Update(ctx, func(w kv.Txn) error {
		assigned := make(map[string]contracts.Assigned)
		for _, c := range set.Contracts() {
			rec, err := assignRevision(w, c)
			if err != nil {
				return err
			}
			assigned[c.Name] = contracts.Assigned{ID: rec.ID, Revision: rec.Revision}
		}
		next := set.AssignRevisions(assigned)
		w.After(func(w kv.Txn) error {
			former := s.set.Swap(next)
			w.Undone(func() { s.set.Store(former) })
			return s.rejudge(w)
		})
		return nil
	})
}

// assignRevision brings the record of one contract up to date.
func assignRevision(w kv.Txn, c *contracts.Contract) (*encoding.ContractRecord, error) {
	key := encoding.AppendContractKey(nil, c.Name)
	rec := new(encoding.ContractRecord)
	raw, err := w.Get(nil, key)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		if rec.ID, err = nextID(w, encoding.ContractSequenceKey()); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	default:
		if err := encoding.ParseContract(raw, rec); err != nil {
			return nil, err
		}
		if rec.Hash == c.Hash() {
			return rec, nil
		}
	}
	rec.Revision++
	rec.Hash = c.Hash()
	return rec, w.Set(key, encoding.AppendContract(nil, rec))
}
