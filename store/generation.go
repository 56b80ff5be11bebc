package store

import "keypact/encoding"

// newVersion takes a version for new data of a key.
func (r *record) newVersion(t encoding.Type) (uint64, error) {
	version, err := r.tx.s.lease.take()
	if err == nil && r.tx.stage != nil {
		r.tx.stage.begin(generation{ns: r.ns, home: r.key, version: version, typ: t})
	}
	return version, err
}

// snapshotOf is the key as it is now, for reading only: it still shows the
// present generation once the key has got another.
func (r *record) snapshotOf() *record {
	old := *r
	old.counted = nil
	return &old
}

// regenerate gives the key a new, empty generation of the same value, for its
// content to be written anew in full. All else stays, verdicts on its content
// too: what is moved without a change is not judged again. The former data is
// given to the reclaimer.
func (r *record) regenerate() error {
	if err := r.change(); err != nil {
		return err
	}
	version, err := r.newVersion(r.meta.Type)
	if err != nil {
		return err
	}
	m := &r.meta
	m.Version, m.Count = version, 0
	m.HasHome, m.Home = false, nil
	m.TreeRoot, m.LowWater, m.HighWater = 0, nil, nil
	if m.Type == encoding.TypeList {
		r.tx.s.startList(m)
	}
	return nil
}

// fill says that the elements of a new set or sorted set come in their order
// from now on, so that its tree is made in one go at the end, by filled.
func (r *record) fill(f encoding.Family) {
	if r.meta.Type != encoding.TypeHash {
		r.filling = r.tree(f).loader()
	}
}

func (r *record) filled() error {
	load := r.filling
	if r.filling = nil; load == nil {
		return nil
	}
	return load.finish()
}

// countName counts an element whose record has just been written.
func (r *record) countName(f encoding.Family, name []byte) error {
	if r.filling != nil {
		r.filling.next(name)
		return nil
	}
	return r.tree(f).add(name)
}
