package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"keypact/encoding"
	"keypact/store/kv"
)

// jobsAtOnce is how many reclaim records one step works on at most.
const jobsAtOnce = 64

// queueReclaim gives dead data to the reclaimer.
func (s *Store) queueReclaim(w kv.Txn, rec encoding.Reclaim) error {
	seq, err := s.lease.take()
	if err != nil {
		return err
	}
	if rec.Queued, err = s.clock.now(); err != nil {
		return err
	}
	return w.Set(encoding.AppendReclaimKey(nil, seq), encoding.AppendReclaim(nil, &rec))
}

// job is what one step does about one reclaim record.
type job struct {
	entry  []byte // key of the reclaim record
	rec    encoding.Reclaim
	dead   [][]byte // keys of the records to delete
	cursor []byte   // where the next step goes on
	ended  bool     // nothing is left behind
}

// reclaimStep deletes up to step records of the oldest dead values and reports
// whether there were any values.
func (s *Store) reclaimStep(ctx context.Context, round *round, step int) (bool, error) {
	jobs, err := s.jobs(ctx, round, step)
	if err != nil || len(jobs) == 0 {
		return false, err
	}
	deleted := 0
	err = s.db.Update(ctx, func(w kv.Txn) error {
		deleted = 0
		for _, j := range jobs {
			n, err := j.work(w)
			if err != nil {
				return err
			}
			deleted += n
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	s.sweeper.reclaimed.Add(int64(deleted))
	for _, j := range jobs {
		if j.ended {
			round.queue = behind(j.entry)
		}
	}
	return true, nil
}

// jobs finds up to step records to delete, of the oldest dead values.
func (s *Store) jobs(ctx context.Context, round *round, step int) (jobs []*job, err error) {
	err = s.db.View(ctx, func(r kv.Reader) error {
		within := kv.Range{Lower: round.queue, Upper: encoding.PrefixEnd([]byte{byte(encoding.FamilyReclaim)}), Limit: jobsAtOnce}
		var failed error
		err := r.Scan(within, func(key, value []byte) bool {
			j := &job{entry: bytes.Clone(key)}
			failed = encoding.ParseReclaim(bytes.Clone(value), &j.rec)
			jobs = append(jobs, j)
			return failed == nil
		})
		if err = errors.Join(failed, err); err != nil {
			return err
		}
		for i, j := range jobs {
			if step <= 0 {
				jobs = jobs[:i]
				break
			}
			if err := j.find(r, step); err != nil {
				return fmt.Errorf("reclaim record %x: %w", j.entry, err)
			}
			step -= len(j.dead)
		}
		return nil
	})
	return jobs, err
}

// dataFamilies are those with records of one version of a key, in their order.
var dataFamilies = []encoding.Family{encoding.FamilyMember, encoding.FamilyList, encoding.FamilyScore, encoding.FamilyTree}

// spaceFamilies are those with records of one namespace, in their order.
var spaceFamilies = []encoding.Family{
	encoding.FamilyMeta, encoding.FamilyMember, encoding.FamilyList, encoding.FamilyScore, encoding.FamilyTree,
	encoding.FamilyAlias, encoding.FamilyIdempotency, encoding.FamilyChange,
}

// find lists up to limit dead records from where the last step ended.
func (j *job) find(r kv.Reader, limit int) error {
	j.cursor = j.rec.Cursor
	for _, within := range j.ranges() {
		if string(j.rec.Cursor) >= string(within.Upper) {
			continue
		}
		if string(j.rec.Cursor) > string(within.Lower) {
			within.Lower = j.rec.Cursor
		}
		within.Limit = limit - len(j.dead)
		if within.Limit <= 0 {
			return nil
		}
		var failed error
		err := r.Scan(within, func(key, value []byte) bool {
			failed = j.take(key, value)
			return failed == nil
		})
		if err = errors.Join(failed, err); err != nil {
			return err
		}
	}
	j.ended = len(j.dead) < limit
	return nil
}

// ranges are where the dead records lie, in ascending order.
func (j *job) ranges() []kv.Range {
	rec := &j.rec
	if rec.Part() {
		return []kv.Range{{
			Lower:    encoding.AppendListKey(nil, rec.NS, rec.Home, rec.Version, rec.From),
			Upper:    encoding.AppendListKey(nil, rec.NS, rec.Home, rec.Version, rec.To),
			KeysOnly: true,
		}}
	}
	var ranges []kv.Range
	if rec.WholeNamespace {
		for _, f := range spaceFamilies {
			prefix := encoding.AppendPrefix(nil, f, rec.NS)
			ranges = append(ranges, kv.Range{Lower: prefix, Upper: encoding.PrefixEnd(prefix), KeysOnly: f != encoding.FamilyMeta})
		}
		return ranges
	}
	for _, f := range dataFamilies {
		prefix := encoding.AppendDataPrefix(nil, f, rec.NS, rec.Home, rec.Version)
		ranges = append(ranges, kv.Range{Lower: prefix, Upper: encoding.PrefixEnd(prefix), KeysOnly: true})
	}
	return ranges
}

// take notes one dead record, and the entry in the expiry index of a dead key.
func (j *job) take(key, value []byte) error {
	j.dead = append(j.dead, bytes.Clone(key))
	j.cursor = j.dead[len(j.dead)-1]
	if value == nil {
		return nil
	}
	ns, user, err := encoding.ParseMetaKey(key)
	if err != nil {
		return err
	}
	var meta encoding.Meta
	if err := encoding.ParseMeta(value, &meta); err != nil {
		return err
	}
	if meta.Expires != 0 {
		entry := encoding.AppendExpiryKey(nil, encoding.ExpiryShard(user), meta.Expires, ns, user, meta.Version)
		j.dead = append(j.dead, entry)
	}
	return nil
}

// work deletes what was found and returns how many records that were.
func (j *job) work(w kv.Txn) (int, error) {
	dead := j.dead
	if j.rec.Part() {
		var err error
		if dead, err = j.outside(w); err != nil {
			return 0, err
		}
	}
	for _, key := range dead {
		if err := w.Delete(key); err != nil {
			return 0, err
		}
	}
	if !j.ended {
		rec := j.rec
		rec.Cursor = j.cursor
		return len(dead), w.Set(j.entry, encoding.AppendReclaim(nil, &rec))
	}
	if j.rec.WholeNamespace {
		if err := w.Delete(encoding.AppendCounterKey(nil, j.rec.NS, counterShard)); err != nil {
			return 0, err
		}
	}
	return len(dead), w.Delete(j.entry)
}

// outside leaves out what lies within the bounds of the list that a part was
// cut from: it has grown back over there.
func (j *job) outside(w kv.Txn) ([][]byte, error) {
	meta, err := owner(w, &j.rec)
	if err != nil || meta == nil {
		return j.dead, err
	}
	var dead [][]byte
	for _, key := range j.dead {
		_, _, _, index, err := encoding.ParseListKey(key)
		if err != nil {
			return nil, err
		}
		if index < meta.Left || index >= meta.Right {
			dead = append(dead, key)
		}
	}
	return dead, nil
}

// owner is the meta record of the key whose data a reclaim record names; nil if
// the data is dead as a whole.
func owner(r kv.Reader, rec *encoding.Reclaim) (*encoding.Meta, error) {
	key := rec.Home
	raw, err := r.Get(nil, encoding.AppendAliasKey(nil, rec.NS, rec.Home, rec.Version))
	switch {
	case err == nil:
		if key, err = encoding.ParseAlias(raw); err != nil {
			return nil, err
		}
	case !errors.Is(err, kv.ErrNotFound):
		return nil, err
	}
	raw, err = r.Get(nil, encoding.AppendMetaKey(nil, rec.NS, key))
	if errors.Is(err, kv.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	meta := new(encoding.Meta)
	if err := encoding.ParseMeta(raw, meta); err != nil || meta.Version != rec.Version {
		return nil, err
	}
	return meta, nil
}

// dropStages hands data that was being filled when the process ended, or whose
// operation could not give it up, to the reclaimer.
func (s *Store) dropStages(ctx context.Context) error {
	var entries [][]byte
	err := s.db.View(ctx, func(r kv.Reader) error {
		first := []byte{byte(encoding.FamilyStage)}
		return r.Scan(kv.Range{Lower: first, Upper: encoding.PrefixEnd(first), KeysOnly: true, Limit: idleStep}, func(key, _ []byte) bool {
			entries = append(entries, bytes.Clone(key))
			return true
		})
	})
	if err != nil || len(entries) == 0 {
		return err
	}
	return s.db.Update(ctx, func(w kv.Txn) error {
		for _, entry := range entries {
			if err := s.dropStage(w, entry); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) dropStage(w kv.Txn, entry []byte) error {
	raw, err := w.Get(nil, entry)
	if errors.Is(err, kv.ErrNotFound) {
		return nil // published, or given up
	}
	if err != nil {
		return err
	}
	ns, home, version, err := encoding.ParseStageKey(entry)
	if err != nil {
		return err
	}
	var rec encoding.Stage
	if err := encoding.ParseStage(raw, &rec); err != nil {
		return err
	}
	if rec.Epoch == s.epoch && s.stages.filling(version) {
		return nil
	}
	return s.abandon(w, ns, home, version, rec.Type)
}
