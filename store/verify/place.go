package verify

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"keypact/encoding"
)

// entry is a key and what was seen of its data.
type entry struct {
	w     *walk
	ns    uint32
	key   []byte // the user's
	m     encoding.Meta
	place string // where its data lies
	met   bool   // there is data
	verdict

	data    uint64                   // records in the type's own family
	scores  uint64                   // records in the order of a sorted set
	digest  uint64                   // of members with their scores, less those in the order
	list    listSeen                 // of a list
	tree    *treeWalk                // nil without a tree
	nodes   uint64                   // of the tree that have a record
	foreign map[encoding.Family]bool // of data of another type
}

// newEntry is the key of a meta record. Its value is for the caller to use.
func (w *walk) newEntry(ns uint32, user, value []byte) (*entry, error) {
	e := &entry{w: w, ns: ns, key: bytes.Clone(user)}
	if err := encoding.ParseMeta(value, &e.m); err != nil {
		return nil, err
	}
	m := &e.m
	home := user
	if m.HasHome {
		home = m.Home
	}
	m.Home, m.LowWater, m.HighWater = bytes.Clone(m.Home), bytes.Clone(m.LowWater), bytes.Clone(m.HighWater)
	e.place = placeOf(ns, home, m.Version)
	return e, nil
}

func placeOf(ns uint32, home []byte, version uint64) string {
	return string(encoding.AppendDataPrefix(nil, encoding.FamilyMember, ns, home, version)[1:])
}

// prefix is what the engine keys of the data have in one family.
func (e *entry) prefix(f encoding.Family) []byte { return append([]byte{byte(f)}, e.place...) }

func (e *entry) fault(code Code, mend mend, format string, args ...any) {
	e.w.fault(code, e.key, mend, format, args...)
}

// stray is data of a place that no key owns.
type stray struct {
	ns      uint32
	home    []byte
	version uint64
	orphan  bool     // nothing will delete it
	reclaim *reclaim // what will
	parts   parts    // of a list that died, which will go
	records uint64   //
	first   []byte   // its least record
	passed  bool     // a record lies where the reclaimer will not look again
}

// place judges the data of one version of one key. own is the key it lies
// under; unreadable is the meta record there if readable is false.
func (w *walk) place(place string, base []byte, own *entry, readable bool) {
	version := binary.LittleEndian.Uint64([]byte(place[len(base):]))
	e, known := w.owner(place, version, own)
	if e != nil {
		e.begin()
	}
	s := &stray{ns: binary.BigEndian.Uint32(base), version: version}
	s.home, _, _ = encoding.CutEscaped([]byte(place[4:]))
	if e == nil {
		w.covered(s, place)
	}
	for _, c := range w.merged[1:] {
		for w.err == nil && c.at(place) {
			if e != nil {
				w.owned(e, c)
			} else {
				w.unowned(s, c)
			}
			c.next()
		}
	}
	switch {
	case w.err != nil:
	case e != nil:
		w.finishEntry(e)
	case known && readable:
		w.finishStray(s, place)
	}
}

// owner finds the key that the data of a place belongs to. known is false if
// its meta record cannot be read, so that nobody can tell.
func (w *walk) owner(place string, version uint64, own *entry) (e *entry, known bool) {
	if own != nil && own.place == place {
		return own, true
	}
	alias := w.merged[len(w.merged)-1]
	if alias.at(place) && len(alias.name()) == 0 {
		if key, err := encoding.ParseAlias(alias.value); err == nil {
			e, known = w.ownerNamed(place, key)
			if e != nil || !known {
				return e, known
			}
		}
	}
	if !w.waits(place) {
		if key := w.claims()[place]; key != nil {
			return w.ownerNamed(place, key)
		}
	}
	return nil, true
}

// ownerNamed is the key of a name if it has its data at a place.
func (w *walk) ownerNamed(place string, key []byte) (e *entry, known bool) {
	ns := binary.BigEndian.Uint32([]byte(place[:4]))
	raw, readable := w.get(encoding.AppendMetaKey(nil, ns, key))
	if raw == nil {
		return nil, readable
	}
	e, err := w.newEntry(ns, key, raw)
	if err != nil {
		return nil, false
	}
	if e.place != place {
		version := binary.LittleEndian.Uint64([]byte(place[len(place)-versionBytes:]))
		if e.m.Version != version || !w.hasData(place) || w.hasData(e.place) {
			return nil, true
		}
		// The alias and the version agree, and the record has got the home wrong.
		home, _, _ := encoding.CutEscaped([]byte(place[4:]))
		e.fault(CodeMeta, e.edit(func(m *encoding.Meta) { m.HasHome, m.Home = true, home }),
			"its data lies under key %q, as an alias says, and its record says otherwise", home)
		e.place, e.m.HasHome, e.m.Home = place, true, home
	}
	e.m.Value = nil
	e.verdict = w.judges.begin(e, false)
	return e, true
}

// hasData reports whether there are elements at a place.
func (w *walk) hasData(place string) bool {
	for _, f := range [...]encoding.Family{encoding.FamilyMember, encoding.FamilyList, encoding.FamilyScore} {
		if first, err := w.first(prefixRange(append([]byte{byte(f)}, place...))); first != nil || err != nil {
			return true
		}
	}
	return false
}

// claims finds where the renamed keys that have no alias of theirs have their
// data. In a sound store there are none, so it looks only once data seems to
// belong to nobody.
func (w *walk) claims() map[string][]byte {
	if w.renamed != nil {
		return w.renamed
	}
	w.renamed = map[string][]byte{}
	err := w.r.Scan(familyRange(encoding.FamilyMeta), func(key, value []byte) bool {
		ns, user, err := encoding.ParseMetaKey(key)
		if err != nil {
			return true
		}
		e, err := w.newEntry(ns, user, value)
		if err == nil && e.m.HasHome && !w.hasAlias(e) {
			w.renamed[e.place] = e.key
		}
		return w.ctx.Err() == nil
	})
	w.blind = w.blind || err != nil
	return w.renamed
}

// hasAlias reports whether a renamed key is known where its data lies.
func (w *walk) hasAlias(e *entry) bool {
	raw, readable := w.get(e.prefix(encoding.FamilyAlias))
	if raw == nil {
		return !readable
	}
	present, err := encoding.ParseAlias(raw)
	return err == nil && bytes.Equal(present, e.key)
}

// begin makes ready for the data of a key.
func (e *entry) begin() {
	e.met = true
	if e.m.TreeRoot != 0 && treeFamily(e.m.Type) != 0 {
		e.tree = e.w.newTreeWalk(e)
	}
}

// owned judges one record of a key.
func (w *walk) owned(e *entry, c *cursor) {
	if !holds(e.m.Type, c.family) {
		if !e.foreign[c.family] {
			if e.foreign == nil {
				e.foreign = map[encoding.Family]bool{}
			}
			e.foreign[c.family] = true
			e.fault(CodeForeign, nil, "it is a %s and has record %s of %s", e.m.Type, shown(c.key), c.family)
		}
		return
	}
	var err error
	switch c.family {
	case encoding.FamilyMember:
		err = w.member(e, c)
	case encoding.FamilyList:
		err = w.item(e, c)
	case encoding.FamilyScore:
		err = w.score(e, c)
	case encoding.FamilyTree:
		err = w.node(e, c)
	case encoding.FamilyAlias:
		err = w.alias(e, c)
	}
	if err != nil {
		w.corrupt(e.key, c.key, err)
	}
}

// holds reports whether a key of a type may have records of a family.
func holds(t encoding.Type, f encoding.Family) bool {
	switch f {
	case encoding.FamilyMember:
		return t == encoding.TypeHash || t == encoding.TypeSet || t == encoding.TypeZSet
	case encoding.FamilyList:
		return t == encoding.TypeList
	case encoding.FamilyScore:
		return t == encoding.TypeZSet
	case encoding.FamilyTree:
		return treeFamily(t) != 0
	}
	return t != encoding.TypeString
}

// alias judges the alias record of a key.
func (w *walk) alias(e *entry, c *cursor) error {
	if len(c.name()) > 0 {
		return fmt.Errorf("%w: alias key: %d bytes left over", encoding.ErrCorrupt, len(c.name()))
	}
	present, err := encoding.ParseAlias(c.value)
	if err == nil && (!e.m.HasHome || !bytes.Equal(present, e.key)) {
		w.fault(CodeAliasStray, present, w.dropAlias(c), "an alias names it, and the data there is that of key %q", e.key)
	}
	return err
}

// unowned counts one record that belongs to no key.
func (w *walk) unowned(s *stray, c *cursor) {
	if c.family == encoding.FamilyAlias {
		// A flush takes aliases last; all others go with their key.
		if w.flushed[s.ns] == nil {
			present, err := encoding.ParseAlias(c.value)
			if err != nil {
				w.corrupt(nil, c.key, err)
				return
			}
			w.fault(CodeAliasStray, present, w.dropAlias(c), "an alias names it, and it has no data there")
		}
		return
	}
	if c.family == encoding.FamilyList && len(s.parts) > 0 {
		if index, _, err := encoding.CutIndex(c.name()); err == nil && s.parts.cover(index) {
			w.report.Dead++
			return
		}
	}
	if s.records++; s.records == 1 {
		s.first = bytes.Clone(c.key)
	}
	if s.reclaim != nil && bytes.Compare(c.key, s.reclaim.cursor) < 0 {
		s.passed = true
	}
}

// finishStray judges what no key owns.
func (w *walk) finishStray(s *stray, place string) {
	switch {
	case s.records == 0:
	case s.orphan:
		w.fault(CodeOrphan, s.home, w.bury(place), "%d records of version %d belong to no key and are not reclaimed, first %s", s.records, s.version, shown(s.first))
	default:
		if s.reclaim != nil {
			w.report.Dead += s.records
		}
		if s.passed {
			w.fault(CodeReclaim, s.home, s.reclaim.restart(), "reclaim record %d has passed record %s of version %d", s.reclaim.seq, shown(s.first), s.version)
		}
	}
}
