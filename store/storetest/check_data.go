package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"

	"keypact/encoding"
)

// entry is one key and what was seen of its data.
type entry struct {
	key     nsKey
	at      place
	meta    encoding.Meta // without the value
	data    uint64        // records in the type's own family
	scores  uint64        // records in the order of a sorted set
	digest  uint64        // of members with their scores, less those in the order
	tree    *counted      // nil without a tree
	outside []uint64      // indexes of list records beyond the bounds
}

func (w *walk) metaRecord(key, value []byte) error {
	ns, user, err := encoding.ParseMetaKey(key)
	if err != nil {
		return err
	}
	e := &entry{key: nsKey{ns, string(user)}}
	if err := encoding.ParseMeta(value, &e.meta); err != nil {
		return err
	}
	if again := encoding.AppendMeta(nil, &e.meta); !bytes.Equal(again, value) {
		w.fault("key %s: meta %x is not how it is written, %x", e.key, value, again)
	}
	e.meta.Value = nil
	e.meta.LowWater, e.meta.HighWater = bytes.Clone(e.meta.LowWater), bytes.Clone(e.meta.HighWater)
	if e.meta.TreeRoot != 0 {
		e.tree = &counted{nodes: map[uint64]*encoding.TreeNode{}}
	}
	home := bytes.Clone(user)
	if e.meta.HasHome {
		home = bytes.Clone(e.meta.Home)
	}
	e.meta.Home = nil
	e.at = place{ns, string(home), e.meta.Version}
	if e.meta.HasHome && string(home) == string(user) {
		w.fault("key %s has itself as its home", e.key)
	}
	w.keys[e.key] = e
	w.claim(e)
	w.seen(e.key, e.meta.Created)
	if e.meta.Changes == 0 {
		w.fault("key %s has no change", e.key)
	}
	return nil
}

// claim notes that a key owns a version and its data.
func (w *walk) claim(e *entry) {
	version := e.meta.Version
	if other, taken := w.versions[version]; taken {
		w.fault("version %d of key %s is in use for %s too", version, e.key, other)
	}
	w.versions[version], w.places[e.at] = e.at, e
	if next := w.sequences[string(encoding.SequenceKey())]; version == 0 || version >= next {
		w.fault("key %s has version %d, the next one is %d", e.key, version, next)
	}
	if id := e.meta.ContractID; id != 0 {
		if c, known := w.contracts[id]; !known || e.meta.ContractRevision > c.Revision || e.meta.ContractRevision == 0 {
			w.fault("key %s names contract %d revision %d; known: %v, newest: %d", e.key, id, e.meta.ContractRevision, known, c.Revision)
		}
	} else if e.meta.Conformant {
		w.fault("key %s conforms to no contract", e.key)
	}
}

// seen notes the time of a record.
func (w *walk) seen(where fmt.Stringer, ms int64) {
	w.newest = max(w.newest, ms)
	if ms > w.now || ms <= 0 {
		w.fault("%s: a record is from %d, it is %d", where, ms, w.now)
	}
}

// owner finds the key that a data record belongs to, nil if there is none.
func (w *walk) owner(p place, key []byte, types ...encoding.Type) *entry {
	e := w.places[p]
	if e == nil {
		// Records come in order, but for a place with several families.
		if _, known := w.unowned[p]; !known {
			w.unowned[p] = string(key)
		}
		return nil
	}
	for _, t := range types {
		if e.meta.Type == t {
			return e
		}
	}
	w.fault("key %s is a %s and has record %x", e.key, e.meta.Type, key)
	return nil
}

func (w *walk) memberRecord(key, value []byte) error {
	ns, home, version, member, err := encoding.ParseMemberKey(key)
	if err != nil {
		return err
	}
	data, err := w.data(value)
	e := w.owner(place{ns, string(home), version}, key, encoding.TypeHash, encoding.TypeSet, encoding.TypeZSet)
	if e == nil || err != nil {
		return err
	}
	w.seen(e.key, data.Created)
	e.data++
	e.count(encoding.FamilyMember, member)
	switch e.meta.Type {
	case encoding.TypeSet:
		if len(data.Value) > 0 {
			w.fault("key %s: member %q of a set has a value", e.key, member)
		}
	case encoding.TypeZSet:
		score, rest, err := encoding.CutFloat(data.Value)
		if err != nil || len(rest) > 0 {
			return fmt.Errorf("score %x: %w", data.Value, errors.Join(err, encoding.ErrCorrupt))
		}
		e.digest += digest(member, score)
	}
	return nil
}

func (w *walk) data(value []byte) (data encoding.Data, err error) {
	if err = encoding.ParseData(value, &data); err == nil && data.Expires != 0 {
		w.fault("a record with an expiry of its own: nothing writes that yet")
	}
	return data, err
}

func (w *walk) listRecord(key, value []byte) error {
	ns, home, version, index, err := encoding.ParseListKey(key)
	if err != nil {
		return err
	}
	data, err := w.data(value)
	e := w.owner(place{ns, string(home), version}, key, encoding.TypeList)
	if e == nil || err != nil {
		return err
	}
	w.seen(e.key, data.Created)
	if index < e.meta.Left || index >= e.meta.Right {
		e.outside = append(e.outside, index)
		return nil
	}
	want := e.meta.Left + e.data*max(e.meta.Stride, 1)
	if e.meta.Uneven == 0 && index != want || e.data == 0 && index != e.meta.Left {
		w.fault("key %s: element %d has index %d, not %d", e.key, e.data, index, want)
	}
	e.data++
	e.count(encoding.FamilyList, key[len(key)-8:])
	return nil
}

func (w *walk) scoreRecord(key, value []byte) error {
	ns, home, version, score, member, err := encoding.ParseScoreKey(key)
	if err := errors.Join(err, encoding.ParseIndexValue(value)); err != nil {
		return err
	}
	if e := w.owner(place{ns, string(home), version}, key, encoding.TypeZSet); e != nil {
		e.scores++
		e.count(encoding.FamilyScore, append(encoding.AppendFloat(nil, score), member...))
		if !e.withinMarks(score, member) {
			w.fault("key %s: member %q with score %v lies outside its marks", e.key, member, score)
		}
		e.digest -= digest(member, score)
	}
	return nil
}

// digest tells pairs of member and score apart. Sums of digests are compared,
// so that the two orders need not be in memory at once.
func digest(member []byte, score float64) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(encoding.AppendFloat(nil, score))
	_, _ = h.Write(member)
	return h.Sum64()
}

func (w *walk) aliasRecord(key, value []byte) error {
	ns, home, version, err := encoding.ParseAliasKey(key)
	if err != nil {
		return err
	}
	present, err := encoding.ParseAlias(value)
	w.aliases[place{ns, string(home), version}] = string(present)
	return err
}

// finishAliases wants an alias for each renamed key and for no other.
func (w *walk) finishAliases() {
	for p, key := range w.aliases {
		if e := w.places[p]; e == nil || !e.meta.HasHome || e.key.key != key {
			w.fault("alias of %s names key %q, which does not have it as its home", p, key)
		}
	}
	for _, e := range w.keys {
		if _, found := w.aliases[e.at]; e.meta.HasHome && !found {
			w.fault("key %s has its data at %s without an alias", e.key, e.at)
		}
	}
}

// finishKeys compares what each key says of itself with what was found.
func (w *walk) finishKeys() {
	for _, e := range w.keys {
		m := &e.meta
		if m.Type == encoding.TypeString {
			if m.Count != 0 || m.HasHome {
				w.fault("key %s is a string with count %d, home %v", e.key, m.Count, m.HasHome)
			}
		} else if e.data != m.Count || m.Count == 0 {
			w.fault("key %s, a %s, counts %d elements and has %d", e.key, m.Type, m.Count, e.data)
		}
		if m.Type == encoding.TypeZSet && (e.scores != e.data || e.digest != 0) {
			w.fault("key %s: %d members, %d in the order, digests differ by %x", e.key, e.data, e.scores, e.digest)
		}
		if step := max(m.Stride, 1); m.Type == encoding.TypeList && (m.Right%step != 0 || m.Uneven == 0 && m.Right-m.Left != m.Count*step) {
			w.fault("key %s: a list from %d to %d with %d elements", e.key, m.Left, m.Right, m.Count)
		}
		if len(e.outside) > 0 {
			w.fault("key %s: element %d and %d others lie outside the list and are not reclaimed", e.key, e.outside[0], len(e.outside)-1)
		}
		if e.tree != nil {
			w.finishTree(e)
		}
		if want := min(m.Expires, 1); int64(w.expiries[e.key]) != want {
			w.fault("key %s expires at %d and has %d entries in the index", e.key, m.Expires, w.expiries[e.key])
		}
	}
}
