package backup

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"keypact/encoding"
	"keypact/store/kv"
)

// ErrChain says that files do not follow each other: a full backup comes first,
// then increments, each to the file before it.
var ErrChain = errors.New("the backups do not follow each other")

// Follows checks that h may come behind before, or, if before is nil, first.
func (h Header) Follows(before *Header) error {
	switch {
	case before == nil && h.Full():
		return nil
	case before == nil:
		return fmt.Errorf("%w: the first is an increment; the full backup comes first", ErrChain)
	case h.Full():
		return fmt.Errorf("%w: a full backup stands behind another; only increments may", ErrChain)
	case h.Instance != before.Instance:
		return fmt.Errorf("%w: one is of the store %016x, the next of %016x", ErrChain, before.Instance, h.Instance)
	case h.Since != before.Stamp:
		return fmt.Errorf("%w: the increment starts at commit %d, the file before it ends at %d", ErrChain, h.Since, before.Stamp)
	}
	return nil
}

// Source is one file of a restore. Errors call it by its name.
type Source struct {
	Name   string
	Reader io.Reader
}

// Restore fills db, which must be empty, from a full backup and the increments
// to it, in their order. It then reads all of db and compares it with the
// snapshot that the last file was made of, record by record. At the end it
// gives the store an instance id of its own and moves its sequence of versions
// far ahead, since what the backed-up store wrote later must not be taken for
// what this one will write.
//
// An error leaves db in parts: only a finished store may be used. Damage is
// ErrDamaged, a wrong order ErrChain. What sources are read for is held in
// batches of a few MiB.
func Restore(ctx context.Context, db kv.DB, sources []Source) (Header, Trailer, error) {
	if err := expectEmpty(ctx, db); err != nil {
		return Header{}, Trailer{}, err
	}
	var before *Header
	var t Trailer
	for _, source := range sources {
		h, end, err := apply(ctx, db, source.Reader, before)
		if err != nil {
			return Header{}, Trailer{}, fmt.Errorf("%s: %w", source.Name, err)
		}
		before, t = &h, end
	}
	if before == nil {
		return Header{}, Trailer{}, fmt.Errorf("%w: there is none", ErrChain)
	}
	if err := compare(ctx, db, t); err != nil {
		return Header{}, Trailer{}, err
	}
	return *before, t, renew(ctx, db)
}

func expectEmpty(ctx context.Context, db kv.DB) error {
	return db.View(ctx, func(r kv.Reader) (err error) {
		failed := r.Scan(kv.Range{KeysOnly: true, Limit: 1}, func(_, _ []byte) bool {
			err = errors.New("the store to restore into is not empty")
			return false
		})
		return errors.Join(failed, err)
	})
}

// apply brings db to the snapshot of one file.
func apply(ctx context.Context, db kv.DB, source io.Reader, before *Header) (Header, Trailer, error) {
	r, err := newReader(source)
	if err != nil {
		return Header{}, Trailer{}, err
	}
	defer r.close()
	if err := r.Follows(before); err != nil {
		return Header{}, Trailer{}, err
	}
	l := startLoader(ctx, db)
	if r.Full() {
		err = r.load(l)
	} else {
		err = db.View(ctx, func(base kv.Reader) error { return walk(base, r, l) })
	}
	if failed := l.end(); failed != nil {
		err = failed
	}
	return r.Header, r.trailer, err
}

// load writes all records of a full backup.
func (r *reader) load(l *loader) error {
	var e entry
	for {
		err := r.next(&e)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = l.put(e.key, e.value)
		}
		if err != nil {
			return err
		}
	}
}

// compare holds all records of db against the digest of a snapshot.
func compare(ctx context.Context, db kv.DB, want Trailer) error {
	got := newContent()
	err := db.View(ctx, func(r kv.Reader) (err error) {
		failed := r.Scan(kv.Range{}, func(key, value []byte) bool {
			got.add(key, value)
			err = context.Cause(ctx)
			return err == nil
		})
		return errors.Join(failed, err)
	})
	if err != nil {
		return err
	}
	if got.records != want.Records || got.digest() != want.Content {
		return fmt.Errorf("%w: what was restored is not what was backed up: %d records, not %d, or others",
			ErrChain, got.records, want.Records)
	}
	return nil
}

// versionGap is how far a restore moves the sequence of versions ahead: more
// than any store hands out, and still room for millions of restores.
const versionGap = 1 << 40

// renew makes the store one of its own.
func renew(ctx context.Context, db kv.DB) error {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	return db.Update(ctx, func(tx kv.Txn) error {
		instance := encoding.AppendSequence(nil, binary.LittleEndian.Uint64(random[:]))
		if err := tx.Set(encoding.InstanceKey(), instance); err != nil {
			return err
		}
		raw, err := tx.Get(nil, encoding.SequenceKey())
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		next, err := encoding.ParseSequence(raw)
		if err != nil {
			return err
		}
		return tx.Set(encoding.SequenceKey(), encoding.AppendSequence(nil, next+versionGap))
	})
}
